import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  declaredColumns,
  type StoredColumn,
  schemaFaults,
} from '../../../../tests/architecture/rules/schema.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { sql } from './database.ts';

const files = [
  'schema.ts',
  ...readdirSync(join(import.meta.dirname, 'schema')).map((file) => `schema/${file}`),
].map((path) => ({ path, text: readFileSync(join(import.meta.dirname, path), 'utf8') }));

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

async function storedColumns(): Promise<StoredColumn[]> {
  // The migrations' own list is nobody's business.
  const { rows } = await sql<StoredColumn>`
    SELECT c.table_name AS "table", c.column_name AS "column", c.is_nullable = 'YES' AS nullable
    FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.table_name <> 'schema_migrations'`.execute(
    database.systemDb,
  );
  return rows;
}

test('the schema that the code is compiled against has the tables and columns that the migrations make', async () => {
  const stored = await storedColumns();
  expect(stored.length).toBeGreaterThan(400);
  expect(schemaFaults(declaredColumns(files), stored)).toEqual([]);
});

test('a table, a column, and a column that may be null are each missed when a migration adds them alone', async () => {
  const planted: StoredColumn[] = [
    ...(await storedColumns()),
    { table: 'domains', column: 'planted_column', nullable: true },
    { table: 'planted_table', column: 'id', nullable: false },
  ].map((column) =>
    column.table === 'domains' && column.column === 'address' ? { ...column, nullable: true } : column,
  );
  expect(schemaFaults(declaredColumns(files), planted)).toEqual([
    expect.stringContaining('domains.planted_column is in the database and not in the schema: add it to '),
    expect.stringContaining('planted_table is in the database and not in the schema: describe it in '),
    expect.stringContaining('domains.address may be null in the database and not in the schema'),
  ]);
});
