import type { HealthBoard } from '#contracts/operations/health.ts';
import { healthFindings } from '#contracts/values/health.ts';

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
