import { schedule } from '../../src/server/jobs/tasks.ts';
import { sql } from '../../src/server/kernel/db/database.ts';
import type { Stand } from './stand.ts';

/**
 * What is not at an end yet, each with what it is; empty: nothing will move by itself any more. A certificate whose owner has
 * not approved it is read again every few seconds or minutes, so among hundreds one is always due: each one has to be read
 * once since `readSince`.
 */
async function open({ owner }: Stand, readSince: Date): Promise<string[]> {
  const read = sql`(SELECT id FROM certificates WHERE synced_at > ${readSince})`;
  const { rows } = await sql<{ what: string }>`
    SELECT 'item ' || kind || ' ' || address || ': ' || state || ' ' || coalesce(outcome_note, '') AS what FROM order_items
      WHERE state NOT IN ('succeeded', 'declined')
    UNION ALL SELECT 'zone version of ' || d.address || ': ' || v.state FROM zone_versions v JOIN domains d ON d.id = v.domain_id
      WHERE v.state IN ('writing', 'unknown')
    UNION ALL SELECT 'charge ' || id || ': ' || state FROM direct_charges WHERE state IN ('collecting', 'sending', 'processing')
    UNION ALL SELECT 'refund ' || item_id || ': ' || state FROM direct_refunds WHERE state IN ('wanted', 'sending')
    UNION ALL SELECT 'top-up ' || id || ': ' || state || ' ' || kind FROM topups WHERE kind = 'auto'
      AND state IN ('requested', 'processing')
    UNION ALL SELECT 'event ' || id FROM webhook_events WHERE applied_at IS NULL
    UNION ALL SELECT 'import ' || id || ': ' || state FROM imports WHERE state = 'importing'
    UNION ALL SELECT 'reissue ' || id || ': ' || state FROM certificate_reissues WHERE state IN ('sending', 'unknown')
    UNION ALL SELECT 'certificate ' || address || ' is to be read' FROM certificates WHERE next_sync_at <= now()
      AND id NOT IN ${read}
    UNION ALL SELECT 'job ' || t.identifier || ' ' || coalesce(j.last_error, '') FROM graphile_worker._private_jobs j
      JOIN graphile_worker._private_tasks t ON t.id = j.task_id
      WHERE (j.locked_at IS NOT NULL OR j.run_at <= now() OR j.last_error IS NOT NULL)
        AND NOT (t.identifier = 'certificates.sync' AND j.last_error IS NULL
          AND (j.payload ->> 'certificateId')::uuid IN ${read})`.execute(owner);
  return rows.map(({ what }) => what);
}

/** Nets that the clock casts every few minutes or hours: here it runs faster, and nothing else is different. */
const nets = schedule
  .filter(({ match }) => match.startsWith('*') || match.split(' ')[1] === '*')
  .map(({ task }) => task)
  .filter((task) => task !== 'audit.keep-heads');

async function hurryTheClock(stand: Stand): Promise<void> {
  const { owner, stack } = stand;
  await stack.control('registrar', 'transfers/advance', { steps: 3 });
  await sql`
    UPDATE graphile_worker._private_jobs SET run_at = now() WHERE last_error IS NOT NULL AND locked_at IS NULL
      AND attempts < max_attempts;
    UPDATE order_items SET next_check_at = now() WHERE state IN ('pending', 'unknown') AND next_check_at > now();
    UPDATE certificates c SET next_sync_at = now() FROM certificate_reissues r WHERE r.certificate_id = c.id
      AND r.state IN ('sending', 'unknown');
    UPDATE certificate_reissues SET created_at = created_at - interval '1 hour' WHERE state IN ('sending', 'unknown')
      AND created_at < now() - interval '5 seconds';
    UPDATE topups SET updated_at = updated_at - interval '1 hour' WHERE kind = 'auto' AND state = 'processing';
    UPDATE topups SET created_at = created_at - interval '1 hour', claimed_at = claimed_at - interval '1 hour'
      WHERE kind = 'auto' AND state = 'requested' AND coalesce(claimed_at, created_at) < now() - ${sql.lit(10 * stand.pace)} * interval '1 second';
  `.execute(owner);
  for (const task of nets) {
    await sql`SELECT graphile_worker.add_job(identifier => ${task}, payload => '{}'::json)
      WHERE NOT EXISTS (SELECT FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
        WHERE t.identifier = ${task} AND j.run_at <= now())`.execute(owner);
  }
}

const castEveryMs = 700;

/** While people work: what is open is looked at by every process again and again, as it is over minutes. */
export async function castNets({ owner }: Stand, enough: () => boolean): Promise<void> {
  while (!enough()) {
    await sql`
      UPDATE order_items SET next_check_at = now() WHERE id IN (SELECT id FROM order_items
        WHERE state = 'unknown' AND next_check_at > now() FOR UPDATE SKIP LOCKED);
      SELECT enqueue_job('orders.sweep', '{}'::json, 'round', NULL, 25, NULL)`.execute(owner);
    await new Promise((resolve) => setTimeout(resolve, castEveryMs));
  }
}

/** What is looked at every few hours: once. */
async function dueAtOnce({ owner }: Stand): Promise<void> {
  await sql`UPDATE certificates SET next_sync_at = now() WHERE next_sync_at > now()`.execute(owner);
}

/** Jobs that nobody will try again. */
export async function failedJobs({ owner }: Stand): Promise<string[]> {
  const { rows } = await sql<{ what: string }>`
    SELECT t.identifier || ' ' || j.payload::text || ': ' || coalesce(j.last_error, '') AS what
    FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
    WHERE j.attempts >= j.max_attempts AND j.locked_at IS NULL`.execute(owner);
  return rows.map(({ what }) => what);
}

/** Waits until nothing moves by itself any more, twice in a row; what still does after the limit is returned. */
export async function comeToRest(stand: Stand, limitMs = 150_000 * stand.pace): Promise<string[]> {
  const end = performance.now() + limitMs;
  const begun = new Date();
  let quiet = 0;
  for (let round = 0; ; round += 1) {
    if (round === 1) await dueAtOnce(stand);
    if (round % 8 === 1) await hurryTheClock(stand);
    const left = await open(stand, begun);
    quiet = left.length === 0 ? quiet + 1 : 0;
    // Once after the nets were cast, and once more.
    if (quiet >= 2 && round > 2) return [];
    if (performance.now() > end) return left;
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
}
