import { randomBytes } from 'node:crypto';
import { createDatabase } from '../../src/server/kernel/db/database.ts';
import { faultsAtRest } from '../rounds/checks.ts';
import { createClient } from '../rounds/client.ts';
import { createWorker, workOn } from '../rounds/deeds.ts';
import { type Memory, newMemory } from '../rounds/memory.ts';
import { type Chance, chanceOf } from '../rounds/random.ts';
import { castNets, comeToRest, failedJobs } from '../rounds/rest.ts';
import { openMsp, type Portal, type Stand, troubleOutside, until } from '../rounds/stand.ts';
import { watchZones } from '../rounds/zone-writes.ts';
import { contact, openAccount } from '../support/account.ts';
import { watchEnds } from '../support/invariants.ts';
import type { Cluster } from './cluster.ts';

/** People at work while one thing after another is killed, and everything compared with what they were told. */

export interface Totals {
  acknowledged: number;
  unanswered: number;
  /** What was killed or cut off, how often. */
  harms: Map<string, number>;
  /** From the end of each primary to the first answered write, in ms. */
  failoversMs: number[];
  /** What the probe was answered, by status; `none`: no answer. */
  answers: Map<string, number>;
  faults: string[];
}

const mostMsps = 3;
const peoplePerMsp = 4;
const harmEveryMs = 20_000;
/** People work so long before everything is compared. */
const partMs = 300_000;
const probeEveryMs = 100;
/** A failover that takes longer is noted as this long. */
const givenUpMs = 60_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);

export async function storm(
  cluster: Cluster,
  given: { seed: number; minutes: number; pace: number; say(text: string): void },
): Promise<Totals> {
  const totals: Totals = {
    ...{ acknowledged: 0, unanswered: 0, harms: new Map(), failoversMs: [], answers: new Map(), faults: [] },
  };
  await using stand = await openStandOn(cluster, given.pace);
  const memory = newMemory();
  const chance = chanceOf(given.seed);
  const probe = await openProbe(cluster, totals);
  let leftMs = given.minutes * 60_000;
  for (let part = 0; leftMs > 0 && totals.faults.length === 0; part += 1) {
    const workMs = Math.min(leftMs, partMs);
    const faults = await runPart(cluster, stand, {
      chance: chance.branch(`part ${part}`),
      memory,
      workMs,
      totals,
      probe,
    });
    leftMs -= workMs;
    totals.faults.push(...faults);
    totals.acknowledged = [...memory.acknowledged.values()].reduce((sum, one) => sum + one, 0);
    totals.unanswered = memory.unanswered;
    const harms = [...totals.harms].map(([what, times]) => `${what} ${times}`).join(', ');
    given.say(
      `after ${Math.round(given.minutes - leftMs / 60_000)} min: ${totals.acknowledged} acknowledged, ${totals.unanswered} without an answer; ${harms}; ${faults.length === 0 ? 'whole' : `${faults.length} FAULTS`}`,
    );
  }
  return totals;
}

async function openStandOn({ world, dir }: Cluster, pace: number): Promise<Stand> {
  const owner = createDatabase({ url: world.database.url, maxConnections: 2 });
  await watchEnds(owner);
  const zoneWrites = watchZones(dir);
  const provider = await troubleOutside(world, pace);
  const never = async () => undefined;
  // haproxy chooses the process; what is killed here is started again by itself.
  const front: Portal = {
    ...{ name: 'front', relay: null as never, silentUntil: 0, url: () => world.url, signal: () => undefined },
    ...{ kill: never, start: never, isStopped: async () => false, lives: () => true },
  };
  const stand: Stand = {
    ...{ stack: world, owner, provider, portals: [front], zoneWrites, pace, msps: [] },
    async openMsp() {
      const msp = await openMsp(world, provider);
      stand.msps.push(msp);
      return msp;
    },
    async [Symbol.asyncDispose]() {
      await owner.destroy();
      zoneWrites.close();
    },
  };
  return stand;
}

interface Probe {
  /** When the first write was answered that was asked for after this moment; null: none yet. */
  firstAnswerAfter(at: number): number | null;
  work(over: () => boolean): Promise<void>;
}

