import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import {
  across,
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { AppError } from '../../../contracts/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { jobScope } from './job-scope.ts';
import { createRenewals } from './renewals.service.ts';

/** What the job asks of the order engine, and what it makes of a refusal; the engine itself is a stand-in here. */

const dayMs = 86_400_000;
let nowMs: number;
let database: TestDatabase;
let organisationId: string;
let priceCents: number;
/** What the registrar says in place of a price. */
let noPrice: AppError | null;
const place = vi.fn();
const advance = vi.fn(async () => undefined);
const standardPriceCents = vi.fn(async () => 1_200);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
  nowMs = Date.parse('2026-11-22T12:00:00Z');
  [priceCents, noPrice] = [1_200, null];
  place.mockReset().mockResolvedValue({ orderId: '00000000-0000-4000-8000-000000000001', itemIds: [] });
  standardPriceCents.mockClear();
  await takeJobs(database.url);
});

const renewals = () =>
  createRenewals({
    ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => new Date(nowMs) } },
    orders: { place, engine: { advance } as never },
    pricing: {
      price: async () => {
        if (noPrice) throw noPrice;
        return { priceCents, costCents: 1_000, premium: false };
      },
      standardPriceCents,
      premiumPriceCents: (cents: number) => cents + 9_00,
    } as never,
    ...{ pendingLimitCents: 0, renewDays: 30, reminderDays: [30, 7], graceDays: 40 },
    publicUrl: 'https://portal.test',
  });

async function own(days: number, address = newName()) {
  const expiresAt = new Date(nowMs + days * dayMs);
  await domainRow(database, organisationId, {
    address,
    auto_renew: true,
    status: 'active',
    expires_at: expiresAt,
  });
  return { address, expiresAt };
}
const intentOf = (address: string) =>
  within(database, organisationId, (tx) =>
    tx.selectFrom('auto_renewals').selectAll().where('address', '=', address).executeTakeFirst(),
  );
const taskNames = async () => (await takeJobs(database.url)).map(({ task }) => task);
const renew = (address: string) => renewals().autoRenew.renew({ organisationId, address });

test('it orders one year for the expiry that it saw, at the price that it keeps, as the job and nobody else', async () => {
  const { address, expiresAt } = await own(10);
  await renew(address);
  const [scope, request, key, options] = place.mock.calls[0] ?? [];
  expect(scope).toEqual(jobScope(organisationId));
  expect(request).toMatchObject({
    seenTotalCents: 1_200,
    lines: [{ kind: 'renewal', address, years: 1, seenExpiry: expiresAt }],
  });
  expect(key).toBe(`auto-renew:${address}:2026:1`);
  expect(options).toEqual({ source: 'auto_renew' });
  expect(await intentOf(address)).toMatchObject({ state: 'ordered', price_cents: 1_200 });
});

test('an attempt keeps its order, so that a process that dies right after ordering loses nothing', async () => {
  const { address } = await own(10);
  const [orderId, itemId] = [newId(), newId()];
  place.mockResolvedValueOnce({ orderId, itemIds: [itemId] });
  advance.mockRejectedValueOnce(new Error('the process died'));
  await expect(renew(address)).rejects.toThrow('the process died');
  expect(await intentOf(address)).toMatchObject({ state: 'ordered', order_id: orderId });
});

test('a premium name falls due at what it is sold for, which is not what it costs the operator', async () => {
  const [premium, usual] = [await own(10), await own(11)];
  await across(database, (tx) =>
    tx
      .insertInto('cost_quotes')
      .values({
        ...{ address: premium.address, kind: 'renewal', years: 1, premium: true, cost_cents: 90_00 },
        quoted_at: new Date(nowMs),
      } as never)
      .execute(),
  );
  const { rows, total } = await renewals().due(jobScope(organisationId), 30);
  expect(rows.map(({ address, price }) => [address, price])).toEqual([
    [premium.address, 99],
    [usual.address, 12],
  ]);
  expect(total).toBe(111);
});

