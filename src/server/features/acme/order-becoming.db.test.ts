import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  certificateWithKey,
  type Finalizing,
  type Made,
  openFinalizing,
} from '../../../../tests/support/acme-finalize.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, certificateRow } from '../../../../tests/support/rows.ts';
import { AppError } from '../../../contracts/errors.ts';
import { sha256 } from '../../kernel/ids.ts';

/** What an order becomes, in whole: what is asked of the order engine or the registrar, and what is left of it at its end. */

let database: TestDatabase;
let world: Finalizing;
const now = new Date('2026-11-22T12:00:00Z');
const in_ = (days: number) => new Date(now.getTime() + days * 86_400_000);

beforeAll(async () => {
  database = await createTestDatabase();
  world = await openFinalizing(database);
});
afterAll(() => database.close());
beforeEach(() => world.clear());

const advance = ({ place }: Made) => world.finalize().advance(place);
/** Issued for exactly the names of the order, by the first order `base`. */
const issued = ({ address }: Made, termEndsAt: Date, validTo: Date) =>
  certificateRow(database, world.organisationId, {
    ...{ customer_id: world.customerId, address, product_type: 'rapidssl', state: 'completed' },
    ...{ host_names: [address], term_ends_at: termEndsAt, valid_to: validTo },
    registrar_order_id: `base of ${address}`,
  });

describe('a purchase', () => {
  test('is one line for the customer of the access, proven by a record, under the key of its order, in no person’s name', async () => {
    const made = await world.order();
    await advance(made);
    const [placed, ...others] = world.happened.placed;
    expect(others).toEqual([]);
    expect(placed).toMatchObject({ key: `acme:${made.orderId}`, source: 'acme' });
    expect(placed?.scope).toMatchObject({ organisationId: world.organisationId, email: 'ACME' });
    expect(placed?.line).toMatchObject({
      ...{ kind: 'certificate', address: made.address, customerId: world.customerId },
      certificate: {
        ...{ provider: 'RapidSSL', productType: 'rapidssl', csr: 'a request', validation: 'DNS' },
        ...{ approverEmail: null, acmeAccessId: made.accessId },
      },
    });
    const [itemId] = world.happened.bought;
    expect(world.happened.begun).toEqual([itemId]);
    expect(await made.read()).toMatchObject({ order_item_id: itemId, bought_cents: 10_00, bought_at: now });
    // The next question helps the engine on, and buys nothing more.
    world.happened.advanced.length = 0;
    await advance(made);
    expect([world.happened.advanced, world.happened.bought.length]).toEqual([[itemId], 1]);
  });

  test('of a product that was changed while prices were asked is none: it is decided again', async () => {
    const made = await world.order();
    world.happened.meanwhile = () => world.change(made.accessId, { productType: 'wild' });
    await advance(made);
    expect(world.happened.bought).toEqual([]);
    expect(await made.read()).toMatchObject({ state: 'processing', order_item_id: null, looks: 1 });
  });

  test('of a product that is not sold any more ends the order, and the MSP hears what to do', async () => {
    const made = await world.order();
    world.happened.sold = [];
    await expect(advance(made)).rejects.toMatchObject({
      message: expect.stringContaining('is not sold any more'),
    });
    expect(await made.read()).toMatchObject({ state: 'invalid' });
    expect(world.happened.told).toEqual([expect.stringContaining('is not sold any more')]);
  });

  test.each(['price_changed', 'in_progress', 'unavailable'] as const)(
    'that the order engine does not take now (%s) is tried again a moment later, and nobody is told',
    async (code) => {
      const made = await world.order();
      world.happened.refusal = new AppError(code);
      await advance(made);
      expect(await made.read()).toMatchObject({
        ...{ state: 'processing', order_item_id: null, looks: 1 },
        next_look_at: new Date(now.getTime() + 2_000),
      });
      expect(world.happened.told).toEqual([]);
    },
  );

  test('that the balance does not cover ends the order, and the MSP hears of it', async () => {
    const made = await world.order();
    world.happened.refusal = new AppError('insufficient_funds');
    await expect(advance(made)).rejects.toMatchObject({ type: 'userActionRequired' });
    expect(await made.read()).toMatchObject({ state: 'invalid', order_item_id: null });
    expect(world.happened.told).toEqual([expect.stringContaining('does not cover it')]);
  });

  test('that comes to nothing by a mistake of ours leaves the order as it is', async () => {
    const made = await world.order();
    world.happened.refusal = new Error('mistake');
    await expect(advance(made)).rejects.toThrow('mistake');
    expect(await made.read()).toMatchObject({ state: 'processing', order_item_id: null });
  });
});

