import { isoDay, utcDayText } from '#contracts/values/format.ts';
import { dayMs } from './time.ts';

/** The two dates of a certificate (decisions no. 26), and what follows from them. Pure rules. */

/** The registrar reissues 33 days before the end (checked 2026-11-21); what it has not done by now the portal does. */
export const reissueDaysBefore = 30;
export const announceDaysBefore = 37;
/** A reissue that the portal makes by itself is late from here on, also one that the authority has not finished. */
export const lateReissueDays = 14;
/** A machine that renews by itself has done so by now: it was asked to some days before. */
export const machineLateDays = 10;
/**
 * An order is given so long to be approved before it calls for somebody. As long, a renewal that is under way keeps what it renews
 * from calling: authorities issue within minutes, and a person approves within a day or two.
 */
export const approvalDays = 2;
/** A term that ends this soon is to be renewed. */
export const renewDaysBefore = 60;
/** Authorities add what is left of a term to its renewal, for at most so many days. */
export const carriedMostDays = 30;

/** CA/Browser Forum BR §6.3.2 (checked 2026-11-21): the longest validity of a certificate issued on a day. */
export const validitySteps = [
  { from: '2026-03-15', days: 200 },
  { from: '2027-03-15', days: 100 },
  { from: '2029-03-15', days: 47 },
] as const;

export function maxValidityDays(at: Date): number {
  const step = validitySteps.findLast(({ from }) => at.getTime() >= Date.parse(from));
  return step?.days ?? 398;
}

/** Approval by email may not be used from this day on (BR SC-090, checked 2026-11-21). */
export const emailApprovalEnds = '2028-03-15';

/** The words that a person sees after "Status: ". */
const stateWords: Readonly<Record<string, string>> = {
  pending: 'pending',
  'awaiting-approval': 'awaiting approval',
  'approver-confirmed': 'in progress',
  'in-progress': 'in progress',
};

export function stateText(state: string): string {
  return stateWords[state] ?? state;
}

export const openCertificateStates: readonly string[] = [
  'pending',
  'awaiting-approval',
  'approver-confirmed',
  'in-progress',
];

export interface CertificateLife {
  state: string;
  orderedAt: Date;
  validFrom: Date | null;
  validTo: Date | null;
  termEndsAt: Date | null;
  method: string;
  proofState: string | null;
  autoReissue: boolean;
  reissueState: string | null;
  /** A newer certificate is issued and stands for each of its hosts. */
  renewed: boolean;
  /** When the newest renewal of it was ordered that is still open. */
  renewalOrderedAt: Date | null;
  /** A customer's machine asks for the next one by ACME, and installs it; its access works. */
  byMachine?: boolean;
}

/** When the next certificate of this order is made; null: the order term ends with this one. */
export function nextReissueAt({ state, validTo, termEndsAt }: CertificateLife): Date | null {
  if (state !== 'completed' || !validTo || !termEndsAt) return null;
  if (termEndsAt.getTime() - validTo.getTime() <= dayMs) return null;
  return new Date(validTo.getTime() - reissueDaysBefore * dayMs);
}

/** Whether the portal reissues without a person: it writes the proof itself. */
export function reissuesItself(life: CertificateLife): boolean {
  return (
    life.autoReissue && life.method === 'DNS' && (life.proofState === 'set' || life.proofState === 'present')
  );
}

/**
 * A renewal was ordered in time, a moment ago: it is waited for. One that is not issued after that, or that was ordered when
 * the certificate had no time to wait, takes no warning away: an order alone installs nothing.
 */
export function renewsInTime(
  { renewalOrderedAt, validTo }: Pick<CertificateLife, 'renewalOrderedAt' | 'validTo'>,
  now: Date,
): boolean {
  if (!renewalOrderedAt || !validTo) return false;
  const waitsUntil = renewalOrderedAt.getTime() + approvalDays * dayMs;
  return now.getTime() <= waitsUntil && waitsUntil < validTo.getTime();
}

export type FlagKind = 'term' | 'shrinks' | 'proof' | 'email' | 'reissue' | 'waiting' | 'expired';

export interface CertificateFlag {
  kind: FlagKind;
  level: 'warning' | 'danger';
  /** What is the matter, and what to do. */
  text: string;
}

/** What somebody has to know of or do about a certificate now; the most urgent first. */
export function flagsOf(life: CertificateLife, now: Date): CertificateFlag[] {
  const { state, validTo, termEndsAt } = life;
  if (state === 'expired' && !life.renewed) {
    const text = `This certificate has expired. ${afterExpiry(life)}`;
    return [{ kind: 'expired', level: 'danger', text }];
  }
  if (state === 'awaiting-approval') return waitingFlag(life, now);
  if (state !== 'completed' || !validTo || !termEndsAt) return [];
  if (life.byMachine) return machineFlag(validTo, now);
  const flags = [
    ...termFlag(life, termEndsAt, now),
    ...shrinkFlag(life, validTo),
    ...proofFlags(life),
    ...reissueFlag(life, validTo, now),
  ];
  return flags.sort((one, other) => Number(other.level === 'danger') - Number(one.level === 'danger'));
}

