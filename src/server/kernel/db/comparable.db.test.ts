import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { comparable } from '../comparable.rules.ts';
import { comparableIn } from './comparable.ts';
import { sql } from './database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test.each([
  ...['ADA@EXAMPLE.COM', 'ÉMILE@OEL.EXAMPLE', 'E\u0301mile@oel.example', '  Ångström ', 'İSTANBUL', 'ΟΔΟΣ'],
  ...['ΟΔΟΣ 1', 'STRASSE', 'Straße', 'ẞ', '\u212aelvin', 'ЖЕНЯ@ПОЧТА.РФ', 'Ǆ', ''],
])('the database compares %j as the portal does', async (text) => {
  const { rows } = await sql<{ said: string }>`SELECT ${comparableIn(sql`${text}::text`)} AS said`.execute(
    database.systemDb,
  );
  expect(rows[0]?.said).toBe(comparable(text));
});

test('capitals, accents that are written apart and spaces make no difference; another letter does', () => {
  const all = ['émile@oel.example', 'ÉMILE@OEL.EXAMPLE', 'E\u0301mile@oel.example', ' Émile@oel.example '];
  expect(new Set(all.map(comparable))).toEqual(new Set(['émile@oel.example']));
  expect(comparable('emile@oel.example')).not.toBe(comparable('émile@oel.example'));
});