describe('a reissue', () => {
  test('is of the certificate whose term is paid, with the request of the order, and in the log of its customer', async () => {
    const made = await world.order();
    const certificateId = await issued(made, in_(300), in_(100));
    await advance(made);
    expect(world.happened.asked).toEqual([
      ...[{ organisationId: world.organisationId, certificateId, csr: 'a request', accessId: made.accessId }],
    ]);
    const [reissueId] = world.happened.reissued;
    expect(await made.read()).toMatchObject({
      ...{ reissue_id: reissueId, certificate_id: certificateId, order_item_id: null, bought_cents: null },
      next_look_at: new Date(now.getTime() + 2_000),
    });
    const scope = { organisationId: world.organisationId };
    expect(await logged(database.db, scope, 'certificates.reissue')).toEqual([
      {
        ...{
          by: expect.stringMatching(/ACME|^0+-/),
          kind: 'certificate',
          object: made.address,
          before: null,
        },
        after: { reissue: reissueId, acmeOrder: made.orderId },
      },
    ]);
    expect(await loggedAbout(database.db, scope, 'certificates.reissue')).toEqual([world.customerId]);
  });

  test('uses what is left of a term where nothing may be bought, and the MSP hears of the refusal', async () => {
    const [limited, poor] = [await world.order(), await world.order()];
    const ids = [await issued(limited, in_(20), in_(1)), await issued(poor, in_(20), in_(1))];
    await world.change(limited.accessId, { mayBuy: null });
    await advance(limited);
    world.happened.refusal = new AppError('insufficient_funds');
    await advance(poor);
    expect(world.happened.asked.map(({ certificateId }) => certificateId)).toEqual(ids);
    for (const made of [limited, poor]) {
      expect(await made.read()).toMatchObject({ state: 'processing', reissue_id: expect.any(String) });
    }
    expect(world.happened.told).toEqual([
      ...[expect.stringContaining('may not buy one'), expect.stringContaining('does not cover it')],
    ]);
    expect(world.happened.bought).toEqual([]);
  });

  test('is none where it would end with the certificate that is there: the order ends', async () => {
    const made = await world.order();
    await issued(made, in_(20), in_(20));
    await world.change(made.accessId, { mayBuy: null });
    await expect(advance(made)).rejects.toMatchObject({ type: 'userActionRequired' });
    expect(world.happened.asked).toEqual([]);
    expect(await made.read()).toMatchObject({ state: 'invalid', reissue_id: null });
    expect(world.happened.told).toHaveLength(1);
  });
});

test('a certificate for the key of the order completes it: with its chain, its name at the authority and its dates', async () => {
  const made = await world.order();
  await advance(made);
  const [itemId = null] = world.happened.bought;
  const certificateId = await certificateRow(database, world.organisationId, {
    ...{ customer_id: world.customerId, address: made.address, state: 'completed', serial: 'a1' },
    ...{ order_item_id: itemId, registrar_order_id: 'own', chain_pem: null },
  });
  const { pem, spki } = await certificateWithKey();
  await across(database, (tx) =>
    tx
      .insertInto('certificate_issues')
      .values({
        ...{ organisation_id: world.organisationId, certificate_id: certificateId, serial: 'a1' },
        ...{ valid_from: now, valid_to: in_(90), recorded_at: now },
        ...{ certificate_pem: pem, registrar_order_id: 'own' },
      })
      .execute(),
  );
  await world.tenant((tx) =>
    tx
      .updateTable('acme_orders')
      .set({ key_digest: sha256(spki) })
      .where('id', '=', made.orderId)
      .execute(),
  );
  await advance(made);
  expect(world.happened.brought).toEqual([certificateId]);
  const order = await made.read();
  expect(order).toMatchObject({
    ...{ state: 'valid', certificate_id: certificateId, serial: 'a1', next_look_at: null, problem: null },
    ...{ issued_id: 'AQID.AKH_', valid_from: now, valid_to: in_(90) },
  });
  expect(order?.chain?.trim()).toBe(pem.trim());
  expect(world.happened.told).toEqual([]);
});
