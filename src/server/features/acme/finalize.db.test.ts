import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Finalizing, type Made, openFinalizing } from '../../../../tests/support/acme-finalize.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  certificateRow,
  customerRow,
  itemRow,
  orderRow,
  organisationRow,
} from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { revokeAccess } from './access.repo.ts';
import { boughtThisMonth, spentByAccess, spentThisMonth } from './orders.repo.ts';

/** What changes between the decision and the moment at which money is held, or a reissue is intended, decides. */

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

const tenant: Finalizing['tenant'] = (run) => world.tenant(run);
const order: Finalizing['order'] = (beside) => world.order(beside);
const change: Finalizing['change'] = (accessId, of) => world.change(accessId, of);
const finalize = () => world.finalize();
const givenAway = async ({ domainId }: Made) => {
  const other = await customerRow(database, world.organisationId);
  await tenant((tx) =>
    tx.updateTable('domains').set({ customer_id: other }).where('id', '=', domainId).execute(),
  );
};

const withdrawn: Record<string, (made: Made) => Promise<unknown>> = {
  'the access is revoked': ({ accessId }) => tenant((tx) => revokeAccess(tx, world.scope(), accessId, now)),
  'the access expires': ({ accessId }) => change(accessId, { expiresAt: in_(-1) }),
  'the name is taken from the access': ({ accessId }) => change(accessId, { hosts: ['other.example.com'] }),
  'the domain goes to another customer': givenAway,
};

describe('nothing becomes of an order when, before it is finalized or while prices are asked,', () => {
  for (const [what, happen] of Object.entries(withdrawn)) {
    test.for(['before', 'while'] as const)(`${what} (%s): a purchase`, async (when) => {
      const made = await order();
      if (when === 'before') await happen(made);
      else world.happened.meanwhile = () => happen(made);
      await expect(finalize().advance(made.place)).rejects.toMatchObject({ name: 'AcmeProblem' });
      expect(world.happened.bought).toEqual([]);
      expect(await made.read()).toMatchObject({ state: 'invalid', order_item_id: null, next_look_at: null });
    });

    test.for(['before', 'while'] as const)(`${what} (%s): a reissue`, async (when) => {
      const made = await order();
      await issuedFor(made);
      if (when === 'before') await happen(made);
      else world.happened.meanwhile = () => happen(made);
      await expect(finalize().advance(made.place)).rejects.toMatchObject({ name: 'AcmeProblem' });
      expect(world.happened.reissued).toEqual([]);
      expect(await made.read()).toMatchObject({ state: 'invalid', reissue_id: null, next_look_at: null });
    });
  }

  test.for([
    ['the access never buys any more', null],
    ['its money is lowered', { ordersPerMonth: 3, centsPerMonth: 9_99 }],
  ] as const)('%s', async ([, mayBuy]) => {
    const made = await order();
    world.happened.meanwhile = () => change(made.accessId, { mayBuy });
    await expect(finalize().advance(made.place)).rejects.toMatchObject({ name: 'AcmeProblem' });
    expect(world.happened.bought).toEqual([]);
    // The customer reads it: neither the price nor what the MSP lets the access spend is in it.
    const { state, problem } = (await made.read()) ?? {};
    expect(state).toBe('invalid');
    expect(JSON.stringify(problem)).not.toMatch(/\$|10\.00|9\.99/);
  });
});

const issuedFor = ({ address }: Made) =>
  certificateRow(database, world.organisationId, {
    ...{ customer_id: world.customerId, address, product_type: 'rapidssl', state: 'completed' },
    ...{ host_names: [address], term_ends_at: in_(300), valid_to: in_(100) },
  });

test('without any of it: a purchase, and a reissue', async () => {
  const [one, other] = [await order(), await order()];
  await issuedFor(other);
  await finalize().advance(one.place);
  await finalize().advance(other.place);
  expect([world.happened.bought.length, world.happened.reissued.length]).toEqual([1, 1]);
  expect(await one.read()).toMatchObject({
    state: 'processing',
    order_item_id: world.happened.bought[0],
    bought_cents: 10_00,
  });
  expect(await other.read()).toMatchObject({ state: 'processing', reissue_id: world.happened.reissued[0] });
});

