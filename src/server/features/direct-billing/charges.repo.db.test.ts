import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  customerRow,
  itemRow,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { noMarkups } from '../../../contracts/values/money.ts';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/db/database.ts';
import type { DirectChargeState } from '../../kernel/db/schema.ts';
import { newId } from '../../kernel/ids.ts';
import { chargeable } from './charge-lines.ts';
import {
  addToCharge,
  claimCharge,
  dueNow,
  findCharge,
  isStillOpen,
  justConfirmed,
  namesIn,
  openCharges,
} from './charges.repo.ts';
import { createCharges } from './charges.ts';
import { lockRefund, markReturned, noteReturned, openRefunds, takeOut, wantRefund } from './refunds.repo.ts';
import { createRefunds } from './refunds.ts';

/** Each condition of the statements that charge end customers, beside a row that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let customerId: string;
let orderId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
  orderId = await orderRow(database, organisationId);
});
afterAll(() => database.close());

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const now = new Date('2026-11-22T12:00:00Z');
const insertItem = (change: Parameters<typeof itemRow>[2] = {}) =>
  itemRow(database, { organisationId, orderId }, { customer_id: customerId, ...change });

async function add(change: { orderId?: string; customerId?: string; itemId?: string } = {}) {
  const itemId = change.itemId ?? (await insertItem());
  const item = { itemId, orderId, customerId, priceCents: 1_000, markupCents: 200, ...change };
  return { itemId, chargeId: await tenant((tx) => addToCharge(tx, organisationId, item, now)) };
}
/** A charge of one item, in a purchase of its own. */
async function chargeIn(state: DirectChargeState, next: Date | null = null) {
  const own = await orderRow(database, organisationId);
  const { itemId, chargeId } = await add({ orderId: own });
  const id = chargeId ?? '';
  await tenant((tx) =>
    tx
      .updateTable('direct_charges')
      .set({ state, next_try_at: next, failure: state === 'failed' ? 'Declined' : null })
      .where('id', '=', id)
      .execute(),
  );
  return { id, itemId };
}
const read = async (id: string) => {
  const charge = await tenant((tx) => findCharge(tx, id));
  if (!charge) throw new Error(`no charge ${id}`);
  return charge;
};

