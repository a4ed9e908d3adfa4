import { z } from 'zod';
import { announceDaysBefore, nextReissueAt, reissuesItself } from '#contracts/values/certificate-life.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import type { Mail } from '../../ports/mail.ts';
import { type CertificatePlace, type FoundCertificate, findById } from './certificates.repo.ts';
import { lifeOf } from './rows.ts';

export interface NoticeDeps {
  db: Db;
  systemDb: Db;
  mail: Mail;
  clock: Clock;
  publicUrl: string;
  /** Whom letters about certificates go to. */
  managersOf(organisationId: string): Promise<string[]>;
}

export type NoticeKind =
  | 'issued'
  | 'reissued'
  | 'declined'
  | 'announce'
  | 'expiry-30'
  | 'expiry-14'
  | 'expiry-7'
  | 'expiry-1'
  | 'term-60'
  | 'term-30'
  | 'term-14'
  | 'term-7'
  | 'term-1';

const dayMs = 86_400_000;
const day = (at: Date) => at.toISOString().slice(0, 10);
const placePayload = z.object({
  organisationId: z.uuid(),
  certificateId: z.uuid(),
  kind: z.string(),
  serial: z.string(),
});

/** What is due about a certificate now, by its dates. Only of the running one: a replaced serial gets none any more. */
export function noticesDue(row: FoundCertificate, now: Date): NoticeKind[] {
  const life = lifeOf(row, row, now);
  if (life.state !== 'completed' || !row.valid_to || !row.term_ends_at || life.renewed) return [];
  const due: NoticeKind[] = [];
  const daysLeft = (row.valid_to.getTime() - now.getTime()) / dayMs;
  const termLeft = (row.term_ends_at.getTime() - now.getTime()) / dayMs;
  const next = nextReissueAt(life);
  if (next) {
    if (reissuesItself(life) && daysLeft <= announceDaysBefore && daysLeft > 14) due.push('announce');
    // What reissues by itself needs no reminder, unless it did not.
    const limits = reissuesItself(life) ? ([14, 7, 1] as const) : ([30, 14, 7, 1] as const);
    const nearest = limits.findLast((limit) => daysLeft <= limit);
    if (nearest && !row.reissueState) due.push(`expiry-${nearest}`);
  }
  const term = ([60, 30, 14, 7, 1] as const).findLast((limit) => termLeft <= limit);
  if (term) due.push(`term-${term}`);
  return due;
}

/** Letters about certificates: each once, naming host, serial and date (pain P12, P24). */
export function createNotices(deps: NoticeDeps) {
  const { clock } = deps;

  async function send(place: CertificatePlace, kind: NoticeKind, serial: string): Promise<void> {
    const row = await inTransaction(deps.db, place, (tx) => findById(tx, place));
    if (!row) return;
    // Replaced in the meantime: the letter would speak of what is no longer in use.
    if (kind !== 'declined' && row.serial !== serial) return;
    if (!(await inTransaction(deps.db, place, (tx) => claim(tx, place, { kind, serial, now: clock.now() }))))
      return;
    const { subject, text } = letterOf(row, kind, `${deps.publicUrl}/SSL/${row.registrar_order_id ?? ''}`);
    try {
      for (const to of await deps.managersOf(place.organisationId)) {
        await deps.mail.send({ to, subject, text, messageId: `certificate.${kind}.${serial}.${to}` });
      }
    } catch (error) {
      // The same ids tell a repeated letter apart, so that it may be tried again.
      await inTransaction(deps.db, place, (tx) => unclaim(tx, place, kind, serial));
      throw error;
    }
  }

  async function sendDue(place: CertificatePlace): Promise<void> {
    const row = await inTransaction(deps.db, place, (tx) => findById(tx, place));
    if (!row?.serial) return;
    for (const kind of noticesDue(row, clock.now())) await send(place, kind, row.serial);
  }

  return {
    sendDue,
    tasks: {
      'certificates.notice': (given: Record<string, unknown>) => {
        const { kind, serial, ...place } = placePayload.parse(given);
        return send(place, kind as NoticeKind, serial);
      },
      /** Once a day, all that run. */
      'certificates.remind': async () => {
        const rows = await systemTransaction(deps.systemDb, (tx) =>
          tx
            .selectFrom('certificates')
            .select(['id', 'organisation_id'])
            .where('state', '=', 'completed')
            .where((eb) => {
              const soon = new Date(clock.now().getTime() + 61 * dayMs);
              return eb.or([eb('valid_to', '<', soon), eb('term_ends_at', '<', soon)]);
            })
            .execute(),
        );
        for (const row of rows) await sendDue({ organisationId: row.organisation_id, certificateId: row.id });
      },
    },
  };
}

async function claim(
  tx: Tx,
  place: CertificatePlace,
  notice: { kind: NoticeKind; serial: string; now: Date },
): Promise<boolean> {
  const result = await tx
    .insertInto('certificate_notices')
    .values({
      organisation_id: place.organisationId,
      certificate_id: place.certificateId,
      serial: notice.serial,
      kind: notice.kind,
      sent_at: notice.now,
    })
    .onConflict((conflict) => conflict.columns(['certificate_id', 'serial', 'kind']).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

async function unclaim(tx: Tx, place: CertificatePlace, kind: NoticeKind, serial: string): Promise<void> {
  await tx
    .deleteFrom('certificate_notices')
    .where('certificate_id', '=', place.certificateId)
    .where('kind', '=', kind)
    .where('serial', '=', serial)
    .execute();
}

function letterOf(row: FoundCertificate, kind: NoticeKind, link: string): { subject: string; text: string } {
  const until = row.valid_to ? day(row.valid_to) : 'unknown';
  const term = row.term_ends_at ? day(row.term_ends_at) : 'unknown';
  const facts = [
    `Host: ${(row.host_names.length > 0 ? row.host_names : [row.address]).join(', ')}`,
    `Serial: ${row.serial ?? 'none yet'}`,
    `Valid until: ${until}`,
    `Order term ends: ${term}`,
  ].join('\n');
  const { subject, body } = wordsOf(row, kind, until, term);
  return { subject, text: [body, facts, link].join('\n\n') };
}

function wordsOf(row: FoundCertificate, kind: NoticeKind, until: string, term: string) {
  const host = row.address;
  switch (kind) {
    case 'issued':
      return {
        subject: `Certificate for ${host} issued`,
        body: 'The certificate is ready. Download it and install it.',
      };
    case 'reissued':
      return {
        subject: `Install the new certificate for ${host}`,
        body: 'The certificate was reissued inside its order term. Download the new one and install it before the old one expires.',
      };
    case 'declined':
      return {
        subject: `Certificate for ${host} declined`,
        body: `The authority declined the order: ${row.remark ?? 'no reason was given'}.`,
      };
    case 'announce':
      return {
        subject: `Certificate for ${host} will be reissued soon`,
        body: 'It will be reissued by itself, free of charge. You will be told when the new one is to be installed.',
      };
    case 'term-60':
    case 'term-30':
    case 'term-14':
    case 'term-7':
    case 'term-1':
      return {
        subject: `Renew the certificate for ${host} before ${term}`,
        body: `The order term ends on ${term}; after that there are no further reissues. Renew the certificate.`,
      };
    default:
      return {
        subject: `Certificate for ${host} expires on ${until}`,
        body: 'Reissue it now: that is free inside the order term. Then install the new certificate.',
      };
  }
}
