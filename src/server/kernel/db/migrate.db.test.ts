import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { migrate } from './migrate.ts';

let directory: string;
let url: string;
const name = () => `migrate_${randomBytes(6).toString('hex')}`;

async function query(at: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: at });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameward-migrations-'));
  const database = name();
  await query(inject('clusterUrl'), `CREATE DATABASE ${database}`);
  url = inject('clusterUrl').replace(/\/\w+$/, `/${database}`);
});
afterEach(async () => {
  await query(inject('clusterUrl'), `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
  await rm(directory, { recursive: true, force: true });
});

const put = (file: string, text: string) => writeFile(join(directory, file), text);

test('migrations run once each, in the order of their numbers; other files are left alone', async () => {
  await put('0002_second.sql', 'INSERT INTO things VALUES (2)');
  await put('0001_first.sql', 'CREATE TABLE things (id int)');
  await put('notes.sql', 'this is no SQL');
  expect(await migrate(url, directory)).toEqual(['0001_first.sql', '0002_second.sql']);
  expect(await migrate(url, directory)).toEqual([]);
  await put('0003_third.sql', 'INSERT INTO things VALUES (3)');
  expect(await migrate(url, directory)).toEqual(['0003_third.sql']);
  expect(await query(url, 'SELECT id FROM things ORDER BY id')).toEqual([{ id: 2 }, { id: 3 }]);
});

test('a migration that was changed after it had run is refused, and nothing later runs', async () => {
  await put('0001_first.sql', 'CREATE TABLE things (id int)');
  await migrate(url, directory);
  await put('0001_first.sql', 'CREATE TABLE things (id bigint)');
  await put('0002_second.sql', 'INSERT INTO things VALUES (2)');
  await expect(migrate(url, directory)).rejects.toThrow('0001_first.sql was changed');
  expect(await query(url, 'SELECT id FROM things')).toEqual([]);
});

test('a failing migration leaves nothing of itself, keeps those before it, and is named', async () => {
  await put('0001_first.sql', 'CREATE TABLE things (id int)');
  await put('0002_second.sql', 'INSERT INTO things VALUES (2); SELECT 1 / 0');
  await expect(migrate(url, directory)).rejects.toThrow(/0002_second\.sql failed: division by zero/);
  expect(await query(url, 'SELECT id FROM things')).toEqual([]);
  await put('0002_second.sql', 'INSERT INTO things VALUES (2)');
  expect(await migrate(url, directory)).toEqual(['0002_second.sql']);
});

test('processes that start together run each migration once', async () => {
  await put('0001_first.sql', 'CREATE TABLE things (id int); SELECT pg_sleep(0.1)');
  const runs = await Promise.all([1, 2, 3].map(() => migrate(url, directory)));
  expect(runs.flat()).toEqual(['0001_first.sql']);
});
