import { disputedText, lineMarkupCents, type MarkedLine } from '#contracts/values/direct-billing.ts';
import type { Markups } from '#contracts/values/money.ts';
import { dayMs, minuteMs } from '#contracts/values/time.ts';
import type { DirectChargeState } from '#kernel/db/schema.ts';
import type { Dispute, Payment } from '../../ports/payments.ts';

/** What direct billing decides about a charge (decisions no. 24): pure, from the charge, the payment, and now. */

/** How long a charge waits for the rest of its purchase; a transfer that takes days is charged by itself. */
const collectForMs = 15 * 60_000;
const lookAgainMs = 20_000;
/** Items confirmed within this time of each other form one charge. Earlier items were already judged. */
const sameMomentMs = 60_000;
/** Days between a failed try and the next; after the last one a person decides. */
const retryAfterDays = [1, 3, 5, 7];

/** Charges, or refunds, that one sweep takes up, and how often it comes. */
export const sweepTurn = { most: 500, everyMs: 5 * minuteMs };

export const failedText = {
  declined: 'The payment was declined.',
  noMethod: 'The customer no longer has a payment method.',
  noAccount: 'The payment account is not ready to take payments.',
  disputed: disputedText,
  refundDisputed:
    'The customer disputed this payment and has the money back, unless you win. Please refund this item if you do.',
  refundedOutside:
    'Something of this payment was refunded outside the portal, and it may have been for this item.',
  otherAmount: 'The payment account has a payment of another amount for this. Please check it there.',
} as const;

/** Price and markup of a confirmed item; null when there is nothing to charge. */
export function chargeFor(
  priceCents: number,
  markups: Markups,
  line: MarkedLine,
): { priceCents: number; markupCents: number } | null {
  const markupCents = lineMarkupCents(priceCents, markups, line);
  return priceCents + markupCents === 0 ? null : { priceCents, markupCents };
}

/** Whether a charge still waits for the rest of its purchase, while there is a rest. */
export function isCollecting(createdAt: Date, now: Date): boolean {
  return now.getTime() - createdAt.getTime() < collectForMs;
}

export const lookAgainAt = (now: Date) => new Date(now.getTime() + lookAgainMs);
export const sameMomentSince = (now: Date) => new Date(now.getTime() - sameMomentMs);

/** One key a try: the provider remembers a decline under its key. Later parts and tries carry their number. */
export function idempotencyKeyOf(charge: {
  order_id: string;
  customer_id: string;
  part: number;
  attempt: number;
}): string {
  const key = `direct:${charge.order_id}:${charge.customer_id}`;
  const part = charge.part > 1 ? `:part${charge.part}` : '';
  return `${key}${part}${charge.attempt > 1 ? `:try${charge.attempt}` : ''}`;
}

/** Why a charge cannot even be tried; null when it can. `stopped`: by a dispute. */
export function obstacleTo(
  account: { ready: boolean } | null,
  customer: { paymentMethod: string | null; paymentCustomer: string | null },
  stopped: boolean,
): string | null {
  // Before all else: another method or a working account changes nothing about it.
  if (stopped) return failedText.disputed;
  if (!account?.ready) return failedText.noAccount;
  return customer.paymentMethod && customer.paymentCustomer ? null : failedText.noMethod;
}

const isDeclined = ({ state }: Pick<Payment, 'state'>) =>
  state === 'requires_payment_method' || state === 'requires_action';

/**
 * Whether the provider is asked what it has before a charge is sent. After a lost answer, always. Before a first try, too: the
 * database may have lost that it was made. A payment that is known is read anyway before it is tried again.
 */
export function looksFirst(
  charge: { payment_intent: string | null },
  account: { ready: boolean } | null,
  fresh: boolean,
): boolean {
  if (!account) return false;
  return !fresh || (account.ready && charge.payment_intent === null);
}

/** From when on the provider's payments may be a purchase's: clocks differ. */
export const paidSince = (orderedAt: Date) => new Date(orderedAt.getTime() - dayMs);

/**
 * This payment was found before a try was sent: whether it is the try's answer. A decline of an earlier try says nothing of
 * this one: the same key asks for this one's answer. One that was given up is the end of the try whose answer was lost, and
 * nothing to a `fresh` one.
 */
export function isAnswer(
  charge: { payment_intent: string | null },
  found: Pick<Payment, 'state'>,
  fresh: boolean,
): boolean {
  if (charge.payment_intent) return !isDeclined(found);
  return !(fresh && found.state === 'cancelled');
}

export interface KnownCharge {
  state: DirectChargeState;
  cents: number;
  payment_intent: string | null;
}

export type ChargeVerdict =
  | { kind: 'nothing' }
  /** Money moved that is not what was asked for: a person has to look. */
  | { kind: 'alert'; text: string }
  | { kind: 'paid'; state: 'succeeded' | 'processing' }
  /** `paymentIntent` null: that payment is of no use any more, the next try makes another. */
  | { kind: 'failed'; paymentIntent: string | null; text: string; wantsPerson: boolean };

type SeenPayment = Pick<Payment, 'id' | 'state' | 'amountCents' | 'failure' | 'failureCode'>;

