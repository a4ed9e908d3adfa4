import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import type { JobPayload } from '#kernel/job-table.ts';
import { tellManagers } from '#kernel/letters.ts';
import { certificateLetter } from './certificates.letters.ts';
import { type CertificatePlace, findById } from './certificates.repo.ts';
import { endingBefore, noteNews, takeNews, withWaitingNews } from './notices.repo.ts';
import { type NoticeKind, noticesDue, remindsAheadMs } from './notices.rules.ts';
import { lifeOf } from './rows.ts';

export interface NoticeDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  publicUrl: string;
}

/** Letters about certificates: all news of an organization in one, each piece once, naming host, serial and date. */
export function createNotices(deps: NoticeDeps) {
  const { db, systemDb, clock } = deps;

  /** The news and the jobs that send them are one transaction: sent once, or not at all and then again. */
  async function sendOut(organisationId: string): Promise<void> {
    await inTransaction(db, { organisationId }, async (tx) => {
      const now = clock.now();
      const news = await takeNews(tx, organisationId, now);
      if (news.length === 0) return;
      const letter = certificateLetter(news, deps.publicUrl);
      await tellManagers(tx, { organisationId, notice: `certificates.${organisationId}`, letter });
    });
  }

  async function noteDue(place: CertificatePlace): Promise<void> {
    await inTransaction(db, place, async (tx) => {
      const row = await findById(tx, place);
      const { serial } = row ?? {};
      if (!row || !serial) return;
      const now = clock.now();
      for (const kind of noticesDue(lifeOf(row, row, now), now))
        await noteNews(tx, place, { kind, serial }, now);
    });
  }

  /** Once a day, all that run. */
  async function remind(): Promise<void> {
    const soon = new Date(clock.now().getTime() + remindsAheadMs);
    const noteAll = async () =>
      each(await systemTransaction(systemDb, (tx) => endingBefore(tx, soon)), noteDue);
    const sendAll = async () => each(await systemTransaction(systemDb, withWaitingNews), sendOut);
    await each([noteAll, sendAll], (part) => part());
  }

  return {
    tasks: {
      'certificates.letters': ({ organisationId }: JobPayload<'certificates.letters'>) =>
        sendOut(organisationId),
      'certificates.remind': remind,
      /** As versions before letters of batches noted their news; what waits is still told. */
      'certificates.notice': ({ kind, serial, ...place }: JobPayload<'certificates.notice'>) => {
        const news = { kind: kind as NoticeKind, serial };
        return inTransaction(db, place, (tx) => noteNews(tx, place, news, clock.now()));
      },
    },
  };
}
