import { decimalText } from '#contracts/values/format.ts';

/** A sum in cents as a person would have typed it into a field of dollars: 60, or "60.50" with both of its digits. */
export function typedDollars(cents: number): number | string {
  return cents % 100 === 0 ? cents / 100 : decimalText(cents);
}