describe('an item', () => {
  test('joins what is being collected for its purchase and customer, price and markup, once', async () => {
    const first = await add();
    const second = await add();
    expect(second.chargeId).toBe(first.chargeId);
    expect(await read(first.chargeId ?? '')).toMatchObject({ cents: 2_400, part: 1 });
    expect((await add({ itemId: first.itemId })).chargeId).toBeNull();
    expect(await read(first.chargeId ?? '')).toMatchObject({ cents: 2_400 });
  });

  test('of another purchase or customer makes a charge of its own', async () => {
    const first = await add();
    const ofOrder = await add({ orderId: await orderRow(database, organisationId) });
    const ofCustomer = await add({ customerId: await customerRow(database, organisationId) });
    expect(new Set([first.chargeId, ofOrder.chargeId, ofCustomer.chargeId]).size).toBe(3);
  });

  test('confirmed after the charge was sent makes the next part', async () => {
    const own = await orderRow(database, organisationId);
    const first = await add({ orderId: own });
    await tenant((tx) => claimCharge(tx, first.chargeId ?? '', now));
    const second = await add({ orderId: own });
    expect(await read(second.chargeId ?? '')).toMatchObject({ part: 2, cents: 1_200 });
    expect(await read(first.chargeId ?? '')).toMatchObject({ part: 1, cents: 1_200 });
    await tenant((tx) => claimCharge(tx, second.chargeId ?? '', now));
    const third = await add({ orderId: own });
    expect(await read(third.chargeId ?? '')).toMatchObject({ part: 3, cents: 1_200 });
  });

  test('is in a charge whose id a database that was set back gives again', async () => {
    const own = await orderRow(database, organisationId);
    const { itemId, chargeId } = await add({ orderId: own });
    const forget = (table: 'direct_charge_items' | 'direct_charges') =>
      tenant((tx) =>
        tx
          .deleteFrom(table)
          .where(table === 'direct_charges' ? 'id' : 'charge_id', '=', chargeId ?? '')
          .execute(),
      );
    await forget('direct_charge_items');
    await forget('direct_charges');
    expect((await add({ orderId: own, itemId })).chargeId).toBe(chargeId);
  });

  test('of a certificate is charged with the markup of a renewal when it follows an earlier one, else with that of a purchase', async () => {
    const fixed = (value: number) => ({ type: 'fixed', value });
    const billed = await customerRow(database, organisationId, {
      ...{ bill_directly: true, billing_email: 'pay@customer.test', payment_method_id: 'pm' },
      markups: JSON.stringify({ ...noMarkups, certificate: { purchase: fixed(5), renewal: fixed(3) } }),
    });
    const markup = async (renewsOrderId: string | null) => {
      const details = JSON.stringify({ certificate: { renewsOrderId } });
      const change = { kind: 'certificate', state: 'succeeded', customer_id: billed, details } as const;
      const itemId = await insertItem(change);
      return (await tenant((tx) => chargeable(tx, itemId)))?.markupCents;
    };
    expect([await markup(null), await markup('earlier')]).toEqual([500, 300]);
  });

  const active = { bill_directly: true, billing_email: 'pay@customer.test', payment_method_id: 'pm' };
  test.each([
    ['is confirmed, of a customer who is billed directly, is charged', {}, {}, true],
    ['is not confirmed', { state: 'pending' }, {}, false],
    ['was declined', { state: 'declined' }, {}, false],
    ['costs nothing', { price_cents: 0 }, {}, false],
    ['is of a customer who is not billed directly', {}, { bill_directly: false }, false],
    ['is of a customer without an address for bills', {}, { billing_email: '' }, false],
    ['is of a customer without a method', {}, { payment_method_id: null }, false],
  ] as const)('that %s', async (_what, item, customer, charged) => {
    const customer_id = await customerRow(database, organisationId, { ...active, ...customer });
    const itemId = await insertItem({ customer_id, state: 'succeeded', ...item });
    const own = { itemId, orderId, customerId: customer_id, priceCents: 1_000, markupCents: 0 };
    expect(await tenant((tx) => chargeable(tx, itemId))).toEqual(charged ? own : null);
  });

  test('of no customer is nobody’s to pay', async () => {
    const itemId = await insertItem({ customer_id: null, state: 'succeeded' });
    expect(await tenant((tx) => chargeable(tx, itemId))).toBeNull();
  });

  test('is named with the others of its charge in the order of the cart, and with none of another', async () => {
    const [first, second] = [await insertItem({ address: 'b.com' }), await insertItem({ address: 'a.com' })];
    const own = await orderRow(database, organisationId);
    await add({ orderId: own, itemId: second });
    const { chargeId } = await add({ orderId: own, itemId: first });
    await add({ orderId: await orderRow(database, organisationId) });
    expect(await tenant((tx) => namesIn(tx, chargeId ?? ''))).toBe('b.com, a.com');
  });

  test('that succeeded since then, of the same purchase and customer, and in no charge yet, goes along', async () => {
    const own = await orderRow(database, organisationId);
    const done = { state: 'succeeded', customer_id: customerId, updated_at: now } as const;
    const item = (change: Parameters<typeof itemRow>[2] = {}, order = own) =>
      itemRow(database, { organisationId, orderId: order }, { ...done, ...change });
    const wanted = [await item(), await item({ updated_at: new Date(now.getTime() + 1) })];
    await item({ updated_at: new Date(now.getTime() - 1) });
    await item({ state: 'pending' });
    await item({ customer_id: await customerRow(database, organisationId) });
    await item({}, await orderRow(database, organisationId));
    await add({ orderId: own, itemId: await item() });
    const charge = { order_id: own, customer_id: customerId };
    expect(await tenant((tx) => justConfirmed(tx, charge, now))).toEqual(wanted);
  });

  test('that came to nothing before it was charged is not charged', async () => {
    const itemId = await insertItem();
    await tenant((tx) => wantRefund(tx, { organisationId, itemId }, 'gone', now));
    expect((await add({ itemId })).chargeId).toBeNull();
  });
});

describe('a purchase', () => {
  const open = (own: string) => tenant((tx) => isStillOpen(tx, { order_id: own, customer_id: customerId }));

  test.each(['queued', 'sending', 'pending', 'unknown', 'review'] as const)(
    'is waited for while an item is %s',
    async (state) => {
      const own = await orderRow(database, organisationId);
      await itemRow(database, { organisationId, orderId: own }, { state, customer_id: customerId });
      expect(await open(own)).toBe(true);
    },
  );

  test('is not waited for when what is open is another customer’s, or has ended', async () => {
    const own = await orderRow(database, organisationId);
    const place = { organisationId, orderId: own };
    await itemRow(database, place, { customer_id: await customerRow(database, organisationId) });
    await itemRow(database, place, { state: 'succeeded', customer_id: customerId });
    await itemRow(database, place, { state: 'declined', customer_id: customerId });
    expect(await open(own)).toBe(false);
  });
});

