import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import { customerRow, newName, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { stillBeingConfirmed } from '../../../contracts/operations/orders.ts';
import type { Db } from '../../kernel/db/database.ts';
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
const patiently = { timeout: 300_000, interval: 20 };
const minuteMs = 60_000;
const service = ({ db = database.db, replyWaitMs = 5 * minuteMs }: { db?: Db; replyWaitMs?: number } = {}) =>
  createOrders({
    ...{ db, systemDb: database.systemDb, seal: createSeal([{ number: 1, secret: 'test' }]) },
    ...{ clock: { now: () => new Date('2026-11-22T12:00:00Z') }, logger: pino({ level: 'silent' }) },
    ...{ pendingLimitCents: 0, parallelItems: 4, replyWaitMs },
    registrar: { register } as never,
    customers: { contactsForOrder: async () => contactsOf() },
    pricing: {
      domains: { price: async () => ({ priceCents: 12_31, costCents: 10_00, premium: false }) } as never,
      certificates: {} as never,
    },
    readCsr: {} as never,
    requireRegistrarFunds: async () => undefined,
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
  await vi.waitFor(async () => {
    const items = await tenant((tx) => itemsOfOrder(tx, scope, reply.orderId));
    expect(items).toMatchObject([{ state: 'succeeded' }]);
  }, patiently);
  expect(await service().purchase(scope, cart, 'slow-cart')).toEqual(reply);
  expect(await service().outcome(scope, 'slow-cart')).toEqual({ state: 'done', result: reply });
});
