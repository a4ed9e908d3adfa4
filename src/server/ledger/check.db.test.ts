import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { across, itemRow, orderRow, organisationRow, topupRow, within } from '../../../tests/support/rows.ts';
import type { TopupState } from '../kernel/db/schema.ts';
import { newId } from '../kernel/ids.ts';
import { checkLedger } from './check.ts';
import * as ledger from './ledger.ts';

/** What the nightly check of the ledger finds: each invariant, beside books in which all is well. */

let database: TestDatabase;
let organisationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const correct = (cents: number) =>
  tenant((tx) => ledger.adjust(tx, { organisationId, cents, ref: newId(), actor: 'test', text: '' }));
const hold = (cents: number, itemId: string = newId()) =>
  tenant((tx) => ledger.hold(tx, { organisationId, items: [{ itemId, cents }], pendingLimitCents: 0 }));
const cached = (change: { posted_cents?: number; held_cents?: number; pending_cents?: number }) =>
  across(database, (tx) =>
    tx.updateTable('wallets').set(change).where('organisation_id', '=', organisationId).execute(),
  );
/** What is found of this organisation; of one invariant, or of all. */
const found = async (invariant?: string) =>
  (await checkLedger(database.systemDb))
    .filter((fault) => fault.organisationId === organisationId)
    .filter((fault) => !invariant || fault.invariant === invariant)
    .map((fault) => (invariant ? fault.found : fault.invariant));

test('the checker explains every cent, and names a wallet with more or less than was posted', async () => {
  await correct(700);
  expect(await checkLedger(database.systemDb)).toEqual([]);
  for (const cents of [701, 699]) {
    await cached({ posted_cents: cents });
    expect(await checkLedger(database.systemDb)).toEqual([
      { invariant: 'wallet equals its postings', organisationId, found: `${cents} cached, 700 posted` },
    ]);
  }
  await cached({ posted_cents: 700 });
});

test('the checker names a wallet that holds more or less than its open holds, and counts none that has ended', async () => {
  await correct(1_000);
  const ended = newId();
  await hold(200, ended);
  await hold(300);
  await tenant((tx) => ledger.release(tx, { organisationId, itemId: ended, actor: 'test', text: '' }));
  const invariant = 'held equals open holds';
  expect(await found(invariant)).toEqual([]);
  for (const cents of [301, 299, 0]) {
    await cached({ held_cents: cents });
    expect(await found(invariant)).toEqual([`${cents} cached, 300 open`]);
  }
});

test('a wallet with money of which no entry, no hold and no top-up says anything is named, too', async () => {
  for (const [change, invariant, words] of [
    [{ posted_cents: 5 }, 'wallet equals its postings', '5 cached, 0 posted'],
    [{ held_cents: 5 }, 'held equals open holds', '5 cached, 0 open'],
    [{ pending_cents: 5 }, 'pending equals top-ups in processing', '5 cached, 0 open'],
  ] as const) {
    await cached(change);
    expect(await found(invariant)).toEqual([words]);
  }
});

test('the checker names a wallet that awaits more or less than its top-ups in processing', async () => {
  for (const cents of [400, 300]) {
    await topupRow(database, organisationId, { cents, state: 'processing', pending_cents: cents });
  }
  const invariant = 'pending equals top-ups in processing';
  expect(await found(invariant)).toEqual(['0 cached, 700 open']);
  for (const cents of [701, 699]) {
    await cached({ pending_cents: cents });
    expect(await found(invariant)).toEqual([`${cents} cached, 700 open`]);
  }
  await cached({ pending_cents: 700 });
  expect(await found(invariant)).toEqual([]);
});

const negative = 'spendable is not negative without a reversal';

test('the checker names a wallet from the first cent below nothing, what is held and what is on its way included', async () => {
  await cached({ posted_cents: -1 });
  expect(await found(negative)).toEqual(['-1']);
  await cached({ posted_cents: 10, held_cents: 11 });
  expect(await found(negative)).toEqual(['-1']);
  await cached({ pending_cents: 1 });
  expect(await found(negative)).toEqual([]);
  await cached({ posted_cents: 0, held_cents: 0, pending_cents: 0 });
  expect(await found(negative)).toEqual([]);
});

