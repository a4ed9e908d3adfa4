import { Generator } from './load.ts';
import { busyCores, databasePidOf, othersSince, processorMsOf } from './processor.ts';
import { median, ofRounds, type Result } from './result.ts';
import { type RunningProgram, readyLine, runNode, type Stand } from './stand.ts';

/** An address of a program, and what it is asked with. */
export interface Call {
  url: string;
  headers: Record<string, string>;
  /** Of the program that answers. */
  pid: number;
}

const connections = 10;
interface Plan {
  rounds: number;
  seconds: number;
  warmUpSeconds: number;
  /** Of a portal that has not answered before. */
  firstWarmUpSeconds?: number;
}
export const usualPlan: Plan = { rounds: 7, seconds: 0.7, warmUpSeconds: 1 };
/** So many rounds are enough where each of them is so far on the same side of the target. */
const clear = { rounds: 3, factor: 1.1 };
/** Of more, the last ones count: in the first two the engine may still compile what this line runs and no other. */
const counted = 5;
/** The engine has compiled all that an answer of the portal runs after some thousand of them; a floor is a few lines. */
const usualFirstWarmUpSeconds = 10;
/** Portals that have answered before. */
const warm = new Set<number>();

export interface Compared {
  /**
   * Answers a second, portal / floor: the middle of the rounds, and the least and the most of them. `isBusy`: answers for the same time of
   * the processor.
   */
  ratio: number;
  worst: number;
  best: number;
  portalPerSecond: number;
  floorPerSecond: number;
  /** What an answer takes of the processor, in its server and in the database together. */
  portalMs: number;
  floorMs: number;
  /** Cores that other programs took meanwhile. */
  others: number;
  isBusy: boolean;
}

/**
 * Portal and floor in turns, side by side in time: what else the machine does meets both. It ends early where the target leaves no doubt.
 * Where other programs take the processor meanwhile, its time is compared: who gets how much of the rest is up to the scheduler.
 */
export async function sideBySide(
  stand: Stand,
  { portal, floor, targetRatio }: { portal: Call; floor: Call; targetRatio: number },
  { rounds, seconds, warmUpSeconds, firstWarmUpSeconds = usualFirstWarmUpSeconds } = usualPlan,
): Promise<Compared> {
  const database = databasePidOf(stand);
  // The same for both and for all rounds: what it compiles, it compiles while they warm up.
  using generator = new Generator();
  async function measure({ url, headers, pid }: Call, forSeconds = seconds) {
    const answering = () => processorMsOf(pid) + processorMsOf(database);
    const [before, others] = [answering(), othersSince([pid, database, generator.pid])];
    const { perSecond, answers } = await generator.throughput(url, {
      connections,
      seconds: forSeconds,
      headers,
    });
    return { perSecond, processorMs: (answering() - before) / answers, others: others() };
  }
  await measure(floor, warmUpSeconds);
  await measure(portal, warm.has(portal.pid) ? warmUpSeconds : firstWarmUpSeconds);
  warm.add(portal.pid);
  const pairs: { portal: Awaited<ReturnType<typeof measure>>; floor: Awaited<ReturnType<typeof measure>> }[] =
    [];
  const others = () => median(pairs.flatMap((pair) => [pair.portal.others, pair.floor.others]));
  const ratios = () =>
    pairs.map((pair) =>
      others() > busyCores
        ? pair.floor.processorMs / pair.portal.processorMs
        : pair.portal.perSecond / pair.floor.perSecond,
    );
  await untilClear({ targetRatio, rounds, ratios }, async () => {
    const floorLoad = await measure(floor);
    pairs.push({ floor: floorLoad, portal: await measure(portal) });
  });
  const last = lastOf(pairs);
  return {
    ...ofRounds(lastOf(ratios())),
    ...{ others: others(), isBusy: others() > busyCores },
    portalPerSecond: median(last.map((pair) => pair.portal.perSecond)),
    floorPerSecond: median(last.map((pair) => pair.floor.perSecond)),
    portalMs: median(last.map((pair) => pair.portal.processorMs)),
    floorMs: median(last.map((pair) => pair.floor.processorMs)),
  };
}

/** Measures round by round, and ends early where the target leaves no doubt. `lastOf` what was measured counts. */
export async function untilClear(
  {
    targetRatio,
    rounds = usualPlan.rounds,
    ratios,
  }: { targetRatio: number; rounds?: number; ratios: () => readonly number[] },
  round: () => Promise<void>,
): Promise<void> {
  for (let done = 0; done < rounds; done += 1) {
    if (done >= clear.rounds && isClear(ratios(), targetRatio)) return;
    await round();
  }
}

/** The rounds that count. */
export const lastOf = <T>(rounds: readonly T[]): readonly T[] => rounds.slice(-counted);

function isClear(ratios: readonly number[], targetRatio: number): boolean {
  return (
    Math.min(...ratios) >= targetRatio * clear.factor || Math.max(...ratios) <= targetRatio / clear.factor
  );
}

/** A comparison as a figure that is held to a ratio. */
export function comparison(name: string, compared: Compared, targetRatio: number): Result {
  const { ratio, worst, best, portalPerSecond, floorPerSecond, portalMs, floorMs, others, isBusy } = compared;
  const rates = `${portalPerSecond.toFixed(0)} / ${floorPerSecond.toFixed(0)} per s`;
  const processor = `processor ${portalMs.toFixed(2)} / ${floorMs.toFixed(2)} ms`;
  const busy = isBusy ? `; by processor, as others took ${others.toFixed(1)} cores` : '';
  return {
    name,
    measured: `${ratio.toFixed(2)} (${worst.toFixed(2)} to ${best.toFixed(2)}; ${rates}; ${processor}${busy})`,
    target: `≥ ${targetRatio}`,
    passed: ratio >= targetRatio,
    figures: { ratio, worst, best, portalPerSecond, floorPerSecond, portalMs, floorMs, others },
  };
}

/** A bare Fastify that answers with this statement. */
export function startFloor(
  stand: Stand,
  statement: { sql: string; parameters: readonly unknown[] },
  poolSize: number,
): RunningProgram {
  return runNode(['bench/floor-server.ts'], {
    DATABASE_URL: stand.databaseUrl,
    DATABASE_CONNECTIONS: String(poolSize),
    STATEMENT: statement.sql,
    PARAMETERS: JSON.stringify(statement.parameters),
  });
}

export async function urlOf(floor: RunningProgram): Promise<string> {
  return (await readyLine(floor)).url ?? '';
}
