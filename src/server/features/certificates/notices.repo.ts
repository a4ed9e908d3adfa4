import type { Tx } from '#kernel/db/database.ts';
import { sql } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { reissueState } from './bands.repo.ts';
import type { CertificateNews } from './certificates.letters.ts';
import type { CertificatePlace } from './certificates.repo.ts';
import { isAboutTerm, letterLeavesAt, type NoticeKind } from './notices.rules.ts';

/** Notes news of a certificate, once for each serial or term; the letter with all the news of the organization follows. */
export async function noteNews(
  tx: Tx,
  place: CertificatePlace,
  news: { kind: NoticeKind; serial: string },
  now: Date,
): Promise<void> {
  const { organisationId } = place;
  if (isAboutTerm(news.kind) && (await wasNoted(tx, place, news.kind))) return;
  const noted = await tx
    .insertInto('certificate_notices')
    .values({
      organisation_id: organisationId,
      certificate_id: place.certificateId,
      serial: news.serial,
      kind: news.kind,
      noted_at: now,
      sent_at: null,
    })
    .onConflict((conflict) => conflict.columns(['certificate_id', 'serial', 'kind']).doNothing())
    .executeTakeFirst();
  if (noted.numInsertedOrUpdatedRows !== 1n) return;
  const first = await tx
    .selectFrom('certificate_notices')
    .select((eb) => eb.fn.min('noted_at').as('at'))
    .where('organisation_id', '=', organisationId)
    .where('sent_at', 'is', null)
    .executeTakeFirst();
  const runAt = letterLeavesAt(first?.at ?? now, now);
  await enqueueJob(
    tx,
    'certificates.letters',
    { organisationId },
    { key: `certificate-letters:${organisationId}`, runAt },
  );
}

async function wasNoted(tx: Tx, place: CertificatePlace, kind: NoticeKind): Promise<boolean> {
  const found = await tx
    .selectFrom('certificate_notices')
    .select('kind')
    .where('organisation_id', '=', place.organisationId)
    .where('certificate_id', '=', place.certificateId)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return found !== undefined;
}

/** Takes what was noted and not sent yet: nobody else gets it. What has been replaced in the meantime is left out. */
export async function takeNews(tx: Tx, organisationId: string, now: Date): Promise<CertificateNews[]> {
  const { rows } = await sql<CertificateNews>`
    WITH taken AS (
      UPDATE certificate_notices SET sent_at = ${now}
      WHERE organisation_id = ${organisationId} AND sent_at IS NULL
      RETURNING certificate_id, serial, kind)
    SELECT taken.kind, s.address, s.host_names AS "hostNames", s.serial, s.valid_to AS "validTo",
      s.term_ends_at AS "termEndsAt", s.remark, s.registrar_order_id AS "orderId",
      coalesce(c.organization, '') AS customer, ${reissueState} IS NOT NULL AS reissuing
    FROM taken
    JOIN certificates s ON s.organisation_id = ${organisationId} AND s.id = taken.certificate_id
    LEFT JOIN customers c ON c.organisation_id = s.organisation_id AND c.id = s.customer_id
    WHERE taken.kind = 'declined' OR taken.kind LIKE 'term-%' OR taken.serial = s.serial
    ORDER BY s.valid_to, s.address`.execute(tx);
  return rows;
}

/** Organizations with news that nobody came for: their job was lost. */
export async function withWaitingNews(tx: Tx): Promise<string[]> {
  const rows = await tx
    .selectFrom('certificate_notices')
    .select('organisation_id')
    .distinct()
    .where('sent_at', 'is', null)
    .execute();
  return rows.map((row) => row.organisation_id);
}

/** Those that run and end before a moment: their validity, or the term that was paid. Runs across tenants. */
export async function endingBefore(tx: Tx, moment: Date): Promise<CertificatePlace[]> {
  const rows = await tx
    .selectFrom('certificates')
    .select(['id', 'organisation_id'])
    .where('state', '=', 'completed')
    .where((eb) => eb.or([eb('valid_to', '<', moment), eb('term_ends_at', '<', moment)]))
    .execute();
  return rows.map((row) => ({ organisationId: row.organisation_id, certificateId: row.id }));
}
