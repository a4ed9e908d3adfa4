import { sql, type Tx } from '#kernel/db/database.ts';
import { mostReadingsWaiting, readingQueues } from './sync.rules.ts';
import { enqueueSync, syncAttempts } from './sync-job.ts';

/** Readings that could begin now, counted up to the most that may wait. */
export async function readingsWaiting(tx: Tx): Promise<number> {
  const { rows } = await sql<{ ready: number }>`
    SELECT jobs_ready('domains.sync', ${mostReadingsWaiting}::int) AS ready`.execute(tx);
  return rows[0]?.ready ?? 0;
}

/**
 * A job for each of the domains whose reading is due, the longest due first, up to so many. Each has its next one in 22 to 24 hours;
 * the two hours between come from its name, so that names that came together drift apart. Runs across tenants.
 */
export async function planReadings(tx: Tx, most: number, now: Date): Promise<void> {
  await sql`
    WITH due AS (
      SELECT id FROM domains WHERE status IN ('active', 'expired') AND sync_due_at <= ${now}
      ORDER BY sync_due_at LIMIT ${most} FOR NO KEY UPDATE SKIP LOCKED),
    planned AS (
      UPDATE domains AS d SET sync_due_at = ${now}::timestamptz + interval '22 hours'
        + make_interval(secs => abs(hashtext(d.address)::bigint) % 7200)
      FROM due WHERE d.id = due.id
      RETURNING d.organisation_id, d.address, abs(hashtext(d.address)::bigint) % ${readingQueues}::int AS queue)
    SELECT enqueue_jobs('domains.sync',
      array_agg(json_build_object('organisationId', organisation_id, 'address', address) ORDER BY address),
      array_agg('domains.sync:' || address ORDER BY address), ${now}::timestamptz, ${syncAttempts}::int,
      'domains.sync:' || queue, true)
    FROM planned GROUP BY queue`.execute(tx);
}

interface Place {
  organisationId: string;
  address: string;
}

/**
 * Whether the registrar has taken an order of another organisation, which was made while this one listed the name, and its outcome is
 * open: what the registrar says of the name is about that order. Runs across tenants.
 */
export async function isOrderedElsewhere(tx: Tx, { organisationId, address }: Place): Promise<boolean> {
  const { rows } = await sql<{ ordered: boolean }>`
    SELECT EXISTS (SELECT FROM domains d JOIN order_items i ON i.address = d.address
      WHERE d.organisation_id = ${organisationId} AND d.address = ${address} AND d.status IN ('active', 'expired')
        AND i.organisation_id <> d.organisation_id AND i.created_at > d.created_at AND i.kind IN ('domain', 'transfer')
        AND i.state IN ('pending', 'unknown', 'review') AND i.registrar_order_id IS NOT NULL) AS ordered`.execute(
    tx,
  );
  return rows[0]?.ordered ?? false;
}

/** Has the name read for the organisation that stands in the way of this one: it may list what it does not have. Runs across tenants. */
export async function enqueueSyncElsewhere(tx: Tx, { organisationId, address }: Place): Promise<void> {
  const listed = await tx
    .selectFrom('domains')
    .select(['organisation_id as organisationId', 'address'])
    .where('address', '=', address)
    .where('organisation_id', '<>', organisationId)
    .where('status', 'in', ['active', 'expired'])
    .executeTakeFirst();
  if (listed) await enqueueSync(tx, listed);
}
