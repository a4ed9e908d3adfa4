import type { Role } from '#contracts/permissions.ts';
import { type ClosingReason, closingReasons, type ReasonAgainstClosing } from '#contracts/values/closing.ts';

/** What an organisation has, by what may stand against closing it. */
export type ClosingCounts = Readonly<Record<ClosingReason, number>>;

/**
 * The owner closes (design, permission table). Sign-up makes an administrator, who may name the first owner, themselves too:
 * while there is none they are the one who answers for it.
 */
export function mayClose(role: Role, ownersBeside: number): boolean {
  return role === 'MSP_OWNER' || (role === 'MSP_ADMIN' && ownersBeside === 0);
}

/** Everything that stands against it; empty: the organisation may be closed. A balance below zero counts as one above it. */
export function reasonsAgainst(counts: ClosingCounts): ReasonAgainstClosing[] {
  return closingReasons
    .map((reason) => ({ reason, count: counts[reason] }))
    .filter(({ count }) => count !== 0);
}
