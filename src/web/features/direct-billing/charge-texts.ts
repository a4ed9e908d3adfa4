import type { DirectCharge } from '#contracts/operations/direct-billing.ts';
import { disputedText } from '#contracts/values/direct-billing.ts';
import { moneyText, usdText } from '#contracts/values/format.ts';
import { usdToCents } from '#contracts/values/money.ts';

type Tone = 'teal' | 'yellow' | 'red' | 'gray';

const states: Record<DirectCharge['state'], { label: string; tone: Tone }> = {
  collecting: { label: 'Waiting', tone: 'gray' },
  sending: { label: 'Being charged', tone: 'gray' },
  processing: { label: 'In progress', tone: 'yellow' },
  succeeded: { label: 'Paid', tone: 'teal' },
  failed: { label: 'Open', tone: 'red' },
  waived: { label: 'Settled', tone: 'gray' },
};

/** The state of a charge in a few words; what went back to the customer counts. */
export function chargeState(
  charge: Pick<DirectCharge, 'state' | 'refunded' | 'disputed' | 'amount' | 'items'>,
): {
  label: string;
  tone: Tone;
} {
  if (charge.state !== 'succeeded' || charge.refunded === 0) return states[charge.state];
  if (charge.disputed > 0) return { label: 'Disputed', tone: 'red' };
  const isPart = charge.refunded < charge.amount;
  if (outsideCents(charge) > 0)
    return { label: isPart ? 'Partly refunded or disputed' : 'Refunded or disputed', tone: 'yellow' };
  return { label: isPart ? 'Partly refunded' : 'Refunded', tone: 'gray' };
}

/**
 * What went back and was neither sent by the portal nor taken by a dispute that the portal has read: refunded on the provider's dashboard, or
 * disputed before the portal told one from the other. A dispute must not look like a refund that somebody wanted.
 */
function outsideCents({
  refunded,
  disputed,
  items,
}: Pick<DirectCharge, 'refunded' | 'disputed' | 'items'>): number {
  const sent = items.map(({ refund }) => (refund?.state === 'done' ? usdToCents(refund.amount) : 0));
  return sent.reduce((left, cents) => left - cents, usdToCents(refunded) - usdToCents(disputed));
}

/** Below the amount of a charge of which something went back. */
export function backText(charge: Pick<DirectCharge, 'refunded' | 'disputed' | 'items'>): string {
  const isOurs = outsideCents(charge) <= 0 && charge.disputed === 0;
  return `${usdText(charge.refunded)} ${isOurs ? 'refunded' : 'back'}`;
}

/** What follows the day since which charges are stopped: in the row of the dispute, and of what it leaves open. Null: elsewhere. */
export function stoppedText({
  state,
  stopsCharges,
  chargesStopped,
}: Pick<DirectCharge, 'state' | 'stopsCharges' | 'chargesStopped'>): string | null {
  if (!chargesStopped) return null;
  if (stopsCharges) return ', until you allow them or the dispute is won.';
  return state === 'failed' ? ': the customer disputed a payment.' : null;
}

/** Everything that is said about a charge below its state. */
export function chargeNotes(
  charge: Pick<
    DirectCharge,
    | 'state'
    | 'items'
    | 'error'
    | 'note'
    | 'returned'
    | 'refunded'
    | 'disputed'
    | 'stopsCharges'
    | 'chargesStopped'
  >,
): string[] {
  const { error, note, returned, disputed } = charge;
  const back = `${usdText(returned)} in refunds came back from the customer's bank. Please refund this amount another way.`;
  const taken = `${usdText(disputed)} was disputed. Unless the dispute is decided, please answer it at the payment provider in time.`;
  const outside = outsideCents(charge);
  const gone = `${moneyText(outside)} was refunded or disputed at the payment provider. Please check it there: a dispute must be answered in time.`;
  return [
    // Since when is said instead.
    ...[disputed > 0 ? taken : null, error === disputedText && stoppedText(charge) ? null : error, note],
    ...[outside > 0 ? gone : null, returned > 0 ? back : null],
    ...refundNotes(charge),
  ].filter((text) => text !== null);
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
