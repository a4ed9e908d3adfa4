import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import {
  customerRow,
  domainRow,
  newName,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { AppError } from '../../../contracts/errors.ts';
import { stillBeingConfirmed, transferStarted } from '../../../contracts/values/outcome-texts.ts';
import { type Db, sql } from '../../kernel/db/database.ts';
import { fairnessKey } from '../../kernel/fairness.ts';
import { newId } from '../../kernel/ids.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '../../kernel/scope.ts';
import { createSeal } from '../../kernel/seal.ts';
import { adjust, balances } from '../../ledger/ledger.ts';
import type { Outcome } from '../../ports/outcome.ts';
import { requestOfBody } from './lines.ts';
import { itemsOfOrder } from './orders.repo.ts';
import { createOrders } from './orders.service.ts';

/** How long the reply to a purchase waits, and what those hear who ask for the same while it runs. */

let database: TestDatabase;
let scope: Scope;
let customerId: string;
/** The registrar answers when the test says so. */
let answer: () => void;
let begun: Promise<void>;
const register = vi.fn<() => Promise<Outcome<{ orderId: string }>>>();

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  const organisationId = await organisationRow(database);
  const userId = await userRow(database, organisationId);
  customerId = await customerRow(database, organisationId);
  scope = {
    ...{ organisationId, userId, email: 'ann@msp.example', role: 'MSP_EMPLOYEE', reach: wholeOrganisation },
    ...{ rights: rightsOfRole, ip: null, requestId: 'test' },
  };
  await tenant((tx) => adjust(tx, { organisationId, cents: 100_00, ref: 'start', actor: 'test', text: '' }));
  const answered = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  [answer, begun] = [answered.resolve, asked.promise];
  register.mockReset().mockImplementation(async () => {
    asked.resolve();
    await answered.promise;
    return { kind: 'done', value: { orderId: 'R1' } };
  });
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, scope.organisationId, run);
const minuteMs = 60_000;
const priced = async (..._asked: unknown[]) => ({ priceCents: 12_31, costCents: 10_00, premium: false });
interface Stand {
  db?: Db;
  replyWaitMs?: number;
  price?: typeof priced;
  requireRegistrarFunds?: () => Promise<void>;
  registrar?: object;
}
const service = ({
  db = database.db,
  replyWaitMs = 5 * minuteMs,
  price = priced,
  registrar = {},
  requireRegistrarFunds = async () => undefined,
}: Stand = {}) =>
  createOrders({
    ...{ db, systemDb: database.systemDb, seal: createSeal([{ number: 1, secret: 'test' }]) },
    ...{ clock: { now: () => new Date('2026-11-22T12:00:00Z') }, logger: pino({ level: 'silent' }) },
    ...{ pendingLimitCents: 0, parallelItems: 4, replyWaitMs },
    registrar: { register, ...registrar } as never,
    customers: { contactsForOrder: async () => contactsOf() },
    pricing: {
      domains: { price } as never,
      certificates: {} as never,
    },
    readCsr: {} as never,
    requireRegistrarFunds,
    times: {
      ...{ callMs: minuteMs, claimMarginMs: 5_000 },
      ...{ releaseAfterMs: 10 * minuteMs, reviewAfterMs: 1440 * minuteMs },
    },
  });
const cartOf = (...names: string[]) => {
  const line = { customerId, period: 1 as const, whois: false, autoRenew: false, price: 12.31 };
  return {
    domains: names.map((address) => ({ ...line, address })),
    ...{ domainRenewals: [], domainTransfers: [], certificates: [], price: 12.31 * names.length },
  };
};

/** A portal of which is known when a waiting request has looked at its items several times. */
function watched() {
  let looks = 0;
  const waits = Promise.withResolvers<'waits'>();
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (result.rows.some((row) => 'intent_hash' in row)) looks += 1;
      if (looks === 3) waits.resolve('waits');
      return result;
    },
  });
  return { orders: service({ db }), waits: waits.promise };
}

