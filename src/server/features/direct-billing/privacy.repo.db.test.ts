import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, itemRow, orderRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { eraseFromDirectBilling } from './privacy.repo.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');

test('of an erased customer every word about their charges and refunds goes, and every link; the money stays, and all of others', async () => {
  const organisationId = await organisationRow(database);
  const tenant = <T>(run: (tx: Tx) => Promise<T>) => within(database, organisationId, run);
  const orderId = await orderRow(database, organisationId);

  /** A settled charge with a refund that failed, and a link that was sent. */
  async function chargedCustomer() {
    const customerId = await customerRow(database, organisationId);
    const chargeId = newId();
    const place = { organisationId, orderId: await orderRow(database, organisationId) };
    const itemId = await itemRow(database, place, { customer_id: customerId, state: 'succeeded' });
    const own = { organisation_id: organisationId, customer_id: customerId, created_at: now };
    await tenant(async (tx) => {
      await tx
        .insertInto('direct_charges')
        .values({
          ...{
            ...own,
            id: chargeId,
            order_id: orderId,
            part: 1,
            cents: 12_00,
            state: 'waived',
            updated_at: now,
          },
          ...{
            failure: 'Card of Ada',
            note: 'Ada paid in cash',
            payment_intent: `pi_${chargeId}`,
            next_try_at: null,
          },
          ...{ sent_at: null, refunded_cents: 3_00 },
        })
        .execute();
      await tx
        .insertInto('direct_refunds')
        .values({
          ...{ item_id: itemId, organisation_id: organisationId, charge_id: chargeId, cents: 3_00 },
          ...{ state: 'failed', refund_id: null, failure: 'Account of Ada', reason: 'Ada complained' },
          ...{ created_at: now, updated_at: now },
        })
        .execute();
      await tx
        .insertInto('payment_setup_links')
        .values({
          ...own,
          id: newId(),
          token_hash: Buffer.from(newId()),
          email: 'ada@x.example',
          expires_at: now,
        })
        .execute();
    });
    return { customerId, chargeId, itemId };
  }
  const read = ({ customerId, itemId }: Awaited<ReturnType<typeof chargedCustomer>>) =>
    tenant(async (tx) => ({
      charges: await tx
        .selectFrom('direct_charges')
        .selectAll()
        .where('customer_id', '=', customerId)
        .execute(),
      refunds: await tx.selectFrom('direct_refunds').selectAll().where('item_id', '=', itemId).execute(),
      links: await tx
        .selectFrom('payment_setup_links')
        .selectAll()
        .where('customer_id', '=', customerId)
        .execute(),
    }));

  const [erased, other] = [await chargedCustomer(), await chargedCustomer()];
  const [before, untouched] = [await read(erased), await read(other)];
  expect(before.charges[0]).toMatchObject({ note: 'Ada paid in cash', failure: 'Card of Ada' });

  await tenant((tx) => eraseFromDirectBilling(tx, { organisationId }, erased.customerId));

  expect(await read(erased)).toEqual({
    charges: before.charges.map((charge) => ({ ...charge, note: null, failure: null })),
    refunds: before.refunds.map((refund) => ({ ...refund, reason: '', failure: null })),
    links: [],
  });
  expect(await read(other)).toEqual(untouched);
});
