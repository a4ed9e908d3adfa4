import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { domainRow } from '../src/contracts/operations/domains.ts';
import { fill, openAccount } from './customer-list.ts';
import { domainFloors } from './list-floors.ts';
import type { Result } from './result.ts';
import { type Call, comparison, sideBySide, startFloor, urlOf } from './side-by-side.ts';
import { type Stand, startPortal } from './stand.ts';

const domains = 20_000;
const pageSize = 50;
const poolSize = 20;
const targetRatio = 0.85;
/** The first page, one far inside by another order, one that has to look into another table, a filter and a search. */
const views = [
  { name: 'first page', query: 'page=1&sort=address', floor: domainFloors.firstPage },
  { name: 'page 300 by -expireDate', query: 'page=300&sort=-expireDate', floor: domainFloors.farByExpiry },
  { name: 'page 2 by customer', query: 'page=2&sort=customer', floor: domainFloors.byCustomer },
  {
    ...{ name: 'expiring in a month', query: 'page=1&sort=expireDate&expiringWithinDays=30' },
    floor: domainFloors.expiring,
  },
  { name: 'search', query: 'page=1&sort=address&search=lio-12', floor: domainFloors.search },
];

const listReply = z.object({ data: z.array(domainRow), meta: z.object({ total: z.number() }) });
const moment = z.string().nullable();
const floorRow = z.object({
  ...{ address: z.string(), customer_id: z.string().nullable(), customer: z.string().nullable() },
  ...{ expires_at: z.string(), registered_at: moment, status: z.string(), auto_renew: z.boolean() },
  ...{ locked: z.boolean().nullable(), verification: z.string().nullable(), verification_deadline: moment },
  ...{ synced_at: moment, missing_since: moment, certificate: z.unknown() },
});
const floorReply = z.object({ total: z.number(), data: z.array(floorRow) });

/** The authenticated list of 50 of 20,000 domains with total, beside a bare Fastify that asks in the shortest way. */
export async function* measureDomainList(stand: Stand): AsyncGenerator<Result> {
  await using portal = await startPortal({
    ...stand.settings,
    ROLES: 'web',
    DATABASE_CONNECTIONS: String(poolSize),
    RATE_LIMITS: '999999',
  });
  const { token, organisationId } = await openAccount(stand, portal.url, 'domains@msp.example');
  await fill(stand.databaseUrl, organisationId, 'portfolio');
  for (const { name, query, floor: statement } of views) {
    const { sql, parameters } = statement;
    await using floor = startFloor(stand, { sql, parameters: [organisationId, ...parameters] }, poolSize);
    const portalCall = {
      url: `${portal.url}/api/domain?pageSize=${pageSize}&${query}`,
      headers: { authorization: `Bearer ${token}` },
      pid: portal.pid,
    };
    const floorCall = { url: `${await urlOf(floor)}/list`, headers: {}, pid: floor.pid };
    await requireSameAnswer(portalCall, floorCall);
    const compared = await sideBySide(stand, { portal: portalCall, floor: floorCall, targetRatio });
    yield comparison(
      `list of ${pageSize} of ${domains} domains, ${name}, portal / bare Fastify`,
      compared,
      targetRatio,
    );
  }
}

/** A floor that answers something else would prove nothing. */
async function requireSameAnswer(portal: Call, floor: Call): Promise<void> {
  const full = listReply.parse(await (await fetch(portal.url, { headers: portal.headers })).json());
  const bare = floorReply.parse(await (await fetch(floor.url)).json());
  const expected = bare.data.map((row) => ({
    ...{ address: row.address, customerId: row.customer_id, customer: row.customer ?? '' },
    ...{ expireDate: row.expires_at, registeredAt: row.registered_at, status: row.status },
    ...{ autoRenew: row.auto_renew, locked: row.locked, verification: row.verification },
    ...{ verificationDeadline: row.verification_deadline, syncedAt: row.synced_at },
    missing: row.missing_since !== null,
    certificate: row.certificate,
  }));
  if (full.data.length !== pageSize || !isDeepStrictEqual(full.data, expected)) {
    throw new Error('the portal and the floor do not list the same domains');
  }
  if (full.meta.total !== bare.total || bare.total < pageSize) {
    throw new Error(`totals of ${full.meta.total} and ${bare.total}`);
  }
}
