import type { CorrectionRow } from '#contracts/operations/operators.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import { dayMs } from '#contracts/values/time.ts';
import { sql, type Tx } from '#kernel/db/database.ts';

export interface Correction {
  id: string;
  organisationId: string;
  cents: number;
  reason: string;
  reference: string;
}

const mostShown = 200;

/** Nobody else of the operators enters a correction for this organisation, or by this operator, at the same time. */
export async function lockCorrections(tx: Tx, organisationId: string, operatorId: string): Promise<void> {
  for (const key of [`correction ${organisationId}`, `corrections by ${operatorId}`].toSorted()) {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx);
  }
}

/** What was entered within a day by one person alone: for this organisation, and by this person for all of them. */
export async function enteredAlone(
  tx: Tx,
  organisationId: string,
  operatorId: string,
  now: Date,
): Promise<{ ofOrganisation: number; byOperator: number }> {
  const { rows } = await sql<{ of_organisation: number; by_operator: number }>`
    SELECT coalesce(sum(abs(cents)) FILTER (WHERE organisation_id = ${organisationId}), 0)::float8 AS of_organisation,
      coalesce(sum(abs(cents)) FILTER (WHERE asked_by = ${operatorId}), 0)::float8 AS by_operator
    FROM corrections WHERE state = 'entered' AND decided_by IS NULL
      AND asked_at > ${new Date(now.getTime() - dayMs)}`.execute(tx);
  return { ofOrganisation: rows[0]?.of_organisation ?? 0, byOperator: rows[0]?.by_operator ?? 0 };
}

export async function insertCorrection(
  tx: Tx,
  correction: Correction & { state: 'waiting' | 'entered'; askedBy: string; now: Date },
): Promise<void> {
  const { id, organisationId, cents, reason, reference, state, askedBy, now } = correction;
  await tx
    .insertInto('corrections')
    .values({
      ...{ id, organisation_id: organisationId, cents, reason, reference, state },
      ...{ asked_by: askedBy, asked_at: now, decided_by: null, decided_at: null },
    })
    .execute();
}

export function findCorrection(tx: Tx, id: string) {
  return tx.selectFrom('corrections').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Ends a wait, once; false when somebody else was first. */
export async function decideCorrection(
  tx: Tx,
  id: string,
  decision: { state: 'entered' | 'declined'; by: string; now: Date },
): Promise<boolean> {
  const result = await tx
    .updateTable('corrections')
    .set({ state: decision.state, decided_by: decision.by, decided_at: decision.now })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export async function listCorrections(tx: Tx, only?: string): Promise<CorrectionRow[]> {
  let wanted = tx
    .selectFrom('corrections as c')
    .innerJoin('organisations as o', 'o.id', 'c.organisation_id')
    .leftJoin('operators as a', 'a.id', 'c.asked_by')
    .leftJoin('operators as d', 'd.id', 'c.decided_by')
    .selectAll('c')
    .select(['o.name as organisation', 'o.closed_at', 'a.name as asker', 'd.name as decider'])
    .orderBy(sql`c.state = 'waiting'`, 'desc')
    .orderBy('c.asked_at', 'desc')
    .orderBy('c.id')
    .limit(mostShown);
  if (only) wanted = wanted.where('c.id', '=', only);
  return (await wanted.execute()).map((row) => ({
    id: row.id,
    organizationId: row.organisation_id,
    organization: row.organisation,
    organizationClosedAt: row.closed_at?.toISOString() ?? null,
    amount: centsToUsd(Number(row.cents)),
    reason: row.reason,
    reference: row.reference,
    state: row.state === 'declined' && row.decided_by === row.asked_by ? 'withdrawn' : row.state,
    askedBy: row.asked_by === null ? null : { id: row.asked_by, name: row.asker ?? '' },
    askedAt: row.asked_at.toISOString(),
    decidedBy: row.decider,
    decidedAt: row.decided_at?.toISOString() ?? null,
  }));
}
