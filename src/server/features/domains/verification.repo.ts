import type { VerificationState } from '#contracts/values/registrant-verification.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import type { RegistrantVerification } from '../../ports/registrar.ts';
import { enqueuePart } from './settings.repo.ts';
import { afterReading, type Notice } from './verification.rules.ts';

interface Place {
  organisationId: string;
  address: string;
}

/** Keeps what the registrar said at `readAt`; an older reading never covers a newer one. */
export async function recordVerification(
  tx: Tx,
  where: Place,
  read: RegistrantVerification,
  readAt: Date,
): Promise<void> {
  const row = await living(tx, where)
    .select(['verification', 'verification_deadline', 'verification_told', 'verification_read_at'])
    .forUpdate()
    .executeTakeFirst();
  if (!row || (row.verification_read_at && row.verification_read_at > readAt)) return;
  const { verification: state, verification_deadline: deadline, verification_told: told } = row;
  const next = afterReading({ state, deadline, told }, read, readAt);
  await tx
    .updateTable('domains')
    .set({
      verification: next.state,
      verification_deadline: next.deadline,
      verification_told: next.told,
      verification_bounced: read.emailBounced && next.state !== 'verified',
      verification_read_at: readAt,
    })
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    .where('status', 'in', ['active', 'expired'])
    .execute();
}

function living(tx: Tx, where: Place) {
  return tx
    .selectFrom('domains')
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    .where('status', 'in', ['active', 'expired']);
}

/** Claims the right to have the letter sent again, once in so long. Returns whether it was free. */
export async function claimResend(tx: Tx, where: Place, now: Date, pauseMs: number): Promise<boolean> {
  const claimed = await tx
    .updateTable('domains')
    .set({ verification_sent_at: now })
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    .where('status', 'in', ['active', 'expired'])
    .where((eb) =>
      eb.or([
        eb('verification_sent_at', 'is', null),
        eb('verification_sent_at', '<=', new Date(now.getTime() - pauseMs)),
      ]),
    )
    .executeTakeFirst();
  return claimed.numUpdatedRows > 0n;
}

/** The registrar sent nothing: the next try need not wait. */
export async function releaseResend(tx: Tx, where: Place, claimedAt: Date): Promise<void> {
  await tx
    .updateTable('domains')
    .set({ verification_sent_at: null })
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    .where('verification_sent_at', '=', claimedAt)
    .execute();
}

export interface OpenVerification {
  id: string;
  organisation_id: string;
  address: string;
  verification: VerificationState;
  verification_deadline: Date | null;
  verification_bounced: boolean;
  verification_told: Notice | null;
}

/** About which a letter may be due: that it begins or ends soon, or that the domain is suspended. */
const mayBeTold = sql<boolean>`(d.status IN ('active', 'expired') AND d.missing_since IS NULL
  AND (d.verification = 'waiting' AND coalesce(d.verification_told, 'begun') = 'begun'
    OR d.verification = 'suspended' AND d.verification_told IS DISTINCT FROM 'suspended'))`;

/** Organisations with domains about which a letter may be due. Runs across tenants. */
export async function organisationsToTell(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT o.id FROM domains d JOIN organisations o ON o.id = d.organisation_id AND o.closed_at IS NULL
    WHERE ${mayBeTold} ORDER BY o.id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Domains of one organisation about which a letter may be due. The rows are locked: two jobs send no letter twice. */
export async function openVerifications(tx: Tx, organisationId: string): Promise<OpenVerification[]> {
  const found = await sql<OpenVerification>`
    SELECT d.id, d.organisation_id, d.address, d.verification, d.verification_deadline, d.verification_bounced,
      d.verification_told
    FROM domains d JOIN organisations o ON o.id = d.organisation_id AND o.closed_at IS NULL
    WHERE d.organisation_id = ${organisationId} AND ${mayBeTold}
    ORDER BY d.verification_deadline NULLS LAST, d.address
    FOR UPDATE OF d SKIP LOCKED`.execute(tx);
  return found.rows;
}

export async function recordTold(tx: Tx, ids: readonly string[], notice: Notice): Promise<void> {
  await tx
    .updateTable('domains')
    .set({ verification_told: notice })
    .where('id', 'in', [...ids])
    .execute();
}

/** One job for each domain whose registrant is not known to be verified and was not asked about for so long. */
export function enqueueUnverified(tx: Tx, task: string, before: Date, after: string): Promise<string | null> {
  return enqueuePart(
    tx,
    task,
    after,
    sql`(verification_read_at IS NULL OR verification <> 'verified' AND verification_read_at < ${before})`,
  );
}