describe('a purchase that is sent again', () => {
  const dearer = async () => ({ priceCents: 99_00, costCents: 10_00, premium: false });
  const unfunded = () => Promise.reject(new AppError('registrar_unfunded'));

  test('hears what it heard, though by now it costs more, the name is here, and the registrar is not paid', async () => {
    answer();
    const cart = cartOf(newName());
    const reply = await service().purchase(scope, cart, 'sent-later');
    expect(reply.domains.success).toHaveLength(1);
    const later = service({ price: dearer, requireRegistrarFunds: unfunded });
    expect(await later.purchase(scope, cart, 'sent-later')).toEqual(reply);
    expect(register).toHaveBeenCalledTimes(1);
    // Another key is another request, to which all of that is said.
    await expect(later.purchase(scope, cart, 'another-key')).rejects.toMatchObject({ code: 'price_changed' });
  });

  test('at the same instant is the one order, though its name is in the account by the time it is looked at', async () => {
    answer();
    const cart = cartOf(newName());
    let first: unknown;
    const requireRegistrarFunds = async () => {
      first ??= await service().purchase(scope, cart, 'same-instant');
    };
    const reply = await service({ requireRegistrarFunds }).purchase(scope, cart, 'same-instant');
    expect(reply).toEqual(first);
    expect(register).toHaveBeenCalledTimes(1);
    expect(await tenant((tx) => balances(tx, scope.organisationId))).toMatchObject({
      balanceCents: 100_00 - 12_31,
    });
  });

  test('at the same instant as another request under its key is refused, and buys nothing', async () => {
    answer();
    let placed = false;
    const requireRegistrarFunds = async () => {
      if (!placed) await service().purchase(scope, cartOf(newName()), 'same-key');
      placed = true;
    };
    const other = service({ requireRegistrarFunds }).purchase(scope, cartOf(newName()), 'same-key');
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(register).toHaveBeenCalledTimes(1);
  });
});

describe('two orders at the same instant', () => {
  test('of one name are one item: the later follows the earlier, and pays for its own names only', async () => {
    const [shared, own] = [newName(), newName()];
    const orders = service();
    let [tries, first] = [0, ''];
    const placed = await orders.place(scope, requestOfBody(cartOf(shared, own)), null, {
      also: async () => {
        tries += 1;
        // The other one is through before anything of this one is written.
        if (tries === 1) first = (await orders.place(scope, requestOfBody(cartOf(shared)), null)).orderId;
      },
    });
    expect(tries).toBe(2);
    const items = await tenant((tx) => itemsOfOrder(tx, scope, placed.orderId));
    expect(new Set(items.map(({ address, orderId }) => `${address} ${orderId}`))).toEqual(
      new Set([`${shared} ${first}`, `${own} ${placed.orderId}`]),
    );
    expect((await tenant((tx) => balances(tx, scope.organisationId))).heldCents).toBe(2 * 12_31);
    expect(await orders.get(scope, placed.orderId)).toMatchObject({ total: 12.31 });
  });

  test('of a person with a daily limit wait for each other: there is room for one', async () => {
    await tenant((tx) =>
      tx.updateTable('users').set({ daily_limit_cents: 12_31 }).where('id', '=', scope.userId).execute(),
    );
    const orders = service();
    let second: Promise<string> | undefined;
    const ended = (placing: Promise<unknown>) =>
      placing.then(
        () => 'taken',
        (error: AppError) => error.code,
      );
    const first = orders.place(scope, requestOfBody(cartOf(newName())), null, {
      also: async () => {
        second = ended(orders.place(scope, requestOfBody(cartOf(newName())), null));
        const waits = eventually(async () => {
          const { rows } = await sql`SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE NOT granted AND datname = current_database()`.execute(database.systemDb);
          expect(rows).not.toEqual([]);
          return 'waits';
        });
        expect(await Promise.race([waits, second])).toBe('waits');
      },
    });
    expect([await ended(first), await second]).toEqual(['taken', 'daily_limit']);
  });
});

