import type { DirectCharge } from '#contracts/operations/direct-billing.ts';
import { usdText } from '#contracts/values/format.ts';

type Tone = 'teal' | 'yellow' | 'red' | 'gray';

const states: Record<DirectCharge['state'], { label: string; tone: Tone }> = {
  collecting: { label: 'Waiting', tone: 'gray' },
  sending: { label: 'Being charged', tone: 'gray' },
  processing: { label: 'In progress', tone: 'yellow' },
  succeeded: { label: 'Paid', tone: 'teal' },
  failed: { label: 'Open', tone: 'red' },
  waived: { label: 'Settled', tone: 'gray' },
};

/** The state of a charge in one word; what went back to the customer counts. */
export function chargeState(charge: Pick<DirectCharge, 'state' | 'refunded' | 'amount'>): {
  label: string;
  tone: Tone;
} {
  if (charge.state !== 'succeeded' || charge.refunded === 0) return states[charge.state];
  return { label: charge.refunded >= charge.amount ? 'Refunded' : 'Partly refunded', tone: 'gray' };
}

/** Everything that is said about a charge below its state. */
export function chargeNotes(charge: Pick<DirectCharge, 'items' | 'error' | 'note' | 'returned'>): string[] {
  const { error, note, returned } = charge;
  const back = `${usdText(returned)} in refunds came back from the customer's bank. Please refund this amount another way.`;
  return [error, note, returned > 0 ? back : null, ...refundNotes(charge)].filter((text) => text !== null);
}

/** What becomes of items that came to nothing after they were charged; what is done shows as an amount. */
export function refundNotes(charge: Pick<DirectCharge, 'items'>): string[] {
  return charge.items.flatMap(({ address, refund }) => {
    if (!refund) return [];
    const amount = usdText(refund.amount);
    if (refund.state === 'failed')
      return [`${address}: ${amount} could not be refunded. ${refund.error ?? ''}`];
    if (refund.state === 'sending') return [`${address}: ${amount} is being refunded`];
    if (refund.state === 'wanted') return [`${address}: will be refunded once the charge has ended`];
    return refund.state === 'done' ? [`${address}: refunded because the order did not complete`] : [];
  });
}

/** "a.com and 2 more" */
export function whatFor(charge: Pick<DirectCharge, 'items'>): string {
  const [first, ...others] = charge.items;
  if (!first) return '';
  return others.length === 0 ? first.address : `${first.address} and ${others.length} more`;
}