function afterExpiry({ reissueState, renewalOrderedAt }: CertificateLife): string {
  if (reissueState !== null) return reissueText;
  return renewalOrderedAt ? renewalText : 'Order a new one and install it.';
}

const renewalText = 'A renewal is in progress.';
const reissueText = 'A reissue is in progress.';

/** Whether it says that what it would ask for is under way: milder than the same flag before. */
export function isUnderWay({ text }: Pick<CertificateFlag, 'text'>): boolean {
  return text.endsWith(renewalText) || text.endsWith(reissueText);
}

/** A record that is not there is told at once; approval by other people is given some time. */
function waitingFlag(life: CertificateLife, now: Date): CertificateFlag[] {
  const flag = (text: string): CertificateFlag[] => [{ kind: 'waiting', level: 'warning', text }];
  if (life.method === 'DNS' && life.proofState === 'missing') {
    return flag(
      'The DNS record that proves control of the name is not visible. Add it, or choose another method.',
    );
  }
  if (now.getTime() - life.orderedAt.getTime() <= approvalDays * dayMs) return [];
  return flag(
    `This order has been waiting for approval for more than ${approvalDays} days. Complete the approval, choose another method, or cancel the order.`,
  );
}

/** The machine asks for each certificate and each term by itself; what hinders it is told with its access. */
function machineFlag(validTo: Date, now: Date): CertificateFlag[] {
  if (validTo.getTime() - now.getTime() > machineLateDays * dayMs) return [];
  const text = `This certificate expires on ${utcDayText(validTo)}, and its server has not renewed it. Its ACME access shows the reply that the server received.`;
  return [{ kind: 'reissue', level: 'danger', text }];
}

function termFlag(life: CertificateLife, termEndsAt: Date, now: Date): CertificateFlag[] {
  const days = Math.ceil((termEndsAt.getTime() - now.getTime()) / dayMs);
  if (life.renewed || renewsInTime(life, now) || days > renewDaysBefore) return [];
  const next = life.renewalOrderedAt ? renewalText : 'Renew the certificate before then.';
  const text = `The order term ends on ${utcDayText(termEndsAt)} and no further reissue is possible. ${next}`;
  return [{ kind: 'term', level: days <= 14 ? 'danger' : 'warning', text }];
}

function shrinkFlag(life: CertificateLife, validTo: Date): CertificateFlag[] {
  const next = nextReissueAt(life);
  if (!next || !life.validFrom) return [];
  const after = maxValidityDays(next);
  const nowDays = Math.round((validTo.getTime() - life.validFrom.getTime()) / dayMs);
  if (after >= maxValidityDays(life.validFrom) || after >= nowDays) return [];
  const advice = reissuesItself(life)
    ? 'Plan to install it more often.'
    : 'Plan to install it more often, and let the portal validate by DNS so that it reissues automatically.';
  const text = `The next certificate will be valid for ${after} days at most, this one is for ${nowDays}. ${advice}`;
  return [{ kind: 'shrinks', level: 'warning', text }];
}

function proofFlags(life: CertificateLife): CertificateFlag[] {
  if (nextReissueAt(life) === null) return [];
  if (life.method === 'DNS' && life.proofState === 'missing') {
    const text =
      'The DNS record that proves control of the name is gone, so the next reissue will not be validated. Restore the record, or move the DNS to us.';
    return [{ kind: 'proof', level: 'danger', text }];
  }
  if (life.method === 'Email' && life.validFrom && isoDay(nextReissueAt(life) as Date) >= emailApprovalEnds) {
    const text = `Approval by email ends on ${utcDayText(new Date(emailApprovalEnds))}. Choose DNS for the next reissue.`;
    return [{ kind: 'email', level: 'warning', text }];
  }
  return [];
}

function reissueFlag(life: CertificateLife, validTo: Date, now: Date): CertificateFlag[] {
  const days = Math.ceil((validTo.getTime() - now.getTime()) / dayMs);
  const runs = life.reissueState === 'running';
  if (runs && !reissuesItself(life)) {
    const text = 'A reissue is in progress and waiting for validation.';
    return [{ kind: 'reissue', level: 'warning', text }];
  }
  if (nextReissueAt(life) === null || days > reissueDaysBefore) return [];
  if (reissuesItself(life) && days > lateReissueDays) return [];
  // While one runs, no other can be ordered.
  const text = runs
    ? `This certificate expires on ${utcDayText(validTo)}, and the reissue in progress has not been completed. Check its validation, or choose another method.`
    : `This certificate expires on ${utcDayText(validTo)}. Reissue it: this orders the next certificate within the term, free of charge.`;
  return [{ kind: 'reissue', level: days <= 14 ? 'danger' : 'warning', text }];
}
