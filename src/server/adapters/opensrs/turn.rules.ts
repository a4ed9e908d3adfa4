/**
 * Who comes first when more waits for the registrar than its limits allow: orders and other changes, because money is held for
 * them; then what a person looks up; then work that nobody waits for.
 */
export const urgencies = ['change', 'look-up', 'sweep'] as const;
export type Urgency = (typeof urgencies)[number];

/** How many others may go first, one after the other, before something waits too long: it then goes before them. */
const patience: Record<Urgency, number> = { change: 0, 'look-up': 4, sweep: 12 };

export type Passed = Readonly<Record<Urgency, number>>;

export const nobodyPassed: Passed = { change: 0, 'look-up': 0, sweep: 0 };

/** Whose turn it is of those who wait, and by how many each of the others has been passed then; null: nobody waits. */
export function nextTurn(
  waiting: ReadonlySet<Urgency>,
  passed: Passed,
): { urgency: Urgency; passed: Passed } | null {
  const waits = urgencies.filter((urgency) => waiting.has(urgency));
  const urgency = waits.findLast((one) => passed[one] >= patience[one]) ?? waits[0];
  if (urgency === undefined) return null;
  const after = { ...nobodyPassed };
  for (const one of waits) if (one !== urgency) after[one] = passed[one] + 1;
  return { urgency, passed: after };
}
