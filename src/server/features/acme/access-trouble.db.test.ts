import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { accessTroubleDays } from '../../../contracts/values/acme-access.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { createSeal } from '../../kernel/seal.ts';
import { insertAccess, revokeAccess } from './access.repo.ts';
import { type AcmeLogEntry, createAcmeAccesses } from './access.ts';
import { insertAccount } from './accounts.repo.ts';
import { acmeAttention } from './attention.repo.ts';
import { insertAcmeOrder } from './orders.repo.ts';

/** Which accesses are stated as in need of a person, each beside one that differs in a single condition. */

let database: TestDatabase;
let organisationId: string;
let userId: string;
const seal = createSeal([{ number: 1, secret: 'a-key-for-these-tests-alone' }]);
const now = new Date('2026-11-22T12:00:00Z');
const ago = (days: number, ms = 0) => new Date(now.getTime() - days * 86_400_000 - ms);

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  userId = await userRow(database, organisationId);
});
afterAll(() => database.close());

const scopeOf = (change: object = {}) =>
  ({
    ...{ organisationId, userId, reach: { kind: 'organisation' }, role: 'MSP_OWNER' },
    ...change,
  }) as unknown as Scope;
const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);

async function made(customerId: string, expiresAt: Date | null = null): Promise<string> {
  const id = newId();
  await tenant((tx) =>
    insertAccess(tx, scopeOf(), {
      ...{ id, keyId: `nwe_${id}`, name: 'Web server', customerId, hmacSealed: Buffer.from('sealed') },
      ...{ hosts: null, productType: 'rapidssl', mayBuy: null, byCustomer: false, expiresAt, now },
    }),
  );
  return id;
}

async function log(id: string, at: Date, change: Partial<AcmeLogEntry> = {}): Promise<void> {
  const accesses = createAcmeAccesses({ systemDb: database.systemDb, clock: { now: () => at }, seal });
  const entry = { event: 'finalize', identifiers: ['a.example.com'], outcome: 'failed' } as const;
  await accesses.log(id, { ...entry, detail: 'No balance.', ...change });
}

const in_ = (days: number) => ago(-days);
async function issued(
  customerId: string,
  accessId: string,
  name: string,
  of: { valid_to: Date; revoked_at?: Date },
): Promise<void> {
  const [accountId, orderId] = [newId(), newId()];
  await tenant(async (tx) => {
    await insertAccount(tx, {
      ...{ id: accountId, organisation_id: organisationId, access_id: accessId, thumbprint: accountId },
      ...{ jwk: { kty: 'EC' }, contacts: [], created_at: now },
    });
    await insertAcmeOrder(tx, {
      ...{ id: orderId, organisation_id: organisationId, account_id: accountId, access_id: accessId },
      ...{ customer_id: customerId, names: [name], replaces: null, created_at: now, expires_at: in_(1) },
    });
    const valid = { state: 'valid' as const, chain: 'PEM', ...of };
    await tx.updateTable('acme_orders').set(valid).where('id', '=', orderId).execute();
  });
}

const listed = (customerId: string, organisationIds: string[] | null = [organisationId]) =>
  across(database, async (tx) =>
    (await acmeAttention.present(tx, { organisationIds, now })).filter(
      (one) => one.customerId === customerId,
    ),
  );
const ids = async (customerId: string) => new Set((await listed(customerId)).map(({ object }) => object));

test('an access whose newest entry was refused or failed is stated for seven days, to the moment', async () => {
  const theirs = await customerRow(database, organisationId);
  const failed = await made(theirs);
  const refused = await made(theirs);
  const last = await made(theirs);
  const over = await made(theirs);
  await made(theirs);
  await log(failed, ago(1));
  await log(refused, now, {
    ...{ outcome: 'refused', detail: 'Not among its names.', advice: 'Add the name.' },
  });
  await log(last, ago(accessTroubleDays, -1));
  await log(over, ago(accessTroubleDays));
  expect(await ids(theirs)).toEqual(new Set([refused, failed, last]));
  expect((await listed(theirs)).find(({ object }) => object === refused)).toEqual({
    ...{ organisationId, object: refused, customerId: theirs, address: 'a.example.com', deadline: null },
    facts: {
      ...{ accessId: refused, name: 'Web server', text: 'Not among its names.', advice: 'Add the name.' },
      ...{ at: now.toISOString(), validTo: null, others: 0 },
    },
  });
  // What repeats the entry before it is as new as its last time.
  await log(over, now);
  expect(await ids(theirs)).toContain(over);
});

