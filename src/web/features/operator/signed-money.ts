import { formatCents } from '#contracts/values/money.ts';

/** `-1250` -> `-$12.50`, `1250` -> `+$12.50`: which way a correction goes is never left to be guessed. */
export function signedMoney(cents: number): string {
  return `${cents < 0 ? '-' : '+'}$${formatCents(Math.abs(cents))}`;
}
