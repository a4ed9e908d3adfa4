import type { CertificateRow } from '#contracts/operations/certificates.ts';
import { type FlagKind, openCertificateStates, stateText } from '#contracts/values/certificate-life.ts';
import { daysUntil } from '#contracts/values/domain-life.ts';
import { capitalised, dayText, shortDayText } from '#contracts/values/format.ts';
import type { Tone } from '../../ui/tone.ts';

/** How a certificate is: one state, its validity as a bar, what is next. */
export interface CertificateStanding {
  tone: Tone;
  /** The worse of the order's state and the validity, in a word or two. */
  state: string;
  /** What of the validity has passed, 0 to 1; null without a certificate. */
  passed: number | null;
  /** Where on the same line the next reissue is. */
  mark: number | null;
  /** "12 days left", "since Nov 18" */
  left: string;
  /** One sentence. */
  next: string;
  /** What the one button says, where somebody is needed. */
  act: string | null;
}

type Given = Pick<
  CertificateRow,
  'state' | 'validFrom' | 'validTo' | 'nextReissueAt' | 'termEndsAt' | 'reissuing' | 'flags'
> &
  Partial<Pick<CertificateRow, 'byAcme'>>;

const acts: Readonly<Record<FlagKind, string>> = {
  expired: 'Renew',
  term: 'Renew',
  reissue: 'Reissue',
  proof: 'Put back',
  waiting: 'Prove',
  email: 'Choose DNS',
  shrinks: 'Review',
};

/** Whether the certificate is past its validity, whatever the order says. */
export function isOver({ state, validTo }: Pick<CertificateRow, 'state' | 'validTo'>, now: Date): boolean {
  return state === 'expired' || (state === 'completed' && validTo !== null && new Date(validTo) <= now);
}

export function standingOf(row: Given, now: Date): CertificateStanding {
  const until = row.validTo === null ? null : new Date(row.validTo);
  const over = isOver(row, now);
  const [flag] = row.flags;
  return {
    ...stateOf(row, over),
    ...barOf(row, now, over),
    left: leftOf(row, until, now, over),
    next: nextOf(row, over),
    act: flag ? acts[flag.kind] : over ? acts.expired : null,
  };
}

function stateOf({ state, flags }: Given, over: boolean): Pick<CertificateStanding, 'tone' | 'state'> {
  const [flag] = flags;
  const noticed: Tone | null = flag ? (flag.level === 'danger' ? 'bad' : 'warn') : null;
  if (over) return { tone: 'bad', state: 'Expired' };
  if (state === 'completed') return { tone: noticed ?? 'good', state: 'Valid' };
  if (state === 'declined' || state === 'revoked') return { tone: 'bad', state: capitalised(state) };
  if (state === 'cancelled') return { tone: 'plain', state: 'Cancelled' };
  return { tone: noticed ?? 'info', state: capitalised(stateText(state)) };
}

function barOf(row: Given, now: Date, over: boolean): Pick<CertificateStanding, 'passed' | 'mark'> {
  // Revoked and declined ones have no validity any more, whatever their dates.
  const running = row.state === 'completed' || over;
  if (!running || row.validFrom === null || row.validTo === null) return { passed: null, mark: null };
  const [from, to] = [Date.parse(row.validFrom), Date.parse(row.validTo)];
  const share = (at: number) => (to > from ? Math.min(1, Math.max(0, (at - from) / (to - from))) : 1);
  const mark = row.nextReissueAt === null || over ? null : share(Date.parse(row.nextReissueAt));
  return { passed: over ? 1 : share(now.getTime()), mark };
}

function leftOf(row: Given, until: Date | null, now: Date, over: boolean): string {
  if (until === null) return openCertificateStates.includes(row.state) ? 'not issued yet' : '';
  if (over) return `since ${shortDayText(until)}`;
  if (row.state !== 'completed') return '';
  const days = daysUntil(until, now);
  if (days < 1) return 'less than a day left';
  return days === 1 ? '1 day left' : `${days} days left`;
}

function nextOf(row: Given, over: boolean): string {
  const [flag, ...more] = row.flags;
  if (flag) return more.length > 0 ? `${flag.text} And ${more.length} more.` : flag.text;
  // Without a notice a newer certificate has taken its place.
  if (over) return 'A newer order has replaced it.';
  if (row.reissuing) return 'A reissue is in progress.';
  if (row.state === 'completed') {
    if (row.byAcme) return byAcmeText(row.byAcme);
    if (row.nextReissueAt) return `Next reissue on ${shortDayText(new Date(row.nextReissueAt))}.`;
    return row.termEndsAt ? `The order term ends on ${dayText(new Date(row.termEndsAt))}.` : '';
  }
  return openCertificateStates.includes(row.state) ? 'Waiting for the certificate authority.' : '';
}

/** A machine that cannot renew comes first; the window is what the portal asks it for. */
function byAcmeText({ problem, renewsAt }: NonNullable<CertificateRow['byAcme']>): string {
  if (problem !== null) return `The last request of its server failed: ${problem}`;
  if (renewsAt === null) return 'Its server renews it automatically.';
  return `Its server renews it automatically from ${shortDayText(new Date(renewsAt.from))} on.`;
}
