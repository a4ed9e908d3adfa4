import type { TestCluster } from '../support/cluster.ts';
import type { Given } from './lives.ts';
import { installWorldClock } from './world-clock.ts';

/** Lives what it is given, one after the other, and says what became of each (`lives.ts`). */
installWorldClock();
const { bugs } = await import('./bugs.ts');
const { live } = await import('./life.ts');
const { openStand } = await import('./stand.ts');

const cluster = JSON.parse(process.env.SIMULATED_CLUSTER ?? '') as TestCluster;
const stand = await openStand(cluster);

process.on('message', async (given: Given) => {
  if (given === 'end') {
    await stand.close();
    process.exit(0);
  }
  process.send?.(await live(stand, given.seed, given.bug ? bugs[given.bug] : {}));
});
