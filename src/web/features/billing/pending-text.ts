import type { Balance } from '#contracts/operations/billing.ts';
import { moneyText } from '#contracts/values/format.ts';

/** Whether payments that are being processed can be spent before they have arrived: the operator may limit that. */
export function pendingText({
  balance,
  pendingBalance,
  spendable,
}: Pick<Balance, 'balance' | 'pendingBalance' | 'spendable'>): string {
  if (pendingBalance <= 0) return 'no payment is pending';
  const usable = spendable - balance;
  if (usable >= pendingBalance) return 'you can already spend it';
  return usable > 0
    ? `you can already spend ${moneyText(usable)} of it`
    : 'you can spend it when it has arrived';
}
