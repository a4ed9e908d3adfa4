import { z } from 'zod';
import { fill, openAccount } from './customer-list.ts';
import { domainListStatement } from './list-statement.ts';
import type { Result } from './result.ts';
import { sideBySide, startFloor, urlOf } from './side-by-side.ts';
import { type Stand, startPortal } from './stand.ts';

const domains = 20_000;
const pageSize = 50;
const poolSize = 20;
const targetRatio = 0.7;
/** The first page, one far inside by another order, and one that has to look into another table. */
const cases = [
  { page: 1, sort: 'address' },
  { page: 300, sort: '-expireDate' },
  { page: 2, sort: 'customer' },
];

const listReply = z.object({
  data: z.array(z.object({ address: z.string() })),
  meta: z.object({ total: z.number() }),
});
const floorReply = z.object({ total: z.number(), data: z.array(z.object({ address: z.string() })) });

/** The authenticated list of 50 of 20,000 domains with total, beside a bare Fastify with the same SQL. */
export async function measureDomainList(stand: Stand): Promise<Result[]> {
  await using portal = await startPortal({
    ...stand.settings,
    ROLES: 'web',
    DATABASE_CONNECTIONS: String(poolSize),
    RATE_LIMITS: '999999',
  });
  const { token, organisationId } = await openAccount(stand, portal.url, 'domains@msp.example');
  await fill(stand.databaseUrl, organisationId, 'portfolio');
  const results: Result[] = [];
  for (const { page, sort } of cases) {
    const statement = await domainListStatement(organisationId, { page, pageSize, sort });
    await using floor = startFloor(stand, statement, poolSize);
    const portalCall = {
      url: `${portal.url}/api/domain?page=${page}&pageSize=${pageSize}&sort=${sort}`,
      headers: { authorization: `Bearer ${token}` },
    };
    const floorCall = { url: `${await urlOf(floor)}/list`, headers: {} };
    await requireSameAnswer(portalCall, floorCall);
    const { ratio, portalPerSecond, floorPerSecond } = await sideBySide(portalCall, floorCall);
    results.push({
      name: `list of ${pageSize} of ${domains} domains, page ${page} by ${sort}, portal / bare Fastify`,
      measured: `${ratio.toFixed(2)} (${portalPerSecond.toFixed(0)} / ${floorPerSecond.toFixed(0)} per s)`,
      target: `≥ ${targetRatio}`,
      passed: ratio >= targetRatio,
      figures: { ratio, portalPerSecond, floorPerSecond },
    });
  }
  return results;
}

/** A floor that answers something else would prove nothing. */
async function requireSameAnswer(
  portal: { url: string; headers: Record<string, string> },
  floor: { url: string },
): Promise<void> {
  const full = listReply.parse(await (await fetch(portal.url, { headers: portal.headers })).json());
  const bare = floorReply.parse(await (await fetch(floor.url)).json());
  const [shown, expected] = [full.data, bare.data].map((rows) => rows.map(({ address }) => address).join());
  if (full.data.length !== pageSize || shown !== expected) {
    throw new Error('the portal and the floor do not list the same domains');
  }
  if (full.meta.total !== domains || bare.total !== domains) {
    throw new Error(`totals of ${full.meta.total} and ${bare.total} instead of ${domains}`);
  }
}
