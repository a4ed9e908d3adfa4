import type { DueRenewals } from '#contracts/operations/renewals.ts';
import { countText, moneyText } from '#contracts/values/format.ts';
import { usdToCents } from '#contracts/values/money.ts';

type Plan = Pick<DueRenewals, 'rows' | 'unpriced' | 'more'>;

/** What the balance covers when it lasts: every automatic renewal, or those that the plan can tell. */
export function coverageText(plan: Plan, days: number): string {
  const isWhole = uncountedTexts(plan).length === 0;
  const which = `Your balance covers ${countedText(plan)}${isWhole ? ` of the next ${days} days` : ''}.`;
  return [which, ...uncountedTexts(plan)].join(' ');
}

/** Which renewals the sums of the plan have, as the object of a sentence. */
export function countedText({ unpriced, more }: Plan): string {
  const known = [more && 'that are shown', unpriced > 0 && 'whose price is known'].filter(Boolean);
  return known.length === 0 ? 'every automatic renewal' : `the automatic renewals ${known.join(' and ')}`;
}

/** What the sums of the plan do not have. */
export function uncountedTexts({ rows, unpriced, more }: Plan): string[] {
  const texts: string[] = [];
  if (unpriced > 0)
    texts.push(`${countText(unpriced)} ${unpriced === 1 ? 'has' : 'have'} no price at the moment.`);
  if (more) texts.push(`Only the first ${countText(rows.length)} renewals are shown.`);
  return texts;
}

/** What renewals cost together, as far as their prices are known. */
export function costText(rows: readonly Pick<DueRenewals['rows'][number], 'price'>[]): string {
  const prices = rows.flatMap(({ price }) => (price === null ? [] : [usdToCents(price)]));
  if (rows.length > 0 && prices.length === 0) return 'a price that is not known at the moment';
  const sum = moneyText(prices.reduce((total, cents) => total + cents, 0));
  return prices.length === rows.length ? sum : `at least ${sum}`;
}
