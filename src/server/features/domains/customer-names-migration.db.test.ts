import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrate } from '#kernel/db/migrate.ts';
import { newId } from '#kernel/ids.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { contactsOf } from '../../../../tests/support/people.ts';

/** The names of customers come to their domains while other processes of the portal serve (migrations 0245 and 0246). */

const migrations = resolve('migrations');
const name = `names_${randomBytes(6).toString('hex')}`;
let directory: string;
let cluster: pg.Client;
let client: pg.Client;
let url: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameward-names-'));
  cluster = new pg.Client({ connectionString: inject('clusterUrl') });
  await cluster.connect();
  await cluster.query(`CREATE DATABASE ${name}`);
  url = inject('clusterUrl').replace(/\/\w+$/, `/${name}`);
  await bring((file) => file < '0245');
  client = new pg.Client({ connectionString: url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await cluster.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await cluster.end();
  await rm(directory, { recursive: true, force: true });
});

async function bring(which: (file: string) => boolean): Promise<void> {
  for (const file of (await readdir(migrations)).filter(which)) {
    await copyFile(join(migrations, file), join(directory, file));
  }
  await migrate(url, directory);
}

const ownerOf = (organization: string) => JSON.stringify(contactsOf({ organization }).owner);

test('a customer who is renamed while names are copied to domains has the new name on theirs', async () => {
  const [organisation, customer] = [newId(), newId()];
  await client.query(`INSERT INTO organisations (id, name) VALUES ($1, 'Acme MSP')`, [organisation]);
  await client.query(
    `INSERT INTO customers (id, organisation_id, owner, admin, billing_contact, markups) VALUES ($1, $2, $3, $3, $3, '{}')`,
    [customer, organisation, ownerOf('Before')],
  );
  await client.query(
    `INSERT INTO domains (id, organisation_id, customer_id, address, status) VALUES ($1, $2, $3, 'acme.com', 'active')`,
    [newId(), organisation, customer],
  );
  await client.query('BEGIN');
  await client.query('UPDATE customers SET owner = $1', [ownerOf('After')]);
  const brought = bring(() => true);
  await eventually(async () => {
    const { rows } = await cluster.query(
      `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE NOT l.granted AND d.datname = $1`,
      [name],
    );
    expect(rows).not.toEqual([]);
  });
  await client.query('COMMIT');
  await brought;
  const { rows } = await client.query('SELECT customer_organization AS name FROM domains');
  expect(rows).toEqual([{ name: 'After' }]);
});
