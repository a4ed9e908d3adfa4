import type { ErrorCode } from '#contracts/errors.ts';
import { isOpenItem } from '#contracts/values/order-states.ts';
import { dayMs, hourMs } from '#contracts/values/time.ts';
import type { Intent } from './renewals.repo.ts';

/** What the automatic renewal decides (decisions no. 25): pure, from the domain, its intent, and now. */

/** Money and an answer may come at any hour; a registrar that refused does so again for a while. */
const againAfterMs = { funds: hourMs, answer: hourMs, refused: dayMs } as const;

/** A registrar that does not answer is waited for until the expiry is so near: then its people still have time to act. */
const silentUntilMs = 2 * dayMs;

export interface RenewPeriods {
  /** Days before expiry. */
  renewDays: number;
  /** Days after expiry in which a renewal costs what it always does. */
  graceDays: number;
}

/** Expiries that are renewed now: after the first moment, up to and with the last one. */
export function dueSpan(now: Date, { renewDays, graceDays }: RenewPeriods): { after: Date; until: Date } {
  return {
    after: new Date(now.getTime() - graceDays * dayMs),
    until: new Date(now.getTime() + renewDays * dayMs),
  };
}

export function isDue(
  domain: { auto_renew: boolean; status: string; expires_at: Date | null; missing_since: Date | null },
  now: Date,
  periods: RenewPeriods,
): boolean {
  if (!domain.auto_renew || !domain.expires_at || domain.missing_since) return false;
  if (domain.status !== 'active' && domain.status !== 'expired') return false;
  const { after, until } = dueSpan(now, periods);
  return domain.expires_at > after && domain.expires_at <= until;
}

/** What to do with the intent of a domain that is due. Null: it is done, or its next try has not come. */
export function stepOf(
  intent: Pick<Intent, 'state' | 'next_try_at'>,
  now: Date,
): 'order' | 'try again' | 'conclude' | null {
  switch (intent.state) {
    case 'intended':
      return 'order';
    case 'ordered':
      return 'conclude';
    case 'done':
      return null;
    case 'unable':
    case 'dropped':
      return intent.next_try_at && intent.next_try_at > now ? null : 'try again';
  }
}

/** The intent of the next attempt, with the price and the expiry of now. */
export function nextAttempt(
  intent: Pick<Intent, 'attempt'>,
  seen: { priceCents: number; expiresAt: Date; now: Date },
) {
  return {
    state: 'intended' as const,
    attempt: intent.attempt + 1,
    price_cents: seen.priceCents,
    expires_at: seen.expiresAt,
    order_id: null,
    next_try_at: null,
    updated_at: seen.now,
  };
}

/** Each attempt of each year is one request: a crash in between orders nothing twice. */
export function orderKeyOf(
  address: string,
  { expiry_year, attempt }: Pick<Intent, 'expiry_year' | 'attempt'>,
) {
  return `auto-renew:${address}:${expiry_year}:${attempt}`;
}

/** Why the order was not taken, and what follows. "leave": it may pass by itself, the job comes again. */
export function afterRefusal(
  code: ErrorCode,
): 'short of funds' | 'operator short of funds' | 'drop' | 'drop and come again' | 'leave' {
  switch (code) {
    case 'insufficient_funds':
      return 'short of funds';
    case 'registrar_unfunded':
      // Nobody has renewed it, and its people must hear of that.
      return 'operator short of funds';
    case 'price_changed':
      // Nothing was ordered under this attempt; the next one has the new price.
      return 'drop and come again';
    case 'unprocessable':
    case 'not_found':
      // Renewed by somebody else, or not ours any more.
      return 'drop';
    default:
      return 'leave';
  }
}

/**
 * No price could be read. The registrar's refusal is told at once: it renews nothing at no price. Its silence mostly passes, and is
 * told shortly before the expiry. Null: it may pass by itself, the job comes again.
 */
export function withoutPrice(
  error: { code: ErrorCode; message: string },
  expiresAt: Date,
  now: Date,
): Unable | null {
  if (error.code === 'unprocessable') return { kind: 'refused', reason: error.message };
  if (error.code !== 'upstream_unavailable') return null;
  if (expiresAt.getTime() - now.getTime() > silentUntilMs) return null;
  return { kind: 'refused', reason: 'The registrar did not say what the renewal costs.', waitsFor: 'answer' };
}

/** What the order engine made of the renewal; null while that is open. */
export function conclusionOf(
  item: { state: string; public_error: string | null } | undefined,
): 'done' | { refused: string } | null {
  if (!item || isOpenItem(item.state)) return null;
  if (item.state === 'succeeded') return 'done';
  return { refused: item.public_error ?? 'The registrar refused the renewal.' };
}

export interface Unable {
  kind: 'funds' | 'refused';
  reason: string;
  /** What ends it, where the kind does not say so. */
  waitsFor?: keyof typeof againAfterMs;
}

/** Could not be renewed: when it is tried again, and whether its people hear of it once more. */
export function unableChange(
  intent: Pick<Intent, 'reason_kind'>,
  { kind, reason, waitsFor = kind }: Unable,
  now: Date,
) {
  return {
    state: 'unable' as const,
    reason_kind: kind,
    reason,
    next_try_at: new Date(now.getTime() + againAfterMs[waitsFor]),
    // Once, and again when the reason is another.
    ...(intent.reason_kind === kind ? {} : { told_at: null }),
    updated_at: now,
  };
}
