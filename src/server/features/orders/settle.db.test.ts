import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import {
  customerRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { adjust, balances, hold } from '../../ledger/ledger.ts';
import { registrationAct } from './acts/registration.ts';
import { transferAct } from './acts/transfer.ts';
import { createAdoption } from './adopt.ts';
import type { Verdict } from './engine.rules.ts';
import type { Item } from './item.ts';
import { findItem } from './items.repo.ts';
import { reopen, settle } from './settle.ts';

/** What each verdict writes, moves and wakes: one item of one order, with its money held. */

const now = new Date('2026-11-22T12:00:00Z');
let database: TestDatabase;
let organisationId: string;
let customerId: string;
const act = {
  ...{ send: vi.fn(), find: vi.fn(), succeeded: vi.fn(), started: vi.fn(), declined: vi.fn() },
};

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
  await tenant((tx) =>
    adjust(tx, { organisationId, cents: 1_000_00, ref: 'start', actor: 'test', text: '' }),
  );
});
afterAll(() => database.close());
beforeEach(async () => {
  vi.clearAllMocks();
  await takeJobs(database.url);
});

const patiently = { timeout: 300_000, interval: 20 };
const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
async function item(change: Parameters<typeof itemRow>[2] = {}, ofOrder?: string): Promise<Item> {
  const orderId = ofOrder ?? (await orderRow(database, organisationId));
  const place = { customer_id: customerId, state: 'sending' as const, ...change };
  const itemId = await itemRow(database, { organisationId, orderId }, place);
  await tenant((tx) => hold(tx, { organisationId, items: [{ itemId, cents: 10_00 }], pendingLimitCents: 0 }));
  return read(itemId);
}
async function read(id: string): Promise<Item> {
  const found = await tenant((tx) => findItem(tx, systemClock, id));
  if (!found) throw new Error(`no item ${id}`);
  return found;
}
const carryOut = (of: Item, verdict: Verdict, by = act as never) =>
  tenant((tx) => settle(tx, by, of, verdict, now));
const held = async () => (await tenant((tx) => balances(tx, organisationId))).heldCents;
const tasks = async () => (await takeJobs(database.url)).map(({ task }) => task);
const orderState = async (of: Item) =>
  tenant((tx) => tx.selectFrom('orders').select('state').where('id', '=', of.orderId).executeTakeFirst());