test('an order that comes to its end at once is taken over at once: done, or told in the registrar’s words', async () => {
  const [fine, bad] = [await own(10), await own(11)];
  for (const [{ address }, state] of [
    [fine, 'succeeded'],
    [bad, 'declined'],
  ] as const) {
    const orderId = await orderRow(database, organisationId);
    const item = { kind: 'renewal', address, state, public_error: 'The registry is closed.' } as const;
    const itemIds = [await itemRow(database, { organisationId, orderId }, item), newId()];
    place.mockResolvedValueOnce({ orderId, itemIds });
    advance.mockClear();
    await renew(address);
    expect(advance.mock.calls).toEqual(itemIds.map((id) => [organisationId, id]));
  }
  expect(await intentOf(fine.address)).toMatchObject({ state: 'done', reason: null, reason_kind: null });
  expect(await intentOf(bad.address)).toMatchObject({
    ...{ state: 'unable', reason_kind: 'refused', reason: 'The registry is closed.', told_at: null },
    next_try_at: new Date(nowMs + dayMs),
  });
  expect(await taskNames()).toEqual(['renewals.tell-unable']);
  // What is done is not ordered again.
  await renew(fine.address);
  expect(place).toHaveBeenCalledTimes(2);
});

test('a name that has come to another organization is renewed there alone, whichever of the two has a job for it', async () => {
  const { address, expiresAt } = await own(10);
  const former = organisationId;
  await renewals().autoRenew.enqueueDue();
  await across(database, (tx) =>
    tx.updateTable('domains').set({ status: 'ended' }).where('organisation_id', '=', former).execute(),
  );
  organisationId = await organisationRow(database);
  await own(10, address);
  await renewals().autoRenew.enqueueDue();
  const waiting = (await takeJobs(database.url)).filter(({ payload }) => payload.address === address);
  expect(waiting).toMatchObject([{ task: 'renewals.renew', payload: { organisationId, address } }]);
  await renewals().autoRenew.renew({ organisationId: former, address });
  expect(place).not.toHaveBeenCalled();
  await renew(address);
  expect(place).toHaveBeenCalledTimes(1);
  const [scope, request] = place.mock.calls[0] ?? [];
  expect(scope).toEqual(jobScope(organisationId));
  expect(request).toMatchObject({ lines: [{ address, seenExpiry: expiresAt }] });
  expect(await intentOf(address)).toMatchObject({ state: 'ordered' });
});

test('a name that is not theirs, or has no expiry, is not renewed; a fault of ours leaves the attempt as intended', async () => {
  const other = await organisationRow(database);
  const { address: theirs } = await domainRow(database, other, {
    ...{ auto_renew: true, expires_at: new Date(nowMs + dayMs) },
  });
  const { address: endless } = await domainRow(database, organisationId, { auto_renew: true });
  for (const address of [theirs, endless, newName()]) {
    await renew(address);
    expect(await intentOf(address)).toBeUndefined();
  }
  expect(place).not.toHaveBeenCalled();
  const { address } = await own(10);
  place.mockRejectedValueOnce(new TypeError('a bug'));
  await expect(renew(address)).rejects.toThrow('a bug');
  expect(await intentOf(address)).toMatchObject({ state: 'intended', attempt: 1 });
});

test('what became of an order whose process died is taken over by the next job, and nothing is ordered again', async () => {
  const { address } = await own(10);
  const orderId = await orderRow(database, organisationId);
  place.mockResolvedValueOnce({ orderId, itemIds: [newId()] });
  advance.mockRejectedValueOnce(new Error('the process died'));
  await expect(renew(address)).rejects.toThrow('the process died');
  await itemRow(
    database,
    { organisationId, orderId },
    { kind: 'renewal', address, state: 'declined', public_error: 'The registry is closed.' },
  );
  await renew(address);
  expect(await intentOf(address)).toMatchObject({ state: 'unable', reason: 'The registry is closed.' });
  expect(place).toHaveBeenCalledTimes(1);
});