describe('a claim', () => {
  const later = new Date(now.getTime() + 1);

  test('takes what is collected, and what failed and is due; it counts its attempt and takes no other along', async () => {
    const beside = await chargeIn('collecting');
    for (const { id } of [await chargeIn('collecting'), await chargeIn('failed', now)]) {
      expect(await tenant((tx) => claimCharge(tx, id, now))).toMatchObject({
        id,
        state: 'sending',
        attempt: 1,
        // What was said of the last try is over.
        ...{ failure: null, next_try_at: null, sent_at: now, updated_at: now },
      });
    }
    expect(await read(beside.id)).toMatchObject({ state: 'collecting', attempt: 0 });
  });

  test.each([
    ['sending', null],
    ['sending', now],
    ['processing', now],
    ['succeeded', now],
    ['waived', now],
    ['failed', null],
    ['failed', later],
  ] as const)('takes nothing that is %s, next try %s', async (state, next) => {
    const { id } = await chargeIn(state, next);
    expect(await tenant((tx) => claimCharge(tx, id, now))).toBeNull();
  });
});

test('another method makes what failed for this customer due now: nothing that succeeded, nobody else’s', async () => {
  const own = await customerRow(database, organisationId);
  const of = async (customer: string, state: DirectChargeState) => {
    const { id } = await chargeIn(state);
    await tenant((tx) =>
      tx.updateTable('direct_charges').set({ customer_id: customer }).where('id', '=', id).execute(),
    );
    return id;
  };
  const ids = [await of(own, 'failed'), await of(own, 'succeeded'), await of(customerId, 'failed')];
  await tenant((tx) => dueNow(tx, own, now));
  const dates = await Promise.all(ids.map(async (id) => (await read(id)).next_try_at));
  expect(dates).toEqual([now, null, null]);
});

describe('what came to nothing', () => {
  test('is wanted back once, with the first reason', async () => {
    const itemId = await insertItem();
    for (const reason of ['first', 'second']) {
      await tenant((tx) => wantRefund(tx, { organisationId, itemId }, reason, now));
    }
    expect(await tenant((tx) => lockRefund(tx, itemId))).toMatchObject({ reason: 'first', state: 'wanted' });
  });

  test('leaves its charge; a charge of nothing else is given up', async () => {
    const own = await orderRow(database, organisationId);
    const [gone, stays] = [await add({ orderId: own }), await add({ orderId: own })];
    const chargeId = gone.chargeId ?? '';
    const beside = await chargeIn('collecting');
    const out = (itemId: string) =>
      tenant((tx) => takeOut(tx, { itemId, chargeId, cents: 1_200, note: 'gone' }, now));
    await out(gone.itemId);
    expect(await read(chargeId)).toMatchObject({ cents: 1_200, state: 'collecting' });
    await out(stays.itemId);
    expect(await read(chargeId)).toMatchObject({ cents: 1_200, state: 'waived', note: 'gone' });
    expect(await read(beside.id)).toMatchObject({ cents: 1_200, state: 'collecting' });
  });

  test('and was given back can come back: once sent or done, for this item and charge only', async () => {
    const { id: chargeId, itemId } = await chargeIn('succeeded');
    await tenant((tx) => wantRefund(tx, { organisationId, itemId }, 'gone', now));
    const set = (state: 'wanted' | 'sending' | 'done', charge: string | null) =>
      tenant((tx) =>
        tx
          .updateTable('direct_refunds')
          .set({ state, charge_id: charge })
          .where('item_id', '=', itemId)
          .execute(),
      );
    const mark = async (charge: string) => {
      await tenant((tx) => markReturned(tx, { itemId, chargeId: charge, failure: 'closed account' }, now));
      return (await tenant((tx) => lockRefund(tx, itemId)))?.state;
    };
    const other = await chargeIn('succeeded');
    await set('done', chargeId);
    expect(await mark(other.id)).toBe('done');
    await set('wanted', chargeId);
    expect(await mark(chargeId)).toBe('wanted');
    for (const state of ['done', 'sending'] as const) {
      await set(state, chargeId);
      expect(await mark(chargeId)).toBe('failed');
    }
  });

  test('and came back is noted by its sum: more is news, the same is not', async () => {
    const [{ id }, beside] = [await chargeIn('succeeded'), await chargeIn('succeeded')];
    const note = (cents: number) => tenant((tx) => noteReturned(tx, id, cents, now));
    expect([await note(500), await note(500), await note(400), await note(501)]).toEqual([
      0,
      null,
      null,
      500,
    ]);
    expect([await read(id), await read(beside.id)]).toMatchObject([
      { returned_cents: 501 },
      { returned_cents: 0 },
    ]);
    expect(await tenant((tx) => noteReturned(tx, newId(), 1, now))).toBeNull();
  });
});