describe('an item', () => {
  test('that succeeded is paid, written down, ends its order, and is followed up', async () => {
    const mine = await item();
    const before = await held();
    expect(await carryOut(mine, { to: 'succeeded', result: { registrarOrderId: '7' } })).toBe(true);
    expect(await held()).toBe(before - 10_00);
    expect(act.succeeded).toHaveBeenCalledTimes(1);
    expect(await orderState(mine)).toEqual({ state: 'settled' });
    const payload = { organisationId, itemId: mine.id };
    expect(await takeJobs(database.url)).toEqual([{ task: 'orders.after-success', payload }]);
    expect(await read(mine.id)).toMatchObject({ state: 'succeeded', registrarOrderId: '7' });
  });

  test('that succeeded after trouble says what the registrar noted, or nothing: the trouble is over', async () => {
    const troubled = { state: 'unknown' as const, outcome_note: 'The call ended without an answer.' };
    const [plain, noted] = [await item(troubled), await item(troubled)];
    await carryOut(plain, { to: 'succeeded', result: { registrarOrderId: '7' } });
    await carryOut(noted, {
      to: 'succeeded',
      result: { registrarOrderId: '8', notes: ['Locked.', 'Late.'] },
    });
    expect((await read(plain.id)).outcomeNote).toBeNull();
    expect((await read(noted.id)).outcomeNote).toBe('Locked. Late.');
  });

  test('that recovery wrote down is paid and not followed up: its customer may have been charged for it before', async () => {
    const adopt = createAdoption({ db: database.db, clock: systemClock, pendingLimitCents: 0 });
    const itemId = newId();
    await adopt({
      ...{ itemId, organisationId, customerId, kind: 'domain', address: newName(), years: 1 },
      ...{ priceCents: 10_00, costCents: 8_00, details: {}, orderedAt: now },
    });
    const before = await held();
    await carryOut(await read(itemId), { to: 'succeeded', result: { registrarOrderId: '7' } });
    expect(await held()).toBe(before - 10_00);
    expect(await read(itemId)).toMatchObject({ state: 'succeeded' });
    expect(await tasks()).toEqual([]);
  });

  test('that ends at the same moment as the other one of its order ends the order with it', async () => {
    const one = await item();
    const other = await item({}, one.orderId);
    let ending: Promise<boolean> | undefined;
    act.succeeded.mockImplementationOnce(async () => {
      // The first has written its end, which the other cannot see before the first is through.
      ending = carryOut(other, { to: 'declined', reason: 'Taken' });
      await vi.waitFor(async () => {
        const { rows } = await sql`SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
          WHERE NOT granted AND datname = current_database()`.execute(database.systemDb);
        expect(rows).not.toEqual([]);
      }, patiently);
    });
    await carryOut(one, { to: 'succeeded', result: { registrarOrderId: '7' } });
    expect(await ending).toBe(true);
    expect(await orderState(one)).toEqual({ state: 'partial' });
  });

  test('that was declined gives its money back, says why, and ends its order', async () => {
    const mine = await item();
    const before = await held();
    await carryOut(mine, { to: 'declined', reason: 'Taken' });
    expect(await held()).toBe(before - 10_00);
    expect(act.declined).toHaveBeenCalledTimes(1);
    expect(await orderState(mine)).toEqual({ state: 'failed' });
    expect(await read(mine.id)).toMatchObject({ state: 'declined', publicError: 'Taken' });
  });

  test('that is accepted is shown as started once, and looked at again ever later', async () => {
    const mine = await item();
    const wait = { to: 'pending', registrarOrderId: '7', afterMs: 15_000 } as const;
    await carryOut(mine, wait);
    const waiting = await read(mine.id);
    expect(waiting).toMatchObject({ state: 'pending', registrarOrderId: '7', checks: 1 });
    await carryOut(waiting, { ...wait, registrarOrderId: null });
    expect(await read(mine.id)).toMatchObject({ registrarOrderId: '7', checks: 2 });
    expect(act.started).toHaveBeenCalledTimes(1);
    expect(await tasks()).toEqual(['orders.advance']);
  });

  test('that turns out to be accepted after nobody knew is shown as started too', async () => {
    const mine = await item({ state: 'unknown', unknown_since: now });
    await carryOut(mine, { to: 'pending', registrarOrderId: '7', afterMs: 15_000 });
    expect(act.started).toHaveBeenCalledTimes(1);
    expect(await read(mine.id)).toMatchObject({ state: 'pending', registrarOrderId: '7' });
  });

  test('whose outcome is unknown keeps its money, and since when it is unknown', async () => {
    const mine = await item();
    const before = await held();
    await carryOut(mine, { to: 'unknown', note: 'No answer', afterMs: 2_000 });
    const first = await read(mine.id);
    expect(first).toMatchObject({ state: 'unknown', unknownSince: now, checks: 1, outcomeNote: 'No answer' });
    await tenant((tx) =>
      settle(
        tx,
        act as never,
        first,
        { to: 'unknown', note: '', afterMs: 2_000 },
        new Date(now.getTime() + 5_000),
      ),
    );
    expect(await read(mine.id)).toMatchObject({ unknownSince: now, checks: 2 });
    expect(await held()).toBe(before);
  });

  test('that a person has to see keeps its money and calls one; reopened it is asked about again', async () => {
    const since = new Date(now.getTime() - 86_400_000);
    const mine = await item({ state: 'unknown', unknown_since: since });
    const before = await held();
    await carryOut(mine, { to: 'review', note: 'Contradictory' });
    expect(await tasks()).toEqual(['operator.alert']);
    const seen = await read(mine.id);
    expect(seen.state).toBe('review');
    await tenant((tx) => reopen(tx, seen, now));
    expect(await read(mine.id)).toMatchObject({ state: 'unknown', unknownSince: since });
    expect(await held()).toBe(before);
  });

  test('that has moved on meanwhile is left alone, and its money too', async () => {
    const mine = await item();
    await carryOut(mine, { to: 'declined', reason: 'Taken' });
    const before = await held();
    expect(await carryOut(mine, { to: 'succeeded', result: { registrarOrderId: '7' } })).toBe(false);
    expect(await held()).toBe(before);
    expect(act.succeeded).not.toHaveBeenCalled();
  });
});

describe('the portal’s own copy', () => {
  const domainAt = (address: string) =>
    tenant((tx) => tx.selectFrom('domains').selectAll().where('address', '=', address).executeTakeFirst());
  const transferOf = (id: string) =>
    tenant((tx) => tx.selectFrom('transfers').selectAll().where('id', '=', id).executeTakeFirst());

  test('of a registered name has its owner, its choices and its dates', async () => {
    const details = JSON.stringify({ autoRenew: true, privacy: true, contacts: contactsOf() });
    const mine = await item({ address: newName(), years: 2, details });
    const done = { to: 'succeeded', result: { registrarOrderId: '7', registeredAt: now } } as const;
    await carryOut(mine, done, registrationAct({} as never) as never);
    expect(await domainAt(mine.address)).toMatchObject({
      ...{ customer_id: customerId, status: 'active', auto_renew: true, privacy: true, registered_at: now },
      expires_at: new Date('2028-11-22T12:00:00Z'),
    });
  });

  test('of a transfer begins with its acceptance and ends with its refusal', async () => {
    const mine = await item({ kind: 'transfer', address: newName() });
    const transfer = transferAct({} as never) as never;
    await carryOut(mine, { to: 'pending', registrarOrderId: '7', afterMs: 15_000 }, transfer);
    expect(await transferOf(mine.id)).toMatchObject({ failed_at: null, completed_at: null });
    await carryOut(await read(mine.id), { to: 'declined', reason: 'Refused by the holder' }, transfer);
    expect(await transferOf(mine.id)).toMatchObject({ failed_at: now, reason: 'Refused by the holder' });
    expect((await domainAt(mine.address))?.status).not.toBe('transferring');
  });

  test('of a transfer that came in has its expiry, and the transfer is complete', async () => {
    const mine = await item({ kind: 'transfer', address: newName() });
    const expiresAt = new Date('2027-11-22T12:00:00Z');
    const done = { to: 'succeeded', result: { registrarOrderId: '7', expiresAt } } as const;
    await carryOut(mine, done, transferAct({} as never) as never);
    expect(await transferOf(mine.id)).toMatchObject({ completed_at: now, failed_at: null });
    expect(await domainAt(mine.address)).toMatchObject({ status: 'active', expires_at: expiresAt });
  });
});
