/**
 * What the start says when its list is empty. What is put off is not on the list, and renewals are on the lists of staff
 * alone: nobody is told that no domain lapses where one may. `postponed`: undefined while it is not known.
 */
export function nothingText(staff: boolean, postponed: number | undefined): string {
  const nothing = 'Nothing needs your attention.';
  if (!staff || postponed !== 0) return nothing;
  return `${nothing} No domain lapses in the next 30 days, and all certificates are in order.`;
}
