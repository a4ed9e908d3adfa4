import type { DueRenewals } from '#contracts/operations/renewals.ts';
import { countText } from '#contracts/values/format.ts';

type Plan = Pick<DueRenewals, 'rows' | 'unpriced' | 'more'>;

/** What the balance covers when it lasts: every automatic renewal, or those that the plan can tell. */
export function coverageText(plan: Plan, days: number): string {
  const known = [plan.more && 'that are shown', plan.unpriced > 0 && 'whose price is known'].filter(Boolean);
  if (known.length === 0) return `Your balance covers every automatic renewal of the next ${days} days.`;
  const which = `Your balance covers the automatic renewals ${known.join(' and ')}.`;
  return [which, ...uncountedTexts(plan)].join(' ');
}

/** What the sums of the plan do not have. */
export function uncountedTexts({ rows, unpriced, more }: Plan): string[] {
  const texts: string[] = [];
  if (unpriced > 0)
    texts.push(`${countText(unpriced)} ${unpriced === 1 ? 'has' : 'have'} no price at the moment.`);
  if (more) texts.push(`Only the first ${countText(rows.length)} renewals are shown.`);
  return texts;
}
