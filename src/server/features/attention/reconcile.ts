import type { AttentionCause } from '#contracts/values/attention.ts';
import { attentionCauses, isAttentionCause } from '#contracts/values/attention.ts';
import type { AttentionQuestion, AttentionSource, AttentionSources } from '#kernel/attention.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, systemTransaction } from '#kernel/db/database.ts';
import type { Logger } from '#kernel/logger.ts';
import { organisationsAt } from '#kernel/slices.repo.ts';
import { lockCause, markedCauses, openItems, takeMarks, writeDifference } from './attention.repo.ts';
import { differenceOf, statedItem } from './attention.rules.ts';

export interface ReconcilerDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  logger: Logger;
  sources: AttentionSources;
}

/** Organizations of one transaction. */
const mostTogether = 20;

/** Brings the list in line with what the features state: after each change, and by the clock. */
export function createReconciler({ db, systemDb, clock, logger, sources }: ReconcilerDeps) {
  /** One transaction: what is stated, what is kept, and the difference. Nobody else does the same meanwhile. */
  async function reconcile(cause: AttentionCause, organisationIds: readonly string[] | null): Promise<void> {
    const source = sources[cause] as AttentionSource;
    await systemTransaction(systemDb, async (tx) => {
      const question: AttentionQuestion = { organisationIds, now: clock.now() };
      await takeMarks(tx, cause, question);
      await lockCause(tx, cause, question);
      const stated = await source.present(tx, question);
      const items = stated.map((one) => statedItem(cause, one, question.now));
      const difference = differenceOf(await openItems(tx, cause, question), items);
      await writeDifference(tx, cause, difference, question.now);
    });
  }

  /** A cause that cannot be read must not keep the others from the list. */
  async function reconcileLogged(cause: AttentionCause, organisationIds: readonly string[] | null) {
    try {
      await reconcile(cause, organisationIds);
    } catch (error) {
      logger.error({ err: error, cause }, 'what needs attention could not be brought up to date');
    }
  }

  return {
    /** Every cause of the organizations whose turn it is: what time alone changes. */
    async sweep(): Promise<void> {
      const { ids, isAll } = await systemTransaction(systemDb, (tx) => organisationsAt(tx, clock.now()));
      for (const cause of attentionCauses) await reconcileLogged(cause, isAll ? null : ids);
    },

    /** What was marked since the last time. */
    async settle(): Promise<void> {
      const marked = await systemTransaction(systemDb, (tx) => markedCauses(tx, null));
      for (const { cause, organisationIds } of marked) {
        if (!isAttentionCause(cause)) continue;
        for (let at = 0; at < organisationIds.length; at += mostTogether) {
          await reconcileLogged(cause, organisationIds.slice(at, at + mostTogether));
        }
      }
    },

    /** The same of one organization that reads its list: people see what they have just done. False: nothing was marked. */
    async settleOf(organisationId: string): Promise<boolean> {
      const marked = await inReading(db, { organisationId }, (tx) => markedCauses(tx, organisationId));
      for (const { cause } of marked) {
        if (isAttentionCause(cause)) await reconcileLogged(cause, [organisationId]);
      }
      return marked.length > 0;
    },
  };
}
