import { type RawBuilder, sql } from 'kysely';

/**
 * A text of the database as it is compared with what `comparable` of `kernel/comparable.rules.ts` makes. With that collation capitals of
 * all languages are lowered; the database's own knows those of English alone.
 */
export const comparableIn = (text: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`lower(normalize(trim(${text}), NFC) COLLATE "und-x-icu")`;
