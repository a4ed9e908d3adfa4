import { sql } from '../../src/server/kernel/db/database.ts';
import { type Stand, timesAt } from './stand.ts';

/** An order that the registrar has carried out, and when. */
export interface DoneOrder {
  itemId: string;
  at: Date;
}

/**
 * Items that the registrar carried out after W had passed, and that the portal gave up, as a registrar on a machine that stood
 * still does. It may carry one out between the portal's last look and the line that gives it up. The portal cannot know of
 * them, but its nightly comparison has to name each one; those that it names are returned.
 */
export async function namedAsTooLate(stand: Stand, done: readonly DoneOrder[]): Promise<Set<string>> {
  const waitedMs = Number(timesAt(stand.pace).ORDER_RELEASE_AFTER_MS);
  const { rows } = await sql<{ id: string }>`
    SELECT i.id FROM order_items i JOIN jsonb_to_recordset(${JSON.stringify(done)}::jsonb) AS d ("itemId" uuid, at timestamptz)
      ON d."itemId" = i.id
    WHERE i.state = 'declined'
      AND least(d.at, i.updated_at) >= i.unknown_since + ${waitedMs} * interval '1 millisecond'`.execute(
    stand.owner,
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return new Set();
  // The comparison judges what has rested for a while.
  await sql`UPDATE order_items SET updated_at = updated_at - interval '1 hour' WHERE id = ANY (${ids}::uuid[])`.execute(
    stand.owner,
  );
  await sql`SELECT enqueue_job('operator.reconcile', '{}'::json, 'operator.reconcile', NULL, 25, NULL)`.execute(
    stand.owner,
  );
  const end = performance.now() + comparesWithinMs * stand.pace;
  for (;;) {
    const found = await sql<{ subject: string }>`SELECT subject FROM reconciliation_differences
      WHERE kind = 'order-without-charge' AND subject = ANY (${ids}::text[])`.execute(stand.owner);
    const named = new Set(found.rows.map(({ subject }) => subject));
    if (named.size === ids.length || performance.now() > end) return named;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const comparesWithinMs = 120_000;
