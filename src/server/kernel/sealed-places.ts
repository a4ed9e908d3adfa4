import { type Db, type RawBuilder, sql } from './db/database.ts';
import type { Database } from './db/schema.ts';

/** A row with a sealed value, as far as the value's context needs it. */
export interface SealedRow {
  organisationId: string;
  /** Names the row within its organisation. */
  id: string;
  /** Further names that the context may be made of. */
  others: readonly string[];
}

/** A column of sealed values; each is made by the feature that writes its table. */
export interface SealedPlace {
  /** `table.column` */
  name: string;
  /** How many values each key number has sealed. */
  count(): Promise<{ key: number; values: number }[]>;
  /** Values under any key but this one, in order, after this row. */
  under(older: {
    than: number;
    after: SealedRow | null;
    limit: number;
  }): Promise<(SealedRow & { sealed: Buffer })[]>;
  /** What a value may have been sealed for; it opens with one of them. */
  contexts(row: SealedRow): readonly string[];
  /** Replaces the old sealed value with the resealed one. Returns false if it was changed in the meantime. */
  replace(row: SealedRow, former: Buffer, sealed: Buffer): Promise<boolean>;
}

export interface SealedColumn extends Pick<SealedPlace, 'name' | 'contexts' | 'replace'> {
  table: RawBuilder<unknown>;
  column: RawBuilder<Buffer>;
  /** Text. */
  id: RawBuilder<string>;
  /** Array of texts. */
  others?: RawBuilder<string[]>;
}

/** Shorter ones are none (kernel/seal.ts): an erased row keeps an empty one. */
const shortestBytes = 30;

/** A place that is one column of one table with an `organisation_id`. */
export function sealedColumn(
  systemDb: Db,
  { table, column, id, others, ...rest }: SealedColumn,
): SealedPlace {
  const key = sql<number>`get_byte(${column}, 1)`;
  const sealed = sql<boolean>`length(${column}) >= ${shortestBytes}`;
  return {
    ...rest,
    async count() {
      const { rows } = await sql<{ key: number; values: number }>`
        SELECT ${key} AS key, count(*) AS values FROM ${table} WHERE ${sealed} GROUP BY 1 ORDER BY 1`.execute(
        systemDb,
      );
      return rows;
    },
    async under({ than, after, limit }) {
      const from = after
        ? sql<boolean>`(organisation_id, ${id}) > (${after.organisationId}::uuid, ${after.id})`
        : sql<boolean>`true`;
      const { rows } = await sql<SealedRow & { sealed: Buffer }>`
        SELECT organisation_id AS "organisationId", ${id} AS id, ${others ?? sql`'{}'::text[]`} AS others,
          ${column} AS sealed
        FROM ${table} WHERE CASE WHEN ${sealed} THEN ${key} <> ${than} ELSE false END AND ${from}
        ORDER BY organisation_id, ${id} LIMIT ${limit}`.execute(systemDb);
      return rows;
    },
  };
}

export interface SealedField<Table extends keyof Database> {
  table: Table;
  column: keyof Database[Table] & string;
  /** Names the row within its organisation, and is a UUID where nothing else is said. */
  id?: { column: keyof Database[Table] & string; type: 'bigint' };
  others?: RawBuilder<string[]>;
  contexts: SealedPlace['contexts'];
}

/** A place that is a column as the table has it. */
export function sealedField<Table extends keyof Database>(
  systemDb: Db,
  { table, column, id, others, contexts }: SealedField<Table>,
): SealedPlace {
  const [of, value, key] = [sql.table(table), sql.ref<Buffer>(column), sql.ref(id?.column ?? 'id')];
  return sealedColumn(systemDb, {
    ...{ name: `${table}.${column}`, table: of, column: value, id: sql`${key}::text`, contexts },
    ...(others ? { others } : {}),
    async replace(row, former, sealed) {
      const { numAffectedRows } = await sql`
        UPDATE ${of} SET ${value} = ${sealed}
        WHERE organisation_id = ${row.organisationId} AND ${key} = ${row.id}::${sql.raw(id?.type ?? 'uuid')}
          AND ${value} = ${former}`.execute(systemDb);
      return numAffectedRows === 1n;
    },
  });
}

/** Whether exactly one row took the new value. */
export function tookOne(result: { numUpdatedRows: bigint }): boolean {
  return result.numUpdatedRows === 1n;
}
