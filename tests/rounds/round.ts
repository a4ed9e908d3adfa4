import { faultsAtRest } from './checks.ts';
import { createClient } from './client.ts';
import { createWorker, workOn } from './deeds.ts';
import { harms, type Kind } from './harm.ts';
import type { Memory } from './memory.ts';
import { chanceOf } from './random.ts';
import { castNets, comeToRest, failedJobs } from './rest.ts';
import type { Stand } from './stand.ts';

const peoplePerMsp = 4;
const mostMsps = 3;

export interface RoundResult {
  seed: number;
  kind: Kind;
  /** Where the harm came, if a place was chosen for it. */
  place: string | null;
  faults: string[];
  acknowledged: number;
  unanswered: number;
  /** Getting ready, at work, coming to rest, comparing. */
  seconds: number[];
}

/** People work, harm is done, everything comes to rest, everything is compared. */
export async function runRound(
  stand: Stand,
  memory: Memory,
  given: { kind: Kind; seed: number; processIds?: () => Promise<number[]>; msps?: number },
): Promise<RoundResult> {
  const startedAt = performance.now();
  const { kind, seed } = given;
  const chance = chanceOf(seed);
  const before = { told: countOf(memory), unanswered: memory.unanswered };
  const most = given.msps ?? mostMsps;
  // One may top up by itself three times a day: now and then somebody new comes.
  if (stand.msps.length >= most && chance.happens(0.25)) await stand.openMsp();
  while (stand.msps.length < most) await stand.openMsp();
  const harm = await harms[kind](stand, chance.branch('harm'), given.processIds ?? (async () => []));
  const ready = performance.now();
  let over = false;
  const working = stand.msps.slice(-most).flatMap((msp) =>
    Array.from({ length: peoplePerMsp }, (_, person) => {
      const own = chance.branch(`${msp.name} ${person}`);
      const client = createClient(stand, msp, own, memory);
      return workOn(createWorker({ stand, msp, client, memory, chance: own }), () => over);
    }),
  );
  const harming = harm.work().finally(() => (over = true));
  await Promise.all([harming, castNets(stand, () => over), ...working]);
  const worked = performance.now();
  const faults = stand.portals
    .filter((portal) => !portal.lives())
    .map(({ name }) => `the ${name} process ended, and nobody killed it`);
  const moving = await comeToRest(stand);
  const atRest = performance.now();
  faults.push(...moving.map((what) => `4 does not come to rest: ${what}`));
  faults.push(...(await failedJobs(stand)).map((job) => `a job was left as failed: ${job}`));
  faults.push(...(await faultsAtRest(stand, memory, harm)));
  return {
    ...{ seed, kind, faults, place: harm.place ?? null },
    acknowledged: countOf(memory) - before.told,
    unanswered: memory.unanswered - before.unanswered,
    seconds: [
      [startedAt, ready],
      [ready, worked],
      [worked, atRest],
      [atRest, performance.now()],
    ].map(([from = 0, to = 0]) => Math.round((to - from) / 100) / 10),
  };
}

const countOf = ({ acknowledged }: Memory) =>
  [...acknowledged.values()].reduce((sum, count) => sum + count, 0);