test('a term that is about to end is renewed, so that what is left of it is added; what the registrar refused to renew is ordered as new', async () => {
  const [ending, refused, over] = [await order(), await order(), await order()];
  const issuedWith = ({ address }: Made, registrarOrderId: string, termEndsAt: Date) =>
    certificateRow(database, world.organisationId, {
      ...{ customer_id: world.customerId, address, product_type: 'rapidssl', state: 'completed' },
      ...{ host_names: [address], term_ends_at: termEndsAt, valid_to: in_(1) },
      registrar_order_id: registrarOrderId,
    });
  await issuedWith(ending, 'base-1', in_(20));
  await issuedWith(refused, 'base-2', in_(20));
  await issuedWith(over, 'base-3', in_(-1));
  const before = await orderRow(database, world.organisationId);
  const foreign = await organisationRow(database);
  const theirs = await orderRow(database, foreign);
  const tried = (renewsOrderId: string, state: 'declined' | 'succeeded' = 'declined') => ({
    ...{ kind: 'certificate' as const, address: newId(), state },
    details: JSON.stringify({ certificate: { renewsOrderId } }),
  });
  await itemRow(database, { organisationId: world.organisationId, orderId: before }, tried('base-2'));
  await itemRow(
    database,
    { organisationId: world.organisationId, orderId: before },
    tried('base-1', 'succeeded'),
  );
  await itemRow(database, { organisationId: foreign, orderId: theirs }, tried('base-1'));
  for (const { place } of [ending, refused, over]) await finalize().advance(place);
  expect(world.happened.placed.map(({ line }) => line?.certificate?.renewsOrderId)).toEqual([
    'base-1',
    undefined,
    undefined,
  ]);
});

test('a certificate that was bought and issued while prices were asked is not bought twice', async () => {
  const made = await order();
  world.happened.meanwhile = () => issuedFor(made);
  await finalize().advance(made.place);
  expect(world.happened.bought).toEqual([]);
  expect(await made.read()).toMatchObject({ state: 'processing', order_item_id: null });
  // It is decided again: the term is paid.
  world.happened.meanwhile = async () => undefined;
  await finalize().advance(made.place);
  expect([world.happened.bought.length, world.happened.reissued.length]).toEqual([0, 1]);
});

test('an order of a person that stays open is waited for a few seconds, and then both sides hear of it', async () => {
  const made = await order();
  const orderId = await orderRow(database, world.organisationId);
  const change = { kind: 'certificate' as const, address: made.address, state: 'pending' as const };
  await itemRow(database, { organisationId: world.organisationId, orderId }, change);
  await finalize().advance(made.place);
  expect(await made.read()).toMatchObject({ state: 'processing', next_look_at: expect.any(Date) });
  await tenant((tx) =>
    tx
      .updateTable('acme_orders')
      .set({ finalized_at: new Date(now.getTime() - 15_000) })
      .where('id', '=', made.orderId)
      .execute(),
  );
  await expect(finalize().advance(made.place)).rejects.toMatchObject({
    ...{
      type: 'userActionRequired',
      message: expect.stringContaining('was ordered in the provider’s portal'),
    },
  });
  expect(await made.read()).toMatchObject({ state: 'invalid', next_look_at: null });
  expect(world.happened.bought).toEqual([]);
});

test('an order waits from the moment at which it is finalized, however long ago it was made', async () => {
  const made = await order();
  const orderId = await orderRow(database, world.organisationId);
  const change = { kind: 'certificate' as const, address: made.address, state: 'pending' as const };
  await itemRow(database, { organisationId: world.organisationId, orderId }, change);
  const set = (of: object) =>
    tenant((tx) => tx.updateTable('acme_orders').set(of).where('id', '=', made.orderId).execute());
  await set({ created_at: in_(-1) });
  await finalize().advance(made.place);
  expect(await made.read()).toMatchObject({ state: 'processing', finalized_at: now });
  // One of before this was kept.
  await set({ finalized_at: null });
  await expect(finalize().advance(made.place)).rejects.toMatchObject({ name: 'AcmeProblem' });
});

test.for([
  ['was bought', {}, {}, false],
  ['was declined', { state: 'declined' }, {}, true],
  ['was bought a month ago', {}, { bought_at: new Date('2026-10-31T23:59:59Z') }, true],
] as const)('the one order of a month that %s', async ([, ofItem, ofOrder, buysMore]) => {
  const first = await order();
  await change(first.accessId, { mayBuy: { ordersPerMonth: 1, centsPerMonth: 90_00 } });
  await finalize().advance(first.place);
  const itemId = (await first.read())?.order_item_id ?? '';
  await tenant(async (tx) => {
    await tx
      .updateTable('acme_orders')
      .set({ looks: 0, ...ofOrder })
      .where('id', '=', first.orderId)
      .execute();
    await tx
      .updateTable('order_items')
      .set({ position: 0, ...ofItem })
      .where('id', '=', itemId)
      .execute();
  });
  const second = await order(first);
  const outcome = finalize().advance(second.place);
  if (buysMore) await outcome;
  else await expect(outcome).rejects.toMatchObject({ name: 'AcmeProblem' });
  expect((await second.read())?.order_item_id !== null).toBe(buysMore);
});

