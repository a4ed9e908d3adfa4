import type { Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { creditTopUp, dropTopUp, expectTopUp, reverseTopUp } from '../../ledger/ledger.ts';
import type { Payment } from '../../ports/payments.ts';
import { lockTopup, rankOf, stateOf } from './topups.repo.ts';

/**
 * Writes what a payment is, as it was read from the provider just now, into its top-up and the wallet. The only
 * way by which a payment becomes money here; safe to repeat in any order. Returns whether anything changed.
 * `readAt`: the top-up's version before the payment was read; when it has moved, the reading may be older than what
 * is written already, nothing is changed, and the answer is `stale`.
 */
export async function applyPayment(
  tx: Tx,
  topupId: string,
  payment: Payment,
  now: Date,
  readAt?: number,
): Promise<boolean | 'stale'> {
  const topup = await lockTopup(tx, topupId);
  if (!topup) return false;
  if (readAt !== undefined && topup.version !== readAt) return 'stale';
  if (topup.payment_intent !== null && topup.payment_intent !== payment.id) return false;
  if (payment.amountCents !== topup.cents) {
    // Nothing of ours changes an amount: whatever this is, a person has to look.
    await alert(
      tx,
      topup.organisation_id,
      topupId,
      `paid ${payment.amountCents} instead of ${topup.cents} cents`,
    );
    return false;
  }
  const state = stateOf(payment);
  const before = topup.state;
  // A payment that failed may be tried again in the same form: only final states are final.
  const retried = (before === 'failed' && state !== 'requested') || before === state;
  // A dispute that is won leads back: what arrived may be reversed and come again.
  const arrived = before === 'succeeded' || before === 'reversed';
  const wonBack = arrived && state === 'succeeded';
  if (rankOf(state) < rankOf(before) && !retried && !wonBack) return false;
  const common = { organisationId: topup.organisation_id, topupId, actor: 'payments' };
  let pendingCents = topup.pending_cents;
  if (state === 'processing' && pendingCents === 0) {
    await expectTopUp(tx, { organisationId: topup.organisation_id, cents: topup.cents });
    pendingCents = topup.cents;
  }
  if ((state === 'failed' || state === 'cancelled' || state === 'requested') && pendingCents > 0) {
    await dropTopUp(tx, { organisationId: topup.organisation_id, pendingCents });
    pendingCents = 0;
  }
  if ((state === 'succeeded' || state === 'reversed') && !arrived) {
    const feeCents = payment.feeCents ?? 0;
    const text = `Top-up by ${payment.method === 'us_bank_account' ? 'bank transfer' : 'card'}`;
    await creditTopUp(tx, { ...common, cents: topup.cents, pendingCents, feeCents, text });
    pendingCents = 0;
  }
  const reversedMore = state === 'reversed' || arrived ? payment.reversedCents - topup.reversed_cents : 0;
  if (reversedMore !== 0) {
    const text = reversedMore > 0 ? 'Payment returned or disputed' : 'Returned payment won back';
    // The row is locked: of two who tell the same, the second sees the sum that the first has written.
    const sequence = String(topup.version);
    await reverseTopUp(tx, { ...common, cents: reversedMore, sequence, text });
  }
  await tx
    .updateTable('topups')
    .set((eb) => ({
      version: eb('version', '+', 1),
      state,
      rank: rankOf(state),
      payment_intent: payment.id,
      pending_cents: pendingCents,
      reversed_cents: payment.reversedCents,
      fee_cents: payment.feeCents ?? topup.fee_cents,
      method: payment.method ?? topup.method,
      failure: payment.failure,
      updated_at: now,
    }))
    .where('id', '=', topupId)
    .execute();
  await updateProfile(tx, topup.organisation_id, payment);
  return before !== state || reversedMore !== 0;
}

/**
 * The initial fee counts as paid while a top-up of $100 arrived or is on its way (decisions no. 5). What was taken
 * back as a whole did not arrive; a part of it that was refunded changes nothing.
 */
async function updateProfile(tx: Tx, organisationId: string, payment: Payment): Promise<void> {
  const paid = await tx
    .selectFrom('topups')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('cents', '>=', 100_00)
    .where((eb) =>
      eb.or([
        eb('state', 'in', ['succeeded', 'processing']),
        eb.and([eb('state', '=', 'reversed'), eb('reversed_cents', '<', eb.ref('cents'))]),
      ]),
    )
    .executeTakeFirst();
  const stores = payment.state === 'succeeded' && payment.paymentMethod !== null;
  await tx
    .updateTable('billing_profiles')
    .set({
      initial_fee_paid: paid !== undefined,
      ...(stores ? { payment_method_id: payment.paymentMethod } : {}),
    })
    .where('organisation_id', '=', organisationId)
    .execute();
}

async function alert(tx: Tx, organisationId: string, topupId: string, text: string): Promise<void> {
  await enqueueJob(
    tx,
    'operator.alert',
    { kind: 'payment', organisationId, topupId, text },
    {
      key: `alert:topup:${topupId}`,
    },
  );
}
