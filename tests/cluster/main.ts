import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { buildWhenStale } from '../../src/start/builds.ts';
import { timesAt } from '../rounds/stand.ts';
import { freePort } from '../support/stack.ts';
import { startCluster } from './cluster.ts';
import { loseCommits } from './lost-commits.ts';
import { storm } from './storm.ts';

/**
 * `npm run cluster`: the portal as many processes on two database servers, until Ctrl-C. With `--minutes N` people work in it
 * while something is killed every 20 seconds. With `--async --losses N` the primary ends N times with commits that its standby
 * does not have. Both exit with 1 when anything did not hold.
 */
const { values } = parseArgs({
  options: {
    async: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    losses: { type: 'string' },
    port: { type: 'string' },
    seed: { type: 'string' },
    /** How many times slower than an idle machine this one is. */
    pace: { type: 'string', default: '1' },
  },
});
const say = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`);
const stopped = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.resolve());

const isTrial = values.minutes !== undefined || values.losses !== undefined;
await buildWhenStale(join(import.meta.dirname, '../..'), say);
await using cluster = await startCluster({
  ...{ synchronous: !values.async, say },
  port: values.port ? Number(values.port) : await freePort(),
  // The people of the trial do more than the usual limit lets through.
  settings: isTrial
    ? { ...timesAt(Number(values.pace)), REGISTRAR_PER_SECOND: '100', REGISTRAR_PARALLEL: '20' }
    : {},
});
say(`Nameward is ready: ${cluster.world.url}`);
say(`owner of the database: ${cluster.world.database.url}`);
say(`logs and configuration: ${cluster.dir}`);
if (values.minutes) {
  const seed = Number(values.seed ?? randomInt(1, 1_000_000));
  say(`seed ${seed}`);
  const stalls = monitorEventLoopDelay({ resolution: 20 });
  stalls.enable();
  const running = storm(cluster, { seed, minutes: Number(values.minutes), pace: Number(values.pace), say });
  const totals = await Promise.race([running, stopped.promise]);
  if (totals) {
    const listed = (map: Map<string, number>) =>
      [...map].map(([what, times]) => `${what} ${times}`).join(', ');
    say(`${totals.acknowledged} acknowledged, ${totals.unanswered} without an answer`);
    // A registrar that stands still for as long as the portal waits for an absent order makes the portal release its money.
    say(
      `this program stood still for ${(stalls.max / 1e6).toFixed(0)} ms at most; a slow machine needs --pace`,
    );
    say(`killed or cut off: ${listed(totals.harms)}`);
    say(`small writes were answered: ${listed(totals.answers)}`);
    say(`${totals.failoversMs.length} promotions, answered again after ${totals.failoversMs.join(', ')} ms`);
    for (const fault of totals.faults) say(`    ${fault}`);
    const slow = totals.failoversMs.filter((ms) => ms > 10_000);
    if (totals.faults.length > 0 || slow.length > 0) {
      process.exitCode = 1;
      cluster.keep();
    }
  }
} else if (values.losses) {
  for (let time = 1; time <= Number(values.losses) && process.exitCode !== 1; time += 1) {
    const loss = await loseCommits(cluster);
    say(
      `loss ${time}: the commits of ${loss.lostMs} ms; ended ${loss.recoveredMs} ms after the primary; ${loss.faults.length === 0 ? 'whole' : `${loss.faults.length} FAULTS`}`,
    );
    for (const { kind, text } of loss.findings) say(`    ${kind}: ${text}`);
    for (const fault of loss.faults) say(`    FAULT ${fault}`);
    if (loss.faults.length > 0) {
      process.exitCode = 1;
      cluster.keep();
    }
  }
} else {
  await stopped.promise;
}
say('stopping');
