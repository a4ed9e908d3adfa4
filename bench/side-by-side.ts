import { throughput } from './load.ts';
import { median } from './result.ts';
import { type RunningProgram, readyLine, runNode, type Stand } from './stand.ts';

export interface Call {
  url: string;
  headers: Record<string, string>;
}

const connections = 10;
const usualPlan = { rounds: 5, seconds: 4, warmUpSeconds: 2 };

/** Portal and floor in turns, side by side in time: what else the machine does meets both. */
export async function sideBySide(
  portal: Call,
  floor: Call,
  { rounds, seconds, warmUpSeconds } = usualPlan,
): Promise<{ ratio: number; portalPerSecond: number; floorPerSecond: number }> {
  const measure = ({ url, headers }: Call, forSeconds = seconds) =>
    throughput(url, { connections, seconds: forSeconds, headers });
  await measure(floor, warmUpSeconds);
  await measure(portal, warmUpSeconds);
  const pairs: { portal: number; floor: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const floorLoad = await measure(floor);
    const portalLoad = await measure(portal);
    pairs.push({ portal: portalLoad.perSecond, floor: floorLoad.perSecond });
  }
  return {
    ratio: median(pairs.map((pair) => pair.portal / pair.floor)),
    portalPerSecond: median(pairs.map((pair) => pair.portal)),
    floorPerSecond: median(pairs.map((pair) => pair.floor)),
  };
}

/** A bare Fastify that answers with this statement. */
export function startFloor(
  stand: Stand,
  statement: { sql: string; parameters: readonly unknown[]; organisationId: string },
  poolSize: number,
): RunningProgram {
  return runNode(['bench/floor-server.ts'], {
    DATABASE_URL: stand.databaseUrl,
    DATABASE_CONNECTIONS: String(poolSize),
    STATEMENT: statement.sql,
    ORGANISATION: statement.organisationId,
    PARAMETERS: JSON.stringify(statement.parameters),
  });
}

export async function urlOf(floor: RunningProgram): Promise<string> {
  return (await readyLine(floor)).url ?? '';
}
