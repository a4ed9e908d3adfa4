import { dayMs, minuteMs } from '#contracts/values/time.ts';
import { type Db, inReading, inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Jobs } from '#kernel/job-table.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { startPassage } from '#kernel/passage.ts';
import { rightsOfRole, type Scope, standingOf } from '#kernel/scope.ts';
import * as repo from './changes.repo.ts';
import { endOf, isUndone } from './changes.rules.ts';
import * as items from './items.repo.ts';
import { createTries, type TriesDeps } from './tries.ts';

export interface RunsDeps extends TriesDeps {
  systemDb: Db;
  /** As many as the registrar takes at once. */
  parallel: number;
  /** Another follows a process that died after this; one that is only slow does no harm beside its follower. */
  claimMs: number;
}

type Ref = { organisationId: string; changeId: string };
type Act = 'look' | 'run';

/** More than the registrar takes at once: while what came of one is written down, the calls of others are on their way. */
const besidePerCall = 1.5;
/** One job: then the next goes on, so that a process that stops is not held up. */
const turnMs = 20_000;
const stalledMs = minuteMs;
const keptMs = 400 * dayMs;
const gone = 'The person in whose name it runs has no access any more.';

/** Looks at the items of changes and applies them: in jobs, as many at once as allowed, through every crash. */
export function createRuns(deps: RunsDeps) {
  const { db, systemDb, clock, parallel, claimMs } = deps;
  const { lookAt, applyTo } = createTries(deps);

  async function run(act: Act, ref: Ref): Promise<void> {
    const passed = startPassage();
    const { change, person } = await inReading(db, ref, async (tx) => {
      const change = await repo.findChange(tx, ref, ref.changeId);
      return { change, person: change && (await repo.findPerson(tx, ref, change.userId)) };
    });
    if (!change) return;
    const scope = person && scopeOf(change, person);
    if (!scope) {
      await inTransaction(db, ref, (tx) => stopWithoutPerson(tx, ref));
      return;
    }
    const work = async () => {
      while (passed() < turnMs) {
        const take = { act, claimMs, clock };
        const item = await inTransaction(db, ref, (tx) => items.takeItem(tx, ref, take));
        if (!item) return;
        failpoint(`changes.${act}-taken`);
        await (act === 'look' ? lookAt(scope, change, item) : applyTo(scope, change, item));
      }
    };
    await Promise.all(Array.from({ length: Math.ceil(parallel * besidePerCall) }, work));
    await conclude(act, ref);
  }

  /** What is left goes on in another job; else the change has come to its end. */
  async function conclude(act: Act, ref: Ref): Promise<void> {
    await inTransaction(db, ref, async (tx) => {
      const change = await repo.findChange(tx, ref, ref.changeId, true);
      if (change?.state !== (act === 'look' ? 'draft' : 'running')) return;
      const dueMs = await items.nextDueMs(tx, ref, clock);
      if (dueMs !== null) {
        await enqueue(tx, act, ref, dueMs);
        return;
      }
      await finish(tx, ref, change);
    });
    failpoint('changes.concluded');
  }

  async function finish(tx: Tx, ref: Ref, change: repo.ChangeRow): Promise<void> {
    const at = clock.now();
    if (change.state === 'draft') {
      await repo.setState(tx, ref, change.id, { state: 'ready', at });
      return;
    }
    await endChange(tx, ref, change, at);
  }

  /** Nothing is done in the name of somebody who may not do it any more. */
  async function stopWithoutPerson(tx: Tx, ref: Ref): Promise<void> {
    const change = await repo.findChange(tx, ref, ref.changeId, true);
    if (change?.state === 'running') {
      await repo.setState(tx, ref, change.id, { state: 'paused', note: gone, at: clock.now() });
    }
    if (change?.state === 'draft') await repo.deleteChange(tx, ref, change.id);
  }

  async function enqueue(tx: Tx, act: Act, ref: Ref, afterMs = 0): Promise<void> {
    const { organisationId, changeId } = ref;
    const runAt = new Date(clock.now().getTime() + afterMs);
    await enqueueJob(
      tx,
      `changes.${act}`,
      { organisationId, changeId },
      {
        key: `change:${changeId}`,
        ...(afterMs > 0 ? { runAt } : {}),
      },
    );
  }

  /** The net: what nobody has worked on for a minute. */
  async function sweep(): Promise<void> {
    await systemTransaction(systemDb, async (tx) => {
      for (const { act, ...ref } of await repo.stalledChanges(tx, clock, stalledMs))
        await enqueue(tx, act, ref);
    });
  }

  const tasks: Jobs<`changes.${'look' | 'run' | 'sweep' | 'forget'}`> = {
    'changes.look': (ref) => run('look', ref),
    'changes.run': (ref) => run('run', ref),
    'changes.sweep': sweep,
    'changes.forget': () =>
      systemTransaction(systemDb, (tx) => repo.dropEnded(tx, new Date(clock.now().getTime() - keptMs))),
  };
  return { tasks, enqueue };
}

export type Runs = ReturnType<typeof createRuns>;

/**
 * Nothing of it is left to be done. The change that it takes back counts as undone once no domain has that any more; else that
 * one stays what it was, and can be undone again.
 */
export async function endChange(
  tx: Tx,
  tenant: { organisationId: string },
  change: repo.ChangeRow,
  at: Date,
): Promise<void> {
  const state = endOf((await repo.countsOf(tx, tenant, [change.id]))(change.id));
  await repo.setState(tx, tenant, change.id, { state, at });
  if (state !== 'done' || !change.undoes) return;
  const original = await repo.findChange(tx, tenant, change.undoes, true);
  if (!original) return;
  const left = await items.countLeft(tx, tenant, original.id, change.id);
  if (isUndone(original.state, left)) await repo.setState(tx, tenant, original.id, { state: 'undone', at });
}

/** As whom it is carried out; null: they may not any more. */
function scopeOf(change: repo.ChangeRow, person: repo.Person): Scope | null {
  const standing = standingOf(person);
  if (!standing || standing.role === 'MSP_CUSTOMER') return null;
  return {
    ...standing,
    ...{ organisationId: change.organisationId, userId: change.userId, email: person.email },
    ...{ rights: rightsOfRole, ip: null, requestId: `change ${change.id}` },
    ...(change.tokenId ? { tokenId: change.tokenId } : {}),
  };
}