/** What a payment says of its charge. `answer`: it is the reply to this try, not news about an earlier one. */
export function verdictOn(charge: KnownCharge, payment: SeenPayment, answer: boolean): ChargeVerdict {
  if (charge.payment_intent !== null && charge.payment_intent !== payment.id) return { kind: 'nothing' };
  if (payment.state === 'succeeded' || payment.state === 'processing') {
    // One that was declined may have been for more: what came to nothing since is taken off before it is tried again.
    if (payment.amountCents === charge.cents) return { kind: 'paid', state: payment.state };
    return { kind: 'alert', text: `${payment.amountCents} cents charged instead of ${charge.cents}` };
  }
  // While a try runs, only its own answer may end it.
  if (charge.state === 'sending' && !answer) return { kind: 'nothing' };
  if (!canFail(charge.state)) return { kind: 'nothing' };
  return {
    kind: 'failed',
    paymentIntent: payment.state === 'cancelled' ? null : payment.id,
    text: payment.failure ?? failedText.declined,
    wantsPerson: payment.state === 'requires_action' || payment.failureCode === 'authentication_required',
  };
}

/** Only what is at the provider can fail there. */
export function canFail(state: DirectChargeState | undefined): boolean {
  return state === 'sending' || state === 'processing';
}

interface Disputed {
  disputed_cents: number;
  dispute_released_cents: number;
}

type DisputeMarks = Disputed & { disputed_at: Date | null; disputes_read_at: Date | null };

/** Whether a dispute of this charge stops further charges: staff have not said of all of it that it does not. */
export const stopsCharges = (charge: Disputed): boolean =>
  charge.disputed_cents > charge.dispute_released_cents;

/** When the dispute began that has some of this charge; of several the latest. Null: none has. */
export const disputedAt = (charge: Pick<DisputeMarks, 'disputed_cents' | 'disputes_read_at'>): Date | null =>
  charge.disputed_cents > 0 ? charge.disputes_read_at : null;

/**
 * What a payment, as it was read, says of disputes of its charge. `disputed`: there is one, or more of it, that nobody has seen yet.
 * `over`: what stopped further charges is gone, because the dispute was won. A reading without disputes says nothing of them.
 *
 * `disputes_read_at` is up to when disputes are known: by the provider's clock where there are any, so that clocks that differ make none
 * known unseen. One that began later is news, also where another of the same amount has ended since (docs/decisions/0352).
 */
export function disputeIn(
  charge: DisputeMarks,
  { disputes }: Pick<Payment, 'disputes'>,
  at: Date,
): DisputeMarks & { news: 'disputed' | 'over' | null } {
  const { disputed_cents, dispute_released_cents, disputed_at, disputes_read_at: known } = charge;
  if (!disputes)
    return { disputed_cents, dispute_released_cents, disputed_at, disputes_read_at: known, news: null };
  const fresh = known ? disputes.filter(({ createdAt }) => createdAt > known) : [];
  const disputed = centsOf(disputes);
  const isNews = disputed > disputed_cents || fresh.length > 0;
  const now = {
    disputed_cents: disputed,
    // What staff have allowed is none of what they have not seen.
    dispute_released_cents: Math.min(dispute_released_cents, disputed - centsOf(fresh)),
    // More of it while it stops charges changes nothing about since when.
    disputed_at: isNews && !stopsCharges(charge) ? at : disputed_at,
    disputes_read_at:
      disputes.length === 0 ? at : latest([...disputes.map(({ createdAt }) => createdAt), known]),
  };
  if (isNews) return { ...now, news: 'disputed' };
  return { ...now, news: stopsCharges(charge) && !stopsCharges(now) ? 'over' : null };
}

const centsOf = (disputes: readonly Dispute[]) => disputes.reduce((sum, { cents }) => sum + cents, 0);
const latest = (moments: readonly (Date | null)[]) =>
  new Date(Math.max(...moments.map((moment) => moment?.getTime() ?? 0)));

/** When a failed charge is tried again by itself; null: a person decides. A new method starts the tries again. */
export function nextTryAt(attempt: number, wantsPerson: boolean, now: Date): Date | null {
  // Asking the bank again without the person is no use.
  const days = wantsPerson ? undefined : retryAfterDays[attempt - 1];
  return days === undefined ? null : new Date(now.getTime() + days * dayMs);
}

type Told = Pick<KnownCharge, 'state' | 'payment_intent'> & {
  attempt: number;
  refunded_cents: number;
  disputed_cents: number;
};

/** Something was written of this payment since the charge was `seen`, which was before the payment was read. */
export function isOutrun(seen: Told | undefined, now: Told | undefined, paymentId: string): boolean {
  if (now?.payment_intent !== paymentId) return false;
  return (
    seen?.state !== now.state ||
    seen.attempt !== now.attempt ||
    seen.refunded_cents !== now.refunded_cents ||
    seen.disputed_cents !== now.disputed_cents
  );
}

/** The metadata of a payment is ours, but anybody can copy it: the account must be the organisation's too. */
export function isTheirAccount(account: { id: string } | null, accountId: string): boolean {
  return account?.id === accountId;
}
