import { z } from 'zod';

/**
 * Money. Inside: integer US cents. On the wire (decisions no. 3): balances in cents; prices, totals and
 * markups in US dollars with at most two decimals.
 */

/** Integer cents, within what a JavaScript number holds exactly. */
export const cents = z.int().min(-1_000_000_000_00).max(1_000_000_000_00);

/** Dollars with at most two decimals, as a number. */
export const usd = z
  .number()
  .min(0)
  .max(1_000_000_000)
  .refine((value) => isWholeCents(value), { message: 'At most two decimals' });

/** The same, of which some may be taken. */
export const signedUsd = z
  .number()
  .min(-1_000_000_000)
  .max(1_000_000_000)
  .refine((value) => isWholeCents(value), { message: 'At most two decimals' });

function isWholeCents(value: number): boolean {
  return Math.abs(value * 100 - Math.round(value * 100)) < 1e-6;
}

/** The nearest whole cents to dollars: 19.99 is 1998.9999999999998 hundredths for a computer. NaN for what is no number. */
export const nearestCents = (dollars: number): number => Math.round(dollars * 100);

/** Dollars to cents. Throws on more than two decimals: a silent rounding would lose money. */
export function usdToCents(value: number): number {
  if (!Number.isFinite(value) || !isWholeCents(value))
    throw new RangeError(`not an amount in dollars: ${value}`);
  return nearestCents(value);
}

export function centsToUsd(value: number): number {
  return Math.round(value) / 100;
}

/** Decimal text such as a registrar's `9.85`, `20.2` or `5000` to cents, without floats. null when it is none. */
export function decimalTextToCents(text: string): number | null {
  const match = /^(-)?(\d{1,10})(?:\.(\d{1,2})0*)?$/.exec(text.trim());
  if (!match) return null;
  const whole = Number(match[2]) * 100 + Number((match[3] ?? '').padEnd(2, '0'));
  return match[1] ? -whole : whole;
}

export const markup = z.object({
  type: z.enum(['percentage', 'fixed']),
  /** Percent, or dollars. */
  value: z.number().min(0).max(10_000).refine(isWholeCents, { message: 'At most two decimals' }),
});
export type Markup = z.output<typeof markup>;

export const markups = z.object({
  domain: z.object({ purchase: markup, renewal: markup }),
  certificate: z.object({ purchase: markup, renewal: markup }),
});
export type Markups = z.output<typeof markups>;

export const noMarkup: Markup = { type: 'percentage', value: 0 };
export const noMarkups: Markups = {
  domain: { purchase: noMarkup, renewal: noMarkup },
  certificate: { purchase: noMarkup, renewal: noMarkup },
};

/**
 * P1 §5: missing markups are normalised to value 0 and type percentage. So is whatever is no markup by these rules (a
 * row that another program has written): one odd customer must break neither the list, nor the export, nor a charge.
 */
export function wholeMarkups(stored: unknown): Markups {
  const at = (group: 'domain' | 'certificate', price: 'purchase' | 'renewal'): Markup => {
    const inGroup = (stored as { [name: string]: unknown } | null | undefined)?.[group];
    const read = markup.safeParse((inGroup as { [name: string]: unknown } | null | undefined)?.[price]);
    return read.success ? read.data : noMarkup;
  };
  return {
    domain: { purchase: at('domain', 'purchase'), renewal: at('domain', 'renewal') },
    certificate: { purchase: at('certificate', 'purchase'), renewal: at('certificate', 'renewal') },
  };
}

/**
 * What a markup adds to a price, in cents, rounded half up per item (P1 §5: rounded to 2 decimals per item).
 * Integer arithmetic: percent has two decimals, so price × percent × 100 stays exact.
 */
export function markupCents(priceCents: number, rule: Markup): number {
  if (rule.type === 'fixed') return usdToCents(rule.value);
  const percentHundredths = Math.round(rule.value * 100);
  return Number((BigInt(priceCents) * BigInt(percentHundredths) + 5_000n) / 10_000n);
}
