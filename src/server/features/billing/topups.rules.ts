import { maximumText, minimumText, topupLimits } from '#contracts/values/topup-limits.ts';
import type { TopupState, TopupsTable } from '#kernel/db/schema.ts';
import type { Payment } from '../../ports/payments.ts';

/** What a payment means for its top-up and the wallet: pure, from the row and the payment as it was read. */

/** Later states outrank earlier ones: an event that arrives late changes nothing (design: top-ups). */
const ranks: Record<TopupState, number> = {
  requested: 0,
  requires_action: 1,
  processing: 2,
  failed: 3,
  cancelled: 3,
  succeeded: 4,
  reversed: 5,
};

export const rankOf = (state: TopupState): number => ranks[state];

/** Whether money moved or may be moving. False only when the provider has said that none did. */
export function isCharged(state: TopupState): boolean {
  return state === 'processing' || state === 'succeeded' || state === 'reversed';
}

/** Why an amount cannot be topped up by hand; null when it can. */
export function amountProblem(cents: number): string | null {
  if (cents < topupLimits.leastCents) return minimumText(topupLimits.leastCents);
  if (cents > topupLimits.mostCents) return maximumText(topupLimits.mostCents);
  return null;
}

type SeenPayment = Pick<Payment, 'id' | 'state' | 'amountCents' | 'reversedCents' | 'feeCents' | 'failure'>;

export function stateOf(payment: Pick<Payment, 'state' | 'reversedCents' | 'failure'>): TopupState {
  if (payment.state === 'succeeded') return payment.reversedCents > 0 ? 'reversed' : 'succeeded';
  if (payment.state === 'processing') return 'processing';
  if (payment.state === 'cancelled') return 'cancelled';
  if (payment.state === 'requires_action') return 'requires_action';
  return payment.failure ? 'failed' : 'requested';
}

const urgency: Record<Payment['state'], number> = {
  succeeded: 0,
  processing: 1,
  requires_action: 2,
  requires_payment_method: 2,
  cancelled: 2,
};

/** What arrived before what may arrive, and of equals the oldest first: that is how long somebody has waited for it. */
export function inOrderOfMoney<T extends Pick<Payment, 'state' | 'createdAt'>>(payments: readonly T[]): T[] {
  return [...payments].sort(
    (a, b) => urgency[a.state] - urgency[b.state] || a.createdAt.getTime() - b.createdAt.getTime(),
  );
}

export interface KnownTopup {
  kind: TopupsTable['kind'];
  cents: number;
  state: TopupState;
  payment_intent: string | null;
  /** What of it counts as pending in the wallet. */
  pending_cents: number;
  reversed_cents: number;
  /** What the provider kept of it, as it is booked. */
  fee_cents: number;
  /** The alerts about its payments, a line each. */
  alarmed_as: string | null;
}

export type TopupVerdict =
  | { kind: 'nothing' }
  /** Nothing of ours changes an amount: whatever this is, a person has to look. */
  | { kind: 'alert'; text: string }
  /** Money that came, or is coming, by another payment than the top-up's: it becomes a top-up of its own. */
  | { kind: 'second' }
  | {
      kind: 'change';
      state: TopupState;
      /** Begins to count as pending. */
      expectCents: number;
      /** Was pending and will not arrive. */
      dropCents: number;
      /** The wallet is credited; `pending` of it was pending. */
      arrives: { pendingCents: number } | null;
      /** Pending after all this. */
      pendingCents: number;
      /** Taken back from the wallet; negative: won back. */
      takeBackCents: number;
      /** Of what the provider keeps, what is to be booked now; negative: it kept less. */
      feeCents: number;
      /** There is something to tell. */
      isNews: boolean;
    };

/** What the payment, as it was read just now, changes. Safe to ask in any order, any number of times. */
export function verdictOn(topup: KnownTopup, payment: SeenPayment): TopupVerdict {
  if (topup.payment_intent !== null && topup.payment_intent !== payment.id) {
    // The provider forgets a key after a day, and makes another payment under it. One that nobody paid is nothing.
    return { kind: isCharged(stateOf(payment)) ? 'second' : 'nothing' };
  }
  if (payment.amountCents !== topup.cents) {
    return alertOf(topup, payment);
  }
  const state = stateUnder(topup, payment);
  if (!follows(topup.state, state)) return { kind: 'nothing' };
  const arrived = hasArrived(topup.state);
  const expectCents = state === 'processing' && topup.pending_cents === 0 ? topup.cents : 0;
  const willNotArrive = state === 'failed' || state === 'cancelled';
  const dropCents = willNotArrive ? topup.pending_cents : 0;
  const arrives = hasArrived(state) && !arrived ? { pendingCents: topup.pending_cents } : null;
  const takeBackCents = state === 'reversed' || arrived ? payment.reversedCents - topup.reversed_cents : 0;
  const feeCents = payment.feeCents ?? topup.fee_cents;
  return {
    kind: 'change',
    state,
    expectCents,
    dropCents,
    arrives,
    pendingCents: arrives ? 0 : topup.pending_cents + expectCents - dropCents,
    takeBackCents,
    feeCents: hasArrived(state) ? feeCents - (arrived ? topup.fee_cents : 0) : 0,
    isNews: topup.state !== state || takeBackCents !== 0,
  };
}

/** The next reading finds the same again. It is told again when something of it has changed. */
function alertOf({ cents, alarmed_as }: KnownTopup, payment: SeenPayment): TopupVerdict {
  const back = payment.reversedCents > 0 ? `, ${payment.reversedCents} of them taken back` : '';
  const text = `${payment.id} (${stateOf(payment)}): paid ${payment.amountCents} instead of ${cents} cents${back}`;
  return alarmed_as?.split('\n').includes(text) ? { kind: 'nothing' } : { kind: 'alert', text };
}

/** Whether a payment says anything that is not written yet, which payment the top-up has and what was kept of it included. */
export function saysMore(topup: KnownTopup, payment: SeenPayment): boolean {
  const verdict = verdictOn(topup, payment);
  if (verdict.kind !== 'change') return verdict.kind !== 'nothing';
  return verdict.isNews || verdict.feeCents !== 0 || topup.payment_intent === null;
}

function stateUnder({ kind }: KnownTopup, payment: SeenPayment): TopupState {
  const state = stateOf(payment);
  // Nobody is there to confirm an automatic one.
  return kind === 'auto' && state === 'requires_action' ? 'failed' : state;
}

const hasArrived = (state: TopupState) => state === 'succeeded' || state === 'reversed';

/** Whether a state may come after another: only final ones are final. */
function follows(before: TopupState, state: TopupState): boolean {
  if (rankOf(state) >= rankOf(before)) return true;
  // A payment that failed may be tried again in the same form.
  if (before === 'failed') return state !== 'requested';
  // Only what was reversed ranks higher. A dispute that is won leads back: what arrived may be reversed and come again.
  return state === 'succeeded';
}
