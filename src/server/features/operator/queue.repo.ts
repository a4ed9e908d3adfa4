import type { QueueEntry, QueueKind } from '#contracts/operations/operator.ts';
import { dayMs, hourMs } from '#contracts/values/time.ts';
import { type Db, sql, type Tx } from '#kernel/db/database.ts';
import { unstopped } from '#kernel/db/stopped-charges.ts';

/** An outcome that the registrar has not told for so long is worth a look, though the portal still asks. */
const waitingAfterMs = hourMs;
/** Events are applied within seconds; one that waits longer has failed. */
const stuckAfterMs = 15 * 60_000;
/** How far back failed charges and refused renewals are shown. */
const recentMs = 60 * dayMs;

interface Row {
  kind: QueueKind;
  id: string;
  organisation_id: string | null;
  organization: string | null;
  subject: string;
  note: string | null;
  cents: number;
  order_id: string | null;
  registrar_order_id: string | null;
  since: Date;
  retry: boolean;
}

/** Nobody can top it up any more (docs/decisions/0337). */
const closedDebt =
  'The organization is closed: collect what it owes, then enter a correction, also to write it off.';
/** Listed of each kind: a thousand old charges hide no order whose outcome a person must decide. */
const mostOfAKind = 500;

/** Everything that needs a person, of all organisations. */
function entriesAt(now: Date) {
  const before = (ms: number) => new Date(now.getTime() - ms);
  return sql`(
      SELECT CASE i.state WHEN 'review' THEN 'review' ELSE 'waiting' END AS kind, i.id::text, i.organisation_id,
        i.kind || ' ' || i.address AS subject, i.outcome_note AS note, i.price_cents AS cents, i.order_id,
        i.registrar_order_id, CASE i.state WHEN 'review' THEN i.updated_at ELSE i.unknown_since END AS since,
        true AS retry
      FROM order_items i
      WHERE i.state = 'review' OR (i.state = 'unknown' AND i.unknown_since < ${before(waitingAfterMs)})
      UNION ALL
      SELECT 'charge', t.id::text, t.organisation_id, 'automatic top-up', t.failure, t.cents, NULL, t.payment_intent,
        t.updated_at, coalesce(b.auto_topup, false)
      FROM topups t LEFT JOIN billing_profiles b ON b.organisation_id = t.organisation_id
      WHERE t.kind = 'auto' AND t.state IN ('failed', 'requires_action') AND t.updated_at > ${before(recentMs)}
        AND NOT EXISTS (SELECT FROM topups l WHERE l.organisation_id = t.organisation_id
          AND l.created_at > t.created_at AND l.state IN ('succeeded', 'processing', 'requested'))
      UNION ALL
      SELECT 'charge', c.id::text, c.organisation_id, 'direct charge', c.failure, c.cents, c.order_id, c.payment_intent,
        c.updated_at, ${unstopped(sql.ref('c.customer_id'))}
      FROM direct_charges c WHERE c.state = 'failed'
      UNION ALL
      SELECT 'renewal', i.id::text, i.organisation_id, 'renewal ' || i.address, i.public_error, i.price_cents,
        i.order_id, i.registrar_order_id, i.updated_at, false
      FROM order_items i
        JOIN domains d ON d.organisation_id = i.organisation_id AND d.address = i.address AND d.status <> 'ended'
      WHERE i.kind = 'renewal' AND i.state = 'declined'
        AND NOT EXISTS (SELECT FROM auto_renewals a WHERE a.order_id = i.order_id) AND i.updated_at > ${before(recentMs)}
        AND NOT EXISTS (SELECT FROM order_items l WHERE l.organisation_id = i.organisation_id
          AND l.kind = 'renewal' AND l.address = i.address AND l.created_at > i.created_at)
        AND extract(year FROM d.expires_at) <= coalesce(i.expiry_year, extract(year FROM d.expires_at))
      UNION ALL
      SELECT 'renewal', a.organisation_id || ' ' || a.address, a.organisation_id, 'automatic renewal ' || a.address,
        a.reason, a.price_cents, a.order_id, NULL, a.updated_at, true
      FROM auto_renewals a
        JOIN domains d ON d.organisation_id = a.organisation_id AND d.address = a.address AND d.status <> 'ended'
          AND d.missing_since IS NULL
      WHERE a.state = 'unable' AND extract(year FROM d.expires_at AT TIME ZONE 'UTC') = a.expiry_year
      UNION ALL
      SELECT 'event', e.id, NULL, e.type, e.last_error, 0, NULL, e.object_id, e.received_at, true
      FROM webhook_events e WHERE e.applied_at IS NULL AND e.received_at < ${before(stuckAfterMs)}
      UNION ALL
      SELECT 'missing', d.id::text, d.organisation_id, d.address,
        'The registrar does not have it in the portal’s account any more.', 0, NULL, NULL, d.missing_since, true
      FROM domains d WHERE d.missing_since IS NOT NULL AND d.status <> 'ended'
      UNION ALL
      SELECT 'debt', w.organisation_id::text, w.organisation_id, 'balance below zero',
        concat_ws(' ', CASE WHEN t.reversed_cents > 0 THEN 'A top-up was disputed, returned or refunded.'
          WHEN t.id IS NOT NULL THEN 'A bank transfer did not arrive.' END,
          CASE WHEN o.closed_at IS NOT NULL THEN ${closedDebt} END),
        -(w.posted_cents - w.held_cents + w.pending_cents), NULL, t.payment_intent,
        coalesce(t.updated_at, o.created_at), false
      FROM wallets w JOIN organisations o ON o.id = w.organisation_id
        LEFT JOIN LATERAL (SELECT * FROM topups t WHERE t.organisation_id = w.organisation_id
          AND (t.reversed_cents > 0 OR (t.method = 'us_bank_account' AND t.state = 'failed'))
          ORDER BY t.updated_at DESC LIMIT 1) t ON true
      WHERE w.posted_cents - w.held_cents + w.pending_cents < 0
    )`;
}

