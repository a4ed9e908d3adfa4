import type { Clock } from '#kernel/clock.ts';
import { later, sql, type Tx } from '#kernel/db/database.ts';
import { leftMsOf, sharedNow } from '#kernel/db/time.ts';
import type { IssuedCertificate } from '../../ports/registrar.ts';
import { accessWorks, reissueState } from './bands.repo.ts';
import type { CertificatePlace } from './certificates.repo.ts';
import type { OpenReissue, PlainCertificate, ReissueRecord } from './rows.ts';

export type ReissueChange = Partial<
  Pick<ReissueRecord, 'state' | 'registrar_order_id' | 'remark' | 'ended_at'>
>;

export function openReissue(tx: Tx, certificateId: string, now: Date): Promise<OpenReissue | undefined> {
  return tx
    .selectFrom('certificate_reissues as r')
    .selectAll('r')
    .select(accessWorks('r', now).as('byMachine'))
    .where('r.certificate_id', '=', certificateId)
    .where('r.state', 'in', ['sending', 'unknown', 'running'])
    .executeTakeFirst();
}

/** The intent, before the call. One that runs already is a unique violation. */
export async function insertReissue(
  tx: Tx,
  clock: Clock,
  place: CertificatePlace,
  { accessId, ...reissue }: { id: string; csr: string; automatic: boolean; accessId?: string | undefined },
): Promise<void> {
  await tx
    .insertInto('certificate_reissues')
    .values({
      ...{ ...reissue, acme_access_id: accessId ?? null },
      organisation_id: place.organisationId,
      certificate_id: place.certificateId,
      state: 'sending',
      registrar_order_id: null,
      remark: null,
      created_at: sharedNow(clock),
      ended_at: null,
    })
    .execute();
}

/** How long an intent may still be sent, by the database's clock; at most 0 when it is not one any more. */
export async function intentLeftMs(tx: Tx, clock: Clock, id: string, limitMs: number): Promise<number> {
  const row = await tx
    .selectFrom('certificate_reissues')
    .select(leftMsOf(clock, sql.ref('created_at'), limitMs).as('left'))
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .executeTakeFirst();
  return row?.left ?? 0;
}

/** Writes the answer to the call; false when another has ended the reissue meanwhile. */
export async function answerReissue(tx: Tx, id: string, change: ReissueChange): Promise<boolean> {
  const moved = await tx
    .updateTable('certificate_reissues')
    .set(change)
    .where('id', '=', id)
    .where('state', 'in', ['sending', 'unknown'])
    .executeTakeFirst();
  return moved.numUpdatedRows > 0n;
}

/** Writes what the registrar says of a reissue that is open, and older than this; false when there is none. */
export async function moveReissue(
  tx: Tx,
  clock: Clock,
  id: string,
  { change, olderThanMs }: { change: ReissueChange; olderThanMs: number },
): Promise<boolean> {
  const moved = await tx
    .updateTable('certificate_reissues')
    .set(change)
    .where('id', '=', id)
    .where('state', 'in', ['sending', 'unknown', 'running'])
    .where(leftMsOf(clock, sql.ref('created_at'), olderThanMs), '<=', 0)
    .executeTakeFirst();
  return moved.numUpdatedRows > 0n;
}

export async function stateOfReissue(tx: Tx, id: string): Promise<ReissueRecord['state'] | undefined> {
  const row = await tx
    .selectFrom('certificate_reissues')
    .select('state')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.state;
}

/** Keeps a certificate that was issued, once; written with what the transaction asks next. */
export function insertIssue(
  tx: Tx,
  place: CertificatePlace,
  { serial, issued, orderId, now }: { serial: string; issued: IssuedCertificate; orderId: string; now: Date },
): Promise<void> {
  return later(
    tx,
    tx
      .insertInto('certificate_issues')
      .values({
        organisation_id: place.organisationId,
        certificate_id: place.certificateId,
        serial,
        valid_from: issued.notBefore,
        valid_to: issued.notAfter,
        certificate_pem: issued.certificatePem,
        registrar_order_id: orderId,
        recorded_at: now,
      })
      .onConflict((conflict) => conflict.columns(['certificate_id', 'serial']).doNothing()),
  );
}

/** For those who ask about it when another has taken its place. */
export function markIssueRevoked(tx: Tx, certificateId: string, serial: string, now: Date): Promise<void> {
  return later(
    tx,
    tx
      .updateTable('certificate_issues')
      .set({ revoked_at: now })
      .where('certificate_id', '=', certificateId)
      .where('serial', '=', serial)
      .where('revoked_at', 'is', null),
  );
}

/** What bringing it up to date needs, which is asked for often. */
export function findPlain(tx: Tx, place: CertificatePlace, now: Date): Promise<PlainCertificate | undefined> {
  return tx
    .selectFrom('certificates as s')
    .where('s.organisation_id', '=', place.organisationId)
    .where('s.id', '=', place.certificateId)
    .selectAll('s')
    .select([reissueState.as('reissueState'), accessWorks('s', now).as('byMachine')])
    .executeTakeFirst();
}

/** What decides when it is looked at next. */
export function paceOf(tx: Tx, place: CertificatePlace) {
  return tx
    .selectFrom('certificates as s')
    .select(['s.state', 's.ordered_at', 's.proof', 's.proof_state'])
    .select(reissueState.as('reissueState'))
    .where('s.organisation_id', '=', place.organisationId)
    .where('s.id', '=', place.certificateId)
    .executeTakeFirst();
}
