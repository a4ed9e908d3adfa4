import { dayMs } from '#contracts/values/time.ts';
import type { TopupState, TopupsTable } from '#kernel/db/schema.ts';
import type { Payment } from '../../ports/payments.ts';

/** What auto balance decides: pure, from the setting, the figures, and now. */

/** More than this in 24 hours is a leak, not a business. */
const maxADay = 3;
/** After a decline the next try waits a day; a second decline turns auto balance off. */
const pauseMs = dayMs;
const mostDeclines = 2;

export interface AutoTopupProfile {
  auto_topup: boolean;
  auto_topup_mark_cents: number;
  auto_topup_paused_until: Date | null;
  auto_topup_declines: number;
  payment_customer_id: string | null;
  payment_method_id: string | null;
}

/** What is stored with whom, to charge; null when auto balance is off, paused, or has nothing to charge. */
export function chargeableBy(
  profile: AutoTopupProfile,
  now: Date,
): { customer: string; paymentMethod: string } | null {
  const { payment_customer_id: customer, payment_method_id: paymentMethod } = profile;
  if (!profile.auto_topup || !customer || !paymentMethod) return null;
  if (profile.auto_topup_paused_until && profile.auto_topup_paused_until > now) return null;
  return { customer, paymentMethod };
}

/** At the mark there is enough: the next cent less tops up. */
export function isBelowMark(
  profile: Pick<AutoTopupProfile, 'auto_topup_mark_cents'>,
  spendableCents: number,
) {
  return spendableCents < profile.auto_topup_mark_cents;
}

/** Automatic top-ups after this moment count against the limit of a day. */
export function countedSince(now: Date): Date {
  return new Date(now.getTime() - dayMs);
}

/** The limit of a day is reached: until when auto balance pauses. */
export function limitPause(countOfDay: number, now: Date): { until: Date } | null {
  if (countOfDay < maxADay) return null;
  return { until: new Date(now.getTime() + pauseMs) };
}

/** Whether the answer to a charge is a refusal. Null: the provider will not charge this method at all. */
export function isDeclined(payment: Pick<Payment, 'state'> | null): boolean {
  return (
    payment === null || payment.state === 'requires_payment_method' || payment.state === 'requires_action'
  );
}

/** Whether the bank wants the person, who is not there. */
export function wantsPerson(payment: Pick<Payment, 'state' | 'failureCode'> | null): boolean {
  return payment?.state === 'requires_action' || payment?.failureCode === 'authentication_required';
}

/**
 * What an automatic top-up has come to by a payment that changes it; null for one that a person pays, and for the rest.
 * `takeBackCents`: what goes back of it now, by dispute, return or refund; negative when it comes again.
 */
export function outcomeOf(
  kind: TopupsTable['kind'],
  before: TopupState,
  after: TopupState,
  takeBackCents: number,
): 'declined' | 'arrived' | 'reversed' | null {
  if (kind !== 'auto') return null;
  // Also when some of it went back before: since then a person may have turned auto balance on again.
  if (takeBackCents > 0) return 'reversed';
  if (before === after) return null;
  if (after === 'succeeded' && before !== 'reversed') return 'arrived';
  // A debit may be refused days after the bank has taken it on.
  const wasOpen = before === 'requested' || before === 'processing';
  return wasOpen && after === 'failed' ? 'declined' : null;
}

/** After a refusal: pause, and off after the second one, or when the bank wants the person. */
export function afterDecline(
  profile: Pick<AutoTopupProfile, 'auto_topup_declines'>,
  decline: { wantsPerson: boolean },
  now: Date,
) {
  const declines = profile.auto_topup_declines + 1;
  const off = declines >= mostDeclines || decline.wantsPerson;
  return {
    declines,
    enabled: !off,
    pausedUntil: new Date(now.getTime() + pauseMs),
    news: off ? ('off' as const) : ('declined' as const),
  };
}
