import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/contracts/errors.ts';
import { createRenewals } from '../../src/server/features/renewals/index.ts';
import { inTransaction, sql } from '../../src/server/kernel/db/database.ts';
import { onFailpoint } from '../../src/server/kernel/failpoint.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Buyer, World } from './world.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 10, 21);
let database: TestDatabase;
let world: World;
let scope: Buyer;
let nowMs: number;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

beforeEach(async () => {
  world = new World(database, 7);
  world.registrar.faultRate = 0;
  nowMs = startMs;
  await inTransaction(database.systemDb, { organisationId: newId() }, async (tx) => {
    for (const table of ['renewal_reminders', 'auto_renewals', 'domains']) {
      await sql`DELETE FROM ${sql.table(table)}`.execute(tx);
    }
  });
});
afterEach(async () => {
  onFailpoint(null);
  expect(await world.violations(true)).toEqual([]);
});

function renewals() {
  return createRenewals({
    db: database.db,
    systemDb: database.systemDb,
    clock: { now: () => new Date(nowMs) },
    orders: world.orders,
    pricing: {
      price: async () => ({ priceCents: 1_200, costCents: 1_000, premium: false }),
      standardPriceCents: async () => 1_200,
      premiumPriceCents: (cents) => cents,
    },
    pendingLimitCents: 0,
    renewDays: 30,
    reminderDays: [30, 7, -3],
    graceDays: 40,
    publicUrl: 'https://portal.test',
  });
}

/** A domain of ours, at the registrar too, that expires in so many days. */
async function own(address: string, days: number, autoRenew = true): Promise<{ expiresAt: Date }> {
  const expiresAt = new Date(startMs + days * dayMs);
  world.registrar.expiry.set(address, expiresAt.getTime());
  await inTransaction(database.db, scope, (tx) =>
    tx
      .insertInto('domains')
      .values({
        ...{ id: newId(), organisation_id: scope.organisationId, customer_id: scope.customerId, address },
        ...{ status: 'active' as const, registered_at: null, expires_at: expiresAt, auto_renew: autoRenew },
        ...{ locked: true, privacy: null, credentials_sealed: null, synced_at: null, ended_at: null },
        ...{ end_reason: null, renewed_at: null, transferred_at: null },
      })
      .execute(),
  );
  return { expiresAt };
}

const place = (address: string) => ({ organisationId: scope.organisationId, address });
const periodsOf = (address: string, before: Date) =>
  new Date(world.registrar.expiry.get(address) ?? 0).getUTCFullYear() - before.getUTCFullYear();

function byHand(address: string, expiresAt: Date) {
  const renewal = { address, period: 1, expireDate: expiresAt.toISOString() };
  const body = { domains: [], domainRenewals: [renewal], domainTransfers: [], certificates: [], price: 12 };
  return world.orders.purchase(scope, body, `key-${newId()}`);
}

async function intentOf(address: string) {
  return database.systemDb
    .selectFrom('auto_renewals')
    .selectAll()
    .where('address', '=', address)
    .executeTakeFirst();
}