describe('what a caller writes with an order', () => {
  test('is told what was ordered and at what price, and stands or falls with it', async () => {
    const orders = service();
    const told: unknown[] = [];
    const cart = cartOf(newName(), newName());
    const placed = await orders.place(scope, requestOfBody(cart), null, {
      also: async (_tx, order) => void told.push(order),
    });
    expect(told).toEqual([{ orderId: placed.orderId, itemIds: placed.itemIds, totalCents: 2 * 12_31 }]);
    const failed = orders.place(scope, requestOfBody(cartOf(newName())), 'falls-with-it', {
      also: () => Promise.reject(new AppError('conflict')),
    });
    await expect(failed).rejects.toMatchObject({ code: 'conflict' });
    expect((await tenant((tx) => balances(tx, scope.organisationId))).heldCents).toBe(2 * 12_31);
    expect((await orders.list(scope, { pageSize: 9 })).total).toBe(1);
    expect(await orders.outcome(scope, 'falls-with-it')).toMatchObject({ state: 'absent' });
  });
});

describe('from a domain’s page', () => {
  let asked: unknown[][] = [];
  const price: typeof priced = async (...given) => {
    asked.push([...given, fairnessKey()]);
    return priced();
  };
  beforeEach(() => {
    asked = [];
  });

  test('a transfer is ordered at its present price, with its code, and again under its key it is the same one', async () => {
    const transferIn = vi.fn(async (_input: object) => ({ kind: 'done', value: { orderId: 'T1' } }));
    const registrar = { transferIn, seekOrder: async () => ({ kind: 'absent' }) };
    const orders = service({ price, registrar });
    const wanted = { domain: newName(), customerId, authInfo: 'code-1' };
    const reply = await orders.transfer(scope, wanted, 'transfer-key');
    expect(reply).toMatchObject({
      transfers: { success: [{ domain: wanted.domain, price: 12.31, note: transferStarted }], fail: [] },
    });
    expect(transferIn.mock.calls[0]?.[0]).toMatchObject({
      ...{
        domain: wanted.domain,
        authCode: 'code-1',
        origin: { customerId, priceCents: 12_31, autoRenew: false },
      },
    });
    // The organization's turn at the registrar, in which it is asked.
    expect(asked[0]).toEqual([wanted.domain, 'transfer', 1, scope.organisationId]);
    expect(await orders.transfer(scope, wanted, 'transfer-key')).toEqual(reply);
    expect(transferIn).toHaveBeenCalledTimes(1);
    expect(await tenant((tx) => balances(tx, scope.organisationId))).toMatchObject({ heldCents: 12_31 });
  });

  test('a restoration is ordered for the price that was shown, and for no other', async () => {
    const { address } = await domainRow(database, scope.organisationId, {
      ...{ status: 'expired', restorable_until: new Date('2026-12-10T00:00:00Z'), customer_id: customerId },
    });
    const redeem = vi.fn(async () => ({ kind: 'done', value: { orderId: 'Z1' } }));
    const orders = service({ price, registrar: { redeem } });
    const dearer = { domain: address, price: 12.3 };
    await expect(orders.restore(scope, dearer, null)).rejects.toMatchObject({
      ...{ code: 'price_changed', data: { oldTotal: 12.3, newTotal: 12.31, items: [{ oldPrice: 12.3 }] } },
    });
    expect(redeem).not.toHaveBeenCalled();
    const reply = await orders.restore(scope, { domain: address, price: 12.31 }, 'restore-key');
    expect(reply).toMatchObject({ renewals: { success: [{ domain: address, price: 12.31 }], fail: [] } });
    expect(asked.at(-1)?.slice(0, 3)).toEqual([address, 'redemption', 1]);
    expect(await orders.restore(scope, { domain: address, price: 12.31 }, 'restore-key')).toEqual(reply);
    expect(redeem).toHaveBeenCalledTimes(1);
  });

  test('prices are asked for in the organization’s turn', async () => {
    const orders = service({ price });
    const wanted = { kind: 'domain' as const, address: 'a.com', period: 2 };
    expect(await orders.prices(scope, [wanted])).toMatchObject([{ address: 'a.com', price: 12.31 }]);
    expect(asked).toEqual([['a.com', 'new', 2, scope.organisationId]]);
  });
});

test('an order is read by its number, by those of its organization only', async () => {
  const orders = service();
  const { orderId } = await orders.place(scope, requestOfBody(cartOf(newName())), null);
  await orders.place(scope, requestOfBody(cartOf(newName())), null);
  expect(await orders.get(scope, orderId)).toMatchObject({ orderId, state: 'held', total: 12.31 });
  const other = { ...scope, organisationId: await organisationRow(database) };
  for (const [asker, id] of [
    [scope, newId()],
    [other, orderId],
  ] as const) {
    await expect(orders.get(asker, id)).rejects.toMatchObject({ code: 'not_found' });
  }
});

