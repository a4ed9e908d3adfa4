import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { Change, chooseChangeItems } from '#contracts/operations/changes.ts';
import { type ChangeRequest, kindOf, mayAct, mayUnlock, permissionFor } from '#contracts/values/changes.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { inTransaction } from '#kernel/db/database.ts';
import { requirePermission, type Scope } from '#kernel/scope.ts';
import * as repo from './changes.repo.ts';
import { endOf } from './changes.rules.ts';
import { type Desk, type DeskDeps, othersMeant, requireRound } from './desk.ts';
import * as itemsRepo from './items.repo.ts';
import { endChange, type Runs } from './runs.ts';

/** What is put into the queue by each. */
const queuedBy = { apply: ['ready'], retry: ['failed', 'moved'] } as const;

const appliedText = 'This change was applied already. What was left out stays left out.';
const applyingText = 'Some of its domains are being changed at this moment. Please try again in a moment.';

/** What people do with a change that was looked at. */
export function createChangeActs({ db, clock }: DeskDeps, runs: Pick<Runs, 'enqueue'>, desk: Desk) {
  const { acting, insert, log } = desk;

  const choose = (scope: Scope, id: string, body: BodyOf<typeof chooseChangeItems>) =>
    acting(scope, id, 'choose', async (tx, change) => {
      const { ids, chosen, ticked } = body;
      requireRound(change, body.round);
      if (chosen && !mayAct(change.state, 'apply')) throw new AppError('conflict', { message: appliedText });
      await itemsRepo.choose(tx, scope, id, { ids, chosen, ticked });
      if (change.state === 'partly') {
        const counts = (await repo.countsOf(tx, scope, [id]))(id);
        if (endOf(counts) === 'done') await endChange(tx, scope, change, clock.now());
      }
      const said = {
        ...(chosen === undefined ? {} : { chosen }),
        ...(ticked === undefined ? {} : { ticked }),
      };
      await log(tx, scope, id, 'changes.choose', { after: { domains: ids.length, ...said } });
    });

  /** The last word of a person: so many domains, none of which loses much of its zone without their having said so. */
  const start = (
    scope: Scope,
    id: string,
    { act, expected, round }: { act: 'apply' | 'retry'; expected: number; round?: number | undefined },
    requireFreshSignIn: () => void,
  ) =>
    acting(scope, id, act, async (tx, change) => {
      requireRight(scope, change.request, requireFreshSignIn);
      const states = queuedBy[act];
      const counts = (await repo.countsOf(tx, scope, [id]))(id);
      const meant = states.reduce((sum, state) => sum + counts[state], 0);
      if (meant !== expected) throw new AppError('conflict', { message: othersMeant });
      requireRound(change, round);
      const open = await itemsRepo.unticked(tx, scope, id, states);
      if (open > 0) throw new AppError('unprocessable', { message: untickedText(open) });
      await itemsRepo.queueItems(tx, scope, id, states, clock);
      await repo.raiseRound(tx, scope, id);
      await repo.setActor(tx, scope, id);
      await repo.setState(tx, scope, id, { state: 'running', at: clock.now() });
      await runs.enqueue(tx, 'run', { organisationId: scope.organisationId, changeId: id });
      const before = { state: change.state };
      await log(tx, scope, id, `changes.${act}`, { before, after: { state: 'running', domains: meant } });
    });

  const resume = (scope: Scope, id: string, requireFreshSignIn: () => void) =>
    acting(scope, id, 'resume', async (tx, change) => {
      requireRight(scope, change.request, requireFreshSignIn);
      await repo.setActor(tx, scope, id);
      await repo.setState(tx, scope, id, { state: 'running', at: clock.now() });
      await runs.enqueue(tx, 'run', { organisationId: scope.organisationId, changeId: id });
      await log(tx, scope, id, 'changes.resume', {
        before: { state: 'paused' },
        after: { state: 'running' },
      });
    });

  const pause = (scope: Scope, id: string) =>
    acting(scope, id, 'pause', async (tx) => {
      await repo.setState(tx, scope, id, { state: 'paused', at: clock.now() });
      await log(tx, scope, id, 'changes.pause', { before: { state: 'running' }, after: { state: 'paused' } });
    });

  const cancel = (scope: Scope, id: string) =>
    acting(scope, id, 'cancel', async (tx, { state }) => {
      await itemsRepo.cancelItems(tx, scope, id);
      await repo.setState(tx, scope, id, { state: 'cancelled', at: clock.now() });
      await log(tx, scope, id, 'changes.cancel', { before: { state }, after: { state: 'cancelled' } });
    });

  /** A change of its own, of the domains that were changed. What an earlier undo has taken back is found to be the same. */
  function undo(scope: Scope, id: string): Promise<Change> {
    return inTransaction(db, scope, async (tx) => {
      const change = await repo.findChange(tx, scope, id, true);
      if (!change) throw new AppError('not_found');
      const { title } = change;
      const request = { kind: 'undo', changeId: id, title, of: kindOf(change.request) } as const;
      requirePermission(scope, permissionFor(request));
      if (!mayAct(change.state, 'undo')) throw new AppError('conflict', { message: othersMeant });
      if (await repo.hasOpenUndo(tx, scope, id)) {
        throw new AppError('unprocessable', { message: 'There is a change already that undoes this one.' });
      }
      // What is on its way would be left out, and would be there after the undo.
      if (await itemsRepo.isApplying(tx, scope, id)) {
        throw new AppError('in_progress', { message: applyingText });
      }
      return insert(tx, scope, {
        title: `Undo ${title}`.slice(0, mostCharacters.changeTitle),
        reason: change.reason,
        request,
        undoes: id,
        addresses: await itemsRepo.addressesDone(tx, scope, id),
      });
    });
  }

  async function discard(scope: Scope, id: string): Promise<void> {
    await inTransaction(db, scope, async (tx) => {
      const change = await repo.findChange(tx, scope, id, true);
      if (!change) throw new AppError('not_found');
      if (!mayAct(change.state, 'discard')) throw new AppError('conflict', { message: othersMeant });
      await repo.deleteChange(tx, scope, id);
      const { title, reason, request } = change;
      await log(tx, scope, id, 'changes.discard', { before: { title, reason, request } });
    });
  }

  return { choose, start, resume, pause, cancel, undo, discard };
}

/** Opening domains for transfers asks for a sign-in of a moment ago, one by one or many at once. */
function requireRight(scope: Scope, request: ChangeRequest, requireFreshSignIn: () => void): void {
  requirePermission(scope, permissionFor(request));
  if (mayUnlock(request)) requireFreshSignIn();
}

function untickedText(count: number): string {
  const zones = count === 1 ? 'One zone loses' : `${count} zones lose`;
  return `${zones} more than 30 % of the records. Please confirm each, or leave it out.`;
}
