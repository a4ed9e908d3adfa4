import type { Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { postSealed, tellManagers } from '#kernel/letters.ts';
import type { Payment } from '../../ports/payments.ts';
import { findBilledCustomer } from '../customers/index.ts';
import { organisationName } from '../users/index.ts';
import { type Charge, changeCharge, chargeAt, dueNow, lockCharge, namesIn } from './charges.repo.ts';
import { canFail, disputeIn, failedText, nextTryAt, verdictOn } from './charges.rules.ts';
import type { DirectBillingDeps } from './deps.ts';
import { disputeLetter, failedChargeCustomerLetter, failedChargeLetter } from './direct-billing.letters.ts';
import { refundsDue } from './refunds.repo.ts';
import type { createSetupLinks } from './setup-links.ts';

export type OutcomeDeps = Pick<DirectBillingDeps, 'clock' | 'seal' | 'publicUrl'> &
  Pick<ReturnType<typeof createSetupLinks>, 'writeLink'>;

/** Writes what a payment is into its charge. `answer`: it is the reply to this try, not news about an earlier one. */
export async function applyToCharge(
  deps: OutcomeDeps,
  tx: Tx,
  chargeId: string,
  { payment, answer }: { payment: Payment; answer: boolean },
): Promise<void> {
  const charge = await lockCharge(tx, chargeId);
  if (!charge) return;
  const verdict = verdictOn(charge, payment, answer);
  const now = deps.clock.now();
  if (verdict.kind === 'paid' || verdict.kind === 'alert') await applyDisputes(deps, tx, charge, payment);
  switch (verdict.kind) {
    case 'nothing':
      return;
    case 'alert': {
      const alert = { kind: 'direct-charge', text: `direct charge ${chargeId}: ${verdict.text}` };
      await enqueueJob(tx, 'operator.alert', alert, { key: `alert:direct:${chargeId}` });
      if (charge.state !== 'sending' && charge.state !== 'failed') return;
      // Nothing is sent for it any more by itself: a person decides. The payment is kept, so that nobody takes the charge for unpaid.
      const failed = { state: 'failed', failure: failedText.otherAmount, next_try_at: null } as const;
      await changeCharge(tx, chargeId, { ...failed, payment_intent: payment.id, updated_at: now });
      return;
    }
    case 'paid':
      await changeCharge(tx, chargeId, {
        state: verdict.state,
        payment_intent: payment.id,
        refunded_cents: payment.reversedCents,
        failure: null,
        next_try_at: null,
        updated_at: now,
      });
      if (verdict.state === 'succeeded') await refundsDue(tx, charge, now);
      return;
    case 'failed':
      await changeCharge(tx, chargeId, { payment_intent: verdict.paymentIntent });
      await failCharge(deps, tx, chargeId, verdict);
  }
}

/** A dispute stops what would be charged to the customer by itself; one that is won lets it go on. */
async function applyDisputes(
  { clock, publicUrl }: OutcomeDeps,
  tx: Tx,
  charge: Charge,
  payment: Payment,
): Promise<void> {
  const { news, ...disputed } = disputeIn(charge, payment, clock.now());
  await changeCharge(tx, charge.id, disputed);
  if (news === 'over') await dueNow(tx, charge.customer_id, clock.now());
  if (news !== 'disputed') return;
  const { organisation_id: organisationId, customer_id: id } = charge;
  const customer = await findBilledCustomer(tx, { id });
  const letter = disputeLetter({
    chargeId: charge.id,
    ...{ organization: customer?.organization ?? '', items: await namesIn(tx, charge.id) },
    ...{ cents: disputed.disputed_cents, payment: payment.id, publicUrl },
  });
  const notice = `direct-dispute.${charge.id}.${disputed.disputed_cents}`;
  await tellManagers(tx, { organisationId, notice, letter });
}

/** An open receivable: shown, said to both sides, and tried again by itself a few times. */
export async function failCharge(
  deps: OutcomeDeps,
  tx: Tx,
  chargeId: string,
  { text, wantsPerson, stopped = false }: { text: string; wantsPerson: boolean; stopped?: boolean },
): Promise<void> {
  const charge = await lockCharge(tx, chargeId);
  if (!charge || !canFail(charge.state)) return;
  const now = deps.clock.now();
  const next = nextTryAt(charge.attempt, wantsPerson, now);
  await changeCharge(tx, chargeId, { state: 'failed', failure: text, next_try_at: next, updated_at: now });
  if (next) await chargeAt(tx, { id: chargeId, organisationId: charge.organisation_id }, next);
  await refundsDue(tx, charge, now);
  await tell(deps, tx, charge, { failure: text, next, stopped });
}

async function tell(
  deps: OutcomeDeps,
  tx: Tx,
  charge: Charge,
  { failure, next, stopped }: { failure: string; next: Date | null; stopped: boolean },
): Promise<void> {
  const customer = await findBilledCustomer(tx, { id: charge.customer_id });
  if (!customer) return;
  const { organisation_id: organisationId, customer_id: customerId, cents } = charge;
  const { email, organization } = customer;
  const msp = await organisationName(tx, organisationId);
  const items = await namesIn(tx, charge.id);
  // Who disputed a payment is not asked for another by a letter of ours.
  const asksCustomer = email !== '' && !stopped;
  const link =
    customer.deleted || stopped
      ? null
      : await deps.writeLink(tx, { organisationId, customerId, email }, deps.clock.now());
  const address = link?.address ?? null;
  const failed = { msp, organization, items, cents, failure, next, address };
  const messageId = `direct-charge.${charge.id}.${charge.attempt}`;
  if (asksCustomer) {
    // It speaks for the MSP, and holds a link that opens without a sign-in: a job table is a table like any other.
    await postSealed(tx, deps.seal, {
      ...{ to: email, messageId, sender: { organisationId, inItsName: true } },
      letter: failedChargeCustomerLetter(failed),
    });
  }
  const letter = failedChargeLetter({ ...failed, publicUrl: deps.publicUrl });
  await tellManagers(tx, { organisationId, notice: messageId, letter });
}
