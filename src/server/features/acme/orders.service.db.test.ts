import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { insertAccount } from './accounts.repo.ts';
import type { OpenedByAccount } from './exchange.ts';
import type { OrdersDeps } from './order-ground.ts';
import { insertAcmeOrder, startOrder } from './orders.repo.ts';
import { createAcmeOrders } from './orders.service.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');

/** An order that has its signing request, and the request of its account. */
async function processing(): Promise<{ orderId: string; opened: OpenedByAccount }> {
  const organisationId = await organisationRow(database);
  const customerId = await customerRow(database, organisationId);
  const madeBy = await userRow(database, organisationId);
  const [accessId, accountId, orderId] = [newId(), newId(), newId()];
  await across(database, (tx) =>
    tx
      .insertInto('acme_accesses')
      .values({
        ...{ id: accessId, organisation_id: organisationId, customer_id: customerId, name: 'web server' },
        ...{ key_id: `nwe_${accessId}`, hmac_sealed: Buffer.alloc(0), hosts: null, made_by: madeBy },
        ...{ product_type: 'rapidssl', orders_per_month: null, cents_per_month: null, by_customer: false },
        ...{ expires_at: null, last_used_at: null, revoked_at: null },
      })
      .execute(),
  );
  await within(database, organisationId, async (tx) => {
    const own = { organisation_id: organisationId, access_id: accessId, created_at: now };
    await insertAccount(tx, { id: accountId, ...own, thumbprint: accountId, contacts: [], jwk: {} });
    const names = ['a.example'];
    const of = { account_id: accountId, customer_id: customerId, names, replaces: null };
    await insertAcmeOrder(tx, { id: orderId, ...own, ...of, expires_at: new Date(now.getTime() + 1_000) });
    const digest = Buffer.from(orderId);
    await startOrder(
      tx,
      orderId,
      { csr: 'a request', csrDigest: digest, keyDigest: digest },
      { now, lookAt: now },
    );
  });
  const opened = {
    payload: '',
    account: { id: accountId },
    access: { accessId, organisationId, customerId },
  };
  return { orderId, opened: opened as unknown as OpenedByAccount };
}

test('a client that asks again while its order is being taken on begins nothing beside it', async () => {
  const { orderId, opened } = await processing();
  const begun: PromiseWithResolvers<null>[] = [];
  const proceed = () => {
    const one = Promise.withResolvers<null>();
    begun.push(one);
    return one.promise;
  };
  const deps = { ...database, clock: { now: () => now }, at: (path: string) => path, finalize: { proceed } };
  const orders = createAcmeOrders(deps as unknown as OrdersDeps);
  const asked = [orders.show(opened, orderId), orders.show(opened, orderId), orders.show(opened, orderId)];
  await expect.poll(() => begun.length).toBe(1);
  // The third has come as far as the first when all of them are told that it takes longer.
  for (const { json } of await Promise.all(asked)) expect(json).toMatchObject({ status: 'processing' });
  expect(begun).toHaveLength(1);
  begun[0]?.resolve(null);
  // What has ended is begun again by the next question.
  const next = orders.show(opened, orderId);
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.resolve(null);
  await next;
});
