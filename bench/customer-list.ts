import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
import { customer } from '../src/contracts/operations/customers.ts';
import { noMarkups } from '../src/contracts/values/money.ts';
import { createDatabase } from '../src/server/kernel/db/database.ts';
import { setInitialFee } from '../tests/support/first-payment.ts';
import { customerFloors } from './list-floors.ts';
import { measureMemoryAfterLoad } from './memory.ts';
import type { Result } from './result.ts';
import { type Call, comparison, sideBySide, startFloor, urlOf } from './side-by-side.ts';
import { type Stand, startPortal } from './stand.ts';

const customers = 10_000;
const domains = 20_000;
const pageSize = 50;
const poolSize = 20;
const targetRatio = 0.85;

const profileReply = z.object({ data: z.object({ organizationId: z.string() }) });
const listReply = z.object({ data: z.array(customer), meta: z.object({ total: z.number() }) });
const contact = z.record(z.string(), z.string());
const floorRow = z.object({
  ...{ id: z.string(), owner: contact, admin: contact, billing_contact: contact, markups: z.unknown() },
  ...{ bill_directly: z.boolean(), billing_email: z.string(), payment_customer_id: z.string().nullable() },
  ...{
    allow_change_billing: z.boolean(),
    payment_method_set: z.boolean(),
    allow_domain_settings: z.boolean(),
    stopped: z.null(),
  },
  ...{ version: z.int(), created_at: z.string(), domains: z.int() },
});
const floorReply = z.object({ total: z.number(), data: z.array(floorRow) });

/** Pages, orders and searches that people ask for; each is held to the same target. */
const views = [
  {
    name: 'first page',
    query: 'page=1&sort=organization',
    found: customers,
    floor: customerFloors.firstPage,
  },
  {
    ...{ name: 'last page, by location', query: `page=${customers / pageSize}&sort=-location` },
    ...{ found: customers, floor: customerFloors.lastPageByLocation },
  },
  {
    name: 'by number of domains',
    query: 'page=1&sort=-domains',
    found: customers,
    floor: customerFloors.byDomains,
  },
  {
    ...{ name: 'search, by contact', query: 'page=1&sort=contact&search=first12' },
    ...{ found: 111, floor: customerFloors.search },
  },
];

/**
 * The authenticated list of 50 of 10,000 customers with total, beside a bare Fastify that asks in the shortest way; then the memory of
 * its server, which rests for a minute. `meanwhile`: work of others.
 */
export async function* measureCustomerList(
  stand: Stand,
  meanwhile: () => Promise<void>,
): AsyncGenerator<Result> {
  await using portal = await startPortal({
    ...stand.settings,
    ROLES: 'web',
    DATABASE_CONNECTIONS: String(poolSize),
    // Limits count, as they do in production, but never strike.
    RATE_LIMITS: '999999',
  });
  const { token, organisationId } = await openAccount(stand, portal.url);
  await fill(stand.databaseUrl, organisationId);
  for (const { name, query, found, floor: statement } of views) {
    const { sql, parameters } = statement;
    await using floor = startFloor(stand, { sql, parameters: [organisationId, ...parameters] }, poolSize);
    const portalCall = {
      url: `${portal.url}/api/customer?pageSize=${pageSize}&${query}`,
      headers: { authorization: `Bearer ${token}` },
      pid: portal.pid,
    };
    const floorCall = { url: `${await urlOf(floor)}/list`, headers: {}, pid: floor.pid };
    await requireSameAnswer(portalCall, floorCall, found);
    const compared = await sideBySide(stand, { portal: portalCall, floor: floorCall, targetRatio });
    yield comparison(
      `list of ${pageSize} of ${customers} customers, ${name}, portal / bare Fastify`,
      compared,
      targetRatio,
    );
  }
  yield await measureMemoryAfterLoad(portal.pid, meanwhile);
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
async function requireSameAnswer(portal: Call, floor: Call, found: number): Promise<void> {
  const full = listReply.parse(await (await fetch(portal.url, { headers: portal.headers })).json());
  const bare = floorReply.parse(await (await fetch(floor.url)).json());
  const expected = bare.data.map((row) => ({
    customerId: row.id,
    contacts: { owner: row.owner, admin: row.admin, billing: row.billing_contact },
    billing: {
      ...{ billDirectly: row.bill_directly, email: row.billing_email },
      ...{ stripeId: row.payment_customer_id, allowChangeBilling: row.allow_change_billing },
    },
    ...{ markups: row.markups, domainsCount: row.domains, paymentMethodSet: row.payment_method_set },
    ...{ chargesStopped: row.stopped, allowDomainSettings: row.allow_domain_settings },
    ...{ version: row.version, createdAt: row.created_at },
  }));
  if (full.data.length !== pageSize || !isDeepStrictEqual(full.data, expected)) {
    throw new Error('the portal and the floor do not list the same customers');
  }
  if (full.meta.total !== found || bare.total !== found) {
    throw new Error(`totals of ${full.meta.total} and ${bare.total} instead of ${found}`);
  }
}
