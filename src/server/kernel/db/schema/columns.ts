import type { ColumnType } from 'kysely';

/** Set by the database unless given. */
export type At = ColumnType<Date, Date | undefined, Date>;
export type Json<T> = ColumnType<T, string, string>;
export type OptionalJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
/** Kept by the database: never written. */
export type Computed<T> = ColumnType<T, never, never>;
