import { type Expression, sql } from 'kysely';

/** Shorter words have no trigram that an index could look for. */
const shortestIndexed = 3;

/** LIKE's pattern for texts that contain this one; its own wildcards stand for themselves. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** What a list's text says of a search: how many words, and whether the first can be looked up in the index. */
export interface SearchShape {
  words: number;
  isIndexed: boolean;
}

/** Words in lower case, as the texts are; as patterns, the longest first, which is the one worth looking up. */
export function searchPatterns(words: readonly string[]): { shape: SearchShape; patterns: string[] } {
  const sorted = [...words].sort((a, b) => b.length - a.length);
  return {
    shape: { words: sorted.length, isIndexed: (sorted[0]?.length ?? 0) >= shortestIndexed },
    patterns: sorted.map(containing),
  };
}

/**
 * Conditions for rows whose text contains all of these words. The first is looked up in the table's trigram index, if
 * it can be, by one of the functions of migration 0053; the others are compared with what that finds.
 *
 * @param patterns as `searchPatterns` makes them
 * @param row `id` and `text`: columns of the table; `found`: the function that looks into its index
 */
export function containsWords(
  organisationId: string,
  { isIndexed }: SearchShape,
  patterns: readonly string[],
  row: { id: string; text: string; found: 'customers_like' | 'domains_like' },
): Expression<boolean>[] {
  return patterns.map((pattern, index) =>
    isIndexed && index === 0
      ? sql<boolean>`${sql.ref(row.id)} IN (SELECT ${sql.raw(row.found)}(${organisationId}, ${pattern}))`
      : sql<boolean>`${sql.ref(row.text)} LIKE ${pattern}`,
  );
}
