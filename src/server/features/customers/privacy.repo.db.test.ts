import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { eraseCustomerRow, eraseImporters, lockForErasure } from './privacy.repo.ts';

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
    ...{ payment_method_set: true, payment_method_id: 'pm_1', payment_method_revoked: 'pm_0' },
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
    ...{ payment_method_revoked: null },
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

test('who uploaded a customer file is forgotten where they are erased; files of others keep theirs', async () => {
  const organisationId = await organisationRow(database);
  const tenant = <T>(run: (tx: Tx) => Promise<T>) => within(database, organisationId, run);
  const [gone, stays] = [newId(), newId()];
  for (const actor_id of [gone, stays]) {
    const file = {
      ...{
        id: newId(),
        organisation_id: organisationId,
        upload_key: newId(),
        file_name: 'a.csv',
        columns: [],
      },
      ...{ state: 'done' as const, mode: null, new_rows: 0, changed_rows: 0, same_rows: 0, faulty_rows: 0 },
      ...{ actor_id, actor: 'Ann', actor_ip: '192.0.2.1', actor_role: 'MSP_ADMIN' as const, token_id: null },
      ...{ created_at: new Date(), started_at: null, ended_at: null },
    };
    await tenant((tx) => tx.insertInto('imports').values(file).execute());
  }
  await tenant((tx) => eraseImporters(tx, { organisationId }, [gone]));
  const left = await tenant((tx) =>
    tx.selectFrom('imports').select(['actor_id', 'actor', 'actor_ip']).orderBy('id').execute(),
  );
  expect(left).toEqual([
    { actor_id: gone, actor: 'Erased user', actor_ip: null },
    { actor_id: stays, actor: 'Ann', actor_ip: '192.0.2.1' },
  ]);
});
