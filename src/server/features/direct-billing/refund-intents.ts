import type { Tx } from '#kernel/db/database.ts';
import { paymentAccountOf } from './account.repo.ts';
import { type Charge, lockCharge } from './charges.repo.ts';
import { changeRefund, chargedFor, lockRefund, type RefundRef, takeOut } from './refunds.repo.ts';
import { refundStep } from './refunds.rules.ts';

/** A refund that is to be sent, and everything the call needs to know. */
export interface IntendedRefund {
  charge: Charge;
  accountId: string;
  cents: number;
  /** It was sent before and its answer was lost. */
  sentBefore: boolean;
}

/** The intent, written before the call; null when there is nothing to send, or not yet. */
export async function intendRefund(tx: Tx, ref: RefundRef, now: Date): Promise<IntendedRefund | null> {
  const refund = await lockRefund(tx, ref.itemId);
  const charged = refund && (await chargedFor(tx, ref.itemId));
  const charge = charged && (await lockCharge(tx, charged.charge_id));
  const step = refundStep(refund, charged, charge);
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
    case 'send': {
      if (!charge) return null;
      const { cents, sentBefore } = step;
      const account = await paymentAccountOf(tx, ref.organisationId);
      await end({ state: 'sending', cents });
      return { charge, accountId: account?.id ?? '', cents, sentBefore };
    }
  }
}
