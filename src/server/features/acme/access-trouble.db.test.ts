import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import { across, customerRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { accessTroubleDays } from '../../../contracts/values/acme-access.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { createSeal } from '../../kernel/seal.ts';
import { insertAccess, listTroubled, revokeAccess } from './access.repo.ts';
import { type AcmeLogEntry, createAcmeAccesses } from './access.ts';

/** Which accesses the start lists as in need of a person, each beside one that differs in a single condition. */

let database: TestDatabase;
let organisationId: string;
let userId: string;
const seal = createSeal([{ number: 1, secret: 'a-key-for-these-tests-alone' }]);
const now = new Date('2026-11-22T12:00:00Z');
const ago = (days: number, ms = 0) => new Date(now.getTime() - days * 86_400_000 - ms);
const since = ago(accessTroubleDays);

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
const only = (...ids: string[]) => scopeOf({ role: 'MSP_CUSTOMER', reach: { kind: 'customers', ids } });
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

const listed = (scope: Scope) => tenant((tx) => listTroubled(tx, scope, { since, now }));
const ids = async (scope: Scope) => (await listed(scope)).map(({ accessId }) => accessId);

test('an access whose newest entry was refused or failed is listed for seven days, to the moment, newest first', async () => {
  const owner = contactsOf({ organization: 'Blue Fig Ltd' }).owner;
  const theirs = await customerRow(database, organisationId, { owner: JSON.stringify(owner) });
  const failed = await made(theirs);
  const refused = await made(theirs);
  const last = await made(theirs);
  const over = await made(theirs);
  await made(theirs);
  await log(failed, ago(1));
  await log(refused, now, { outcome: 'refused', detail: 'Not among its names.' });
  await log(last, ago(accessTroubleDays, -1));
  await log(over, ago(accessTroubleDays));
  expect(await ids(only(theirs))).toEqual([refused, failed, last]);
  expect((await listed(only(theirs)))[0]).toEqual({
    ...{ accessId: refused, name: 'Web server', customer: 'Blue Fig Ltd' },
    ...{ at: now, text: 'Not among its names.' },
  });
  // What repeats the entry before it is as new as its last time.
  await log(over, now);
  expect(await ids(only(theirs))).toContain(over);
});

test('it is listed no more after a later success, or once it has ended', async () => {
  const theirs = await customerRow(database, organisationId);
  const succeeded = await made(theirs);
  const waiting = await made(theirs);
  const revoked = await made(theirs);
  const expired = await made(theirs, now);
  const living = await made(theirs, ago(0, -1));
  for (const id of [succeeded, waiting, revoked, expired, living]) await log(id, ago(1));
  const own = async () => new Set(await ids(only(theirs)));
  expect(await own()).toEqual(new Set([succeeded, waiting, revoked, living]));
  await log(succeeded, now, { outcome: 'done', detail: '' });
  await log(waiting, now, { outcome: 'waiting', detail: '' });
  await tenant((tx) => revokeAccess(tx, scopeOf(), revoked, now));
  expect(await own()).toEqual(new Set([living]));
  await across(database, (tx) =>
    tx.updateTable('customers').set({ deleted_at: now }).where('id', '=', theirs).execute(),
  );
  expect(await own()).toEqual(new Set());
});

test('it is listed in its own organization, to people who reach its customer; another organization’s log says nothing of it', async () => {
  const theirs = await customerRow(database, organisationId);
  const other = await customerRow(database, organisationId);
  const mine = await made(theirs);
  await log(mine, now);
  expect(await ids(scopeOf())).toContain(mine);
  expect(await ids(only(theirs))).toEqual([mine]);
  expect(await ids(only(other))).toEqual([]);
  const foreign = await organisationRow(database);
  const anywhere = (scope: Scope) => across(database, (tx) => listTroubled(tx, scope, { since, now }));
  expect(await anywhere(scopeOf({ organisationId: foreign }))).toEqual([]);
  const strange = { event: 'download', outcome: 'done', detail: '', at: now, last_at: now } as const;
  await across(database, (tx) =>
    tx
      .insertInto('acme_access_log')
      .values({ ...strange, identifiers: [], organisation_id: foreign, access_id: mine })
      .execute(),
  );
  expect((await anywhere(only(theirs))).map(({ accessId }) => accessId)).toEqual([mine]);
});
