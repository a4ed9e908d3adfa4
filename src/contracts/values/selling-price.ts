/** Cost plus the operator's margin, rounded half up to the cent. */
export function withMargin(costCents: number, marginPercent: number): number {
  return Math.round((costCents * (100 + marginPercent)) / 100);
}

/**
 * What a name or a certificate is sold for: the operator's list, or our cost and the margin. Never below cost: a stale
 * list must not turn sales into losses.
 */
export function sellingCents(costCents: number, listedCents: number | null, marginPercent: number): number {
  return listedCents === null ? withMargin(costCents, marginPercent) : Math.max(listedCents, costCents);
}
