import pg from 'pg';
import { z } from 'zod';
import { attentionCauses } from '../src/contracts/values/attention.ts';
import { noMarkups } from '../src/contracts/values/money.ts';
import { countItems, type ItemFilter, listItems } from '../src/server/features/attention/attention.repo.ts';
import { openAccount } from './customer-list.ts';
import { statementOf } from './list-statement.ts';
import type { Result } from './result.ts';
import { sideBySide, startFloor, urlOf } from './side-by-side.ts';
import { type Stand, startPortal } from './stand.ts';

const items = 10_000;
const customers = 40;
const pageSize = 50;
const poolSize = 20;
const targetRatio = 0.7;

const listReply = z.object({ data: z.object({ items: z.array(z.object({ id: z.string() })) }) });
const countReply = z.object({ data: z.object({ now: z.int(), soon: z.int(), snoozed: z.int() }) });
const floorListReply = z.object({ data: z.array(z.object({ id: z.string() })) });
const floorCountReply = z.object({ data: z.array(z.object({ count: z.int() })) });

/** What needs attention, of 10,000 entries: lists, filters and counts beside a bare Fastify with the same SQL. */
export async function measureAttention(stand: Stand): Promise<Result[]> {
  await using portal = await startPortal({
    ...stand.settings,
    ROLES: 'web',
    DATABASE_CONNECTIONS: String(poolSize),
    RATE_LIMITS: '999999',
  });
  const { token, organisationId } = await openAccount(stand, portal.url, 'attention@msp.example');
  const customerId = await fill(stand.databaseUrl, organisationId);
  const headers = { authorization: `Bearer ${token}` };
  const causes = [...attentionCauses];
  const lists: [string, string, ItemFilter][] = [
    ['first page', '', { causes }],
    ['only what presses', '&severity=now', { causes, severity: 'now' }],
    ['one cause', '&cause=health', { causes: ['health'] }],
    ['one customer', `&customerId=${customerId}`, { causes, customerId }],
  ];
  const results: Result[] = [];
  for (const [name, query, filter] of lists) {
    const now = new Date();
    const statement = await statementOf(organisationId, (tx, scope) =>
      listItems(tx, scope, filter, { limit: pageSize + 1, now }),
    );
    await using floor = startFloor(stand, statement, poolSize);
    const portalCall = { url: `${portal.url}/api/attention?limit=${pageSize}${query}`, headers };
    const floorCall = { url: `${await urlOf(floor)}/list`, headers: {} };
    await requireSameList(portalCall, floorCall);
    results.push(resultOf(`list of ${pageSize}, ${name}`, await sideBySide(portalCall, floorCall)));
  }
  const counting = await statementOf(organisationId, (tx, scope) =>
    countItems(tx, scope, { causes }, new Date()),
  );
  await using floor = startFloor(stand, counting, poolSize);
  const portalCall = { url: `${portal.url}/api/attention/counts`, headers };
  const floorCall = { url: `${await urlOf(floor)}/list`, headers: {} };
  await requireSameCount(portalCall, floorCall);
  results.push(resultOf('counts', await sideBySide(portalCall, floorCall)));
  return results;
}

/** Entries of all causes, as their features would state them; gives one customer's id. */
async function fill(databaseUrl: string, organisationId: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO customers (id, organisation_id, owner, admin, billing_contact, markups)
       SELECT gen_random_uuid(), $1, c, c, c, $3 FROM generate_series(1, $2::int) AS n,
         LATERAL (SELECT jsonb_build_object('organization', 'Customer ' || n)) AS contact (c) RETURNING id`,
      [organisationId, customers, JSON.stringify(noMarkups)],
    );
    const ids = rows.map(({ id }) => id);
    await client.query(
      `INSERT INTO attention_items (id, organisation_id, cause, object, rank, customer_id, address, deadline, facts,
         opened_at)
       SELECT gen_random_uuid(), $1, (ARRAY['health', 'registrant', 'restore', 'zone-write'])[1 + n % 4], n::text,
         n % 2, ($2::uuid[])[1 + n % $3::int], 'name-' || n || '.com', now() + interval '1 hour' * n,
         jsonb_build_object('kinds', 'spf-open mx-dead', 'since', now(), 'suspended', false, 'bounced', false,
           'until', now() + interval '9 days', 'at', now()), now() - interval '1 hour'
       FROM generate_series(1, $4::int) AS n`,
      [organisationId, ids, customers, items],
    );
    await client.query('DELETE FROM attention_marks');
    await client.query('VACUUM ANALYZE customers, attention_items, attention_marks');
    return ids[0] ?? '';
  } finally {
    await client.end();
  }
}

interface Call {
  url: string;
  headers: Record<string, string>;
}
const read = async ({ url, headers }: Call) => (await fetch(url, { headers })).json();

/** A floor that answers something else would prove nothing. */
async function requireSameList(portalCall: Call, floorCall: Call): Promise<void> {
  const full = listReply.parse(await read(portalCall)).data.items.map(({ id }) => id);
  const bare = floorListReply.parse(await read(floorCall)).data.map(({ id }) => id);
  if (full.length !== pageSize || full.join() !== bare.slice(0, pageSize).join()) {
    throw new Error('the portal and the floor do not list the same entries');
  }
}

async function requireSameCount(portalCall: Call, floorCall: Call): Promise<void> {
  const full = countReply.parse(await read(portalCall)).data;
  const bare = floorCountReply.parse(await read(floorCall)).data.reduce((sum, { count }) => sum + count, 0);
  if (full.now + full.soon + full.snoozed !== items || bare !== items) {
    throw new Error(`counts of ${full.now + full.soon + full.snoozed} and ${bare} instead of ${items}`);
  }
}

function resultOf(
  what: string,
  { ratio, portalPerSecond, floorPerSecond }: Awaited<ReturnType<typeof sideBySide>>,
): Result {
  return {
    name: `${what} of ${items} entries that need attention, portal / bare Fastify`,
    measured: `${ratio.toFixed(2)} (${portalPerSecond.toFixed(0)} / ${floorPerSecond.toFixed(0)} per s)`,
    target: `≥ ${targetRatio}`,
    passed: ratio >= targetRatio,
    figures: { ratio, portalPerSecond, floorPerSecond },
  };
}
