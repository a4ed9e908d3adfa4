/**
 * What a year of a certificate costs: the operator's list, or our cost and the margin. Never below cost: a stale list must
 * not turn sales into losses.
 */
export function yearlyCents(
  costCents: number,
  listedCents: number | null | undefined,
  marginPercent: number,
): number {
  if (listedCents !== undefined && listedCents !== null) return Math.max(listedCents, costCents);
  return Math.round((costCents * (100 + marginPercent)) / 100);
}
