import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  customerRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { createSeal } from '../../kernel/seal.ts';
import { adjust, balances, expectTopUp } from '../../ledger/ledger.ts';
import type { RegistrarOrder } from '../../ports/registrar.ts';
import type { WantedOrder } from '../../ports/sought.ts';
import { registrationAct } from './acts/registration.ts';
import { createAdoption, type LostOrder } from './adopt.ts';
import { Engine } from './engine.ts';

/** An order that the registrar carried out and the database lost: how it is written down again, and that it is found by that. */

const dayMs = 86_400_000;
const start = new Date('2026-11-22T12:00:00Z');
let now: Date;
let database: TestDatabase;
let organisationId: string;
let customerId: string;
const clock = { now: () => now };
const ago = (days: number) => new Date(start.getTime() - days * dayMs);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  now = start;
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
  await tenant((tx) => adjust(tx, { organisationId, cents: 30_00, ref: 'start', actor: 'test', text: '' }));
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const lostOrder = (change: Partial<LostOrder> = {}): LostOrder => ({
  ...{ itemId: newId(), organisationId, customerId, kind: 'domain', address: newName(), years: 2 },
  ...{ priceCents: 12_31, costCents: 10_00, details: { autoRenew: true }, orderedAt: ago(3) },
  ...change,
});
const adopt = (lost: LostOrder, pendingLimitCents = 0) =>
  createAdoption({ db: database.db, clock, pendingLimitCents })(lost);
const money = async () => {
  const { balanceCents, heldCents } = await tenant((tx) => balances(tx, organisationId));
  return { balanceCents, heldCents };
};
const items = () =>
  tenant((tx) =>
    tx.selectFrom('order_items').selectAll().where('organisation_id', '=', organisationId).execute(),
  );
const orders = () =>
  tenant((tx) => tx.selectFrom('orders').selectAll().where('organisation_id', '=', organisationId).execute());

describe('a lost order', () => {
  test('is of the moment at which it was placed, as its tag tells it, and its outcome is unknown since now', async () => {
    const lost = lostOrder();
    expect(await adopt(lost)).toBe('adopted');
    const [order] = await orders();
    expect(order).toMatchObject({ source: 'recovery', user_id: null, total_cents: 12_31, attached: [] });
    expect(order?.created_at).toEqual(ago(3));
    const [item] = await items();
    expect(item).toMatchObject({
      ...{ id: lost.itemId, order_id: order?.id, kind: 'domain', address: lost.address, years: 2 },
      ...{ customer_id: customerId, price_cents: 12_31, cost_cents: 10_00, secrets_sealed: null },
      ...{ details: { autoRenew: true, adopted: true }, state: 'unknown', expiry_year: null },
      ...{ created_at: ago(3), unknown_since: start, next_check_at: start, updated_at: start },
    });
    expect(await money()).toEqual({ balanceCents: 30_00 - 12_31, heldCents: 12_31 });
    expect(await logged(database.db, { organisationId }, 'orders.recover')).toMatchObject([
      {
        kind: 'order item',
        object: lost.address,
        after: { item: lost.itemId, kind: 'domain', cents: 12_31 },
      },
    ]);
    expect(await loggedAbout(database.db, { organisationId }, 'orders.recover')).toEqual([customerId]);
  });

  // The registrar's list is read from a day before the order was placed: what is older is not in it.
  test.each([0, 0.9, 1.5, 30])(
    'that was placed %d days ago is found again by its tag, and is charged once',
    async (days) => {
      const lost = lostOrder({ orderedAt: ago(days) });
      const placed = { orderId: 'R1', domain: lost.address, state: 'completed', tag: lost.itemId };
      const registrar = {
        seekOrder: async ({ tag, since }: WantedOrder) =>
          tag === lost.itemId && since <= lost.orderedAt
            ? ({ kind: 'found', orders: [placed as unknown as RegistrarOrder] } as const)
            : ({ kind: 'absent' } as const),
        domain: async () => null,
      };
      const engine = new Engine({
        ...{ db: database.db, systemDb: database.systemDb, clock, parallelItems: 1 },
        acts: { domain: registrationAct(registrar as never) } as never,
        seal: createSeal([{ number: 1, secret: 'test' }]),
        logger: pino({ level: 'silent' }),
        times: { callMs: 60_000, claimMarginMs: 5_000, releaseAfterMs: 600_000, reviewAfterMs: dayMs },
      });
      expect(await adopt(lost)).toBe('adopted');
      for (const afterMs of [0, 600_000, 600_000]) {
        now = new Date(now.getTime() + afterMs);
        await engine.advance(organisationId, lost.itemId);
      }
      expect(await items()).toMatchObject([{ state: 'succeeded', registrar_order_id: 'R1' }]);
      expect(await orders()).toMatchObject([{ state: 'settled' }]);
      expect(await money()).toEqual({ balanceCents: 30_00 - 12_31, heldCents: 0 });
      expect(await adopt(lost)).toBe('known');
      expect(await money()).toEqual({ balanceCents: 30_00 - 12_31, heldCents: 0 });
    },
  );

  test('is written down once, however often recovery comes to it', async () => {
    const lost = lostOrder();
    expect([await adopt(lost), await adopt(lost)]).toEqual(['adopted', 'known']);
    expect(await items()).toHaveLength(1);
    expect(await orders()).toHaveLength(1);
    expect((await money()).heldCents).toBe(12_31);
    expect(await logged(database.db, { organisationId }, 'orders.recover')).toHaveLength(1);
  });

  test('for which the wallet has not enough is not written down at all; to the last cent it is enough', async () => {
    expect(await adopt(lostOrder({ priceCents: 30_01 }))).toBe('unfunded');
    expect([await items(), await orders()]).toEqual([[], []]);
    expect(await money()).toEqual({ balanceCents: 30_00, heldCents: 0 });
    expect(await logged(database.db, { organisationId }, 'orders.recover')).toEqual([]);
    expect(await adopt(lostOrder({ priceCents: 30_00 }))).toBe('adopted');
  });

  test('may be held with top-ups in processing, as any other order', async () => {
    await tenant((tx) => expectTopUp(tx, { organisationId, cents: 9_00 }));
    const lost = lostOrder({ priceCents: 35_00 });
    expect([await adopt(lost), await adopt(lost, 4_99), await adopt(lost, 5_00)]).toEqual([
      ...['unfunded', 'unfunded', 'adopted'],
    ]);
  });

  test('with an open item of its name and kind in its way is not written down; beside another it is', async () => {
    const orderId = await orderRow(database, organisationId);
    const { address } = lostOrder();
    await itemRow(database, { organisationId, orderId }, { address, kind: 'domain', state: 'pending' });
    expect(await adopt(lostOrder({ address }))).toBe('in the way');
    expect([await items(), await orders()].map(({ length }) => length)).toEqual([1, 1]);
    expect(await money()).toEqual({ balanceCents: 30_00, heldCents: 0 });
    expect(await logged(database.db, { organisationId }, 'orders.recover')).toEqual([]);
    expect(await adopt(lostOrder())).toBe('adopted');
    const ended = lostOrder();
    await itemRow(database, { organisationId, orderId }, { address: ended.address, state: 'declined' });
    expect(await adopt(ended)).toBe('adopted');
  });
});