test.each<[string, boolean, () => Promise<unknown>]>([
  ['a top-up of which a cent went back', true, () => topup({ state: 'reversed', reversed_cents: 1 })],
  ['a top-up that failed', true, () => topup({ state: 'failed' })],
  ['a top-up that was given up', true, () => topup({ state: 'cancelled' })],
  ['a correction that took money', true, () => correct(-1)],
  ['a top-up that arrived', false, () => topup({ state: 'succeeded' })],
  ['a correction that gave money', false, () => correct(1)],
  ['all of that in another organization', false, () => broke()],
])('less than nothing after %s is explained: %s', async (_what, explained, act) => {
  await act();
  await cached({ posted_cents: -500 });
  expect(await found(negative)).toEqual(explained ? [] : ['-500']);
});

const topup = (change: { state: TopupState; reversed_cents?: number }) =>
  topupRow(database, organisationId, { cents: 1_000, ...change });

/** Another organization of which both went back: a top-up and a correction. */
async function broke(): Promise<string> {
  const other = await organisationRow(database);
  await topupRow(database, other, { state: 'failed' });
  await within(database, other, (tx) =>
    ledger.adjust(tx, { organisationId: other, cents: -1, ref: newId(), actor: 'test', text: '' }),
  );
  return other;
}

test('the checker names a credit that stands for no top-up, and one whose top-up has not arrived or did not stay', async () => {
  const entry = { organisation_id: organisationId, kind: 'topup', actor: 'test', text: '' };
  const states = [null, 'requested', 'processing', 'failed', 'cancelled', 'succeeded', 'reversed'] as const;
  for (const state of states) {
    const topup_id = state && (await topup({ state }));
    await tenant((tx) =>
      tx
        .insertInto('journal')
        .values({ ...entry, id: newId(), ref: `${state} ${organisationId}`, topup_id })
        .execute(),
    );
  }
  const named = [null, 'cancelled', 'failed', 'processing', 'requested'];
  expect((await found('a credit stands for one succeeded top-up')).toSorted()).toEqual(
    named.map((state) => `${state} ${organisationId}`).toSorted(),
  );
});

test('the checker wants a hold open in each state of an item whose outcome is open, and in no other', async () => {
  await correct(10_000);
  const orderId = await orderRow(database, organisationId);
  const named: string[] = [];
  const states = ['queued', 'sending', 'pending', 'unknown', 'review', 'succeeded', 'declined'] as const;
  for (const state of states) {
    const itemId = await itemRow(database, { organisationId, orderId }, { state });
    await hold(1_000, itemId);
    const faults = await found('a hold is open exactly while its item is');
    if (faults.some((text) => text.includes(itemId))) named.push(state);
  }
  expect(named).toEqual(['succeeded', 'declined']);
});

test('the checker wants an item succeeded exactly when its hold was captured', async () => {
  await correct(10_000);
  const orderId = await orderRow(database, organisationId);
  const named: string[] = [];
  for (const state of ['queued', 'review', 'succeeded', 'declined'] as const) {
    for (const ended of ['open', 'captured', 'released'] as const) {
      const itemId = await itemRow(database, { organisationId, orderId }, { state });
      await hold(100, itemId);
      await across(database, (tx) =>
        tx.updateTable('holds').set({ state: ended }).where('item_id', '=', itemId).execute(),
      );
      const faults = await found('an item succeeded exactly when it was captured');
      if (faults.includes(`${itemId}: item ${state}, hold ${ended}`)) named.push(`${state} ${ended}`);
    }
  }
  expect(named).toEqual([
    ...['queued captured', 'review captured', 'succeeded open', 'succeeded released', 'declined captured'],
  ]);
});

