import { AppError } from '#contracts/errors.ts';
import type { AccessEntry, AcmeAccess } from '#contracts/operations/acme.ts';
import { inReading, type Tx } from '#kernel/db/database.ts';
import { isLimited, requirePermission, type Scope } from '#kernel/scope.ts';
import { type AccessQuery, findAccess, listAccesses, readLog } from './access.repo.ts';
import type { AccessServiceDeps } from './access.service.ts';
import { nothingSpent, shownAccess } from './access-shown.ts';

/** Accesses as people see them, with what they have bought and what their clients were answered. */
export function createAccessReading(deps: AccessServiceDeps) {
  const { db, clock } = deps;
  const directoryUrl = new URL('/acme/directory', deps.publicUrl).href;

  async function list(scope: Scope, query: AccessQuery): Promise<{ rows: AcmeAccess[]; total: number }> {
    requirePermission(scope, 'acme.manage');
    const now = clock.now();
    return inReading(db, scope, async (tx) => {
      const { rows, total } = await listAccesses(tx, scope, query, now);
      const ids = rows.map(({ id }) => id);
      const spent = await deps.spentThisMonth(tx, scope, ids);
      return {
        total,
        rows: rows.map((row) =>
          shownAccess(scope, row, spent.get(row.id) ?? nothingSpent, { now, directoryUrl }),
        ),
      };
    });
  }

  async function get(scope: Scope, id: string): Promise<AcmeAccess> {
    requirePermission(scope, 'acme.manage');
    return inReading(db, scope, (tx) => present(tx, scope, id));
  }

  async function present(tx: Tx, scope: Scope, id: string): Promise<AcmeAccess> {
    const [found, spent] = await Promise.all([
      findAccess(tx, scope, id),
      deps.spentThisMonth(tx, scope, [id]),
    ]);
    if (!found) throw new AppError('not_found');
    return shownAccess(scope, found, spent.get(id) ?? nothingSpent, { now: clock.now(), directoryUrl });
  }

  async function readAccessLog(scope: Scope, id: string): Promise<AccessEntry[]> {
    requirePermission(scope, 'acme.manage');
    return inReading(db, scope, async (tx) => {
      const [found, entries] = await Promise.all([findAccess(tx, scope, id), readLog(tx, scope, id)]);
      if (!found) throw new AppError('not_found');
      return entries.map(({ at, lastAt, advice, ...entry }) => ({
        ...entry,
        // What the MSP can do is not their customer's to read.
        advice: isLimited(scope) ? '' : advice,
        ...{ at: at.toISOString(), lastAt: lastAt.toISOString() },
      }));
    });
  }

  return { list, get, present, log: readAccessLog };
}
