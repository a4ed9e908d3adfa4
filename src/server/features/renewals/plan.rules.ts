import type { DueRenewal, DueRenewals } from '#contracts/operations/renewals.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import { dayMs } from '#contracts/values/time.ts';

/** A domain that falls due, as the database has it. */
export interface DueDomain {
  address: string;
  customerId: string | null;
  customer: string;
  expiresAt: Date;
  autoRenew: boolean;
  priceCents: number | null;
  /** What became of the automatic renewal so far. */
  attempt: { state: 'intended' | 'ordered' | 'unable' | 'done' | 'dropped'; reason: string | null } | null;
}

/**
 * Puts what falls due against the money: automatic renewals take it in the order in which they come. Whether there is more than
 * was given, the caller knows.
 */
export function planOf(
  due: readonly DueDomain[],
  money: { spendableCents: number; renewDays: number; now: Date },
): Omit<DueRenewals, 'more'> {
  const byDate = [...due].sort((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  let leftCents = money.spendableCents;
  let shortFrom: string | null = null;
  let unpriced = 0;
  const automatic = byDate.filter((domain) => domain.autoRenew);
  const rows = byDate.map((domain): DueRenewal => {
    const priceCents = domain.priceCents ?? 0;
    const state = stateOf(domain);
    // What is ordered has its money held already: it is not in the spendable sum any more.
    const takes = domain.autoRenew && state !== 'ordered';
    if (takes) leftCents -= priceCents;
    if (takes && domain.priceCents === null) unpriced += 1;
    const covered = state === 'ordered' || leftCents - (takes ? 0 : priceCents) >= 0;
    const renewAt = domain.autoRenew
      ? new Date(
          Math.max(domain.expiresAt.getTime() - money.renewDays * dayMs, money.now.getTime()),
        ).toISOString()
      : null;
    if (takes && !covered) shortFrom ??= renewAt;
    return {
      address: domain.address,
      customerId: domain.customerId,
      customer: domain.customer,
      expireDate: domain.expiresAt.toISOString(),
      autoRenew: domain.autoRenew,
      state,
      renewAt,
      reason: state === 'unable' ? (domain.attempt?.reason ?? null) : null,
      price: domain.priceCents === null ? null : centsToUsd(domain.priceCents),
      covered,
    };
  });
  return {
    rows,
    spendable: money.spendableCents,
    total: centsToUsd(sum(byDate)),
    automaticTotal: centsToUsd(sum(automatic)),
    automaticCount: automatic.length,
    unpriced,
    shortFrom,
    missing: centsToUsd(Math.max(0, -leftCents)),
  };
}

function stateOf(domain: DueDomain): DueRenewal['state'] {
  const attempt = domain.attempt?.state;
  if (attempt === 'ordered') return 'ordered';
  if (!domain.autoRenew) return 'manual';
  if (attempt === 'intended') return 'ordered';
  return attempt === 'unable' ? 'unable' : 'planned';
}

function sum(domains: readonly DueDomain[]): number {
  return domains.reduce((total, { priceCents }) => total + (priceCents ?? 0), 0);
}
