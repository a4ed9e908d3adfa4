import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { eraseCustomerRow, lockForErasure } from './privacy.repo.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test('of an erased customer a number is left, by which lists name it, and nothing of its people; others stay', async () => {
  const organisationId = await organisationRow(database);
  const tenant = <T>(run: (tx: Tx) => Promise<T>) => within(database, organisationId, run);
  const words = {
    ...{ bill_directly: true, billing_email: 'ada@x.example', external_id: 'crm-1' },
    ...{ payment_method_set: true, payment_method_id: 'pm_1', payment_method_revoked: null },
  };
  const [id, other] = [
    await customerRow(database, organisationId, { ...words, payment_customer_id: 'cus_1' }),
    await customerRow(database, organisationId, {
      ...{ ...words, payment_customer_id: 'cus_2', external_id: 'crm-2', billing_email: 'bob@x.example' },
    }),
  ];
  const read = (customerId: string) =>
    tenant((tx) =>
      tx.selectFrom('customers').selectAll().where('id', '=', customerId).executeTakeFirstOrThrow(),
    );
  const [before, untouched] = [await read(id), await read(other)];
  const now = new Date('2026-11-22T12:00:00Z');
  await tenant((tx) => eraseCustomerRow(tx, { organisationId }, id, now));

  const name = `Erased customer ${id.slice(-6)}`;
  const nobody = {
    ...{ organization: name, firstName: '', lastName: '', address1: '', city: '', state: '' },
    ...{ postalCode: '', country: '', email: '', phone: '' },
  };
  const after = await read(id);
  expect(after).toEqual({
    ...before,
    ...{ owner: nobody, admin: nobody, billing_contact: nobody },
    // What lists show and search is made of the owner.
    ...{ organization: name, contact_name: ' ', location: ', ' },
    search_text: expect.stringMatching(new RegExp(`^${name.toLowerCase()} *$`)),
    ...{ bill_directly: false, billing_email: '', external_id: null },
    ...{ payment_customer_id: null, payment_method_set: false, payment_method_id: null },
    ...{ version: before.version + 1, deleted_at: now, updated_at: now },
  });
  expect(await read(other)).toEqual(untouched);

  // Erased again, it was still deleted when it was.
  const later = new Date('2026-11-23T12:00:00Z');
  await tenant((tx) => eraseCustomerRow(tx, { organisationId }, id, later));
  expect(await read(id)).toEqual({ ...after, version: after.version + 1, updated_at: later });

  const lock = (tenantId: string, customerId: string) =>
    within(database, tenantId, (tx) => lockForErasure(tx, { organisationId: tenantId } as Scope, customerId));
  expect((await lock(organisationId, id))?.id).toBe(id);
  expect(await lock(await organisationRow(database), id)).toBeUndefined();
});
