import { AppError } from '#contracts/errors.ts';
import type { BodyOf, QueryOf } from '#contracts/operation.ts';
import type {
  AttentionCounts,
  AttentionItem,
  AttentionList,
  changeAttention,
  listAttention,
} from '#contracts/operations/attention.ts';
import { ownerText, putOffProblem, worseText } from '#contracts/values/put-off.ts';
import { dayMs } from '#contracts/values/time.ts';
import { audit } from '#kernel/audit.ts';
import { inReading, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import * as repo from './attention.repo.ts';
import { countsOf, putOffUntil } from './attention.rules.ts';
import { changeItem, isColleague } from './change.repo.ts';
import { createDigests } from './digests.ts';
import { createReconciler, type ReconcilerDeps } from './reconcile.ts';
import { causesOf, shown } from './shown.ts';

export interface AttentionDeps extends ReconcilerDeps {
  publicUrl: string;
  /** Of the customers' own portal, if there is one. */
  clientUrl: string | null;
}

export type AttentionApi = ReturnType<typeof createAttention>;

/** A closed item keeps who had it, in case its cause comes back. */
const closedKeptMs = 30 * dayMs;

/** What waits for a person: one list, which features fill and people work through. */
export function createAttention(deps: AttentionDeps) {
  const { db, systemDb, clock } = deps;
  const reconciler = createReconciler(deps);

  /** Rows as they are after everything that was marked: read again where something was. */
  async function settled<R extends repo.Marked>(scope: Scope, read: () => Promise<R[]>): Promise<R[]> {
    const rows = await read();
    // No row says nothing about marks either.
    if (rows[0]?.marked === false) return rows;
    return (await reconciler.settleOf(scope.organisationId)) ? read() : rows;
  }

  async function list(scope: Scope, query: QueryOf<typeof listAttention>): Promise<AttentionList> {
    const { cause, severity, customerId, after, limit } = query;
    const filter = {
      ...{ severity, customerId, mine: query.mine === 'true', snoozed: query.snoozed === 'true' },
      causes: causesOf(scope).filter((one) => cause === undefined || one === cause),
    };
    const now = clock.now();
    const rows = await settled(scope, () =>
      inReading(db, scope, (tx) => repo.listItems(tx, scope, filter, { after, limit: limit + 1, now })),
    );
    return { items: rows.slice(0, limit).map((row) => shown(row, now, scope)), more: rows.length > limit };
  }

  async function counts(scope: Scope, customerId?: string): Promise<AttentionCounts> {
    const causes = causesOf(scope);
    const rows = await settled(scope, () =>
      inReading(db, scope, (tx) => repo.countItems(tx, scope, { causes, customerId }, clock.now())),
    );
    return countsOf(rows, causes);
  }

  async function change(
    scope: Scope,
    id: string,
    body: BodyOf<typeof changeAttention>,
  ): Promise<AttentionItem> {
    const now = clock.now();
    const { ownerId, version, shownOwnerId } = body;
    const until = body.snoozedUntil == null ? body.snoozedUntil : new Date(body.snoozedUntil);
    const problem = until ? putOffProblem(until, now) : null;
    if (problem) throw invalid('snoozedUntil', problem);
    return inTransaction(db, scope, async (tx) => {
      const before = await repo.findItem(tx, scope, causesOf(scope), id);
      if (!before) throw new AppError('not_found');
      if (ownerId && !(await isColleague(tx, scope, ownerId))) {
        throw invalid('ownerId', 'This person does not work here');
      }
      const part = {
        ...(ownerId === undefined ? {} : { owner_id: ownerId }),
        ...(until === undefined ? {} : { snoozed_until: until && putOffUntil(until, before.deadline, now) }),
      };
      const isChanged = await changeItem(tx, scope, id, part, { version, ownerId: shownOwnerId });
      const after = await repo.findItem(tx, scope, causesOf(scope), id);
      if (!after) throw new AppError('not_found');
      if (!isChanged) throw notChanged(shown(after, now, scope), version);
      await audit(tx, scope, {
        ...{ at: now, action: 'attention.change', objectKind: 'attention item', object: id },
        ...{ customerId: after.customerId, before: logged(before), after: logged(after) },
      });
      return shown(after, now, scope);
    });
  }

  const digests = createDigests({ ...deps, settle: reconciler.settle });

  return {
    ...{ list, counts, change, digest: digests.get, setDigest: digests.set },
    settle: reconciler.settle,
    tasks: {
      'attention.sweep': () => reconciler.sweep(),
      'attention.digest': digests.mailAll,
      'attention.forget': () =>
        systemTransaction(systemDb, (tx) =>
          repo.dropClosed(tx, new Date(clock.now().getTime() - closedKeptMs)),
        ),
    },
  };
}

const invalid = (path: string, message: string) =>
  new AppError('validation_failed', { details: [{ path, message }] });

const logged = ({ cause, address, ownerId, snoozedUntil }: repo.ShownItem) => ({
  ...{ cause, ...(address === null ? {} : { domain: address }) },
  ...{ owner: ownerId, snoozedUntil: snoozedUntil?.toISOString() ?? null },
});

/** Worse than the version that was seen, or another's than it was seen with. */
function notChanged(present: AttentionItem, seen: number | undefined): AppError {
  const isWorse = seen !== undefined && seen !== present.version;
  return new AppError('conflict', {
    message: isWorse ? worseText : ownerText(present.owner),
    data: present,
  });
}
