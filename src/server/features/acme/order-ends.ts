import { AppError } from '#contracts/errors.ts';
import { inOneGo, inTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { lockAccess } from './access-log.repo.ts';
import { balanceShort, lookAgainMs, person } from './finalize.rules.ts';
import type { FinalizeDeps } from './finalize.ts';
import { endAcmeOrder, lookAgainAt, type OrderPlace, type OrderRecord } from './orders.repo.ts';
import { AcmeProblem, documentOf } from './problems.rules.ts';

/** Answers that leave it open what has become of the call; the engine and the jobs find out. */
const openCodes: readonly string[] = [
  'in_progress',
  'upstream_unavailable',
  'outcome_unknown',
  'unavailable',
  // The operator has changed it this very moment: the next look sees the new one.
  'price_changed',
];

export type OrderEnds = ReturnType<typeof createOrderEnds>;

/** How an order ends without a certificate, and how it waits for its next look. */
export function createOrderEnds({ db, clock, refusals }: Pick<FinalizeDeps, 'db' | 'clock' | 'refusals'>) {
  async function later(place: OrderPlace, order: OrderRecord): Promise<null> {
    const at = new Date(clock.now().getTime() + lookAgainMs(order.looks));
    await inOneGo(db, place, (tx) => lookAgainAt(tx, order.id, at));
    return null;
  }

  /** Ends the order, and sees to it that a person hears why. */
  async function end(
    place: OrderPlace,
    order: OrderRecord,
    problem: AcmeProblem,
    became: boolean,
  ): Promise<null> {
    const ended = await inTransaction(db, place, async (tx) => {
      // In the order of all that writes both: the access, then the order.
      await lockAccess(tx, order.access_id);
      const moved = await endAcmeOrder(tx, order.id, { problem: documentOf(problem), became });
      if (moved) await refusals.tell(tx, order, problem);
      return moved;
    });
    if (!ended) return null;
    failpoint('acme.refused');
    throw problem;
  }

  return { later, end };
}

/** The refusal in words for the client; null when nobody knows yet, and it is to be tried again. */
export function problemOf(order: OrderRecord, error: unknown): AcmeProblem | null {
  if (error instanceof AcmeProblem) return error;
  if (!(error instanceof AppError)) throw error;
  if (error.code === 'insufficient_funds') return balanceShort(order.names);
  if (openCodes.includes(error.code)) return null;
  if (error.status >= 500) throw error;
  return person(`The certificate for ${order.names.join(', ')} was not ordered: ${error.message}`);
}