test.each([
  ['declined', 'dropped', 'manual'],
  ['succeeded', 'done', 'manual'],
  ['review', 'ordered', 'ordered'],
] as const)(
  'an order that was %s after auto renew was turned off leaves the attempt %s and the name %s, and nothing is tried again or told',
  async (outcome, state, shown) => {
    const { address } = await own(10);
    const orderId = await orderRow(database, organisationId);
    place.mockResolvedValueOnce({ orderId, itemIds: [] });
    await renew(address);
    await within(database, organisationId, (tx) =>
      tx.updateTable('domains').set({ auto_renew: false }).where('address', '=', address).execute(),
    );
    await itemRow(database, { organisationId, orderId }, { kind: 'renewal', address, state: outcome });
    await renewals().autoRenew.enqueueDue();
    expect(await takeJobs(database.url)).toContainEqual({
      ...{ task: 'renewals.renew', payload: { organisationId, address } },
    });
    await renew(address);
    expect(await intentOf(address)).toMatchObject({ state });
    expect((await renewals().due(jobScope(organisationId), 30)).rows).toMatchObject([{ state: shown }]);
    expect(place).toHaveBeenCalledTimes(1);
    expect(await taskNames()).toEqual([]);
  },
);

test('what is not due any more when its job comes is left alone: somebody renewed it, or turned auto renew off', async () => {
  const [renewed, turnedOff] = [await own(395), await own(10)];
  await within(database, organisationId, (tx) =>
    tx.updateTable('domains').set({ auto_renew: false }).where('address', '=', turnedOff.address).execute(),
  );
  for (const { address } of [renewed, turnedOff]) {
    await renew(address);
    expect(await intentOf(address)).toBeUndefined();
  }
  expect(place).not.toHaveBeenCalled();
});

test('a price that changed drops the attempt, and the job comes again with the new one', async () => {
  const { address } = await own(10);
  place.mockRejectedValueOnce(new AppError('price_changed'));
  await expect(renew(address)).rejects.toMatchObject({ code: 'price_changed' });
  expect(await intentOf(address)).toMatchObject({ state: 'dropped', attempt: 1 });
  priceCents = 1_300;
  await renew(address);
  expect(await intentOf(address)).toMatchObject({ state: 'ordered', attempt: 2, price_cents: 1_300 });
  expect(place.mock.calls[1]?.[2]).toBe(`auto-renew:${address}:2026:2`);
});

test('what somebody else has renewed is dropped for good, and what may pass by itself stays intended', async () => {
  const [renewed, broken] = [await own(10), await own(10)];
  place.mockRejectedValueOnce(new AppError('unprocessable')).mockRejectedValueOnce(new AppError('internal'));
  await renew(renewed.address);
  expect(await intentOf(renewed.address)).toMatchObject({ state: 'dropped' });
  await expect(renew(broken.address)).rejects.toMatchObject({ code: 'internal' });
  expect(await intentOf(broken.address)).toMatchObject({ state: 'intended' });
});

test('without money a letter follows and auto balance is asked; without them nothing of the kind', async () => {
  const poor = await own(10);
  place.mockRejectedValueOnce(new AppError('insufficient_funds'));
  await renew(poor.address);
  expect(await intentOf(poor.address)).toMatchObject({ state: 'unable', reason_kind: 'funds' });
  expect((await taskNames()).toSorted()).toEqual(['billing.consider-auto-topup', 'renewals.tell-unable']);
  const rich = await own(10);
  await renew(rich.address);
  expect(await taskNames()).toEqual([]);
});

test('what the portal’s own account at the registrar does not pay for is told, and tried again an hour later', async () => {
  const { address } = await own(10);
  place.mockRejectedValueOnce(new AppError('registrar_unfunded'));
  await renew(address);
  const reason = expect.stringContaining('its own account at the registrar is too low');
  expect(await intentOf(address)).toMatchObject({ state: 'unable', reason_kind: 'refused', reason });
  expect(await taskNames()).toEqual(['renewals.tell-unable']);
  const { rows } = await renewals().due(jobScope(organisationId), 30);
  expect(rows).toMatchObject([{ address, state: 'unable', reason }]);
  await renew(address);
  expect(place).toHaveBeenCalledTimes(1);
  nowMs += 3_600_000;
  await renew(address);
  expect(await intentOf(address)).toMatchObject({ state: 'ordered', attempt: 2 });
});

const refusedPrice = () =>
  new AppError('unprocessable', { message: 'No price for it: the registry is closed' });
const silence = () => new AppError('upstream_unavailable');

