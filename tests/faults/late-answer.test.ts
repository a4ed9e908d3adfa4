import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storeReply } from '../../src/server/kernel/idempotency.ts';
import { type Outcome, tooLate } from '../../src/server/ports/outcome.ts';
import type { Registrar } from '../../src/server/ports/registrar.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { takeJobs } from '../support/jobs.ts';
import { World } from './world.ts';

/**
 * An order whose process is paused on the way to the registrar, while others take it for lost and give its money back
 * (design: fences). Time is the simulation's; the registrar asks the fence where the portal's HTTP client does.
 */
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const pastClaimMs = 40_000;
const pastReleaseMs = 700_000;

interface Pause {
  /** What the others do while the process waits for its turn … */
  beforeWire?: (world: World) => Promise<void>;
  /** … while its bytes are on the way … */
  onWire?: (world: World) => Promise<void>;
  /** … and while the answer is. */
  afterStrike?: (world: World) => Promise<void>;
}

/** One registration, paused at its first attempt. */
async function paused(pause: Pause) {
  let world: World | null = null;
  let first = true;
  const port = (inner: Registrar): Registrar => ({
    ...inner,
    register: async (input, fence): Promise<Outcome<{ orderId: string; notes: string[] }>> => {
      const here = first && world ? pause : {};
      first = false;
      if (world) await here.beforeWire?.(world);
      if ((await fence.holdsForMs()) <= 0) return { kind: 'busy', code: tooLate, text: 'too late' };
      if (world) await here.onWire?.(world);
      const outcome = await inner.register(input, fence);
      if (world) await here.afterStrike?.(world);
      return outcome;
    },
  });
  world = new World(database, 7, { port });
  world.registrar.faultRate = 0;
  const scope = await world.open(100_00);
  const { key } = world.cart(scope);
  const domain = {
    address: `paused-${scope.organisationId.slice(-6)}.com`,
    customerId: scope.customerId ?? '',
  };
  const body = {
    ...{ domains: [{ ...domain, period: 1 as const, whois: false, autoRenew: false }] },
    ...{ domainRenewals: [], domainTransfers: [], certificates: [], price: 12 },
  };
  await world.orders.purchase(scope, body, key);
  await world.comeToRest();
  const items = await database.systemDb
    .selectFrom('order_items')
    .select(['state', 'attempt'])
    .where('organisation_id', '=', scope.organisationId)
    .execute();
  return { world, items, sent: world.registrar.effects.length, faults: await world.violations(true) };
}

/** Another process looks after what is open. */
const othersSweep =
  (...passes: number[]) =>
  async (world: World) => {
    for (const ms of passes) {
      world.advance(ms);
      await world.orders.engine.sweep(100);
    }
  };

const alarms = async () =>
  (await takeJobs(database.url))
    .filter(({ task }) => task === 'operator.alert')
    .map(({ payload }) => String(payload.text));

describe('an order whose process was paused', () => {
  test('and that others have paid back meanwhile is not sent', async () => {
    const { items, sent, faults } = await paused({ beforeWire: othersSweep(pastClaimMs, pastReleaseMs, 0) });
    expect({ items, sent, faults }).toEqual({
      items: [{ state: 'declined', attempt: 1 }],
      sent: 0,
      faults: [],
    });
  });

  test('and that others have taken for lost meanwhile is sent by a new attempt, once', async () => {
    const { items, sent, faults } = await paused({ beforeWire: othersSweep(pastClaimMs) });
    expect({ items, sent, faults }).toEqual({
      items: [{ state: 'succeeded', attempt: 2 }],
      sent: 1,
      faults: [],
    });
  });

  test('and whose claim has run out unseen is not sent under it', async () => {
    const { items, sent } = await paused({ beforeWire: async (world) => world.advance(2_000) });
    expect({ items, sent }).toEqual({ items: [{ state: 'succeeded', attempt: 2 }], sent: 1 });
  });

  test('until after its answer is found by its tag, whatever that answer was', async () => {
    const { items, sent, faults } = await paused({ afterStrike: othersSweep(pastClaimMs) });
    expect({ items, sent, faults }).toEqual({
      items: [{ state: 'succeeded', attempt: 1 }],
      sent: 1,
      faults: [],
    });
  });

  test('with its bytes on the way, and that was paid back meanwhile, is reported to the operator', async () => {
    const { items, sent } = await paused({ onWire: othersSweep(pastClaimMs, pastReleaseMs, 0) });
    expect({ items, sent }).toEqual({ items: [{ state: 'declined', attempt: 1 }], sent: 1 });
    expect(await alarms()).toEqual([expect.stringContaining('the registrar carried it out all the same')]);
  });
});

test('two requests under one key that see different states of their order answer the same: what the first one said', async () => {
  const world = new World(database, 11);
  const scope = await world.open(100_00);
  const { organisationId } = scope;
  const { body, key } = world.cart(scope);
  const said = await world.orders.purchase(scope, body, key);
  await world.comeToRest();
  const later = { ...said, domains: { success: [], fail: [] } };
  const kept = await storeReply(database.db, { organisationId }, said.orderId, later);
  expect(kept).toEqual(said);
});
