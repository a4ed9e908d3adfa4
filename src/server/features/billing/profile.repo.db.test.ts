import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, organisationRow, within } from '../../../../tests/support/rows.ts';
import {
  allAccounts,
  billingProfile,
  ownerOfAccount,
  storeAccount,
  storeAccountReady,
  storeCustomer,
  storeFirstPayment,
} from './profile.repo.ts';

/** What is known of a payer and of an account at the provider, beside another organization's. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
const tenant = <T>(organisationId: string, run: Parameters<typeof within<T>>[2]) =>
  within(database, organisationId, run);
const profile = (id: string) => tenant(id, (tx) => billingProfile(tx, id));
async function profiled() {
  const id = await organisationRow(database);
  await profile(id);
  return id;
}

test('the first customer at the provider stays', async () => {
  const id = await profiled();
  for (const customer of ['cus_first', 'cus_second']) {
    await tenant(id, (tx) => storeCustomer(tx, id, customer));
  }
  expect((await profile(id)).payment_customer_id).toBe('cus_first');
});

test('an applied payment says whether the fee is paid, and the method only where it names one', async () => {
  const id = await profiled();
  const store = (said: Parameters<typeof storeFirstPayment>[2]) =>
    tenant(id, (tx) => storeFirstPayment(tx, id, said));
  await store({ initialFeePaid: true, paymentMethod: 'pm_1' });
  await store({ initialFeePaid: false });
  expect(await profile(id)).toMatchObject({ initial_fee_paid: false, payment_method_id: 'pm_1' });
});

describe('an account of the organization', () => {
  test('is the first one; a second answer names the one that counts', async () => {
    const id = await profiled();
    const store = (account: string) => tenant(id, (tx) => storeAccount(tx, id, account, now));
    expect(await store('acct_first')).toBe('acct_first');
    expect(await store('acct_second')).toBe('acct_first');
  });

  test('has its owner; what has no account is in no list', async () => {
    const [mine, other] = [await profiled(), await profiled()];
    await tenant(mine, (tx) => storeAccount(tx, mine, 'acct_mine', now));
    const owner = (account: string) => across(database, (tx) => ownerOfAccount(tx, account));
    expect(await owner('acct_mine')).toBe(mine);
    expect(await owner('acct_unknown')).toBeNull();
    const all = await across(database, (tx) => allAccounts(tx));
    expect(all).toContainEqual({ organisationId: mine, accountId: 'acct_mine' });
    expect(all.map(({ organisationId }) => organisationId)).not.toContain(other);
  });

  test('becomes ready once, and by a word on this account only', async () => {
    const id = await profiled();
    await tenant(id, (tx) => storeAccount(tx, id, 'acct_ready', now));
    const word = (accountId: string, ready: boolean) =>
      tenant(id, (tx) => storeAccountReady(tx, { organisationId: id, accountId, ready }, now));
    expect(await word('acct_elsewhere', true)).toBe(false);
    expect(await word('acct_ready', true)).toBe(true);
    expect(await word('acct_ready', true)).toBe(false);
    expect(await word('acct_ready', false)).toBe(true);
    expect(await profile(id)).toMatchObject({ payment_account_ready: false });
  });
});
