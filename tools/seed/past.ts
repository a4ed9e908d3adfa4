import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Portal } from './portal.ts';
import { type Chapter, emails } from './seeding.ts';

/**
 * Times of what one seeded organisation did, by table. Row order stays: a chapter is older than the next. The audit log
 * is not among them: its entries are chained and sealed, and say when the seed did what it did.
 */
const timesOf: [table: string, columns: string[]][] = [
  ['users', ['created_at']],
  ['customers', ['created_at', 'updated_at']],
  ['orders', ['created_at', 'ended_at']],
  ['order_items', ['created_at', 'updated_at', 'sent_at']],
  ['receipts', ['issued_at']],
  ['holds', ['created_at', 'ended_at']],
  ['journal', ['at']],
  ['topups', ['created_at', 'updated_at']],
  ['domains', ['created_at', 'renewed_at', 'transferred_at']],
  ['transfers', ['requested_at', 'status_since', 'completed_at', 'failed_at', 'compared_at']],
  ['auto_renewals', ['updated_at']],
  ['zone_versions', ['created_at']],
  ['certificates', ['ordered_at', 'revoked_at']],
  ['certificate_issues', ['recorded_at', 'revoked_at']],
  ['direct_charges', ['created_at', 'updated_at', 'sent_at']],
  ['direct_takings', ['at']],
  ['direct_refunds', ['created_at', 'updated_at']],
  ['imports', ['created_at']],
  ['changes', ['created_at', 'looked_at', 'started_at', 'ended_at']],
  ['change_items', ['ended_at']],
  ['dns_templates', ['created_at']],
  ['dns_template_versions', ['created_at']],
  ['dns_template_uses', ['applied_at', 'checked_at']],
  ['moves', ['created_at']],
  ['move_lines', ['checked_at', 'staged_at']],
  ['acme_accesses', ['created_at', 'last_used_at']],
  ['acme_access_log', ['at', 'last_at']],
  ['acme_orders', ['created_at', 'finalized_at']],
];

/**
 * Moves what was just seeded into the past, so that the statement has months. The ledger is append-only for everybody
 * but the owner of the database, and this is the one place that uses it: for demonstration data, on the sandbox. Times
 * are all that it changes; amounts, accounts and the order of entries stay. The payment provider's side follows.
 */
export async function moveIntoPast(portal: Portal, organisationId: string, chapters: readonly Chapter[]) {
  await asOwner(portal, async (client) => {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await moveBack(client, organisationId, chapters);
    await client.query('COMMIT');
  });
  await redatePayments(portal, organisationId);
}

async function moveBack(client: pg.Client, organisationId: string, chapters: readonly Chapter[]) {
  const moved = `(SELECT unnest($2::timestamptz[]) AS since, unnest($3::timestamptz[]) AS until,
    make_interval(secs => unnest($4::float8[])) AS back) AS chapter`;
  const given = [
    ...[organisationId, chapters.map(({ from }) => from), chapters.map(({ until }) => until)],
    chapters.map(({ backMs }) => backMs / 1_000),
  ];
  const within = (column: string) =>
    `organisation_id = $1 AND ${column} >= chapter.since AND ${column} < chapter.until`;
  // Which expiry a renewal was for goes back with it: the next one is another one.
  await client.query(
    `UPDATE auto_renewals SET expires_at = expires_at - back,
       expiry_year = extract(year FROM (expires_at - back) AT TIME ZONE 'UTC')
     FROM ${moved} WHERE ${within('updated_at')}`,
    given,
  );
  // An order for a certificate is for a year from its day.
  await client.query(
    `UPDATE certificates SET term_ends_at = term_ends_at - back FROM ${moved} WHERE ${within('ordered_at')}`,
    given,
  );
  for (const [table, columns] of timesOf) {
    for (const column of columns) {
      await client.query(
        `UPDATE ${table} SET ${column} = ${column} - back FROM ${moved} WHERE ${within(column)}`,
        given,
      );
    }
  }
}

/** The provider has the payments on the days on which the portal now has them: the daily comparison finds both sides alike. */
async function redatePayments(portal: Portal, organisationId: string): Promise<void> {
  const payments = await asOwner(portal, async (client) => {
    const { rows } = await client.query<{ paymentIntent: string; at: Date }>(
      `SELECT payment_intent AS "paymentIntent", created_at AS at FROM topups
       WHERE organisation_id = $1 AND payment_intent IS NOT NULL`,
      [organisationId],
    );
    return rows;
  });
  const dates = payments.map(({ paymentIntent, at }) => ({
    paymentIntent,
    ageDays: (Date.now() - at.getTime()) / 86_400_000,
  }));
  await portal.control('payments', 'dates', dates);
}

/** Has the portal do a job of its own now. */
export async function runJob(portal: Portal, job: string): Promise<void> {
  await asOwner(portal, (client) => client.query('SELECT graphile_worker.add_job($1)', [job]));
}

const pollMs = 250;
const refreshWithinMs = 300_000;

/** Has the portal's own job read all domains again from the registrar, and waits until it has. */
export function refreshDomains(
  portal: Portal,
  organisationId: string,
  onProgress: (done: number, all: number) => void,
): Promise<void> {
  return asOwner(portal, async (client) => {
    const since = new Date();
    await client.query('UPDATE domains SET sync_due_at = $2 WHERE organisation_id = $1', [
      organisationId,
      since,
    ]);
    await client.query(`SELECT graphile_worker.add_job('domains.sync-due')`);
    for (let done = 0, all = 1; done < all; ) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      const { rows } = await client.query<{ done: number; all: number }>(
        `SELECT count(*) FILTER (WHERE synced_at >= $2 OR restorable_until IS NOT NULL)::int AS done,
           count(*)::int AS "all"
         FROM domains WHERE organisation_id = $1 AND status IN ('active', 'expired')`,
        [organisationId, since],
      );
      const before = done;
      ({ done, all } = rows[0] ?? { done, all });
      if (Math.floor(done / 50) !== Math.floor(before / 50)) onProgress(done, all);
      if (Date.now() - since.getTime() > refreshWithinMs)
        throw new Error('The domains were not read again in time.');
    }
  });
}

/** Has the portal's own jobs look at all running certificates now: what has changed about their proofs is found. */
export async function lookAtCertificates(portal: Portal, organisationId: string): Promise<void> {
  await asOwner(portal, (client) =>
    client.query(
      `SELECT graphile_worker.add_job('certificates.sync',
         json_build_object('organisationId', organisation_id, 'certificateId', id))
       FROM certificates WHERE organisation_id = $1 AND state = 'completed'`,
      [organisationId],
    ),
  );
}

/** Whether the demonstration is there already, or a part of it that an interruption has left. */
export async function isSeeded(portal: Portal): Promise<'no' | 'begun' | 'done'> {
  if ((await organisationOf(portal)) === '') return 'no';
  return existsSync(markOf(portal)) ? 'done' : 'begun';
}

export function markSeeded(portal: Portal): void {
  writeFileSync(markOf(portal), `${JSON.stringify({ seededAt: new Date() })}\n`);
}

const markOf = (portal: Portal) => join(portal.dataDir, 'seeded.json');

/** The demonstration's organisation; empty where there is none. */
export function organisationOf(portal: Portal): Promise<string> {
  return asOwner(portal, async (client) => {
    const { rows } = await client.query<{ organisation_id: string | null }>(
      'SELECT organisation_id FROM users WHERE email = $1 AND removed_at IS NULL',
      [emails.admin],
    );
    return rows[0]?.organisation_id ?? '';
  });
}

export async function asOwner<T>(portal: Portal, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: portal.databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
