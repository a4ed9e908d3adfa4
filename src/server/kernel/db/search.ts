import { type Expression, type RawBuilder, sql } from 'kysely';

/** Shorter words have no trigram that an index could look for. */
const shortestIndexed = 3;

/** LIKE's pattern for texts that contain this one; its own wildcards stand for themselves. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** The same of what somebody typed into a search, for texts in lower case; null: they typed nothing. */
export function patternOf(search: string | undefined): string | null {
  const text = search?.trim().toLowerCase();
  return text ? containing(text) : null;
}

/**
 * A text in lower case, as `pattern` is compared with it. The database's own collation lowers the capitals of English alone; the other one
 * costs several times as much, and is used where the pattern has other letters.
 */
export function lowered(text: RawBuilder<unknown>, pattern: string | null): RawBuilder<string> {
  return /^[\0-\x7f]*$/.test(pattern ?? '') ? sql`lower(${text})` : sql`lower(${text} COLLATE "und-x-icu")`;
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

/** Conditions for rows whose text contains all of these words, each row being looked at. */
export function containsWords(text: string, patterns: readonly string[]): Expression<boolean>[] {
  return patterns.map((pattern) => sql<boolean>`${sql.ref(text)} LIKE ${pattern}`);
}

/**
 * The same by the table's trigram index, which has the longest word: rows as one of the functions of migrations 0207 and 0245 yields
 * them, to be selected from. Row-level security cannot use that index (decision 96).
 *
 * @param patterns as `searchPatterns` makes them, of a search that `isIndexed`
 */
export function foundByWords(
  found: 'customers_found' | 'domains_found',
  organisationId: string,
  [longest, ...others]: readonly string[],
) {
  const further = sql.join(others.map((pattern) => sql`${pattern}`));
  return sql`${sql.raw(found)}(${organisationId}, ${longest}, ARRAY[${further}]::text[])`;
}