test('what was paid back leaves the limits of the month', async () => {
  const made = await order();
  await finalize().advance(made.place);
  const spent = () => tenant((tx) => spentThisMonth(tx, made.accessId, now));
  expect(await spent()).toEqual({ orders: 1, cents: 10_00 });
  const itemId = (await made.read())?.order_item_id ?? '';
  const id = await certificateRow(database, world.organisationId, {
    ...{ customer_id: world.customerId, address: made.address, state: 'in-progress', order_item_id: itemId },
  });
  for (const [state, orders] of [
    ...(['in-progress', 'completed', 'revoked'] as const).map((open) => [open, 1] as const),
    ...(['declined', 'cancelled'] as const).map((over) => [over, 0] as const),
  ]) {
    await tenant((tx) => tx.updateTable('certificates').set({ state }).where('id', '=', id).execute());
    expect(await spent(), state).toEqual({ orders, cents: orders * 10_00 });
  }
  // Of several accesses each has its own; one that has bought nothing is missing.
  const [busy, idle] = [await order(), await order()];
  await finalize().advance(busy.place);
  const all = [made, busy, idle].map(({ accessId }) => accessId);
  expect(await tenant((tx) => spentByAccess(tx, all, now))).toEqual(
    new Map([[busy.accessId, { orders: 1, cents: 10_00 }]]),
  );
  // What may be spent at most is asked without the certificates.
  const most = (day: Date, accessId = made.accessId) => tenant((tx) => boughtThisMonth(tx, accessId, day));
  expect(await most(now)).toEqual({ orders: 1, cents: 10_00 });
  for (const none of [most(in_(-31)), most(in_(31)), most(now, (await order()).accessId)]) {
    expect(await none).toEqual({ orders: 0, cents: 0 });
  }
});

test.each([
  ['2026-11-01T00:00:00.000Z', '2026-10-31T23:59:59.999Z'],
  ['2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00.000Z'],
  ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
])('what was bought at %s counts in its own month, and not in that of %s', async (boughtAt, beside) => {
  const made = await order();
  await finalize().advance(made.place);
  const set = { bought_at: new Date(boughtAt) };
  await tenant((tx) => tx.updateTable('acme_orders').set(set).where('id', '=', made.orderId).execute());
  for (const counted of [spentThisMonth, boughtThisMonth]) {
    const ordersIn = async (day: string) =>
      (await tenant((tx) => counted(tx, made.accessId, new Date(day)))).orders;
    expect([await ordersIn(boughtAt), await ordersIn(beside)]).toEqual([1, 0]);
  }
});

test('a certificate that was issued for another key ends the order, and a person hears of it', async () => {
  const made = await order();
  await finalize().advance(made.place);
  const certificateId = await certificateRow(database, world.organisationId, {
    ...{ customer_id: world.customerId, address: made.address, state: 'in-progress' },
    ...{ order_item_id: world.happened.bought[0] ?? null, registrar_order_id: 'base-key' },
  });
  const pem = await pemOfAnotherKey();
  await across(database, (tx) =>
    tx
      .insertInto('certificate_issues')
      .values({
        ...{ organisation_id: world.organisationId, certificate_id: certificateId, serial: 'a1' },
        ...{ valid_from: now, valid_to: in_(90), recorded_at: now },
        ...{ certificate_pem: pem, registrar_order_id: 'base-key' },
      })
      .execute(),
  );
  await finalize().advance(made.place);
  expect(await made.read()).toMatchObject({ state: 'processing', next_look_at: expect.any(Date) });
  await tenant((tx) =>
    tx.updateTable('certificates').set({ state: 'completed' }).where('id', '=', certificateId).execute(),
  );
  await expect(finalize().advance(made.place)).rejects.toMatchObject({ type: 'userActionRequired' });
  expect(await made.read()).toMatchObject({ state: 'invalid', next_look_at: null, chain: null });
  expect(world.happened.told).toEqual([expect.stringContaining('not for the key')]);
});

async function pemOfAnotherKey(): Promise<string> {
  await import('reflect-metadata');
  const { X509CertificateGenerator } = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=example.com', notBefore: now, notAfter: in_(90) },
    ...{ signingAlgorithm: algorithm, keys },
  });
  return certificate.toString('pem');
}
