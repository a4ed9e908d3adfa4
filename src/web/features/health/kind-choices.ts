import type { HealthBoard } from '#contracts/operations/health.ts';
import { mostChangeItems } from '#contracts/values/changes.ts';
import { countText } from '#contracts/values/format.ts';
import { healthFindings } from '#contracts/values/health.ts';

/** Of a button that mends one kind of finding, of which so many are open. One change takes so many domains and no more. */
export const fixAllLabel = (count: number) =>
  count > mostChangeItems ? `Fix in the first ${countText(mostChangeItems)} domains` : 'Fix in all domains';

type Counts = HealthBoard['counts'];

/** The kinds of findings to filter by. The chosen one is among them when nothing of it is left: the filter still holds. */
export function kindChoices(known: Counts | undefined, chosen: Counts[number]['kind'] | undefined) {
  const counts = known ?? [];
  const absent = chosen !== undefined && !counts.some(({ kind }) => kind === chosen);
  return [
    ...counts.map(({ kind, count }) => ({ value: kind, label: `${healthFindings[kind].title} (${count})` })),
    ...(absent ? [{ value: chosen, label: healthFindings[chosen].title }] : []),
  ];
}
