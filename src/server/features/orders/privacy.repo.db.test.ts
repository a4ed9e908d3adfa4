import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import { customerRow, itemRow, orderRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { systemClock } from '../../kernel/clock.ts';
import { findItem } from './items.repo.ts';
import { eraseFromOrders } from './privacy.repo.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test.each(['succeeded', 'declined'] as const)(
  'of what an erased customer ordered (%s) people, secrets, signing request and words go; the price stays, and what others ordered',
  async (state) => {
    const organisationId = await organisationRow(database);
    const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
    const orderId = await orderRow(database, organisationId);
    const certificate = { productType: 'dv', csr: 'CSR', approverEmail: 'ada@acme.example' };
    const written = {
      ...{ state, secrets_sealed: Buffer.from('sealed') },
      ...{ outcome_note: 'Ada called', public_error: 'Refused to Ada' },
      details: JSON.stringify({ privacy: true, contacts: contactsOf(), certificate }),
    };
    const itemOf = (customer_id: string) =>
      itemRow(database, { organisationId, orderId }, { ...written, customer_id });
    const read = (id: string) => tenant((tx) => findItem(tx, systemClock, id));
    const customerId = await customerRow(database, organisationId);
    const mine = await itemOf(customerId);
    const other = await itemOf(await customerRow(database, organisationId));
    const untouched = await read(other);
    // What is still ordered needs them.
    const open = await Promise.all(
      (['queued', 'sending', 'pending', 'unknown', 'review'] as const).map((underWay) =>
        itemRow(
          database,
          { organisationId, orderId },
          { ...written, state: underWay, customer_id: customerId },
        ),
      ),
    );
    const plain = { organisationId, orderId };
    const quiet = await itemRow(database, plain, { state, customer_id: customerId });

    await tenant((tx) => eraseFromOrders(tx, { organisationId }, customerId));

    expect(await read(mine)).toMatchObject({
      ...{ state, priceCents: 1_000, customerId },
      ...{ secretsSealed: null, outcomeNote: null, publicError: 'Erased' },
    });
    expect((await read(mine))?.details).toEqual({ privacy: true, certificate: { productType: 'dv' } });
    expect({ ...(await read(other)), seenAt: null }).toEqual({ ...untouched, seenAt: null });
    for (const id of open) {
      expect(await read(id)).toMatchObject({
        ...{ outcomeNote: 'Ada called', publicError: 'Refused to Ada', secretsSealed: expect.any(Buffer) },
        details: { contacts: contactsOf(), certificate },
      });
    }
    // Nothing is said of what was not refused.
    expect((await read(quiet))?.publicError).toBeNull();
  },
);
