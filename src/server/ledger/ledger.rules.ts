import type { LedgerAccount } from '#kernel/db/schema.ts';

/** Somebody moved money on a premise that no longer holds: the transaction must not commit. */
export class LedgerViolation extends Error {
  override readonly name = 'LedgerViolation';
}

/**
 * Money goes from one account to another, and the sum is never negative: an entry made of these cannot be unbalanced, and
 * none can be written backwards by a sign. Balances of all accounts add up to nothing; what the organisation may spend is
 * positive on `wallet`.
 */
export interface Transfer {
  from: LedgerAccount;
  to: LedgerAccount;
  cents: number;
}

export interface Posting {
  account: LedgerAccount;
  cents: number;
}

/** The postings of an entry, one an account. */
export function postingsOf(transfers: readonly Transfer[]): Posting[] {
  const sums = new Map<LedgerAccount, number>();
  for (const { from, to, cents } of transfers) {
    if (!Number.isSafeInteger(cents) || cents < 0) throw new LedgerViolation(`${cents} is no sum of money`);
    if (from === to) throw new LedgerViolation(`from ${from} to itself`);
    sums.set(from, (sums.get(from) ?? 0) - cents);
    sums.set(to, (sums.get(to) ?? 0) + cents);
  }
  return [...sums].flatMap(([account, cents]) => (cents === 0 ? [] : [{ account, cents }]));
}

/** By how much an entry changes what the organisation may spend. */
export function walletChange(postings: readonly Posting[]): number {
  return postings.find(({ account }) => account === 'wallet')?.cents ?? 0;
}

/** The organisation pays the price: the registrar's cost out of it, the rest is revenue; what is missing, revenue bears. */
export function purchase(priceCents: number, costCents: number): Transfer[] {
  const toRegistrar = Math.min(priceCents, costCents);
  return [
    { from: 'wallet', to: 'registrar_cost', cents: toRegistrar },
    { from: 'wallet', to: 'revenue', cents: priceCents - toRegistrar },
    { from: 'revenue', to: 'registrar_cost', cents: costCents - toRegistrar },
  ];
}

/** A top-up arrives whole: the operator bears what the provider kept, however little was paid. */
export function topUp(cents: number, feeCents: number): Transfer[] {
  return [
    { from: 'payments_clearing', to: 'wallet', cents },
    { from: 'payment_fees', to: 'payments_clearing', cents: feeCents },
  ];
}

/** What the provider kept, where it says so after the money has come; negative: it kept less than it had said. */
export function laterFee(cents: number): Transfer[] {
  return cents >= 0
    ? [{ from: 'payment_fees', to: 'payments_clearing', cents }]
    : [{ from: 'payments_clearing', to: 'payment_fees', cents: -cents }];
}

/** A payment is taken back by its payer or their bank; negative: the bank decided otherwise, and it comes again. */
export function reversal(cents: number): Transfer[] {
  return cents >= 0
    ? [{ from: 'wallet', to: 'disputes', cents }]
    : [{ from: 'disputes', to: 'wallet', cents: -cents }];
}

/** What was paid for nothing goes back. Whether the registrar returns its price is between it and the operator. */
export function refund(cents: number): Transfer[] {
  return [{ from: 'adjustments', to: 'wallet', cents }];
}

/** An operator puts a balance right, up or down. */
export function correction(cents: number): Transfer[] {
  return cents >= 0
    ? [{ from: 'adjustments', to: 'wallet', cents }]
    : [{ from: 'wallet', to: 'adjustments', cents: -cents }];
}

/** What an organisation owes: nobody can spend it, and what is still in processing does not cover it. */
export function owedCents({
  balanceCents,
  pendingCents,
}: {
  balanceCents: number;
  pendingCents: number;
}): number {
  return Math.max(0, -(balanceCents + pendingCents));
}

/** What may be spent: the balance, and of top-ups in processing as much as the limit allows (decisions no. 23). */
export function spendableCents(
  { balanceCents, pendingCents }: { balanceCents: number; pendingCents: number },
  pendingLimitCents: number,
): number {
  return balanceCents + Math.min(pendingCents, pendingLimitCents);
}
