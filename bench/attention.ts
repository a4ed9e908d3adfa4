import pg from 'pg';
import { z } from 'zod';
import { noMarkups } from '../src/contracts/values/money.ts';
import { openAccount } from './customer-list.ts';
import type { Result } from './result.ts';
import { type Call, type Compared, comparison, sideBySide, startFloor, urlOf } from './side-by-side.ts';
import { type Stand, startPortal } from './stand.ts';

const items = 10_000;
const customers = 40;
const others = 20;
const pageSize = 50;
const poolSize = 20;
/** Each entry comes with its words and what to do about it, which the floor leaves out. */
const targetRatio = 0.6;

const moment = z.iso.datetime().nullable();
const shown = z.object({
  ...{ id: z.string(), cause: z.string(), severity: z.enum(['now', 'soon']), name: z.string().nullable() },
  ...{ customerId: z.string().nullable(), customer: z.string(), deadline: moment, openedAt: moment },
  snoozedUntil: moment,
  owner: z.object({ userId: z.string() }).nullable(),
});
const listReply = z.object({ data: z.object({ items: z.array(shown), more: z.boolean() }) });
const counts = {
  ...{ now: z.int(), soon: z.int(), snoozed: z.int(), mine: z.int() },
  causes: z.array(z.object({ cause: z.string(), count: z.int() })),
};
const countReply = z.object({ data: z.object(counts) });
const bareRow = z.object({
  ...{ id: z.string(), cause: z.string(), rank: z.int(), address: z.string().nullable() },
  ...{ customer_id: z.string().nullable(), organization: z.string().nullable(), deadline: moment },
  ...{ opened_at: moment, snoozed_until: moment, owner_id: z.string().nullable() },
});
const floorListReply = z.object({ data: z.array(bareRow) });
const floorCountReply = z.object({ data: z.array(z.object(counts)) });

/**
 * The shortest statements for these questions that we know, for one organization and a person who may see everything. They are
 * not the portal's own: what the portal asks for besides (rights, reach, whether something was marked) is in its figure alone.
 */
const bareList = (condition: string) => `
  SELECT i.id, i.cause, i.rank, i.address, i.customer_id, c.organization, i.deadline, i.facts, i.opened_at,
    i.snoozed_until, i.owner_id, u.username, u.email
  FROM attention_items i LEFT JOIN customers c ON c.id = i.customer_id LEFT JOIN users u ON u.id = i.owner_id
  WHERE i.organisation_id = $1 AND i.closed_at IS NULL AND ${condition}
  ORDER BY i.rank, i.sort_at, i.id LIMIT ${pageSize + 1}`;
const awake = '(i.snoozed_until IS NULL OR i.snoozed_until <= now())';
const bareCount = `
  WITH kinds AS MATERIALIZED (
    SELECT cause, rank, snoozed_until > now() AS asleep, owner_id = $2 AS own, count(*)::int AS n
    FROM attention_items WHERE organisation_id = $1 AND closed_at IS NULL GROUP BY 1, 2, 3, 4)
  SELECT coalesce(sum(n) FILTER (WHERE asleep IS NOT true AND rank = 0), 0)::int AS now,
    coalesce(sum(n) FILTER (WHERE asleep IS NOT true AND rank = 1), 0)::int AS soon,
    coalesce(sum(n) FILTER (WHERE asleep), 0)::int AS snoozed,
    coalesce(sum(n) FILTER (WHERE asleep IS NOT true AND own), 0)::int AS mine,
    (SELECT jsonb_agg(jsonb_build_object('cause', cause, 'count', n)) FROM
      (SELECT cause, sum(n)::int AS n FROM kinds WHERE asleep IS NOT true GROUP BY cause) AS c) AS causes
  FROM kinds`;

interface Line {
  name: string;
  /** Of the portal's address. */
  query: string;
  /** The same as a condition. */
  condition: string;
  parameters: readonly string[];
}

/** What needs attention, of 10,000 entries: lists, filters and counts beside a bare Fastify with the shortest SQL. */
export async function* measureAttention(stand: Stand): AsyncGenerator<Result> {
  await using portal = await startPortal({
    ...stand.settings,
    ROLES: 'web',
    DATABASE_CONNECTIONS: String(poolSize),
    RATE_LIMITS: '999999',
  });
  const { token, organisationId } = await openAccount(stand, portal.url, 'attention@msp.example');
  const { customerId, userId } = await fill(stand.databaseUrl, organisationId);
  const headers = { authorization: `Bearer ${token}` };
  const lines: Line[] = [
    { name: 'first page', query: '', condition: awake, parameters: [] },
    {
      ...{ name: 'one customer', query: `&customerId=${customerId}` },
      ...{ condition: `${awake} AND i.customer_id = $2`, parameters: [customerId] },
    },
    { name: 'mine', query: '&mine=true', condition: `${awake} AND i.owner_id = $2`, parameters: [userId] },
  ];
  for (const { name, query, condition, parameters } of lines) {
    const statement = { sql: bareList(condition), parameters: [organisationId, ...parameters] };
    await using floor = startFloor(stand, statement, poolSize);
    const url = `${portal.url}/api/attention?limit=${pageSize}${query}`;
    const portalCall = { url, headers, pid: portal.pid };
    const floorCall = { url: `${await urlOf(floor)}/list`, headers: {}, pid: floor.pid };
    await requireSameList(portalCall, floorCall);
    yield resultOf(
      `list of ${pageSize}, ${name}`,
      await sideBySide(stand, { portal: portalCall, floor: floorCall, targetRatio }),
    );
  }
  const counting = { sql: bareCount, parameters: [organisationId, userId] };
  await using floor = startFloor(stand, counting, poolSize);
  const portalCall = { url: `${portal.url}/api/attention/counts`, headers, pid: portal.pid };
  const floorCall = { url: `${await urlOf(floor)}/list`, headers: {}, pid: floor.pid };
  await requireSameCount(portalCall, floorCall);
  yield resultOf('counts', await sideBySide(stand, { portal: portalCall, floor: floorCall, targetRatio }));
}

