import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { organisationRow, within } from '../../../../tests/support/rows.ts';
import { billingAddressOf, writeBillingAddress } from './accounting.repo.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test('the recipient of papers is kept whole, the first time and each time after, and is one organization’s', async () => {
  const [mine, other] = [await organisationRow(database), await organisationRow(database)];
  const read = (of: string) => within(database, of, (tx) => billingAddressOf(tx, of));
  const first = { name: 'Acme Ltd', address: ['1 Main St', 'Toronto'], taxId: 'CA 1' };
  const second = { name: 'Acme Inc', address: ['2 Main St'], taxId: 'CA 2' };
  expect(await read(mine)).toEqual({ name: '', address: [], taxId: '' });
  for (const recipient of [first, second]) {
    await within(database, mine, (tx) => writeBillingAddress(tx, mine, recipient));
    expect(await read(mine)).toEqual(recipient);
  }
  expect(await read(other)).toEqual({ name: '', address: [], taxId: '' });
});
