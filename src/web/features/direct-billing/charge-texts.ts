import type { DirectCharge } from '#contracts/operations/direct-billing.ts';

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

/** "a.com and 2 more" */
export function whatFor(charge: Pick<DirectCharge, 'items'>): string {
  const [first, ...others] = charge.items;
  if (!first) return '';
  return others.length === 0 ? first.address : `${first.address} and ${others.length} more`;
}
