import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type OpenCluster, openCluster } from '../support/cluster.ts';
import { whenTold } from '../support/when-told.ts';
import { type Kind, kinds } from './harm.ts';
import { type Memory, newMemory } from './memory.ts';
import { runRound } from './round.ts';
import { openStand, type Stand } from './stand.ts';

/**
 * `npm run rounds -- --stopped 60 --killed 60 --cut 30 --frozen 10 [--seed N]`: one line a round, totals at the end, 1 when
 * anything did not hold. A round's own seed is in its line: `--seed` with it begins there.
 */
const { values } = parseArgs({
  options: {
    ...{ stopped: { type: 'string' }, killed: { type: 'string' }, cut: { type: 'string' } },
    frozen: { type: 'string' },
    seed: { type: 'string' },
    /** How many times slower than an idle machine this one is: all times grow by it. */
    pace: { type: 'string', default: '1' },
    /** How many organizations work at once. */
    msps: { type: 'string', default: '3' },
    /** Goes on after a fault, to count how many there are. */
    'keep-going': { type: 'boolean', default: false },
  },
});
const firstSeed = Number(values.seed ?? randomInt(1, 1_000_000));
/** Names of a stand grow with each round; a new one now and then keeps rounds equally long. */
const roundsPerStand = 10;

const cluster = await openCluster();
whenTold(async () => {
  // What is under way fails now, and must not end the process before the database has ended.
  process.on('uncaughtException', () => undefined);
  await cluster.close().finally(() => process.exit(1));
});
const totals = { rounds: 0, acknowledged: 0, unanswered: 0, faulty: 0 };
const kindsOfDeeds = new Map<string, number>();
let seed = firstSeed;
try {
  const left = new Map(kinds.map((kind) => [kind, Number(values[kind] ?? 0)]));
  // In turns, so that a run that is ended early has seen all kinds.
  while ([...left.values()].some((count) => count > 0)) {
    for (const [kind, count] of left) {
      const rounds = Math.min(count, roundsPerStand);
      left.set(kind, count - rounds);
      if (rounds > 0 && !(await runStand(cluster, kind, rounds))) left.clear();
    }
  }
} finally {
  await cluster.close();
}
console.log(
  `${totals.rounds} rounds, ${totals.acknowledged} acknowledged, ${totals.unanswered} without an answer, ${totals.faulty} rounds with faults; first seed ${firstSeed}`,
);
for (const [deed, count] of [...kindsOfDeeds].sort()) console.log(`  ${deed}: ${count}`);
process.exitCode = totals.faulty === 0 ? 0 : 1;

/** Whether all of them held: a stand that does not is not used any further. */
async function runStand(cluster: OpenCluster, kind: Kind, rounds: number): Promise<boolean> {
  await using stand = await openStand({ cluster, pace: Number(values.pace) });
  const memory = newMemory();
  let held = true;
  for (let round = 0; round < rounds && held; round += 1) {
    held = await runOne(stand, memory, kind, cluster);
  }
  for (const [deed, count] of memory.acknowledged)
    kindsOfDeeds.set(deed, (kindsOfDeeds.get(deed) ?? 0) + count);
  return held || values['keep-going'] === true;
}

async function runOne(stand: Stand, memory: Memory, kind: Kind, cluster: OpenCluster): Promise<boolean> {
  const own = seed;
  seed += 1;
  const result = await runRound(stand, memory, {
    kind,
    seed: own,
    processIds: cluster.processIds,
    msps: Number(values.msps),
  });
  totals.rounds += 1;
  totals.acknowledged += result.acknowledged;
  totals.unanswered += result.unanswered;
  const { acknowledged, unanswered, seconds, faults, place } = result;
  const verdict = faults.length === 0 ? 'whole' : `${faults.length} FAULTS`;
  console.log(
    `${totals.rounds}\tseed ${own}\t${kind}${place ? ` at ${place}` : ''}\t${acknowledged} acknowledged\t${unanswered} without an answer\t${seconds.join(' + ')} s\t${verdict}`,
  );
  for (const fault of faults) console.log(`    ${fault}`);
  if (faults.length > 0) {
    totals.faulty += 1;
    // The end of what the portals said, each line as far as it tells what it is about.
    const lines = stand.stack
      .log()
      .split('\n')
      .filter(
        (line) =>
          !/nobody knows|LISTEN|notify listener|ECONNRESET|Connection terminated|queryable/.test(line),
      );
    for (const line of lines.slice(-60)) console.log(`      ${line.slice(0, 600)}`);
  }
  return faults.length === 0;
}
