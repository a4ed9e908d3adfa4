import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql, type Tx } from '#kernel/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import { customerRow, domainRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { recordRegistration } from './portfolio.repo.ts';

/** Each living domain has the name of its customer in its own row (migration 0245). */

let database: TestDatabase;
let organisationId: string;
let customerId: string;
let other: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  customerId = await named('Acme');
  other = await named('Beta');
});
afterAll(() => database.close());

const ownerOf = (organization: string) => JSON.stringify(contactsOf({ organization }).owner);
const named = (organization: string) =>
  customerRow(database, organisationId, { owner: ownerOf(organization) });
const tenant = <T>(run: (tx: Tx) => Promise<T>) => within(database, organisationId, run);
const change = (tx: Tx, id: string, values: { customer_id?: string | null; status?: 'active' | 'ended' }) =>
  tx.updateTable('domains').set(values).where('id', '=', id).execute();
const rename = (tx: Tx, id: string, organization: string) =>
  tx
    .updateTable('customers')
    .set({ owner: ownerOf(organization) })
    .where('id', '=', id)
    .execute();
const nameOn = (id: string) =>
  tenant(async (tx) => {
    const row = await tx.selectFrom('domains').select('customer_organization').where('id', '=', id);
    return (await row.executeTakeFirstOrThrow()).customer_organization;
  });
const somebodyWaits = () =>
  eventually(async () => {
    const { rows } = await sql`SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE NOT granted AND datname = current_database()`.execute(database.systemDb);
    expect(rows).not.toEqual([]);
  });

describe('the name of the customer on a domain', () => {
  test('is there from the beginning, and goes with the customer that it is given to', async () => {
    const { id } = await domainRow(database, organisationId, { customer_id: customerId });
    expect(await nameOn(id)).toBe('Acme');
    await tenant((tx) => change(tx, id, { customer_id: other }));
    expect(await nameOn(id)).toBe('Beta');
    await tenant((tx) => change(tx, id, { customer_id: null }));
    expect(await nameOn(id)).toBeNull();
  });

  test('is none where there is no customer, where it is of another organization, or where the domain has ended', async () => {
    const elsewhere = await customerRow(database, await organisationRow(database), {
      owner: ownerOf('Foreign'),
    });
    const [nobody, foreign, ended] = [
      await domainRow(database, organisationId),
      await domainRow(database, organisationId, { customer_id: elsewhere }),
      await domainRow(database, organisationId, { customer_id: customerId, status: 'ended' }),
    ];
    for (const { id } of [nobody, foreign, ended]) expect(await nameOn(id)).toBeNull();
  });

  test('ends with the domain', async () => {
    const { id } = await domainRow(database, organisationId, { customer_id: customerId });
    await tenant((tx) => change(tx, id, { status: 'ended' }));
    expect(await nameOn(id)).toBeNull();
  });

  test('changes with the customer, on each of theirs that has not ended and on no other', async () => {
    const renamed = await named('Before');
    const [one, two] = [
      await domainRow(database, organisationId, { customer_id: renamed }),
      await domainRow(database, organisationId, { customer_id: renamed }),
    ];
    const ended = await domainRow(database, organisationId, { customer_id: renamed, status: 'ended' });
    const others = await domainRow(database, organisationId, { customer_id: other });
    await tenant((tx) => rename(tx, renamed, 'After'));
    expect([await nameOn(one.id), await nameOn(two.id)]).toEqual(['After', 'After']);
    expect(await nameOn(ended.id)).toBeNull();
    expect(await nameOn(others.id)).toBe('Beta');
  });

  test('is right when the customer is renamed while the domain is written, whichever comes first', async () => {
    const first = await named('First');
    let written: Promise<{ id: string }> | undefined;
    await tenant(async (tx) => {
      await rename(tx, first, 'First renamed');
      written = domainRow(database, organisationId, { customer_id: first });
      await somebodyWaits();
    });
    expect(await nameOn((await written)?.id ?? '')).toBe('First renamed');

    const second = await named('Second');
    const domain = await domainRow(database, organisationId);
    let renaming: Promise<unknown> | undefined;
    await tenant(async (tx) => {
      await change(tx, domain.id, { customer_id: second });
      renaming = tenant((beside) => rename(beside, second, 'Second renamed'));
      await somebodyWaits();
    });
    await renaming;
    expect(await nameOn(domain.id)).toBe('Second renamed');
  });

  test('is right where a name is registered again while its customer is renamed: neither waits for what the other holds', async () => {
    const customer = await named('Once');
    const { address } = await domainRow(database, organisationId, {
      customer_id: customer,
      status: 'expired',
    });
    const now = new Date();
    let registering: Promise<void> | undefined;
    await tenant(async (tx) => {
      // As a change of a customer begins.
      await tx.selectFrom('customers').select('id').where('id', '=', customer).forNoKeyUpdate().execute();
      registering = tenant((beside) =>
        recordRegistration(beside, {
          ...{ organisationId, customerId: customer, address, now, registeredAt: now, expiresAt: now },
          ...{ autoRenew: false, privacy: false, credentialsSealed: null },
        }),
      );
      await somebodyWaits();
      await rename(tx, customer, 'Once more');
    });
    await registering;
    const rows = await tenant((tx) =>
      tx
        .selectFrom('domains')
        .select(['status', 'customer_organization as name'])
        .where('address', '=', address)
        .orderBy('status')
        .execute(),
    );
    expect(rows).toEqual([
      { status: 'active', name: 'Once more' },
      { status: 'ended', name: null },
    ]);
  });
});
