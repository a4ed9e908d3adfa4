import {
  announceDaysBefore,
  type CertificateLife,
  nextReissueAt,
  reissuesItself,
  renewsInTime,
} from '#contracts/values/certificate-life.ts';
import { dayMs } from '#contracts/values/time.ts';

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

const termMarks = [60, 30, 14, 7, 1] as const;
/** A term is the order's: a reissue in it has another serial and the same end, so its dates are told once. */
export const isAboutTerm = (kind: NoticeKind): boolean => kind.startsWith('term-');
/** The daily look takes certificates that end so soon: the first mark, and a day for a look that comes late. */
export const remindsAheadMs = (termMarks[0] + 1) * dayMs;
/** News wait so long for more of the same batch. Authorities issue what was ordered together within moments. */
export const quietMs = 60_000;
/** No letter waits longer, however slowly the rest comes. */
export const mostWaitMs = 10 * 60_000;

/** When the letter about the news of an organization leaves: after a quiet minute, at the latest ten after the first. */
export function letterLeavesAt(firstNotedAt: Date, now: Date): Date {
  return new Date(Math.min(now.getTime() + quietMs, firstNotedAt.getTime() + mostWaitMs));
}

/** What is due about a certificate now, by its dates. Only of the running one: a replaced serial gets none any more. */
export function noticesDue(life: CertificateLife, now: Date): NoticeKind[] {
  const { validTo, termEndsAt } = life;
  if (life.state !== 'completed' || !validTo || !termEndsAt) return [];
  // A mark that passes while a renewal is waited for is told when it was not issued in time.
  if (life.renewed || renewsInTime(life, now)) return [];
  const due: NoticeKind[] = [];
  const daysLeft = (validTo.getTime() - now.getTime()) / dayMs;
  const termLeft = (termEndsAt.getTime() - now.getTime()) / dayMs;
  if (nextReissueAt(life)) {
    if (reissuesItself(life) && daysLeft <= announceDaysBefore && daysLeft > 14) due.push('announce');
    // What reissues by itself needs no reminder, unless it did not; a reissue that is not finished by then has not, either.
    const byItself = reissuesItself(life) || life.byMachine;
    const limits = byItself ? ([14, 7, 1] as const) : ([30, 14, 7, 1] as const);
    const nearest = limits.findLast((limit) => daysLeft <= limit);
    if (nearest && (byItself || !life.reissueState)) due.push(`expiry-${nearest}`);
  }
  const term = termMarks.findLast((limit) => termLeft <= limit);
  if (term) due.push(`term-${term}`);
  return due;
}
