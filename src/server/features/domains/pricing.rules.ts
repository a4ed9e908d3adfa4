/** A name that nobody registers, under each suffix, prices the suffix itself. */
export const probeName = (suffix: string) => `nameward-standard-price.${suffix}`;

/** A quote is used again for half an hour: long enough from cart to purchase, short against price changes. */
const quoteLifeMs = 30 * 60_000;

export function isFresh(quotedAt: Date, now: Date): boolean {
  return now.getTime() - quotedAt.getTime() < quoteLifeMs;
}
