import { nearestCents } from '#contracts/values/money.ts';
import { autoBalanceLimits, minimumText } from '#contracts/values/topup-limits.ts';

/** The setting of auto balance, from two sums of dollars as they are typed. */
export function settingOf(typed: { reload: number | string; threshold: number | string }) {
  const [amount, mark] = [nearestCents(Number(typed.reload)), nearestCents(Number(typed.threshold))];
  return { enabled: true as const, amount, mark };
}

/** Why a sum cannot be set; null when it can. What is no number is too little. */
export function problemsOf({ amount, mark }: { amount: number; mark: number }) {
  const { leastAmountCents, leastMarkCents } = autoBalanceLimits;
  return {
    amount: amount >= leastAmountCents ? null : minimumText(leastAmountCents),
    mark: mark >= leastMarkCents ? null : minimumText(leastMarkCents),
  };
}