/** Entries of several causes, as their features would state them; gives one customer's id, and that of the only person. */
async function fill(
  databaseUrl: string,
  organisationId: string,
): Promise<{ customerId: string; userId: string }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const people = await client.query<{ id: string }>('SELECT id FROM users WHERE organisation_id = $1', [
      organisationId,
    ]);
    const userId = people.rows[0]?.id ?? '';
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO customers (id, organisation_id, owner, admin, billing_contact, markups)
       SELECT gen_random_uuid(), $1, c, c, c, $3 FROM generate_series(1, $2::int) AS n,
         LATERAL (SELECT jsonb_build_object('organization', 'Customer ' || n)) AS contact (c) RETURNING id`,
      [organisationId, customers, JSON.stringify(noMarkups)],
    );
    const ids = rows.map(({ id }) => id);
    // One in a hundred is a deleted name, is somebody's, and is put off: more than a page of each, and few of all.
    await client.query(
      `INSERT INTO attention_items (id, organisation_id, cause, object, rank, customer_id, address, deadline, facts,
         opened_at, owner_id, snoozed_until)
       SELECT gen_random_uuid(), $1,
         CASE WHEN n % 100 = 7 THEN 'restore' ELSE (ARRAY['health', 'registrant', 'zone-write'])[1 + n % 3] END,
         n::text, n % 2, ($2::uuid[])[1 + n % $3::int], 'name-' || n || '.com', now() + interval '1 hour' * n,
         jsonb_build_object('kinds', 'spf-open mx-dead', 'since', now(), 'suspended', false, 'bounced', false,
           'until', now() + interval '9 days', 'at', now()), now() - interval '1 hour',
         CASE WHEN n % 100 = 9 THEN $5::uuid END, CASE WHEN n % 100 = 11 THEN now() + interval '9 days' END
       FROM generate_series(1, $4::int) AS n`,
      [organisationId, ids, customers, items, userId],
    );
    // As in any portal: alone, PostgreSQL would know that every entry is this organization's, and plan for that.
    await client.query(
      `WITH others AS (INSERT INTO organisations (id, name) SELECT gen_random_uuid(), 'Other ' || n
         FROM generate_series(1, $1::int) AS n RETURNING id)
       INSERT INTO attention_items (id, organisation_id, cause, object, rank, facts, opened_at)
       SELECT gen_random_uuid(), id, 'payment', 'payment', 0, '{}', now() FROM others`,
      [others],
    );
    await client.query('DELETE FROM attention_marks');
    await client.query('VACUUM ANALYZE customers, users, attention_items, attention_marks');
    return { customerId: ids[0] ?? '', userId };
  } finally {
    await client.end();
  }
}

const read = async ({ url, headers }: Call) => (await fetch(url, { headers })).json();

/** A floor that answers something else would prove nothing. */
async function requireSameList(portalCall: Call, floorCall: Call): Promise<void> {
  const full = listReply.parse(await read(portalCall)).data;
  const bare = floorListReply.parse(await read(floorCall)).data;
  const expected = bare.slice(0, pageSize).map((row) => ({
    ...{ id: row.id, cause: row.cause, severity: row.rank === 0 ? 'now' : 'soon', name: row.address },
    ...{ customerId: row.customer_id, customer: row.organization ?? '', deadline: row.deadline },
    ...{ openedAt: row.opened_at, snoozedUntil: row.snoozed_until },
    owner: row.owner_id && { userId: row.owner_id },
  }));
  const said = { items: JSON.stringify(full.items), more: full.more };
  const wanted = { items: JSON.stringify(expected), more: bare.length > pageSize };
  if (full.items.length !== pageSize || said.items !== wanted.items || said.more !== wanted.more) {
    throw new Error('the portal and the floor do not list the same entries');
  }
}

async function requireSameCount(portalCall: Call, floorCall: Call): Promise<void> {
  const full = countReply.parse(await read(portalCall)).data;
  const [bare] = floorCountReply.parse(await read(floorCall)).data;
  const inOrder = (said: typeof full | undefined) =>
    JSON.stringify({ ...said, causes: said?.causes.toSorted((a, b) => (a.cause < b.cause ? -1 : 1)) });
  if (full.now + full.soon + full.snoozed !== items || inOrder(full) !== inOrder(bare)) {
    throw new Error(`counts of ${inOrder(full)} and ${inOrder(bare)}`);
  }
}

const resultOf = (what: string, compared: Compared) =>
  comparison(`${what} of ${items} entries that need attention, portal / bare Fastify`, compared, targetRatio);
