import pg from 'pg';
import { z } from 'zod';
import { noMarkups } from '../src/contracts/values/money.ts';
import type { CustomerListQuery } from '../src/server/features/customers/customer-list.repo.ts';
import { createDatabase } from '../src/server/kernel/db/database.ts';
import { setInitialFee } from '../tests/support/first-payment.ts';
import { customerListStatement } from './list-statement.ts';
import type { Result } from './result.ts';
import { sideBySide, startFloor, urlOf } from './side-by-side.ts';
import { type Stand, startPortal } from './stand.ts';

const customers = 10_000;
const domains = 20_000;
const pageSize = 50;
const poolSize = 20;
const targetRatio = 0.7;

const profileReply = z.object({ data: z.object({ organizationId: z.string() }) });
const listReply = z.object({
  data: z.array(z.object({ customerId: z.string() })),
  meta: z.object({ total: z.number() }),
});
const floorReply = z.object({ total: z.number(), data: z.array(z.object({ id: z.string() })) });

/** Pages, orders and searches that people ask for; each is held to the same target. */
const views: readonly (CustomerListQuery & { name: string; found: number })[] = [
  { name: 'first page', page: 1, pageSize, sort: 'organization', found: customers },
  {
    name: 'last page, by location',
    page: customers / pageSize,
    pageSize,
    sort: '-location',
    found: customers,
  },
  { name: 'by number of domains', page: 1, pageSize, sort: '-domains', found: customers },
  { name: 'search, by contact', page: 1, pageSize, sort: 'contact', search: 'first12', found: 111 },
];

/** The authenticated list of 50 of 10,000 customers with total, beside a bare Fastify with the same SQL. */
export async function measureCustomerList(stand: Stand): Promise<Result[]> {
  await using portal = await startPortal({
    ...stand.settings,
    ROLES: 'web',
    DATABASE_CONNECTIONS: String(poolSize),
    // Limits count, as they do in production, but never strike.
    RATE_LIMITS: '999999',
  });
  const { token, organisationId } = await openAccount(stand, portal.url);
  await fill(stand.databaseUrl, organisationId);
  const results: Result[] = [];
  for (const view of views) {
    results.push(await measureView(stand, { url: portal.url, token, organisationId }, view));
  }
  return results;
}

async function measureView(
  stand: Stand,
  portal: { url: string; token: string; organisationId: string },
  { name, found, ...query }: (typeof views)[number],
): Promise<Result> {
  const statement = await customerListStatement(portal.organisationId, query);
  await using floor = startFloor(stand, statement, poolSize);
  const asked = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  const portalCall = {
    url: `${portal.url}/api/customer?${asked.toString()}`,
    headers: { authorization: `Bearer ${portal.token}` },
  };
  const floorCall = { url: `${await urlOf(floor)}/list`, headers: {} };
  await requireSameAnswer(portalCall, floorCall, found);
  const { ratio, portalPerSecond, floorPerSecond } = await sideBySide(portalCall, floorCall);
  return {
    name: `list of ${pageSize} of ${customers} customers, ${name}, portal / bare Fastify`,
    measured: `${ratio.toFixed(2)} (${portalPerSecond.toFixed(0)} / ${floorPerSecond.toFixed(0)} per s)`,
    target: `≥ ${targetRatio}`,
    passed: ratio >= targetRatio,
    figures: { ratio, portalPerSecond, floorPerSecond },
  };
}

export async function openAccount(
  stand: Stand,
  portalUrl: string,
  email = 'bench@msp.example',
): Promise<{ token: string; organisationId: string }> {
  await stand.control('identity', 'users/add', { email, verified: true, name: 'Bench' });
  // Longer than the measurement takes.
  const exp = Math.floor(Date.now() / 1000) + 3_600;
  const { token } = await stand.control<{ token: string }>('identity', 'tokens/mint', { email, exp });
  const reply = await fetch(`${portalUrl}/api/user`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'benchmark', organization: 'Benchmark MSP' }),
  });
  const { organizationId: organisationId } = profileReply.parse(await reply.json()).data;
  const db = createDatabase({ url: stand.urls.system, maxConnections: 1 });
  await setInitialFee(db, organisationId);
  await db.destroy();
  return { token, organisationId };
}

/** Customers and domains in bulk, as the owner of the tables. */
export async function fill(databaseUrl: string, organisationId: string, prefix = 'bench'): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO customers (id, organisation_id, owner, admin, billing_contact, markups)
       SELECT gen_random_uuid(), $1, c, c, c, $3
       FROM generate_series(1, $2::int) AS n, LATERAL (SELECT jsonb_build_object(
         'organization', 'Customer ' || md5(n::text), 'firstName', 'First' || n, 'lastName', 'Last' || n % 977,
         'address1', n || ' Main Street', 'city', 'Springfield', 'state', 'NY', 'postalCode', '10001',
         'country', (ARRAY['US', 'CA', 'GB', 'DE', 'FR'])[1 + n % 5], 'email', 'c' || n || '@example.com',
         'phone', '+1.2125550100') AS c) AS contact`,
      [organisationId, customers, JSON.stringify(noMarkups)],
    );
    await client.query(
      `INSERT INTO domains (id, organisation_id, customer_id, address, status, expires_at)
       SELECT gen_random_uuid(), $1, id, $4::text || '-' || n || '.com', 'active', now() + interval '1 day' * (n % 700)
       FROM generate_series(1, $2::int) AS n
       JOIN (SELECT id, row_number() OVER () AS k FROM customers WHERE organisation_id = $1) AS c
         ON k = 1 + n % $3::int`,
      [organisationId, domains, customers, prefix],
    );
    await client.query('VACUUM ANALYZE customers, domains');
  } finally {
    await client.end();
  }
}

/** A floor that answers something else would prove nothing. */
async function requireSameAnswer(
  portal: { url: string; headers: Record<string, string> },
  floor: { url: string },
  found: number,
): Promise<void> {
  const full = listReply.parse(await (await fetch(portal.url, { headers: portal.headers })).json());
  const bare = floorReply.parse(await (await fetch(floor.url)).json());
  const [shown, expected] = [full.data.map((row) => row.customerId), bare.data.map((row) => row.id)];
  if (shown.length !== pageSize || shown.join() !== expected.join()) {
    throw new Error('the portal and the floor do not list the same customers');
  }
  if (full.meta.total !== found || bare.total !== found) {
    throw new Error(`totals of ${full.meta.total} and ${bare.total} instead of ${found}`);
  }
}