/** The oldest of each kind, oldest first. */
export async function listQueue(db: Db | Tx, now: Date): Promise<QueueEntry[]> {
  const found = await sql<Row>`
    SELECT q.*, o.name AS organization FROM (
      SELECT e.*, row_number() OVER (PARTITION BY e.kind ORDER BY e.since, e.id) AS place FROM ${entriesAt(now)} e
    ) q LEFT JOIN organisations o ON o.id = q.organisation_id
    WHERE q.place <= ${mostOfAKind}
    ORDER BY q.since, q.id`.execute(db);
  return found.rows.map((row) => entryOf(row, now));
}

/** One of them, however many there are; null when it needs nobody any more. */
export async function findEntry(
  db: Db | Tx,
  now: Date,
  { kind, id }: Pick<QueueEntry, 'kind' | 'id'>,
): Promise<QueueEntry | null> {
  const found = await sql<Row>`
    SELECT q.*, o.name AS organization FROM ${entriesAt(now)} q LEFT JOIN organisations o ON o.id = q.organisation_id
    WHERE q.kind = ${kind} AND q.id = ${id}`.execute(db);
  const [row] = found.rows;
  return row ? entryOf(row, now) : null;
}

/** How many there are of each kind, since when the oldest of them waits, and what hangs on them. A kind of which there are none is not in it. */
export async function countQueue(
  db: Db | Tx,
  now: Date,
): Promise<Map<QueueKind, { count: number; oldest: Date; cents: number }>> {
  const found = await sql<{ kind: QueueKind; count: number; oldest: Date; cents: number }>`
    SELECT q.kind, count(*)::int AS count, min(q.since) AS oldest, sum(q.cents)::float8 AS cents
    FROM ${entriesAt(now)} q GROUP BY q.kind`.execute(db);
  return new Map(found.rows.map(({ kind, ...counted }) => [kind, counted]));
}

function entryOf(row: Row, now: Date): QueueEntry {
  return {
    kind: row.kind,
    id: row.id,
    organization: row.organization ?? '',
    organizationId: row.organisation_id,
    subject: row.subject,
    note: row.note ?? '',
    amount: row.cents,
    orderId: row.order_id,
    registrarOrderId: row.registrar_order_id,
    since: row.since.toISOString(),
    ageSeconds: Math.max(0, Math.round((now.getTime() - row.since.getTime()) / 1000)),
    retry: row.retry,
  };
}

/** Which customer an entry is about: whose the item, the charge or the domain is. Null for the organisation's own. */
export async function customerOf(
  tx: Tx,
  { kind, id, organizationId, orderId }: Pick<QueueEntry, 'kind' | 'id' | 'organizationId' | 'orderId'>,
): Promise<string | null> {
  if (!organizationId || kind === 'event') return null;
  // An automatic top-up fills the organisation's own balance.
  if (kind === 'charge' && orderId === null) return null;
  const table = kind === 'charge' ? 'direct_charges' : kind === 'missing' ? 'domains' : 'order_items';
  // An automatic renewal is called by its domain, as the queue lists it.
  const [, address] = id.split(' ');
  const found = address
    ? tx.selectFrom('domains').where('address', '=', address).where('status', '<>', 'ended')
    : tx.selectFrom(table).where('id', '=', id);
  const row = await found
    .select('customer_id')
    .where('organisation_id', '=', organizationId)
    .executeTakeFirst();
  return row?.customer_id ?? null;
}

/** A domain of the queue, with whose it is. */
export async function findMissing(tx: Tx, id: string) {
  return tx
    .selectFrom('domains as d')
    .innerJoin('organisations as o', 'o.id', 'd.organisation_id')
    .select(['d.organisation_id as organisationId', 'd.address', 'd.customer_id as customerId'])
    .select(['d.status', 'o.name as organization'])
    .where('d.id', '=', id)
    .where('d.status', '<>', 'ended')
    .where('d.missing_since', 'is not', null)
    .executeTakeFirst();
}