test('the checker wants an order open exactly while an item of its own is', async () => {
  const named: string[] = [];
  for (const orderState of ['held', 'running', 'settled', 'partial', 'failed'] as const) {
    for (const items of [['queued', 'succeeded'], ['review'], ['succeeded', 'declined'], []] as const) {
      const orderId = await orderRow(database, organisationId);
      await across(database, (tx) =>
        tx.updateTable('orders').set({ state: orderState }).where('id', '=', orderId).execute(),
      );
      for (const state of items) await itemRow(database, { organisationId, orderId }, { state });
      const faults = await found('an order is open exactly while an item is');
      if (faults.includes(`${orderId}: ${orderState}`)) named.push(`${orderState}: ${items.join()}`);
    }
  }
  expect(named).toEqual([
    ...['held: succeeded,declined', 'held: ', 'running: succeeded,declined', 'running: '],
    ...['settled', 'partial', 'failed'].flatMap((state) => [
      `${state}: queued,succeeded`,
      `${state}: review`,
    ]),
  ]);
});

test('the checker names a hold that was captured twice and a price that went back twice, although every entry adds up', async () => {
  await correct(5_000);
  const itemId = newId();
  await hold(1_000, itemId);
  await tenant((tx) =>
    ledger.capture(tx, { organisationId, itemId, costCents: 900, actor: 'test', text: '' }),
  );
  const again = (kind: 'purchase' | 'refund', cents: number, of = itemId) =>
    tenant(async (tx) => {
      const id = newId();
      const entry = { organisation_id: organisationId, kind, ref: id, actor: 'test', text: '' };
      await tx
        .insertInto('journal')
        .values({ ...entry, id, order_item_id: of })
        .execute();
      await tx
        .insertInto('postings')
        .values([
          { journal_id: id, organisation_id: organisationId, account: 'wallet', cents },
          { journal_id: id, organisation_id: organisationId, account: 'revenue', cents: -cents },
        ])
        .execute();
    });
  const ofThis = async (id = itemId) =>
    (await checkLedger(database.systemDb))
      .filter((fault) => fault.organisationId === organisationId && fault.found.includes(id))
      .map(({ invariant }) => invariant);
  expect(await ofThis()).toEqual([]);
  await again('purchase', -1_000);
  expect(await ofThis()).toEqual(['what was captured is the hold, once']);
  await again('refund', 1_000);
  await again('refund', 1_000);
  expect(await ofThis()).toEqual([
    'what was captured is the hold, once',
    'a refund gives back what was captured, once',
  ]);
  // A price that was never taken goes back.
  const declined = newId();
  await hold(500, declined);
  await tenant((tx) => ledger.release(tx, { organisationId, itemId: declined, actor: 'test', text: '' }));
  expect(await ofThis(declined)).toEqual([]);
  await again('refund', 500, declined);
  expect(await ofThis(declined)).toEqual(['a refund gives back what was captured, once']);
});

test('the checker names a refund of less than the price, and one of no item, and no refund of the whole', async () => {
  await correct(5_000);
  const refunded = async (cents: number) => {
    const itemId = newId();
    await hold(1_000, itemId);
    const entry = { organisationId, itemId, actor: 'test', text: '' };
    await tenant((tx) => ledger.capture(tx, { ...entry, costCents: 900 }));
    await tenant((tx) => ledger.refundItem(tx, { ...entry, cents }));
    return itemId;
  };
  await refunded(1_000);
  const invariant = 'a refund gives back what was captured, once';
  expect(await found(invariant)).toEqual([]);
  const less = await refunded(999);
  const entry = { organisation_id: organisationId, kind: 'refund', actor: 'test', text: '' };
  await tenant((tx) =>
    tx
      .insertInto('journal')
      .values({ ...entry, id: newId(), ref: `alone ${organisationId}` })
      .execute(),
  );
  expect((await found(invariant)).toSorted()).toEqual(
    [`${less}: 999 given back`, `alone ${organisationId}: of no item`].toSorted(),
  );
});

test('the checker reads in portions of any size, and finds the same', async () => {
  const sorted = async (atOnce?: number) =>
    (await checkLedger(database.systemDb, atOnce)).map((fault) => JSON.stringify(fault)).sort();
  const whole = await sorted();
  // What the tests above have planted.
  expect(new Set(whole.map((fault) => JSON.parse(fault).invariant)).size).toBeGreaterThan(8);
  for (const atOnce of [1, 2, 7]) expect(await sorted(atOnce)).toEqual(whole);
});
