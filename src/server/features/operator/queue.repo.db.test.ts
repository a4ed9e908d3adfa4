import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { QueueEntry, QueueKind } from '#contracts/operations/operator.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  customerRow,
  domainRow,
  itemRow,
  orderRow,
  organisationRow,
  topupRow,
  within,
} from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { countQueue, customerOf, findEntry, listQueue } from './queue.repo.ts';

/** Whose an entry of the queue is, beside things of the same name that are another's. */

let database: TestDatabase;
let [organisationId, other, customerId, theirs] = ['', '', '', ''];
beforeAll(async () => {
  database = await createTestDatabase();
  [organisationId, other] = [await organisationRow(database), await organisationRow(database)];
  [customerId, theirs] = [
    await customerRow(database, organisationId),
    await customerRow(database, organisationId),
  ];
});
afterAll(() => database.close());

const whose = (entry: { kind: QueueEntry['kind']; id: string; orderId?: string; of?: string | null }) =>
  across(database, (tx) =>
    customerOf(tx, {
      ...{ kind: entry.kind, id: entry.id, orderId: entry.orderId ?? null },
      organizationId: entry.of === undefined ? organisationId : entry.of,
    }),
  );

test.each(['review', 'waiting', 'renewal'] as const)(
  'an item of the kind %s is its customer’s',
  async (kind) => {
    const orderId = await orderRow(database, organisationId);
    const id = await itemRow(database, { organisationId, orderId }, { customer_id: customerId });
    await itemRow(database, { organisationId, orderId }, { customer_id: theirs });
    const nobodys = await itemRow(database, { organisationId, orderId });
    expect(await whose({ kind, id, orderId })).toBe(customerId);
    expect(await whose({ kind, id: nobodys, orderId })).toBe(null);
    expect(await whose({ kind, id, orderId, of: other })).toBe(null);
  },
);

test('an automatic renewal and a missing domain are the customer’s whose the domain is, and not whose it was', async () => {
  const { address } = await domainRow(database, organisationId, { status: 'ended', customer_id: theirs });
  const { id } = await domainRow(database, organisationId, { address, customer_id: customerId });
  await domainRow(database, organisationId, { customer_id: theirs });
  expect(await whose({ kind: 'renewal', id: `${organisationId} ${address}` })).toBe(customerId);
  expect(await whose({ kind: 'missing', id })).toBe(customerId);
});

test('a direct charge is its customer’s; an automatic top-up and an event are nobody’s', async () => {
  const orderId = await orderRow(database, organisationId);
  const id = newId();
  await within(database, organisationId, (tx) =>
    tx
      .insertInto('direct_charges')
      .values({
        ...{ id, organisation_id: organisationId, customer_id: customerId, order_id: orderId, part: 1 },
        ...{ cents: 1_000, state: 'failed' },
      } as never)
      .execute(),
  );
  expect(await whose({ kind: 'charge', id, orderId })).toBe(customerId);
  expect(await whose({ kind: 'charge', id: newId() })).toBe(null);
  expect(await whose({ kind: 'event', id: 'evt_1', of: null })).toBe(null);
});

