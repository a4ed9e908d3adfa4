import type { Tx } from '#kernel/db/database.ts';
import { tellManagers } from '#kernel/letters.ts';
import type { PaymentRefund } from '../../ports/payments.ts';
import type { Charge } from './charges.repo.ts';
import { returnLetter } from './direct-billing.letters.ts';
import { markReturned, noteReturned } from './refunds.repo.ts';

/**
 * Days after it was made a refund may come back (`refund.failed`): the customer has nothing, and the MSP reads of it once.
 */
export async function takeReturned(
  tx: Tx,
  charge: Charge,
  returned: readonly PaymentRefund[],
  { now, publicUrl }: { now: Date; publicUrl: string },
): Promise<void> {
  for (const { itemId, failure } of returned) {
    if (itemId) await markReturned(tx, { itemId, chargeId: charge.id, failure: failure ?? '' }, now);
  }
  const cents = returned.reduce((sum, refund) => sum + refund.amountCents, 0);
  const before = await noteReturned(tx, charge.id, cents, now);
  if (before === null) return;
  const failure = returned.at(0)?.failure ?? '';
  const payment = charge.payment_intent ?? '';
  await tellManagers(tx, {
    organisationId: charge.organisation_id,
    notice: `direct-return.${charge.id}.${cents}`,
    letter: returnLetter({ cents: cents - before, failure, payment, publicUrl }),
  });
}