describe('automatic renewal', () => {
  test('renewing by the job and by a person at the same time moves the expiry by exactly one period', async () => {
    scope = await world.open(100_000);
    for (let round = 0; round < 12; round += 1) {
      const address = `race${round}.com`;
      const { expiresAt } = await own(address, 20);
      const { autoRenew } = renewals();
      const hand = () =>
        byHand(address, expiresAt).catch((error: unknown) => expect(error).toBeInstanceOf(AppError));
      const job = () => autoRenew.renew(place(address));
      // Every order of the two, and both at once.
      if (round % 3 === 0) await Promise.all([job(), hand(), job()]);
      else if (round % 3 === 1) await job().then(hand);
      else await hand().then(job);
      expect(periodsOf(address, expiresAt)).toBe(1);
    }
    expect(world.registrar.effects).toHaveLength(12);
  });

  test('a hundred requests to renew a name that do not say which expiry they move, at once and one after another, move it once', async () => {
    scope = await world.open(1_000_000);
    const address = 'burst.com';
    const { expiresAt } = await own(address, 20, false);
    const renewal = { address, period: 1 };
    const body = { domains: [], domainRenewals: [renewal], domainTransfers: [], certificates: [], price: 12 };
    const renew = () => world.orders.purchase(scope, body, `key-${newId()}`).catch((error: unknown) => error);
    await Promise.all(Array.from({ length: 50 }, renew));
    const late = [];
    for (let i = 0; i < 50; i += 1) late.push(await renew());
    expect(periodsOf(address, expiresAt)).toBe(1);
    expect(late.at(-1)).toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('was renewed a moment ago and now expires on 2027-12-11'),
    });
    // A caller who names the current expiry wants one more renewal.
    const now = new Date(world.registrar.expiry.get(address) ?? 0);
    await byHand(address, now);
    expect(periodsOf(address, expiresAt)).toBe(2);
  });

  test('two workers on one domain renew it once', async () => {
    scope = await world.open(100_000);
    const { expiresAt } = await own('twice.com', 10);
    await Promise.all([1, 2, 3, 4].map(() => renewals().autoRenew.renew(place('twice.com'))));
    await renewals().autoRenew.renew(place('twice.com'));
    expect(periodsOf('twice.com', expiresAt)).toBe(1);
    expect(await intentOf('twice.com')).toMatchObject({ state: 'done', attempt: 1 });
  });

  test.each(['renewal.intended', 'purchase.held', 'renewal.ordered', 'item.claimed', 'item.answered'])(
    'a crash at %s renews it once in the end',
    async (point) => {
      scope = await world.open(100_000);
      const { expiresAt } = await own('crash.com', 10);
      let dead = false;
      onFailpoint((name) => {
        if (name !== point || dead) return;
        dead = true;
        throw new Error('the process died here');
      });
      await renewals()
        .autoRenew.renew(place('crash.com'))
        .catch(() => undefined);
      expect(dead).toBe(true);
      onFailpoint(null);
      await renewals().autoRenew.renew(place('crash.com'));
      await world.comeToRest();
      // Released items are ordered again a day later. Completed ones stay.
      await renewals().autoRenew.renew(place('crash.com'));
      nowMs += 25 * 3_600_000;
      await renewals().autoRenew.renew(place('crash.com'));
      expect(periodsOf('crash.com', expiresAt)).toBe(1);
      expect(world.registrar.effects).toHaveLength(1);
    },
  );

  test('without money nothing is ordered, the MSP is told once, and it is renewed when money has come', async () => {
    scope = await world.open(500);
    const { expiresAt } = await own('poor.com', 10);
    const { tasks, autoRenew } = renewals();
    await autoRenew.renew(place('poor.com'));
    expect(await intentOf('poor.com')).toMatchObject({ state: 'unable', reason_kind: 'funds' });
    expect(world.registrar.effects).toHaveLength(0);
    await tasks['renewals.tell-unable']?.({ organisationId: scope.organisationId });
    const told = (await intentOf('poor.com'))?.told_at;
    expect(told).not.toBeNull();
    nowMs += 2 * 3_600_000;
    await autoRenew.renew(place('poor.com'));
    expect(await intentOf('poor.com')).toMatchObject({ state: 'unable', attempt: 2, told_at: told });
    await world.deposit(scope, 5_000);
    nowMs += 2 * 3_600_000;
    await autoRenew.renew(place('poor.com'));
    expect(periodsOf('poor.com', expiresAt)).toBe(1);
    expect(await intentOf('poor.com')).toMatchObject({ state: 'done', attempt: 3 });
  });

  test('what is not due, has auto renew off, or is past its grace is left alone', async () => {
    scope = await world.open(100_000);
    await own('later.com', 31);
    await own('off.com', 5, false);
    await own('gone.com', -41);
    const due = await own('grace.com', -39);
    const { autoRenew } = renewals();
    for (const address of ['later.com', 'off.com', 'gone.com', 'grace.com'])
      await autoRenew.renew(place(address));
    expect(world.registrar.effects.map(({ domain }) => domain)).toEqual(['grace.com']);
    expect(periodsOf('grace.com', due.expiresAt)).toBe(1);
  });

  test('what falls due is put against the money: the first that is not covered is named', async () => {
    scope = await world.open(2_500);
    await own('a1.com', 40);
    await own('a2.com', 50);
    await own('a3.com', 60);
    await own('manual.com', 45, false);
    await own('far.com', 120);
    const due = await renewals().due(scope, 90);
    expect(due).toMatchObject({
      spendable: 2_500,
      total: 48,
      automaticTotal: 36,
      automaticCount: 3,
      unpriced: 0,
      more: false,
      missing: 11,
    });
    expect(due.rows.map(({ address, covered, state }) => [address, covered, state])).toEqual([
      ['a1.com', true, 'planned'],
      ['manual.com', true, 'manual'],
      ['a2.com', true, 'planned'],
      ['a3.com', false, 'planned'],
    ]);
    expect(due.shortFrom).toBe(new Date(startMs + 30 * dayMs).toISOString());
  });
});

describe('reminders', () => {
  test('each policy date is mailed once, and what was missed is made up for by the date that counts', async () => {
    scope = await world.open(0);
    await world.addManager(scope, 'boss@msp.example');
    await own('month.com', 29);
    await own('week.com', 5);
    await own('past.com', -4, false);
    await own('far.com', 40);
    const remind = () => renewals().tasks['renewals.remind']();
    const sent = async () =>
      (
        await database.systemDb
          .selectFrom('renewal_reminders')
          .select(['address', 'days'])
          .orderBy('days')
          .execute()
      ).map(({ address, days }) => `${address} ${days}`);
    await Promise.all([remind(), remind()]);
    await remind();
    expect(await sent()).toEqual(['past.com -3', 'week.com 7', 'month.com 30']);
    nowMs += 23 * dayMs;
    await remind();
    expect(await sent()).toEqual(
      expect.arrayContaining(['month.com 7', 'week.com -3', 'far.com 30', 'past.com -3']),
    );
    expect(await sent()).toHaveLength(6);
  });
});
