import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { organisationRow, within } from '../../../../tests/support/rows.ts';
import { createPaymentAccounts, type PaymentAccountDeps } from './payment-account.ts';
import { billingProfile, storeAccount } from './profile.repo.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const now = new Date('2026-11-26T12:00:00Z');

test('an account that cannot be read stops no other: each is read, and its lost events are looked for', async () => {
  const ids = ['acct_1', 'acct_gone', 'acct_3', 'acct_lost', 'acct_5'];
  const owners = new Map<string, string>();
  for (const id of ids) {
    const organisationId = await organisationRow(database);
    owners.set(id, organisationId);
    await within(database, organisationId, async (tx) => {
      await billingProfile(tx, organisationId);
      await storeAccount(tx, organisationId, id, now);
    });
  }
  const warned: unknown[] = [];
  const looked: string[] = [];
  const accounts = createPaymentAccounts({
    ...{
      db: database.db,
      systemDb: database.systemDb,
      clock: { now: () => now },
      publicUrl: 'https://portal.test',
    },
    payments: {
      accountStatus: async (id: string) => {
        if (id === 'acct_gone') throw new Error('disconnected');
        return { id, finished: true, requirements: [] };
      },
    } as unknown as PaymentAccountDeps['payments'],
    logger: { warn: (said: unknown) => warned.push(said) } as unknown as PaymentAccountDeps['logger'],
  });
  await accounts.sweep(async (id) => {
    if (id === 'acct_lost') throw new Error('no answer');
    looked.push(id);
  });
  expect(looked.sort()).toEqual(['acct_1', 'acct_3', 'acct_5']);
  expect(warned).toMatchObject([{ accountId: 'acct_gone' }, { accountId: 'acct_lost' }]);
  const ready = async (id: string) => {
    const owner = owners.get(id) ?? '';
    return (await within(database, owner, (tx) => billingProfile(tx, owner))).payment_account_ready;
  };
  expect(await Promise.all(ids.map(ready))).toEqual([true, false, true, true, true]);
  // Without the database there is none to go on with.
  const lost = Object.assign(new Error('gone'), { code: 'ECONNRESET' });
  const tried: string[] = [];
  const losing = accounts.sweep(async (id) => {
    tried.push(id);
    throw lost;
  });
  await expect(losing).rejects.toBe(lost);
  expect(tried).toHaveLength(1);
});