test('only a certificate of the same names that was collected takes it off the list, or the end of the access', async () => {
  const theirs = await customerRow(database, organisationId);
  const collected = await made(theirs);
  const waiting = await made(theirs);
  const ordered = await made(theirs);
  const other = await made(theirs);
  const partly = await made(theirs);
  const revoked = await made(theirs);
  const expired = await made(theirs, now);
  const living = await made(theirs, ago(0, -1));
  const all = [collected, waiting, ordered, other, partly, revoked, expired, living];
  for (const id of all) await log(id, ago(1));
  const own = () => ids(theirs);
  expect(await own()).toEqual(new Set(all.filter((id) => id !== expired)));
  const done = { outcome: 'done', detail: '' } as const;
  await log(collected, now, { ...done, event: 'download' });
  await log(waiting, now, { outcome: 'waiting', detail: '' });
  await log(ordered, now, { ...done, event: 'order' });
  await log(other, now, { ...done, event: 'download', identifiers: ['b.example.com'] });
  await log(partly, now, { ...done, event: 'download', identifiers: ['a.example.com', 'b.example.com'] });
  await tenant((tx) => revokeAccess(tx, scopeOf(), revoked, now));
  expect(await own()).toEqual(new Set([waiting, ordered, other, partly, living]));
  // It fails again.
  await log(collected, now);
  expect(await own()).toContain(collected);
  await across(database, (tx) =>
    tx.updateTable('customers').set({ deleted_at: now }).where('id', '=', theirs).execute(),
  );
  expect(await own()).toEqual(new Set());
});

test('a registration that failed is taken off the list by one that succeeded, and by nothing else', async () => {
  const theirs = await customerRow(database, organisationId);
  const mine = await made(theirs);
  await log(mine, ago(1), { event: 'refusal', outcome: 'refused', identifiers: [], detail: 'Wrong key.' });
  const done = { outcome: 'done', identifiers: [], detail: '' } as const;
  await log(mine, now, { ...done, event: 'key-change' });
  await log(mine, now, { ...done, event: 'download', identifiers: ['a.example.com'] });
  expect(await listed(theirs)).toMatchObject([{ object: mine, address: null, facts: { others: 0 } }]);
  await log(mine, now, { ...done, event: 'account' });
  expect(await ids(theirs)).toEqual(new Set());
});

test('of several names that failed, those come first whose certificate ends first', async () => {
  const theirs = await customerRow(database, organisationId);
  const [mine, quiet] = [await made(theirs), await made(theirs)];
  for (const name of ['new.example.com', 'later.example.com', 'soon.example.com', 'gone.example.com']) {
    await log(mine, ago(1), { identifiers: [name] });
  }
  await log(quiet, now, { identifiers: ['fresh.example.com'] });
  await issued(theirs, mine, 'later.example.com', { valid_to: in_(20) });
  await issued(theirs, mine, 'soon.example.com', { valid_to: in_(3) });
  await issued(theirs, mine, 'soon.example.com', { valid_to: in_(9) });
  await issued(theirs, mine, 'gone.example.com', { valid_to: in_(1), revoked_at: now });
  const other = await customerRow(database, organisationId);
  await issued(other, await made(other), 'soon.example.com', { valid_to: in_(90) });
  const found = new Map((await listed(theirs)).map((one) => [one.object, one]));
  expect(found.get(mine)).toMatchObject({
    address: 'soon.example.com',
    deadline: in_(9),
    facts: { others: 3 },
  });
  expect(found.get(quiet)).toMatchObject({
    address: 'fresh.example.com',
    deadline: null,
    facts: { others: 0 },
  });
});

test('it is stated of its own organization; another organization’s log says nothing of it', async () => {
  const theirs = await customerRow(database, organisationId);
  const mine = await made(theirs);
  await log(mine, now);
  const foreign = await organisationRow(database);
  expect((await listed(theirs, null)).map(({ object }) => object)).toEqual([mine]);
  expect(await listed(theirs, [foreign])).toEqual([]);
  const strange = { event: 'download', outcome: 'done', detail: '', at: now, last_at: now } as const;
  await across(database, (tx) =>
    tx
      .insertInto('acme_access_log')
      .values({ ...strange, identifiers: [], organisation_id: foreign, access_id: mine })
      .execute(),
  );
  expect(await ids(theirs)).toEqual(new Set([mine]));
});
