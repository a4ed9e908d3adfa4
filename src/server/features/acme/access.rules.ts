import type { AccessState, BuyLimits } from '#contracts/values/acme-access.ts';

/** What of an access, its customer and its organization decides whether it works. */
export interface Standing {
  revokedAt: Date | null;
  expiresAt: Date | null;
  customerDeletedAt: Date | null;
  organisationClosedAt: Date | null;
}

/** Asked at every request of a machine, so that an end holds from the next one on. */
export function stateOf(access: Standing, now: Date): AccessState {
  if (access.revokedAt ?? access.customerDeletedAt ?? access.organisationClosedAt) return 'revoked';
  return access.expiresAt !== null && access.expiresAt <= now ? 'expired' : 'active';
}

/** What a customer's own users may make: with these limits at most, or never to buy (null). */
export interface Allowance {
  limits: BuyLimits | null;
}

/**
 * What an access may buy now. One that a customer's own user made has no more than the customer's allowance of today:
 * when the MSP lowers it or takes it back, that holds at once.
 */
export function limitsNow(
  own: BuyLimits | null,
  byCustomer: boolean,
  allowance: Allowance | null,
): BuyLimits | null {
  if (!byCustomer) return own;
  const most = allowance?.limits ?? null;
  if (own === null || most === null) return null;
  return {
    ordersPerMonth: Math.min(own.ordersPerMonth, most.ordersPerMonth),
    centsPerMonth: Math.min(own.centsPerMonth, most.centsPerMonth),
  };
}

/** Whether limits lie within others. What never buys lies within everything. */
export function liesWithin(wanted: BuyLimits | null, most: BuyLimits | null): boolean {
  if (wanted === null) return true;
  if (most === null) return false;
  return wanted.ordersPerMonth <= most.ordersPerMonth && wanted.centsPerMonth <= most.centsPerMonth;
}

/** What an access has bought in this calendar month (UTC), with what is being bought. */
export interface SpentThisMonth {
  orders: number;
  cents: number;
}

/** `never`: it may only have certificates whose term is paid already. */
export type BuyDecision = 'may' | 'limit_of_orders' | 'limit_of_money' | 'never';

/** Whether one more certificate at this price is within the limits. */
export function mayBuy(
  access: { mayBuy: BuyLimits | null },
  priceCents: number,
  spentThisMonth: SpentThisMonth,
): BuyDecision {
  if (access.mayBuy === null) return 'never';
  if (spentThisMonth.orders + 1 > access.mayBuy.ordersPerMonth) return 'limit_of_orders';
  if (spentThisMonth.cents + priceCents > access.mayBuy.centsPerMonth) return 'limit_of_money';
  return 'may';
}

/**
 * The most that somebody with a daily limit may let a machine spend in a month: a machine may spend it all in a day.
 * Null: there is no limit.
 */
export function exceedsOwnLimit(dailyLimitCents: number | null, wanted: BuyLimits | null): boolean {
  return dailyLimitCents !== null && wanted !== null && wanted.centsPerMonth > dailyLimitCents;
}

/** What of an access a person may change. */
export interface Powers {
  hosts: readonly string[] | null;
  mayBuy: BuyLimits | null;
  expiresAt: Date | null;
}

/** Whether an access may do more after a change than before: then a fresh sign-in is asked for. */
export function opensMore(before: Powers, after: Powers): boolean {
  const covered = (host: string) => before.hosts === null || before.hosts.includes(host);
  const moreHosts = after.hosts === null ? before.hosts !== null : !after.hosts.every(covered);
  const longer =
    before.expiresAt !== null && (after.expiresAt === null || after.expiresAt > before.expiresAt);
  return moreHosts || longer || !liesWithin(after.mayBuy, before.mayBuy);
}

const dayMs = 86_400_000;

/** The moment at which an access with this last day ends: when the day is over (UTC). Null: it is over already. */
export function endOfDay(lastDay: string, now: Date): Date | null {
  const end = new Date(Date.parse(`${lastDay}T00:00:00Z`) + dayMs);
  return end > now ? end : null;
}

/** A key that command lines take as a value: one that begins with a hyphen would be read as an option. */
export function fitsCommandLines(key: string): boolean {
  return !key.startsWith('-');
}
