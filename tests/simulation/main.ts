import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { openCluster } from '../support/cluster.ts';
import { whenTold } from '../support/when-told.ts';
import { bugs } from './bugs.ts';
import { openLives } from './lives.ts';
import { prepareTemplate } from './stand.ts';

/**
 * `npm run simulate -- --seeds 10000 [--seed N] [--minutes M] [--processes P]`: lives of the portal, each from its seed. Prints what
 * did not hold with its seed, and totals at the end; exits with 1 when anything did not hold. `--seed N --seeds 1` lives one again.
 * `--bugs` plants each known mistake instead, and says after how many lives it was found (1,000 at most); `--bug NAME` one of them.
 * `--errors` tells by what requests and jobs failed.
 */
const { values } = parseArgs({
  options: {
    ...{ seeds: { type: 'string', default: '1000' }, seed: { type: 'string' }, minutes: { type: 'string' } },
    ...{ processes: { type: 'string' }, bugs: { type: 'boolean', default: false }, bug: { type: 'string' } },
    errors: { type: 'boolean', default: false },
  },
});
const first = Number(values.seed ?? randomInt(1, 1_000_000_000));
const seeds = Number(values.seeds);
const processes = Math.min(Number(values.processes ?? availableParallelism()), seeds);
const endsAt = values.minutes ? Date.now() + Number(values.minutes) * 60_000 : Number.POSITIVE_INFINITY;
const mostLivesOfBug = 1_000;
const sayEvery = 500;

const cluster = await openCluster();
whenTold(async () => {
  // What is under way fails now, and must not end the process before the database has ended.
  process.on('uncaughtException', () => undefined);
  await cluster.close().finally(() => process.exit(1));
});
try {
  await prepareTemplate(cluster);
  const isSound = values.bugs || values.bug ? await findBugs() : await liveSeeds();
  process.exitCode = isSound ? 0 : 1;
} finally {
  await cluster.close();
}

async function liveSeeds(): Promise<boolean> {
  const totals = { lives: 0, items: 0, payments: 0, killed: 0, steps: 0, faulty: 0 };
  const errors = new Map<string, number>();
  console.log(`seeds ${first} to ${first + seeds - 1}, ${processes} processes`);
  const began = Date.now();
  let next = first;
  await Promise.all(
    Array.from({ length: processes }, async () => {
      await using lives = openLives(cluster.bySocket);
      while (next < first + seeds && Date.now() < endsAt) {
        const seed = next;
        next += 1;
        const life = await lives.live(seed);
        totals.lives += 1;
        for (const key of ['items', 'payments', 'killed', 'steps'] as const) totals[key] += life[key];
        for (const [text, times] of life.errors) errors.set(text, (errors.get(text) ?? 0) + times);
        const isFaulty = life.faults.length > 0;
        if (isFaulty) totals.faulty += 1;
        if (isFaulty || seeds === 1) {
          const found = isFaulty ? life.faults.slice(0, 5) : ['everything held'];
          console.log([`seed ${seed} (digest ${life.digest}):`, ...found].join('\n  '));
        }
        if (totals.lives % sayEvery === 0) console.log(lineOf(totals, began));
      }
    }),
  );
  console.log(lineOf(totals, began));
  if (values.errors)
    for (const [text, times] of [...errors].sort((a, b) => b[1] - a[1])) console.log(`${times}  ${text}`);
  return totals.faulty === 0;
}

function lineOf(totals: { lives: number } & Record<string, number>, began: number): string {
  const seconds = (Date.now() - began) / 1_000;
  const { lives, items, payments, killed, steps, faulty } = totals;
  const pace = `${lives} lives in ${seconds.toFixed(0)} s (${(lives / seconds).toFixed(2)} a second)`;
  return `${pace}: ${items} items, ${payments} payments, ${killed} processes killed, ${steps} steps; ${faulty} lives in which something did not hold`;
}

/** Each bug by itself, until a life finds it. */
async function findBugs(): Promise<boolean> {
  const names = values.bug ? [values.bug] : Object.keys(bugs);
  const line = [...names];
  let found = 0;
  await Promise.all(
    Array.from({ length: Math.min(processes, names.length) }, async () => {
      await using lives = openLives(cluster.bySocket);
      for (let name = line.shift(); name; name = line.shift()) {
        let faults: string[] = [];
        let seed = 0;
        while (faults.length === 0 && seed < mostLivesOfBug) {
          seed += 1;
          faults = (await lives.live(seed, name)).faults;
        }
        if (faults.length > 0) found += 1;
        console.log(
          faults.length > 0
            ? `${name}: found in life ${seed}: ${faults[0]?.split('\n')[0]}`
            : `${name}: NOT FOUND in ${mostLivesOfBug} lives`,
        );
      }
    }),
  );
  console.log(`${found} of ${names.length} bugs found`);
  return found === names.length;
}
