import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Db, sql } from '../../src/server/kernel/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** docs/distribution.md against the catalogue: a new table or key has to say where it would lie. */
let database: TestDatabase;
let owner: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = createDatabase({ url: database.url, maxConnections: 1 });
});
afterAll(async () => {
  await owner.destroy();
  await database.close();
});

const page = readFileSync(join(import.meta.dirname, '../../docs/distribution.md'), 'utf8');
const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '');
const rowOf = (kind: string) => new RegExp(`^\\| ${kind} \\| (.*) \\|$`, 'm').exec(page)?.[1] ?? '';
const kinds = ['distributed', 'reference', 'local'] as const;
const tablesOf = Object.fromEntries(
  kinds.map((kind) => [kind, namesIn(rowOf(kind)).filter((name) => name !== 'graphile_worker')]),
) as Record<(typeof kinds)[number], string[]>;
const kindOf = new Map(kinds.flatMap((kind) => tablesOf[kind].map((table) => [table, kind])));
const listOf = async (query: ReturnType<typeof sql<{ name: string }>>) =>
  (await query.execute(owner)).rows.map(({ name }) => name).sort();

test('each table is named once', async () => {
  const tables = await listOf(sql<{ name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`);
  expect(kinds.flatMap((kind) => tablesOf[kind]).sort()).toEqual(tables);
});

test('distributed are those whose every row says its organization', async () => {
  const own = await listOf(sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'organisation_id' AND is_nullable = 'NO'`);
  expect(tablesOf.distributed.toSorted()).toEqual(own);
});

test('no foreign key leads from distributed to local, nor from elsewhere to distributed', async () => {
  const { rows } = await sql<{ from: string; to: string }>`
    SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to" FROM pg_constraint
    WHERE contype = 'f' AND connamespace = 'public'::regnamespace`.execute(owner);
  expect(rows.length).toBeGreaterThan(50);
  const crossing = rows.filter(({ from, to }) => {
    const [kindFrom, kindTo] = [kindOf.get(from), kindOf.get(to)];
    return kindFrom === 'distributed' ? kindTo === 'local' : kindTo === 'distributed';
  });
  expect(crossing).toEqual([]);
});

test('each unique key of a distributed table that does not hold the organization is named with its reason', async () => {
  const keys = await listOf(sql<{ name: string }>`
    SELECT indexrelid::regclass::text AS name FROM pg_index i
    WHERE indisunique AND NOT indisprimary AND indrelid::regclass::text = ANY(${tablesOf.distributed}) AND NOT EXISTS (
      SELECT FROM unnest(i.indkey) AS key JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = key
      WHERE a.attname = 'organisation_id')`);
  const section = page.slice(page.indexOf('| Unique key |'), page.indexOf('## Statements'));
  const named = section.split('\n').flatMap((line) => namesIn(line.split('|')[1] ?? ''));
  expect(named.toSorted()).toEqual(keys);
});

test('the number of primary keys that would be widened is right', async () => {
  const keys = await listOf(sql<{ name: string }>`
    SELECT indexrelid::regclass::text AS name FROM pg_index i
    WHERE indisprimary AND indrelid::regclass::text = ANY(${tablesOf.distributed}) AND NOT EXISTS (
      SELECT FROM unnest(i.indkey) AS key JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = key
      WHERE a.attname = 'organisation_id')`);
  expect(page).toContain(`Today ${keys.length} primary keys would be widened`);
});