/** One small write after another, through haproxy: when does the portal answer again, and what does it say meanwhile? */
async function openProbe({ world }: Cluster, totals: Totals): Promise<Probe> {
  const account = await openAccount(world, 0);
  const answered: { from: number; at: number }[] = [];
  async function once(): Promise<string> {
    const from = performance.now();
    const reply = await fetch(`${world.url}/api/customer/${account.customerId}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${account.token}`,
        'content-type': 'application/json',
        'idempotency-key': `probe-${randomBytes(8).toString('hex')}`,
      },
      body: JSON.stringify({
        contacts: {
          owner: { ...contact, city: `City ${randomBytes(3).toString('hex')}` },
          admin: contact,
          billing: contact,
        },
      }),
      signal: AbortSignal.timeout(4_000),
    });
    await reply.text();
    if (reply.ok) answered.push({ from, at: performance.now() });
    return String(reply.status);
  }
  return {
    firstAnswerAfter: (moment) => answered.find(({ from }) => from > moment)?.at ?? null,
    async work(over) {
      while (!over()) {
        const status = await once().catch(() => 'none');
        count(totals.answers, status);
        if (!['200', '502', '503', '504', 'none'].includes(status))
          totals.faults.push(`a small write was answered ${status}`);
        await pause(probeEveryMs);
      }
    },
  };
}

interface Part {
  chance: Chance;
  memory: Memory;
  workMs: number;
  totals: Totals;
  probe: Probe;
}

async function runPart(
  cluster: Cluster,
  stand: Stand,
  { chance, memory, workMs, totals, probe }: Part,
): Promise<string[]> {
  // One may top up by itself three times a day: somebody new comes with each part.
  await stand.openMsp();
  while (stand.msps.length < mostMsps) await stand.openMsp();
  let over = false;
  const isOver = () => over;
  const working = stand.msps.slice(-mostMsps).flatMap((msp) =>
    Array.from({ length: peoplePerMsp }, (_, person) => {
      const own = chance.branch(`${msp.name} ${person}`);
      const client = createClient(stand, msp, own, memory);
      return workOn(createWorker({ stand, msp, client, memory, chance: own }), isOver);
    }),
  );
  const harming = harmEvery(cluster, chance.branch('harm'), { workMs, totals, probe }).finally(
    () => (over = true),
  );
  const nets = async () => {
    // They end with the primary, and are cast again.
    while (!over) await castNets(stand, isOver).catch(() => pause(300));
  };
  await Promise.all([harming, probe.work(isOver), nets(), ...working]);
  await until('a standby that may be promoted', async () => cluster.pair.isSafe());
  await until('a portal that is ready', async () => (await fetch(`${cluster.world.url}/readyz`)).ok);
  const moving = await comeToRest(stand);
  return [
    ...moving.map((what) => `4 does not come to rest: ${what}`),
    ...(await failedJobs(stand)).map((job) => `a job was left as failed: ${job}`),
    ...(await faultsAtRest(stand, memory, { late: false })),
  ];
}

async function harmEvery(
  cluster: Cluster,
  chance: Chance,
  { workMs, totals, probe }: Pick<Part, 'workMs' | 'totals' | 'probe'>,
): Promise<void> {
  const end = performance.now() + workMs;
  const measuring: Promise<void>[] = [];
  await pause(3_000);
  // The last one has the time to show itself.
  while (performance.now() < end - harmEveryMs / 2) {
    const next = performance.now() + harmEveryMs;
    const what = harmOf(cluster, chance);
    count(totals.harms, what);
    const at = performance.now();
    harms[what]?.(cluster, chance);
    if (what === 'primary') {
      const measure = async () => {
        while (probe.firstAnswerAfter(at) === null && performance.now() < at + givenUpMs) await pause(20);
        totals.failoversMs.push(Math.round((probe.firstAnswerAfter(at) ?? performance.now()) - at));
      };
      measuring.push(measure());
    }
    await pause(Math.min(next, end) - performance.now());
  }
  await Promise.all(measuring);
  await pause(Math.max(0, end - performance.now()));
}

const harms: Record<string, (cluster: Cluster, chance: Chance) => void> = {
  primary: ({ pair }) => pair.primary().kill(),
  standby: ({ pair }) => pair.standby().kill(),
  ...Object.fromEntries(
    ['web1', 'web2', 'worker1', 'worker2', 'pgbouncer', 'haproxy'].map((name) => [
      name,
      ({ programs }: Cluster) => programs.get(name)?.kill(),
    ]),
  ),
  network({ relays }, chance) {
    const some = chance.one([...relays.values()]);
    for (const relay of some) relay.become('silent');
    setTimeout(
      () => {
        for (const relay of some) relay.become('open');
      },
      chance.between(2_500, 7_000),
    );
  },
};

/** A primary is killed only while its standby has everything; without one the database would only be started again. */
function harmOf({ pair }: Cluster, chance: Chance): string {
  const what = chance.one(['primary', 'primary', ...Object.keys(harms)]);
  return what === 'primary' && !pair.isSafe() ? 'web1' : what;
}
