import type { Balance } from '#contracts/operations/billing.ts';

/** P2 §9: at most ten looks until the total changes. */
const looks = 10;
const pauseMs = 1_500;

/** What a payment did to the account: money there, money on its way, nothing to be seen yet. */
export type BalanceChange = 'credited' | 'pending' | 'unchanged';
export type Total = Pick<Balance, 'balance' | 'pendingBalance'>;

/** What the total says of a payment that was made when it was `before`. */
export function changeOf(before: Total, now: Total): BalanceChange {
  if (now.balance > before.balance) return 'credited';
  return now.pendingBalance === before.pendingBalance ? 'unchanged' : 'pending';
}

/**
 * Looks until the total differs from what it was, ten times at most. `before` null: it could not be read, and the first
 * look is compared with; money that was there by then is not taken for the payment.
 */
export async function untilItChanges(
  before: Total | null,
  look: () => Promise<Total>,
  pause: (ms: number) => Promise<unknown>,
): Promise<BalanceChange> {
  let known = before;
  for (let looked = 0; looked < looks; looked += 1) {
    if (looked > 0) await pause(pauseMs);
    // Without a network nothing is seen, and the payment is no less made.
    const now = await look().catch(() => null);
    if (!now) continue;
    known ??= now;
    const change = changeOf(known, now);
    if (change !== 'unchanged') return change;
  }
  return 'unchanged';
}
