import type { Tx } from '#kernel/db/database.ts';
import { PaymentRefused, type Payments } from '../../ports/payments.ts';
import { paymentAccountOf } from './account.repo.ts';
import { type Charge, lockCharge } from './charges.repo.ts';
import { failedText } from './charges.rules.ts';
import { changeRefund, chargedFor, lockRefund, type RefundRef, takeOut } from './refunds.repo.ts';
import { isMade, obstacleIn, refundStep, type SeenPayment } from './refunds.rules.ts';

interface Looking {
  payments: Pick<Payments, 'connectedPayment'>;
  refreshPayment(accountId: string, paymentId: string): Promise<Charge | null>;
}

/** A refund that is to be sent, and everything the call needs to know. */
export interface IntendedRefund {
  charge: Charge;
  accountId: string;
  cents: number;
}

type RefundIntent =
  | ({ do: 'send' } & IntendedRefund)
  /** The provider is asked about the charge's payment, then the intent is formed again. */
  | { do: 'look'; charge: Charge; accountId: string | null }
  | { do: 'hand over'; charge: Charge; cents: number; why: string };

/** The intent, written before the call; null when there is nothing to send, or not yet. */
export async function intendRefund(
  tx: Tx,
  ref: RefundRef,
  now: Date,
  seen: SeenPayment | null,
): Promise<RefundIntent | null> {
  const refund = await lockRefund(tx, ref.itemId);
  const charged = refund && (await chargedFor(tx, ref.itemId));
  const charge = charged && (await lockCharge(tx, charged.charge_id));
  const step = refundStep(refund, charged, charge, seen);
  const of = charge ? { charge_id: charge.id } : {};
  const end = (change: Parameters<typeof changeRefund>[2]) =>
    changeRefund(tx, ref.itemId, { ...of, ...change }, now).then(() => null);
  switch (step.do) {
    case 'nothing':
      return null;
    case 'end':
      return end({ state: step.state, ...(step.state === 'done' ? { cents: 0 } : {}) });
    case 'wait':
      return end({ cents: step.cents });
    case 'take out': {
      const note = `Not charged: ${charged?.address}, ${refund?.reason}`;
      const item = { itemId: ref.itemId, chargeId: charge?.id ?? '', cents: step.cents, note };
      await takeOut(tx, item, now);
      return end({ state: 'none' });
    }
    case 'look': {
      if (!charge) return null;
      const account = await paymentAccountOf(tx, ref.organisationId);
      return { do: 'look', charge, accountId: account?.id ?? null };
    }
    case 'hand over':
      if (!charge) return null;
      await end({ cents: step.cents });
      return { ...step, charge };
    case 'send': {
      if (!charge) return null;
      const { cents } = step;
      const account = await paymentAccountOf(tx, ref.organisationId);
      await end({ state: 'sending', cents });
      return { do: 'send', charge, accountId: account?.id ?? '', cents };
    }
  }
}

/** What the provider has of a charge that failed. What was paid after all is written into the charge first. */
export async function lookAtPayment(
  { payments, refreshPayment }: Looking,
  { charge, accountId }: { charge: Charge; accountId: string | null },
): Promise<SeenPayment> {
  const paymentId = charge.payment_intent ?? '';
  const seen = { paymentId, attempt: charge.attempt };
  if (accountId === null) return { ...seen, obstacle: failedText.noAccount };
  try {
    const payment = await payments.connectedPayment(accountId, paymentId);
    if (isMade(payment)) await refreshPayment(accountId, paymentId);
    return { ...seen, obstacle: obstacleIn(payment) };
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    return { ...seen, obstacle: error.message };
  }
}
