import type { Reconciliation } from '#contracts/operations/operator.ts';
import { dayMs } from '#contracts/values/time.ts';
import { type Db, sql, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { settleOtherNames } from '../recovery/index.ts';
import type { BookedItem, BookedTopup, Difference } from './compare.rules.ts';

/**
 * Items of the names in which something ended since, and of those that differed before. `moved`: those to be judged;
 * the others say whose the registrar's older orders are.
 */
export async function itemsToCompare(
  tx: Tx,
  since: Date,
  settled: Date,
): Promise<(BookedItem & { moved: boolean })[]> {
  const found = await sql<BookedItem & { moved: boolean }>`
    WITH moved AS (
      SELECT id, address FROM order_items
      WHERE updated_at < ${settled} AND state IN ('succeeded', 'declined')
        AND (updated_at >= ${since} OR id::text IN
          (SELECT subject FROM reconciliation_differences WHERE settled_at IS NULL))
    )
    SELECT i.id, i.organisation_id, i.kind, i.address, i.state, i.registrar_order_id, i.cost_cents,
      m.id IS NOT NULL AS moved,
      EXISTS (SELECT FROM journal j WHERE j.ref = 'item:' || i.id || ':refund') AS refunded
    FROM order_items i LEFT JOIN moved m ON m.id = i.id
    WHERE i.address IN (SELECT address FROM moved)
    ORDER BY i.address, i.created_at`.execute(tx);
  return found.rows;
}

/** Top-ups that changed since, were asked for since, or differed before. */
export async function topupsToCompare(tx: Tx, since: Date): Promise<BookedTopup[]> {
  const found = await sql<BookedTopup>`
    SELECT id, organisation_id, cents, reversed_cents, state, payment_intent FROM topups
    WHERE updated_at >= ${since} OR created_at >= ${new Date(since.getTime() - 7 * dayMs)}
      OR id::text IN (SELECT subject FROM reconciliation_differences WHERE settled_at IS NULL)`.execute(tx);
  return found.rows;
}

export function livingNames(tx: Tx) {
  return tx
    .selectFrom('domains')
    .select(['address', 'organisation_id', 'expires_at', 'created_at'])
    .where('status', 'in', ['active', 'expired', 'transferring'])
    .execute();
}

export async function beginRun(tx: Tx, run: { id: string; startedAt: Date; since: Date }): Promise<void> {
  await tx
    .insertInto('reconciliations')
    .values({ id: run.id, started_at: run.startedAt, since: run.since, ended_at: null, incomplete: null })
    .execute();
}

export interface EndedRun {
  id: string;
  startedAt: Date;
  endedAt: Date;
  incomplete: string | null;
  differences: readonly Difference[];
  items: number;
  registrarOrders: number;
  payments: number;
}

/** Writes what was found, settles what is gone, and returns what is new. */
export async function endRun(tx: Tx, run: EndedRun): Promise<Difference[]> {
  const fresh: Difference[] = [];
  for (const one of run.differences) {
    const written = await tx
      .insertInto('reconciliation_differences')
      .values({
        id: newId(),
        kind: one.kind,
        subject: one.subject,
        organisation_id: one.organisationId,
        text: one.text,
        first_seen_at: run.endedAt,
        last_seen_at: run.endedAt,
        settled_at: null,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['kind', 'subject'])
          .where('settled_at', 'is', null)
          .doUpdateSet({ last_seen_at: run.endedAt, text: one.text }),
      )
      .returning(['first_seen_at', 'last_seen_at'])
      .executeTakeFirstOrThrow();
    if (written.first_seen_at.getTime() === written.last_seen_at.getTime()) fresh.push(one);
  }
  // A run that could not ask everything cannot say that something is gone.
  if (run.incomplete === null) {
    await tx
      .updateTable('reconciliation_differences')
      .set({ settled_at: run.endedAt })
      .where('settled_at', 'is', null)
      .where('last_seen_at', '<', run.endedAt)
      .execute();
    const unknown = run.differences.flatMap(({ kind, subject }) => (kind === 'name-unknown' ? subject : []));
    await settleOtherNames(tx, { unknown, before: run.startedAt, now: run.endedAt });
  }
  await tx
    .updateTable('reconciliations')
    .set({
      ended_at: run.endedAt,
      items: run.items,
      registrar_orders: run.registrarOrders,
      payments: run.payments,
      differences: run.differences.length,
      incomplete: run.incomplete,
    })
    .where('id', '=', run.id)
    .execute();
  return fresh;
}

/** The name has come on somebody's list, so the next comparison would not find it either. */
export async function settleUnknownDifference(tx: Tx, address: string, now: Date): Promise<void> {
  await tx
    .updateTable('reconciliation_differences')
    .set({ settled_at: now })
    .where('kind', '=', 'name-unknown')
    .where('subject', '=', address)
    .where('settled_at', 'is', null)
    .execute();
}

const runsShown = 30;

/** The last runs, and what is still open. */
export async function readReconciliation(db: Db | Tx): Promise<Reconciliation> {
  const [runs, differences] = await Promise.all([
    db.selectFrom('reconciliations').selectAll().orderBy('started_at', 'desc').limit(runsShown).execute(),
    db
      .selectFrom('reconciliation_differences as d')
      .leftJoin('organisations as o', 'o.id', 'd.organisation_id')
      .selectAll('d')
      .select('o.name')
      .where('d.settled_at', 'is', null)
      .orderBy('d.first_seen_at')
      .limit(1_000)
      .execute(),
  ]);
  return {
    runs: runs.map((run) => ({
      startedAt: run.started_at.toISOString(),
      endedAt: run.ended_at?.toISOString() ?? null,
      since: run.since.toISOString(),
      items: run.items,
      registrarOrders: run.registrar_orders,
      payments: run.payments,
      differences: run.differences,
      incomplete: run.incomplete,
    })),
    differences: differences.map((row) => ({
      kind: row.kind,
      subject: row.subject,
      organization: row.name ?? '',
      text: row.text,
      firstSeenAt: row.first_seen_at.toISOString(),
      lastSeenAt: row.last_seen_at.toISOString(),
    })),
  };
}
