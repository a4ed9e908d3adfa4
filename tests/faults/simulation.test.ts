import { afterEach, describe, expect, test } from 'vitest';
import { onFailpoint } from '../../src/server/kernel/failpoint.ts';
import type { Registrar } from '../../src/server/ports/registrar.ts';
import { createTestDatabase } from '../support/database.ts';
import { World } from './world.ts';

afterEach(() => onFailpoint(null));

const firstSeed = Number(process.env.SIMULATION_SEED ?? 1);
const seeds = Number(process.env.SIMULATION_SEEDS ?? 8);

/** Lives one seed: purchases, sweeps and crashes in a tangle, then rest. Returns what did not hold. */
async function live(seed: number, bug?: (port: Registrar) => Registrar): Promise<string[]> {
  await using database = await createTestDatabase();
  const world = new World(database, seed, bug);
  await world.open(200_000);
  await world.open(60_000);
  world.crashRate = 0.08;
  world.registrar.readsFail = 0.2;
  world.withCrashes();
  for (let step = 0; step < 12; step += 1) {
    const buyers = world.scopes.flatMap((scope) => [world.purchase(scope), world.purchase(scope)]);
    await Promise.all([...buyers, world.sweep(), world.sweep()]);
    world.advance(world.random() * 90_000);
    const faults = await world.violations(false);
    if (faults.length > 0) return faults;
  }
  await world.comeToRest();
  // Awaited here: the database closes when this function ends.
  return await world.violations(true);
}

describe('orders in a world of faults and crashes', () => {
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    test(`seed ${seed}: every cent is explained at every step and everything comes to rest`, async () => {
      expect(await live(seed)).toEqual([]);
    });
  }
});

/** Mistakes that others have made; the simulation must find each of them. */
const plantedBugs: Record<string, (port: Registrar) => Registrar> = {
  'a time-out is treated as a failure': (port) => ({
    ...port,
    register: async (input) => {
      const outcome = await port.register(input);
      return outcome.kind === 'unknown'
        ? { kind: 'refused', reason: 'other', code: '', text: 'failed' }
        : outcome;
    },
  }),
  'a certificate is ordered again after a time-out': (port) => ({
    ...port,
    orderCertificate: async (input) => {
      const outcome = await port.orderCertificate(input);
      return outcome.kind === 'unknown' ? { kind: 'busy', code: '', text: 'again' } : outcome;
    },
  }),
  'orders are not looked for by their tag': (port) => ({
    ...port,
    ordersFor: async () => [],
    order: async () => null,
    certificateOrdersFor: async () => [],
  }),
  'a pending order counts as done': (port) => ({
    ...port,
    register: async (input) => {
      const outcome = await port.register(input);
      return outcome.kind === 'pending' ? { kind: 'done', value: { orderId: '0', notes: [] } } : outcome;
    },
  }),
};

describe('the simulation finds planted bugs', () => {
  for (const [name, bug] of Object.entries(plantedBugs)) {
    test(name, async () => {
      for (let seed = 1; seed <= 12; seed += 1) {
        if ((await live(seed, bug)).length > 0) return;
      }
      throw new Error('not found in 12 seeds');
    });
  }
});
