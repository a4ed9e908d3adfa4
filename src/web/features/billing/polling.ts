import type { Balance } from '#contracts/operations/billing.ts';

/** P2 §9: at most ten looks until the total changes. */
const looks = 10;
const pauseMs = 1_500;

/** What a payment did to the account: money there, money on its way, nothing to be seen yet. */
export type BalanceChange = 'credited' | 'pending' | 'unchanged';
type Total = Pick<Balance, 'balance' | 'pendingBalance'>;

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
    const now = await look();
    known ??= now;
    if (now.balance > known.balance) return 'credited';
    if (now.pendingBalance !== known.pendingBalance) return 'pending';
  }
  return 'unchanged';
}
