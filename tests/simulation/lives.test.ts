import { beforeAll, expect, inject, test } from 'vitest';
import type { TestCluster } from '../support/cluster.ts';
import { bugs } from './bugs.ts';
import { openLives } from './lives.ts';
import { prepareTemplate } from './stand.ts';

/** A few lives; `npm run simulate` lives as many as one likes, and looks for each planted bug. */
let cluster: TestCluster;
beforeAll(async () => {
  cluster = { url: inject('clusterUrl'), passwords: inject('loginPasswords') };
  await prepareTemplate(cluster);
});

test('lives of buying and paying people, of a network that fails and of processes that die end with every cent explained', async () => {
  await using lives = openLives(cluster);
  for (let seed = 1; seed <= 6; seed += 1) {
    const { faults } = await lives.live(seed);
    expect(faults, `npm run simulate -- --seed ${seed} --seeds 1`).toEqual([]);
  }
});

test('lives find a planted bug', async () => {
  await using lives = openLives(cluster);
  const name: keyof typeof bugs = 'a pending registration counts as done';
  expect(Object.keys(bugs)).toContain(name);
  let faults: string[] = [];
  for (let seed = 1; seed <= 100 && faults.length === 0; seed += 1) {
    ({ faults } = await lives.live(seed, name));
  }
  expect(faults.join()).toMatch(/registrar order|completed order/);
});