describe('what needs a person', () => {
  const now = new Date('2026-11-22T12:00:00Z');
  const [minute, day] = [60_000, 86_400_000];
  const ago = (ms: number) => new Date(now.getTime() - ms);
  let orderId: string;
  beforeEach(async () => {
    organisationId = await organisationRow(database);
    orderId = await orderRow(database, organisationId);
  });

  const listed = async (kind?: QueueKind) =>
    (await across(database, (tx) => listQueue(tx, now))).filter(
      (entry) => entry.organizationId === organisationId && (!kind || entry.kind === kind),
    );
  const idsOf = async (kind?: QueueKind) => (await listed(kind)).map(({ id }) => id);
  type Item = NonNullable<Parameters<typeof itemRow>[2]>;
  const item = (change: Item) => itemRow(database, { organisationId, orderId }, change);
  type Topup = NonNullable<Parameters<typeof topupRow>[2]>;
  const topup = (change: Topup = {}) =>
    topupRow(database, organisationId, {
      ...{ kind: 'auto', state: 'failed', created_at: ago(day), updated_at: ago(day), ...change },
    });
  const own = () => ({ organization: 'Test', organizationId: organisationId });

  test('is an order in review, and one whose outcome the registrar has not told for more than an hour', async () => {
    const said = { registrar_order_id: '77', price_cents: 1_231, address: 'a.com' } as const;
    const review = await item({
      ...{ state: 'review', updated_at: ago(2 * day), outcome_note: 'Two orders carry one tag', ...said },
    });
    const waiting = await item({ state: 'unknown', unknown_since: ago(60 * minute + 1), kind: 'transfer' });
    await item({ state: 'unknown', unknown_since: ago(60 * minute) });
    for (const state of ['queued', 'sending', 'pending', 'succeeded', 'declined'] as const) {
      await item({ state, unknown_since: ago(day) });
    }
    expect(await listed()).toEqual([
      {
        ...{ ...own(), kind: 'review', id: review, subject: 'domain a.com', amount: 1_231, orderId },
        ...{ note: 'Two orders carry one tag', registrarOrderId: '77', retry: true },
        ...{ since: ago(2 * day).toISOString(), ageSeconds: 2 * 86_400 },
      },
      expect.objectContaining({
        ...{ kind: 'waiting', id: waiting, subject: expect.stringMatching(/^transfer /), retry: true },
        ...{ note: '', since: ago(60 * minute + 1).toISOString(), registrarOrderId: null },
      }),
    ]);
  });

  test('is an automatic top-up that failed within sixty days, until a later one may make up for it', async () => {
    const failed = await topup({ failure: 'Declined', cents: 150_00, payment_intent: 'pi_failed' });
    expect(await listed()).toEqual([
      expect.objectContaining({
        ...{ kind: 'charge', id: failed, subject: 'automatic top-up', note: 'Declined', amount: 150_00 },
        ...{ registrarOrderId: 'pi_failed', orderId: null, since: ago(day).toISOString() },
      }),
    ]);
    await topup({ state: 'requires_action' });
    expect(await idsOf()).toHaveLength(2);
    await topup({ kind: 'manual' });
    for (const state of ['requested', 'processing', 'succeeded', 'cancelled', 'reversed'] as const) {
      const before = { created_at: ago(2 * day), updated_at: ago(2 * day) };
      await topup({ state, kind: 'manual', ...before });
    }
    const other = await organisationRow(database);
    await topupRow(database, other, { state: 'succeeded', created_at: now });
    expect(await idsOf()).toHaveLength(2);
  });

  test('is an automatic top-up to the last moment of sixty days', async () => {
    const old = { created_at: ago(61 * day) };
    const id = await topup({ ...old, updated_at: ago(60 * day - 1) });
    await topup({ ...old, updated_at: ago(60 * day) });
    expect(await idsOf()).toEqual([id]);
  });

  test.each([
    ['requested', 0],
    ['processing', 0],
    ['succeeded', 0],
    ['requires_action', 1],
    ['cancelled', 1],
  ] as const)('is no automatic top-up behind which one is %s: of %i', async (state, left) => {
    await topup();
    await topup({ kind: 'manual', state, created_at: ago(day - 1) });
    expect(await idsOf()).toHaveLength(left);
  });

  test('lets an automatic top-up be tried again where auto balance is on', async () => {
    await topup();
    const on = (auto_topup: boolean) =>
      within(database, organisationId, (tx) =>
        tx
          .insertInto('billing_profiles')
          .values({ organisation_id: organisationId, auto_topup })
          .onConflict((conflict) => conflict.column('organisation_id').doUpdateSet({ auto_topup }))
          .execute(),
      );
    expect((await listed())[0]?.retry).toBe(false);
    await on(true);
    expect((await listed())[0]?.retry).toBe(true);
    await on(false);
    expect((await listed())[0]?.retry).toBe(false);
  });

  test('is a direct charge that failed, however old, and no other', async () => {
    const customer = await customerRow(database, organisationId);
    const states = ['failed', 'collecting', 'sending', 'processing', 'succeeded', 'waived'] as const;
    for (const [part, state] of states.entries()) {
      const common = { organisation_id: organisationId, customer_id: customer, order_id: orderId };
      const said = { failure: 'Declined', payment_intent: `pi_${newId()}`, updated_at: ago(400 * day) };
      await within(database, organisationId, (tx) =>
        tx
          .insertInto('direct_charges')
          .values({ id: newId(), ...common, ...said, part: part + 1, cents: 13_20, state } as never)
          .execute(),
      );
    }
    expect(await listed()).toEqual([
      expect.objectContaining({
        ...{ kind: 'charge', subject: 'direct charge', note: 'Declined', amount: 13_20, orderId },
        ...{ retry: true, since: ago(400 * day).toISOString() },
      }),
    ]);
    // While a dispute stops charges of the customer, there is nothing that the operator could try again.
    const disputed = (disputed_cents: number, dispute_released_cents: number) =>
      across(database, (tx) =>
        tx
          .updateTable('direct_charges')
          .set({ disputed_cents, dispute_released_cents })
          .where('order_id', '=', orderId)
          .where('state', '=', 'succeeded')
          .execute(),
      );
    const retries = async () => (await listed()).map(({ retry }) => retry);
    await disputed(13_20, 13_19);
    expect(await retries()).toEqual([false]);
    await disputed(13_20, 13_20);
    expect(await retries()).toEqual([true]);
  });

  const renewal = { kind: 'renewal', state: 'declined', public_error: 'Refused.' } as const;
  const refused = (address: string, change: Item = {}) =>
    item({ ...renewal, address, created_at: ago(day), updated_at: ago(day), ...change });
  const due = async (change: Parameters<typeof domainRow>[2] = {}) =>
    (await domainRow(database, organisationId, { expires_at: new Date('2027-06-01T00:00:00Z'), ...change }))
      .address;
  const automatic = (address: string, change: object = {}) =>
    within(database, organisationId, (tx) =>
      tx
        .insertInto('auto_renewals')
        .values({
          ...{ organisation_id: organisationId, address, expiry_year: 2027, state: 'unable' },
          ...{ expires_at: new Date('2027-06-01T00:00:00Z'), price_cents: 1_200, order_id: null },
          ...{ reason_kind: 'funds', reason: 'No money', next_try_at: null, told_at: null },
          ...{ updated_at: ago(day), ...change },
        } as never)
        .execute(),
    );

  test('is a renewal that was refused within sixty days, of a name that is still listed and still due', async () => {
    const address = await due();
    const id = await refused(address, { expiry_year: 2027 });
    expect(await listed()).toEqual([
      expect.objectContaining({
        ...{ kind: 'renewal', id, subject: `renewal ${address}`, note: 'Refused.', amount: 1_000, orderId },
        ...{ retry: false, since: ago(day).toISOString() },
      }),
    ]);
    const unlisted = 'somebody-elses.com';
    await refused(unlisted);
    await refused(await due({ status: 'ended' }));
    await refused(await due(), { updated_at: ago(60 * day) });
    await refused(await due(), { expiry_year: 2026 });
    await refused(await due(), { kind: 'transfer' });
    await refused(await due(), { state: 'succeeded' });
    expect(await idsOf()).toEqual([id]);
    const more = [
      await refused(await due(), { updated_at: ago(60 * day - 1) }),
      await refused(await due(), { expiry_year: null }),
    ];
    expect((await idsOf()).toSorted()).toEqual([id, ...more].toSorted());
  });

  test('is no refused renewal after which another was ordered for the same name here', async () => {
    const [address, other] = [await due(), await due()];
    const id = await refused(address);
    await refused(other, { state: 'succeeded', created_at: now });
    await refused(address, { kind: 'domain', state: 'succeeded', created_at: now });
    const stranger = await organisationRow(database);
    const order = { organisationId: stranger, orderId: await orderRow(database, stranger) };
    await itemRow(database, order, { ...renewal, address, created_at: now });
    expect(await idsOf()).toEqual([id]);
    await refused(address, { state: 'queued', created_at: ago(day - 1) });
    expect(await idsOf()).toEqual([]);
  });

  test('is an automatic renewal that could not be made, once, while the name is due, here and not missing', async () => {
    const address = await due();
    await refused(address);
    await automatic(address, { order_id: orderId });
    expect(await listed()).toEqual([
      expect.objectContaining({
        ...{ kind: 'renewal', id: `${organisationId} ${address}`, note: 'No money', amount: 1_200 },
        ...{ subject: `automatic renewal ${address}`, orderId, retry: true, since: ago(day).toISOString() },
      }),
    ]);
    for (const state of ['intended', 'ordered', 'done', 'dropped']) await automatic(await due(), { state });
    await automatic(await due({ status: 'ended' }));
    await automatic(await due(), { expiry_year: 2026 });
    await automatic(await due({ expires_at: new Date('2028-06-01T00:00:00Z') }));
    // The year of its expiry is that of UTC.
    const newYear = await due({ expires_at: new Date('2027-12-31T23:30:00Z') });
    await automatic(newYear);
    expect((await idsOf()).toSorted()).toEqual(
      [`${organisationId} ${address}`, `${organisationId} ${newYear}`].toSorted(),
    );
    const missing = { missing_since: ago(2 * day) };
    const { id, address: gone } = await domainRow(database, organisationId, {
      ...{ expires_at: new Date('2027-06-01T00:00:00Z'), ...missing },
    });
    await automatic(gone);
    expect(await listed('missing')).toMatchObject([{ id, subject: gone, amount: 0, retry: true }]);
    expect(await idsOf('renewal')).toHaveLength(2);
  });

  test('is an event that waits for more than a quarter of an hour, whatever was tried', async () => {
    const event = (id: string, received_at: Date, applied_at: Date | null = null) =>
      across(database, (tx) =>
        tx
          .insertInto('webhook_events')
          .values({
            ...{ id: `${id}_${organisationId}`, type: 'charge.failed', account: null, object_id: 'pi_1' },
            ...{ payload: '{}', received_at, applied_at, last_error: 'no answer' },
          })
          .execute(),
      );
    await event('late', ago(15 * minute + 1));
    await event('fresh', ago(15 * minute));
    await event('applied', ago(day), now);
    const found = (await across(database, (tx) => listQueue(tx, now))).filter(({ id }) =>
      id.endsWith(organisationId),
    );
    expect(found).toEqual([
      {
        ...{ kind: 'event', id: `late_${organisationId}`, organization: '', organizationId: null },
        ...{ subject: 'charge.failed', note: 'no answer', amount: 0, orderId: null, retry: true },
        ...{ registrarOrderId: 'pi_1', since: ago(15 * minute + 1).toISOString(), ageSeconds: 900 },
      },
    ]);
  });

  describe('a balance below zero', () => {
    const wallet = (change: { posted_cents?: number; held_cents?: number; pending_cents?: number }) =>
      across(database, (tx) =>
        tx.updateTable('wallets').set(change).where('organisation_id', '=', organisationId).execute(),
      );
    const disputed = { state: 'reversed', reversed_cents: 20_00, payment_intent: null } as const;

    test('is an organization’s, with what it owes and the payment that was taken back last, until it is covered', async () => {
      await topup({ ...disputed, kind: 'manual', updated_at: ago(3 * day) });
      await topup({
        ...disputed,
        kind: 'manual',
        payment_intent: `pi_${organisationId}`,
        updated_at: ago(2 * day),
      });
      await topup({ kind: 'manual', state: 'failed', method: 'card', updated_at: ago(day) });
      await topup({ kind: 'manual', state: 'succeeded', updated_at: ago(day) });
      expect(await listed('debt')).toEqual([]);
      await wallet({ posted_cents: -30_00, held_cents: 5_00, pending_cents: 4_00 });
      expect(await listed('debt')).toEqual([
        {
          ...{ ...own(), kind: 'debt', id: organisationId, subject: 'balance below zero', amount: 31_00 },
          ...{ note: 'A top-up was disputed, returned or refunded.', orderId: null, retry: false },
          ...{ registrarOrderId: `pi_${organisationId}`, since: ago(2 * day).toISOString() },
          ageSeconds: (2 * day) / 1_000,
        },
      ]);
      await wallet({ posted_cents: 1_00 });
      expect(await listed('debt')).toEqual([]);
    });

    test('may be of a transfer that did not arrive or of a correction, and not while a transfer is to cover it', async () => {
      await wallet({ posted_cents: -30_00, pending_cents: 30_00 });
      expect(await listed('debt')).toEqual([]);
      await wallet({ pending_cents: 29_99 });
      expect(await listed('debt')).toMatchObject([{ amount: 1, note: '', registrarOrderId: null }]);
      await topup({ kind: 'manual', state: 'succeeded', method: 'us_bank_account', updated_at: ago(minute) });
      await topup({ kind: 'manual', state: 'failed', method: 'us_bank_account', updated_at: ago(day) });
      expect(await listed('debt')).toMatchObject([
        { note: 'A bank transfer did not arrive.', since: ago(day).toISOString() },
      ]);
    });

    test('of an organization that was closed is listed all the same, with what to do', async () => {
      await wallet({ posted_cents: -1 });
      expect(await listed('debt')).toMatchObject([{ id: organisationId, note: '' }]);
      await across(database, (tx) =>
        tx.updateTable('organisations').set({ closed_at: now }).where('id', '=', organisationId).execute(),
      );
      expect(await listed('debt')).toMatchObject([
        {
          ...{ id: organisationId, amount: 1 },
          note: 'The organization is closed: collect what it owes, then enter a correction, also to write it off.',
        },
      ]);
      await wallet({ posted_cents: 0 });
      expect(await idsOf('debt')).toEqual([]);
    });
  });

  test('stands there with the oldest first, is found by kind and number alone, and is counted with its oldest', async () => {
    const before = await across(database, (tx) => countQueue(tx, now));
    const [young, old] = [
      await item({ state: 'review', updated_at: ago(minute) }),
      await item({ state: 'review', updated_at: ago(900 * day) }),
    ];
    expect(await idsOf()).toEqual([old, young]);
    const find = (kind: QueueKind, id: string) => across(database, (tx) => findEntry(tx, now, { kind, id }));
    expect(await find('review', young)).toEqual((await listed())[1]);
    expect([await find('waiting', young), await find('review', newId())]).toEqual([null, null]);
    const counted = (await across(database, (tx) => countQueue(tx, now))).get('review');
    expect(counted?.count).toBe((before.get('review')?.count ?? 0) + 2);
    expect(counted?.oldest).toEqual(ago(900 * day));
  });
});
