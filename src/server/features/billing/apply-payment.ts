import type { Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { creditTopUp, dropTopUp, expectTopUp, reverseTopUp } from '../../ledger/ledger.ts';
import type { Payment } from '../../ports/payments.ts';
import { storeFirstPayment } from './profile.repo.ts';
import { isInitialFeePaid, lockTopup, storePayment } from './topups.repo.ts';
import { type TopupVerdict, verdictOn } from './topups.rules.ts';

type LockedTopup = NonNullable<Awaited<ReturnType<typeof lockTopup>>>;
type Change = Extract<TopupVerdict, { kind: 'change' }>;

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
  const verdict = verdictOn(topup, payment);
  switch (verdict.kind) {
    case 'nothing':
      return false;
    case 'alert':
      await alert(tx, topup, verdict.text);
      return false;
    case 'change':
      await moveMoney(tx, topup, payment, verdict);
      await storePayment(tx, topup, {
        payment,
        state: verdict.state,
        pendingCents: verdict.pendingCents,
        now,
      });
      await updateProfile(tx, topup.organisation_id, payment);
      return verdict.isNews;
  }
}

async function moveMoney(tx: Tx, topup: LockedTopup, payment: Payment, change: Change): Promise<void> {
  const { organisation_id: organisationId, id: topupId, cents } = topup;
  const common = { organisationId, topupId, actor: 'payments' };
  if (change.expectCents > 0) await expectTopUp(tx, { organisationId, cents: change.expectCents });
  if (change.dropCents > 0) await dropTopUp(tx, { organisationId, pendingCents: change.dropCents });
  if (change.arrives) {
    const { pendingCents } = change.arrives;
    const feeCents = payment.feeCents ?? 0;
    const text = `Top-up by ${payment.method === 'us_bank_account' ? 'bank transfer' : 'card'}`;
    await creditTopUp(tx, { ...common, cents, pendingCents, feeCents, text });
  }
  if (change.takeBackCents === 0) return;
  // The row is locked: of two who tell the same, the second sees the sum that the first has written.
  const sequence = String(topup.version);
  const text = change.takeBackCents > 0 ? 'Payment returned or disputed' : 'Returned payment won back';
  await reverseTopUp(tx, { ...common, cents: change.takeBackCents, sequence, text });
}

async function updateProfile(tx: Tx, organisationId: string, payment: Payment): Promise<void> {
  const stores = payment.state === 'succeeded' && payment.paymentMethod !== null;
  await storeFirstPayment(tx, organisationId, {
    initialFeePaid: await isInitialFeePaid(tx, organisationId),
    ...(stores ? { paymentMethod: payment.paymentMethod } : {}),
  });
}

async function alert(tx: Tx, topup: LockedTopup, text: string): Promise<void> {
  const { organisation_id: organisationId, id: topupId } = topup;
  const key = `alert:topup:${topupId}`;
  await enqueueJob(tx, 'operator.alert', { kind: 'payment', organisationId, topupId, text }, { key });
}
