import { Generator } from './load.ts';
import { databasePidOf, processorMsOf } from './processor.ts';
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
export const usualPlan: Plan = { rounds: 5, seconds: 0.8, warmUpSeconds: 1 };
/** So many rounds are enough where each of them is so far on the same side of the target. */
const clear = { rounds: 3, factor: 1.1 };
/** The engine has compiled all that an answer of the portal runs after some thousand of them; a floor is a few lines. */
const usualFirstWarmUpSeconds = 10;
/** Portals that have answered before. */
const warm = new Set<number>();

export interface Compared {
  /** Answers a second, portal / floor: the middle of the rounds, and the least and the most of them. */
  ratio: number;
  worst: number;
  best: number;
  portalPerSecond: number;
  floorPerSecond: number;
  /** What an answer takes of the processor, in its server and in the database together. */
  portalMs: number;
  floorMs: number;
}

/** Portal and floor in turns, side by side in time: what else the machine does meets both. It ends early where the target leaves no doubt. */
export async function sideBySide(
  stand: Stand,
  { portal, floor, targetRatio }: { portal: Call; floor: Call; targetRatio: number },
  { rounds, seconds, warmUpSeconds, firstWarmUpSeconds = usualFirstWarmUpSeconds } = usualPlan,
): Promise<Compared> {
  const database = databasePidOf(stand);
  // The same for both and for all rounds: what it compiles, it compiles while they warm up.
  using generator = new Generator();
  async function measure({ url, headers, pid }: Call, forSeconds = seconds) {
    const usedBefore = processorMsOf(pid) + processorMsOf(database);
    const { perSecond, answers } = await generator.throughput(url, {
      connections,
      seconds: forSeconds,
      headers,
    });
    const used = processorMsOf(pid) + processorMsOf(database) - usedBefore;
    return { perSecond, processorMs: used / answers };
  }
  await measure(floor, warmUpSeconds);
  await measure(portal, warm.has(portal.pid) ? warmUpSeconds : firstWarmUpSeconds);
  warm.add(portal.pid);
  const pairs: { portal: Awaited<ReturnType<typeof measure>>; floor: Awaited<ReturnType<typeof measure>> }[] =
    [];
  const ratios: number[] = [];
  while (ratios.length < rounds && !isClear(ratios, targetRatio)) {
    const floorLoad = await measure(floor);
    const portalLoad = await measure(portal);
    pairs.push({ floor: floorLoad, portal: portalLoad });
    ratios.push(portalLoad.perSecond / floorLoad.perSecond);
  }
  return {
    ...ofRounds(ratios),
    portalPerSecond: median(pairs.map((pair) => pair.portal.perSecond)),
    floorPerSecond: median(pairs.map((pair) => pair.floor.perSecond)),
    portalMs: median(pairs.map((pair) => pair.portal.processorMs)),
    floorMs: median(pairs.map((pair) => pair.floor.processorMs)),
  };
}

function isClear(ratios: readonly number[], targetRatio: number): boolean {
  if (ratios.length < clear.rounds) return false;
  return (
    Math.min(...ratios) >= targetRatio * clear.factor || Math.max(...ratios) <= targetRatio / clear.factor
  );
}

/** A comparison as a figure that is held to a ratio. */
export function comparison(name: string, compared: Compared, targetRatio: number): Result {
  const { ratio, worst, best, portalPerSecond, floorPerSecond, portalMs, floorMs } = compared;
  const rates = `${portalPerSecond.toFixed(0)} / ${floorPerSecond.toFixed(0)} per s`;
  const processor = `processor ${portalMs.toFixed(2)} / ${floorMs.toFixed(2)} ms`;
  return {
    name,
    measured: `${ratio.toFixed(2)} (${worst.toFixed(2)} to ${best.toFixed(2)}; ${rates}; ${processor})`,
    target: `≥ ${targetRatio}`,
    passed: ratio >= targetRatio,
    figures: { ...compared },
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
