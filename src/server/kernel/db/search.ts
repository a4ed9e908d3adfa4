import { type Expression, sql } from 'kysely';

/** Shorter words have no trigram that an index could look for. */
const shortestIndexed = 3;

/** LIKE's pattern for texts that contain this one; its own wildcards stand for themselves. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/**
 * Conditions for rows whose text contains all of these words. The longest word is looked up in the table's trigram
 * index by one of the functions of migration 0053; the others are compared with what that finds.
 *
 * @param words in lower case, as the texts are
 * @param row `id` and `text`: columns of the table; `found`: the function that looks into its index
 */
export function containsWords(
  organisationId: string,
  words: readonly string[],
  row: { id: string; text: string; found: 'customers_like' | 'domains_like' },
): Expression<boolean>[] {
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  const indexed = longest.length >= shortestIndexed ? longest : null;
  const conditions = words
    .filter((word) => word !== indexed)
    .map((word) => sql<boolean>`${sql.ref(row.text)} LIKE ${containing(word)}`);
  if (indexed === null) return conditions;
  const found = sql<boolean>`${sql.ref(row.id)} IN (
    SELECT ${sql.raw(row.found)}(${organisationId}, ${containing(indexed)}))`;
  return [found, ...conditions];
}