test('a renewal whose price the registrar refuses is told and shown at once, and renewed when the price is there again', async () => {
  const { address } = await own(10);
  noPrice = refusedPrice();
  await renew(address);
  const reason = noPrice.message;
  expect(await intentOf(address)).toMatchObject({
    state: 'unable',
    reason_kind: 'refused',
    reason,
    attempt: 1,
  });
  expect(await taskNames()).toEqual(['renewals.tell-unable']);
  const { rows } = await renewals().due(jobScope(organisationId), 30);
  expect(rows).toMatchObject([{ address, state: 'unable', reason }]);
  // Not before a day has passed.
  nowMs += dayMs - 1;
  noPrice = null;
  await renew(address);
  expect(await intentOf(address)).toMatchObject({ state: 'unable' });
  nowMs += 1;
  await renew(address);
  expect(await intentOf(address)).toMatchObject({ state: 'ordered', attempt: 2, price_cents: 1_200 });
  expect(place).toHaveBeenCalledTimes(1);
  expect(place.mock.calls[0]?.[1]).toMatchObject({ seenTotalCents: 1_200 });
});

test('a price that is refused day after day is told once, is tried each day, and at once when a person asks for it', async () => {
  await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  const { address } = await own(10);
  noPrice = refusedPrice();
  await renew(address);
  await renewals().tasks['renewals.tell-unable']({ organisationId });
  const told = (await intentOf(address))?.told_at;
  expect(told).toEqual(new Date(nowMs));
  nowMs += dayMs;
  await renew(address);
  expect(await intentOf(address)).toMatchObject({
    ...{ state: 'unable', told_at: told, next_try_at: new Date(nowMs + dayMs) },
  });
  expect(await renewals().autoRenew.retry({ organisationId, address })).toBe(true);
  noPrice = null;
  await renew(address);
  expect(await intentOf(address)).toMatchObject({ state: 'ordered', attempt: 2 });
});