describe('the sweep', () => {
  const minuteMs = 60_000;
  const times = {
    'long ago': new Date(Date.now() - 10 * minuteMs),
    'just now': new Date(),
    later: new Date(Date.now() + 60 * minuteMs),
    never: null,
  };

  test.each([
    ['collecting', 'never', 'long ago', true],
    ['collecting', 'never', 'just now', false],
    ['sending', 'never', 'long ago', true],
    ['sending', 'never', 'just now', false],
    ['failed', 'long ago', 'long ago', true],
    ['failed', 'later', 'long ago', false],
    ['failed', 'never', 'long ago', false],
    ['processing', 'never', 'just now', true],
    ['succeeded', 'never', 'long ago', false],
    ['waived', 'never', 'long ago', false],
  ] as const)(
    'takes up a charge that is %s, due %s, untouched since %s: %s',
    async (state, next, since, expected) => {
      const { id } = await chargeIn(state, times[next]);
      await tenant((tx) =>
        tx.updateTable('direct_charges').set({ updated_at: times[since] }).where('id', '=', id).execute(),
      );
      const open = await across(database, (tx) => openCharges(tx, systemClock, 2 * minuteMs));
      expect(open.some((charge) => charge.id === id)).toBe(expected);
    },
  );

  test.each([
    ['wanted', 'long ago', true],
    ['wanted', 'just now', false],
    ['sending', 'long ago', true],
    ['done', 'long ago', false],
    ['none', 'long ago', false],
    ['failed', 'long ago', false],
  ] as const)('takes up a refund that is %s, untouched since %s: %s', async (state, since, expected) => {
    const { itemId } = await chargeIn('succeeded');
    await tenant((tx) => wantRefund(tx, { organisationId, itemId }, 'gone', times[since]));
    await tenant((tx) =>
      tx.updateTable('direct_refunds').set({ state }).where('item_id', '=', itemId).execute(),
    );
    const open = await across(database, (tx) => openRefunds(tx, systemClock, 2 * minuteMs));
    expect(open.some((refund) => refund.itemId === itemId)).toBe(expected);
  });

  /** So many copies of a charge of one item, or of its refund, that are never done with. */
  async function manyLike({ id, itemId }: { id: string; itemId: string }, count: number): Promise<void> {
    await across(database, async (tx) => {
      await sql`INSERT INTO direct_charges SELECT (jsonb_populate_record(c, jsonb_build_object(
          'id', gen_random_uuid(), 'part', 1 + n))).*
        FROM direct_charges c, generate_series(1, ${count}::int) n WHERE c.id = ${id}`.execute(tx);
      await sql`WITH copied AS (
          INSERT INTO order_items SELECT (jsonb_populate_record(i, jsonb_build_object(
              'id', gen_random_uuid(), 'address', 'copy' || n || '.com'))).*
            FROM order_items i, generate_series(1, ${count}::int) n WHERE i.id = ${itemId} RETURNING id)
        INSERT INTO direct_refunds SELECT (jsonb_populate_record(r, jsonb_build_object('item_id', copied.id))).*
        FROM direct_refunds r, copied WHERE r.item_id = ${itemId}`.execute(tx);
    });
  }

  test('takes up each charge and refund, however many before it fail again and again', async () => {
    const first = await chargeIn('collecting');
    await tenant((tx) => wantRefund(tx, { organisationId, itemId: first.itemId }, 'gone', times['long ago']));
    await tenant((tx) =>
      tx
        .updateTable('direct_charges')
        .set({ updated_at: new Date(0) })
        .where('id', '=', first.id)
        .execute(),
    );
    await manyLike(first, 500);
    const last = await chargeIn('collecting');
    const before = new Date(Date.now() - 5 * minuteMs);
    await tenant((tx) => wantRefund(tx, { organisationId, itemId: last.itemId }, 'gone', before));
    await tenant((tx) =>
      tx.updateTable('direct_charges').set({ updated_at: before }).where('id', '=', last.id).execute(),
    );
    const taken: object[] = [];
    const at = { now: new Date() };
    const deps = {
      ...{ db: 'none: whatever is taken up fails', systemDb: database.systemDb, claimMs: 2 * minuteMs },
      ...{ clock: { now: () => at.now }, logger: { warn: (what: object) => void taken.push(what) } },
    } as never;
    const sweeps = [createCharges(deps, {} as never), createRefunds(deps, {} as never)];
    for (let turn = 0; turn < 2; turn += 1) {
      at.now = new Date(Date.now() + turn * 5 * minuteMs);
      for (const { sweep } of sweeps) await sweep();
      expect(taken.length).toBeLessThanOrEqual(1_000 * (turn + 1));
    }
    expect(taken).toContainEqual(expect.objectContaining({ chargeId: last.id }));
    expect(taken).toContainEqual(expect.objectContaining({ itemId: last.itemId }));
  });
});
