import { sql, type Tx } from '#kernel/db/database.ts';

export interface ImportRef {
  organisationId: string;
  importId: string;
}

/** For the transaction: one import of an organisation is written at a time; a process that dies lets go. */
export async function lockWriting(tx: Tx, { organisationId }: ImportRef): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`customer-import:${organisationId}`}, 0))`.execute(
    tx,
  );
}

export async function recordProgress(tx: Tx, job: ImportRef, rows: number): Promise<void> {
  await tx
    .updateTable('imports')
    .set({ rows_done: rows })
    .where('organisation_id', '=', job.organisationId)
    .where('id', '=', job.importId)
    // One that ends late says nothing of an import that has ended meanwhile.
    .where('state', '=', 'importing')
    .execute();
}

/** Imports that were started before a given time and that nobody is writing. The writer of an import holds its lock. */
export async function abandonedSince(tx: Tx, moment: Date): Promise<ImportRef[]> {
  const rows = await tx
    .selectFrom('imports')
    .select(['id', 'organisation_id'])
    .where('state', '=', 'importing')
    .where('started_at', '<', moment)
    .where(
      sql<boolean>`pg_try_advisory_xact_lock(hashtextextended('customer-import:' || organisation_id::text, 0))`,
    )
    .execute();
  return rows.map((row) => ({ importId: row.id, organisationId: row.organisation_id }));
}

/** Discards what nobody started, and drops the rows of what ended, before a moment. Runs across tenants. */
export async function forgetBefore(tx: Tx, moment: Date, now: Date): Promise<void> {
  await tx
    .updateTable('imports')
    .set({ state: 'discarded', ended_at: now })
    .where('state', '=', 'ready')
    .where('created_at', '<', moment)
    .execute();
  await tx
    .deleteFrom('import_rows')
    .where('import_id', 'in', (eb) =>
      eb.selectFrom('imports').select('id').where('ended_at', '<', moment).where('state', '<>', 'importing'),
    )
    .execute();
}