test('a registrar that says no price is waited for; two days before the expiry it is told, and tried each hour', async () => {
  const { address } = await own(2.5);
  noPrice = silence();
  await expect(renew(address)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  expect(await intentOf(address)).toBeUndefined();
  nowMs += dayMs / 2;
  await renew(address);
  const reason = expect.stringContaining('did not say');
  const nextTry = new Date(nowMs + 3_600_000);
  expect(await intentOf(address)).toMatchObject({ state: 'unable', reason, next_try_at: nextTry });
  expect(await taskNames()).toEqual(['renewals.tell-unable']);
  nowMs += 3_600_000;
  noPrice = null;
  await renew(address);
  expect(await intentOf(address)).toMatchObject({ state: 'ordered', attempt: 2 });
});

test('what was intended or ordered at a price is taken up as ever, though the registrar refuses another one', async () => {
  const { address } = await own(10);
  place.mockRejectedValueOnce(new AppError('internal'));
  await expect(renew(address)).rejects.toMatchObject({ code: 'internal' });
  noPrice = refusedPrice();
  await renew(address);
  expect(place.mock.calls.map(([, , key]) => key)).toEqual([1, 1].map(() => `auto-renew:${address}:2026:1`));
  expect(await intentOf(address)).toMatchObject({ state: 'ordered', attempt: 1, price_cents: 1_200 });
  await renew(address);
  expect(await intentOf(address)).toMatchObject({ state: 'ordered', attempt: 1 });
  expect(await taskNames()).toEqual([]);
});

test('an order that finds no price is told shortly before the expiry, too', async () => {
  const [early, late] = [await own(10), await own(1)];
  place.mockRejectedValue(silence());
  for (const { address } of [early, late]) await renew(address).catch(() => undefined);
  expect(await intentOf(early.address)).toMatchObject({ state: 'intended' });
  expect(await intentOf(late.address)).toMatchObject({ state: 'unable', reason_kind: 'refused' });
});

test('the letter about what could not be renewed goes out when there is something to tell', async () => {
  await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  const tell = () => renewals().tasks['renewals.tell-unable']({ organisationId });
  await tell();
  expect(await taskNames()).toEqual([]);
  const { address } = await own(10);
  place.mockRejectedValueOnce(new AppError('insufficient_funds'));
  await renew(address);
  await takeJobs(database.url);
  await tell();
  expect(await taskNames()).toHaveLength(1);
  await tell();
  expect(await taskNames()).toEqual([]);
});

test('a date that was reminded of is mailed once, though several look at once', async () => {
  await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  await own(20);
  const remind = () => renewals().tasks['renewals.remind']();
  const letters = async () =>
    (await takeJobs(database.url)).filter(({ payload }) => payload.organisationId === organisationId).length;
  await Promise.all(Array.from({ length: 6 }, remind));
  expect(await letters()).toBe(1);
  await remind();
  expect(await letters()).toBe(0);
});

test('each organization is reminded of its own domains, and of nobody else’s', async () => {
  const { address: mine } = await own(20);
  const first = organisationId;
  organisationId = await organisationRow(database);
  const { address: theirs } = await own(20);
  await renewals().tasks['renewals.remind']();
  const told = (await takeJobs(database.url)).filter(({ task }) => task === 'billing.notify');
  for (const [id, has, lacks] of [
    [first, mine, theirs],
    [organisationId, theirs, mine],
  ] as const) {
    const letters = told.filter(({ payload }) => payload.organisationId === id);
    expect(letters).toHaveLength(1);
    const words = JSON.stringify(letters[0]?.payload);
    expect([words.includes(`"${has}"`), words.includes(`"${lacks}"`)]).toEqual([true, false]);
  }
});

test('what has expired and can be renewed normally falls due too, priced by the whole of its suffix', async () => {
  const [gone, late] = [await own(-41), await own(-39, `x${newName().split('.')[0]}.co.uk`)];
  const due = await renewals().due(jobScope(organisationId), 30);
  expect(due.rows.map(({ address }) => address)).toEqual([late.address]);
  expect(due.rows.map(({ address }) => address)).not.toContain(gone.address);
  expect(standardPriceCents).toHaveBeenCalledWith('co.uk', 'renewal');
});

test('what has left the account is neither planned nor priced nor ordered, until it is there again', async () => {
  const [left, here] = [await own(10), await own(11)];
  const miss = (missing_since: Date | null) =>
    within(database, organisationId, (tx) =>
      tx.updateTable('domains').set({ missing_since }).where('address', '=', left.address).execute(),
    );
  const planned = async () => {
    const { rows, total, automaticCount } = await renewals().due(jobScope(organisationId), 30);
    await renewals().tasks['renewals.run']();
    const jobs = (await takeJobs(database.url))
      .filter(({ payload }) => payload.organisationId === organisationId)
      .map(({ payload }) => payload.address);
    return { rows: rows.map(({ address }) => address), total, automaticCount, jobs };
  };
  await miss(new Date(nowMs));
  const one = [here.address];
  expect(await planned()).toEqual({ rows: one, total: 12, automaticCount: 1, jobs: one });
  await miss(null);
  const both = [left.address, here.address];
  expect(await planned()).toEqual({ rows: both, total: 24, automaticCount: 2, jobs: both });
});

test('what is due is planned once for each domain, and a closed organization renews nothing', async () => {
  const { address } = await own(10);
  await renewals().tasks['renewals.run']();
  await renewals().tasks['renewals.run']();
  const planned = async () =>
    (await takeJobs(database.url)).filter(({ payload }) => payload.address === address).length;
  expect(await planned()).toBe(1);
  await across(database, (tx) =>
    tx
      .updateTable('organisations')
      .set({ closed_at: new Date(nowMs) })
      .where('id', '=', organisationId)
      .execute(),
  );
  await renewals().tasks['renewals.run']();
  expect(await planned()).toBe(0);
});

test('only what waits for another try is tried again on request', async () => {
  const { address } = await own(10);
  const retry = () => renewals().autoRenew.retry({ organisationId, address });
  expect(await retry()).toBe(false);
  expect(await taskNames()).toEqual([]);
  place.mockRejectedValueOnce(new AppError('insufficient_funds'));
  await renew(address);
  await takeJobs(database.url);
  expect(await retry()).toBe(true);
  expect(await taskNames()).toEqual(['renewals.renew']);
  await renew(address);
  expect(await intentOf(address)).toMatchObject({ state: 'ordered' });
  expect(await retry()).toBe(false);
  expect(await taskNames()).toEqual([]);
});
