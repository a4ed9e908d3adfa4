/** Decisions of a table whose page and search are in the address. */

/**
 * Where to go from a page without rows, such as the last one after its last row was deleted. Always to an earlier page,
 * whatever the total says, so that it comes to an end. null: stay.
 */
export function pageInstead(shown: { page: number; pageSize: number }, total: number): number | null {
  if (shown.page <= 1) return null;
  return Math.max(1, Math.min(shown.page - 1, Math.ceil(total / shown.pageSize)));
}

/** The search field, whose text the list follows a little later. */
interface SearchField {
  text: string;
  /** What the list was last seen to search for. */
  seen: string;
  /** What the list was asked to search for since. */
  asked: readonly string[];
}

export const fieldOf = (seen: string): SearchField => ({ text: seen, seen, asked: [] });

/** The list searches for something else: what came from here changes no text, because more may be typed by now. */
export function withSeen(field: SearchField, seen: string): SearchField {
  if (seen === field.seen) return field;
  const at = field.asked.lastIndexOf(seen);
  return at < 0 ? fieldOf(seen) : { ...field, seen, asked: field.asked.slice(at + 1) };
}
