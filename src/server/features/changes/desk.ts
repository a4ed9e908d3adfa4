import { AppError } from '#contracts/errors.ts';
import type { Change } from '#contracts/operations/changes.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { type ChangeAct, type ChangeRequest, mayAct } from '#contracts/values/changes.ts';
import { audit } from '#kernel/audit.ts';
import { inTransaction, type Tx } from '#kernel/db/database.ts';
import { requireRoom } from '#kernel/room.ts';
import type { Scope } from '#kernel/scope.ts';
import * as repo from './changes.repo.ts';
import * as itemsRepo from './items.repo.ts';
import type { Runs, RunsDeps } from './runs.ts';
import { shownIn } from './shown.ts';

export interface DeskDeps extends RunsDeps {
  newId: (nowMs: number) => string;
}

export const othersMeant = 'This has changed since you looked at it. Please look again.';

/** What each act of a person on a change does: one at a time, if the state allows it, and in the log. */
export function createDesk(deps: DeskDeps, runs: Pick<Runs, 'enqueue'>) {
  const { db, clock } = deps;

  async function insert(
    tx: Tx,
    scope: Scope,
    given: {
      title: string;
      reason: string;
      request: ChangeRequest;
      undoes: string | null;
      addresses: readonly string[];
    },
  ): Promise<Change> {
    const { addresses, ...change } = given;
    if (addresses.length === 0)
      throw new AppError('unprocessable', { message: 'There are no such domains.' });
    const now = clock.now();
    const id = deps.newId(now.getTime());
    await requireRoom(tx, 'unfinishedChanges', scope.organisationId, () => repo.countOpen(tx, scope));
    await repo.insertChange(tx, scope, { id, ...change, now });
    const names = addresses.map((address) => ({ id: deps.newId(now.getTime()), address }));
    await itemsRepo.insertItems(tx, scope, id, names, clock);
    await runs.enqueue(tx, 'look', { organisationId: scope.organisationId, changeId: id });
    const { title, reason, request, undoes } = change;
    const after = { title, reason, request, domains: addresses.length, ...(undoes ? { undoes } : {}) };
    await log(tx, scope, id, undoes ? 'changes.undo' : 'changes.create', { after });
    return shownIn(tx, scope, id);
  }

  /** One act on a change, if it is in a state for it: nobody else acts on it meanwhile. */
  function acting(
    scope: Scope,
    id: string,
    act: ChangeAct,
    work: (tx: Tx, change: repo.ChangeRow) => Promise<void>,
  ): Promise<Change> {
    return inTransaction(db, scope, async (tx) => {
      const change = await repo.findChange(tx, scope, id, true);
      if (!change) throw new AppError('not_found');
      if (!mayAct(change.state, act)) throw new AppError('conflict', { message: othersMeant });
      await work(tx, change);
      return shownIn(tx, scope, id);
    });
  }

  /** People name changes after customers and tickets. */
  function log(
    tx: Tx,
    scope: Scope,
    id: string,
    action: AuditAction,
    change: { before?: unknown; after?: unknown },
  ): Promise<void> {
    const object = { objectKind: 'change', object: id, customerId: null, subject: scope.userId };
    return audit(tx, scope, { at: clock.now(), action, ...object, ...change });
  }

  return { insert, acting, log };
}

export type Desk = ReturnType<typeof createDesk>;

/** `shown`: the round that the person saw. Somebody has described, looked at or started the change since: then nothing happens. */
export function requireRound(change: Pick<repo.ChangeRow, 'round'>, shown: number | undefined): void {
  if ((shown ?? change.round) !== change.round) throw new AppError('conflict', { message: othersMeant });
}
