/** What one operator may enter alone within a day, and what it takes a second person for. */
export interface AloneToday {
  /** Cents already entered within a day by one person alone, for this organisation. */
  ofOrganisation: number;
  /** And by this operator, for all organisations together. */
  byOperator: number;
}

/** Cents that one person may still enter alone. */
export function aloneLeft({ ofOrganisation, byOperator }: AloneToday, aloneLimitCents: number): number {
  return Math.max(0, aloneLimitCents - Math.max(ofOrganisation, byOperator));
}
