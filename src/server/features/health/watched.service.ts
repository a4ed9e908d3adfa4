import { AppError } from '#contracts/errors.ts';
import type { BodyOf, QueryOf } from '#contracts/operation.ts';
import type {
  assignWatched,
  listWatched,
  unwatchNames,
  WatchedName,
  Watching,
  watchNames,
} from '#contracts/operations/health.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import type { ListedName } from '#contracts/values/name-list.ts';
import { pastedName } from '#contracts/values/pasted-name.ts';
import { mostWatchedAtOnce, readWatchedNames } from '#contracts/values/watched-names.ts';
import { auditAll } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { requireOpen } from '#kernel/db/open-organisation.ts';
import { requireRoom } from '#kernel/room.ts';
import type { Scope } from '#kernel/scope.ts';
import * as repo from './watched.repo.ts';

/** Names that are held elsewhere and looked at all the same: entered by people, until they come here or are removed. */
export function createWatching({ db, clock }: { db: Db; clock: Clock }) {
  async function list(
    scope: Scope,
    query: QueryOf<typeof listWatched>,
  ): Promise<{ rows: WatchedName[]; total: number }> {
    const search = query.search ? pastedName(query.search) : undefined;
    const filter = { customerId: query.customerId, search };
    const [rows, total] = await inReading(db, scope, (tx) =>
      Promise.all([
        repo.listWatched(tx, scope, filter, query, clock.now()),
        repo.countWatched(tx, scope, filter),
      ]),
    );
    const shown = rows.map(({ customer, expiresAt, checkedAt, ...row }) => ({
      ...{ ...row, customer: customer ?? '', expiresAt: expiresAt?.toISOString() ?? null },
      checkedAt: checkedAt?.toISOString() ?? null,
    }));
    return { rows: shown, total };
  }

  async function watch(scope: Scope, { text, customerId }: BodyOf<typeof watchNames>): Promise<Watching> {
    const read = readWatchedNames(text);
    if (read.length === 0) throw invalid('Please enter at least one name');
    if (read.length > mostWatchedAtOnce) {
      throw invalid(`At most ${mostWatchedAtOnce} names are added at once; these are ${read.length}`);
    }
    const now = clock.now();
    const names = read.flatMap(({ domain }) => domain ?? []);
    const { held, added } = await inTransaction(db, scope, async (tx) => {
      await requireOpen(tx, scope);
      await requireCustomer(tx, scope, customerId);
      const held = await repo.heldHere(tx, scope, names);
      const known = new Set((await repo.lockWatched(tx, scope, names)).map(({ domain }) => domain));
      const fresh = names.filter((name) => !held.has(name) && !known.has(name));
      if (fresh.length === 0) return { held, added: new Set<string>() };
      await requireRoom(
        ...([tx, 'watchedNames', scope.organisationId, () => repo.countWatched(tx, scope)] as const),
        fresh.length,
      );
      const added = await repo.insertWatched(tx, scope, { names: fresh, customerId, now });
      await log(
        tx,
        scope,
        'health.watch',
        added.map((domain) => ({ domain, after: { customerId } })),
      );
      return { held, added: new Set(added) };
    });
    return { added: added.size, left: leftOut(read, added, held) };
  }

  async function assign(scope: Scope, { domains, customerId }: BodyOf<typeof assignWatched>) {
    return inTransaction(db, scope, async (tx) => {
      await requireCustomer(tx, scope, customerId);
      const found = await locked(tx, scope, domains);
      const changed = found.filter((each) => each.customerId !== customerId);
      await repo.assignWatched(
        tx,
        scope,
        changed.map(({ domain }) => domain),
        customerId,
      );
      await log(
        ...([tx, scope, 'health.assignWatched'] as const),
        changed.map(({ domain, customerId: before }) => ({
          ...{ domain, before: { customerId: before }, after: { customerId } },
        })),
      );
      return { changed: changed.length };
    });
  }

  async function unwatch(scope: Scope, { domains }: BodyOf<typeof unwatchNames>) {
    return inTransaction(db, scope, async (tx) => {
      const found = await locked(tx, scope, domains);
      await repo.dropWatched(
        tx,
        scope,
        found.map(({ domain }) => domain),
      );
      await log(
        ...([tx, scope, 'health.unwatch'] as const),
        found.map(({ domain, customerId }) => ({ domain, before: { customerId } })),
      );
      return { removed: found.length };
    });
  }

  /** Those of the names that are watched; of a list some may be removed meanwhile, of which nobody needs to hear. */
  async function locked(tx: Tx, scope: Scope, names: readonly string[]): Promise<repo.Assigned[]> {
    const found = await repo.lockWatched(tx, scope, names);
    if (found.length === 0) throw new AppError('not_found');
    return found;
  }

  async function requireCustomer(tx: Tx, scope: Scope, id: string | null): Promise<void> {
    if (id !== null && !(await repo.holdCustomer(tx, scope, id))) {
      throw new AppError('not_found', { message: 'Please choose a customer' });
    }
  }

  /** One entry for each name, about the customer that it was or is watched for. */
  function log(
    tx: Tx,
    scope: Scope,
    action: AuditAction,
    each: readonly { domain: string; before?: Owner; after?: Owner }[],
  ) {
    const at = clock.now();
    return auditAll(
      ...([tx, scope] as const),
      each.map(({ domain, before, after }) => ({
        ...{ at, action, objectKind: 'watched name', object: domain },
        ...{ customerId: (after ?? before)?.customerId ?? null, before, after },
      })),
    );
  }

  return { list, watch, assign, unwatch };
}

/** What was not added, with the reason. */
function leftOut(read: readonly ListedName[], added: ReadonlySet<string>, held: ReadonlySet<string>) {
  return read.flatMap(({ typed, domain, problem }) => {
    if (domain !== null && added.has(domain)) return [];
    const reason = domain !== null && held.has(domain) ? 'It is held here already' : 'It is watched already';
    return [{ name: domain ?? typed, reason: problem ?? reason }];
  });
}

interface Owner {
  customerId: string | null;
}

const invalid = (message: string) =>
  new AppError('validation_failed', { details: [{ path: 'text', message }] });