describe('a purchase that is sent again while it runs', () => {
  test('is answered when its items are through: it hears what the first one hears, and so does every later one', async () => {
    const cart = cartOf(newName());
    const first = service().purchase(scope, cart, 'sent-twice');
    await Promise.race([begun, first]);
    const { orders, waits } = watched();
    const repeat = orders.purchase(scope, cart, 'sent-twice');
    expect(await Promise.race([waits, repeat])).toBe('waits');
    answer();
    const reply = await first;
    expect(reply).toMatchObject({
      domains: { success: [{ domain: cart.domains[0]?.address, price: 12.31 }], fail: [] },
      pending: [],
    });
    expect(await repeat).toEqual(reply);
    expect(await service().purchase(scope, cart, 'sent-twice')).toEqual(reply);
    expect(register).toHaveBeenCalledTimes(1);
    expect(await tenant((tx) => balances(tx, scope.organisationId))).toMatchObject({
      ...{ balanceCents: 100_00 - 12_31, heldCents: 0 },
    });
  });

  test('waits while anything is queued or sent, and no longer: what takes days is told as it stands', async () => {
    const cart = cartOf(newName(), newName());
    // Nobody sends it: each state stays until the test changes it.
    const { orderId } = await service().place(scope, requestOfBody(cart), null);
    const states = async (...all: ('queued' | 'sending' | 'pending' | 'unknown' | 'review')[]) => {
      for (const [position, state] of all.entries()) {
        await tenant((tx) =>
          tx
            .updateTable('order_items')
            .set({ state })
            .where('order_id', '=', orderId)
            .where('position', '=', position)
            .execute(),
        );
      }
    };
    // Another key: a cart of which everything is being bought already.
    const asked = async () => {
      const { orders, waits } = watched();
      const reply = orders.purchase(scope, cart, newId());
      const end = await Promise.race([waits, reply.then(() => 'answered')]);
      if (end === 'waits') await states('pending', 'pending');
      return { end, reply: await reply };
    };
    for (const open of ['queued', 'sending'] as const) {
      await states('pending', open);
      expect((await asked()).end).toBe('waits');
    }
    for (const state of ['pending', 'unknown', 'review'] as const) {
      await states('pending', state);
      const { end, reply } = await asked();
      expect(end).toBe('answered');
      expect(reply.pending.map(({ domain }) => domain)).toEqual(cart.domains.map(({ address }) => address));
    }
  });
});

test('a cart of which everything is being bought already waits for that, and is told whose order it was', async () => {
  const cart = cartOf(newName());
  const first = service().purchase(scope, cart, 'first-cart');
  await Promise.race([begun, first]);
  const { orders, waits } = watched();
  const second = orders.purchase(scope, cart, 'second-cart');
  expect(await Promise.race([waits, second])).toBe('waits');
  answer();
  const { orderId } = await first;
  const reply = await second;
  expect(reply.orderId).not.toBe(orderId);
  expect(reply).toMatchObject({
    domains: { success: [{ domain: cart.domains[0]?.address, earlierOrderId: orderId }], fail: [] },
    pending: [],
  });
  expect(register).toHaveBeenCalledTimes(1);
});

test('a reply that could wait no longer says so, and a repeat gets it again, whatever came of it', async () => {
  const cart = cartOf(newName());
  const reply = await service({ replyWaitMs: 1 }).purchase(scope, cart, 'slow-cart');
  const domain = cart.domains[0]?.address;
  expect(reply).toMatchObject({
    domains: { success: [], fail: [{ domain, error: stillBeingConfirmed }] },
    pending: [{ domain, kind: 'domain' }],
  });
  answer();
  await eventually(async () => {
    const items = await tenant((tx) => itemsOfOrder(tx, scope, reply.orderId));
    expect(items).toMatchObject([{ state: 'succeeded' }]);
  });
  expect(await service().purchase(scope, cart, 'slow-cart')).toEqual(reply);
  expect(await service().outcome(scope, 'slow-cart')).toEqual({
    ...{ state: 'done', result: reply, progress: null },
  });
});
