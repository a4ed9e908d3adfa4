/** What one operator may enter alone within a day, and what it takes a second person for. */
export interface AloneToday {
  /** Cents already entered within a day by one person alone, for this organisation. */
  ofOrganisation: number;
  /** And by this operator, for all organisations together. */
  byOperator: number;
}

/** Giving and taking count alike: a sum taken by mistake harms as one that is given. */
export function needsSecondPerson(cents: number, today: AloneToday, aloneLimitCents: number): boolean {
  const before = Math.max(today.ofOrganisation, today.byOperator);
  return before + Math.abs(cents) > aloneLimitCents;
}
