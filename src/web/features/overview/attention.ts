import type { CertificateRow } from '#contracts/operations/certificates.ts';
import type { DirectCharge } from '#contracts/operations/direct-billing.ts';
import type { DomainRow } from '#contracts/operations/domains.ts';
import type { AcmeTrouble } from '#contracts/operations/overview.ts';
import type { DueRenewal } from '#contracts/operations/renewals.ts';
import { machineLateDays } from '#contracts/values/certificate-life.ts';
import {
  daysUntil,
  expiresSoon,
  lapsePressingDays,
  lapseShownDays,
  lapses,
} from '#contracts/values/domain-life.ts';
import { usdText } from '#contracts/values/format.ts';
import { isVerificationUrgent, verificationDaysLeft } from '#contracts/values/registrant-verification.ts';

/** One thing that needs a person: what it is, how pressing, and the one act that helps. */
export interface AttentionItem {
  key: string;
  kind: 'renewal' | 'certificate' | 'acme' | 'charge' | 'transfer' | 'registrant';
  level: 'bad' | 'warn';
  /** The name that it is about; the text goes on after it. */
  name: string | null;
  title: string;
  detail: string;
  /** How much time there is, in a few words. */
  when: string;
  /** For the order: the earlier, the higher within a level. */
  at: number;
  action: { label: string; to: string } | { label: string; renew: DueRenewal };
}

export interface AttentionSources {
  renewals: readonly DueRenewal[];
  certificates: readonly CertificateRow[];
  charges: readonly DirectCharge[];
  domains: readonly DomainRow[];
  acme: readonly AcmeTrouble[];
  /** How many names are on their way here. */
  transferring: number;
}

/** What the product knows that needs somebody, the most pressing first. */
export function attentionOf(sources: AttentionSources, now: Date): AttentionItem[] {
  const items = [
    ...sources.renewals.flatMap((row) => lapse(row, now) ?? []),
    ...sources.certificates.flatMap((row) => certificate(row, now) ?? []),
    ...sources.charges.flatMap((row) => charge(row) ?? []),
    ...sources.domains.flatMap((row) => registrant(row, now) ?? []),
    ...sources.acme.map((row) => access(row, now)),
    ...(sources.transferring > 0 ? [transfers(sources.transferring, now)] : []),
  ];
  return items.sort((a, b) => Number(b.level === 'bad') - Number(a.level === 'bad') || a.at - b.at);
}

function lapse(row: DueRenewal, now: Date): AttentionItem | null {
  const days = daysUntil(new Date(row.expireDate), now);
  if (!lapses(row) || days >= lapseShownDays) return null;
  const why =
    row.state === 'unable'
      ? (row.reason ?? 'it could not be renewed')
      : row.state === 'planned'
        ? 'the balance does not cover it'
        : 'auto renew is off';
  const costs = row.price === null ? '' : ` · renewing costs ${usdText(row.price)}`;
  return {
    ...{ key: `renewal ${row.address}`, kind: 'renewal', name: row.address },
    level: days < lapsePressingDays ? 'bad' : 'warn',
    title: days < 0 ? 'has expired' : days < 1 ? 'expires within a day' : `expires in ${daysText(days)}`,
    detail: `${row.customer} · ${why}${costs}`,
    when: untilText(days),
    at: new Date(row.expireDate).getTime(),
    action: { label: 'Renew', renew: row },
  };
}

function certificate(row: CertificateRow, now: Date): AttentionItem | null {
  const [flag] = row.flags;
  if (!flag || !row.orderId) return null;
  const at = row.validTo ?? row.termEndsAt ?? row.orderedAt;
  return {
    ...{ key: `certificate ${row.certificateId}`, kind: 'certificate', name: row.address },
    level: flag.level === 'danger' ? 'bad' : 'warn',
    title: flag.kind === 'expired' ? 'has an expired certificate' : 'has a certificate that needs you',
    detail: `${row.customer} · ${flag.text}`,
    when:
      row.validTo && expiresSoon(new Date(row.validTo), now)
        ? untilText(daysUntil(new Date(row.validTo), now))
        : '',
    at: new Date(at).getTime(),
    action: { label: 'Open', to: `/SSL/${row.orderId}` },
  };
}

function charge(row: DirectCharge): AttentionItem | null {
  if (row.state !== 'failed') return null;
  return {
    ...{ key: `charge ${row.chargeId}`, kind: 'charge', level: 'bad', name: null },
    title: `Payment of ${usdText(row.amount)} by ${row.customer} failed`,
    detail: row.error ?? 'The payment did not succeed.',
    when: row.nextTryAt ? 'will be retried' : 'needs you',
    at: new Date(row.createdAt).getTime(),
    action: { label: 'Review', to: '/direct-billing' },
  };
}

function registrant(row: DomainRow, now: Date): AttentionItem | null {
  if (row.verification !== 'waiting' && row.verification !== 'suspended') return null;
  const suspended = row.verification === 'suspended';
  const deadline = row.verificationDeadline ? new Date(row.verificationDeadline) : null;
  const days = verificationDaysLeft(deadline, now);
  return {
    ...{ key: `registrant ${row.address}`, kind: 'registrant', name: row.address },
    level: suspended || isVerificationUrgent(deadline, now) ? 'bad' : 'warn',
    title: suspended ? 'is suspended' : 'is waiting for its owner to confirm an email address',
    detail: `${row.customer} · ${suspended ? 'its website and mail are down until the owner confirms' : 'otherwise the registry suspends it'}`,
    when: days === null ? '' : `${daysText(days)} left`,
    at: (deadline ?? now).getTime(),
    action: { label: 'Open', to: `/domain/${row.address}` },
  };
}

/** A machine that does not get its certificate is as pressing as the end of the one that it has. */
function access(row: AcmeTrouble, now: Date): AttentionItem {
  const { names, others, validTo, advice, text, name, customer } = row;
  const at = new Date(row.at);
  // Whole days that have passed: one of this hour is of today.
  const past = daysUntil(now, at);
  const left = validTo === null ? null : daysUntil(new Date(validTo), now);
  const [first] = names;
  const more =
    others === 0 ? '' : ` · ${others === 1 ? 'and one other request' : `and ${others} other requests`}`;
  return {
    ...{ key: `acme ${row.accessId}`, kind: 'acme', name: first ?? null },
    level: left !== null && left <= machineLateDays ? 'bad' : 'warn',
    title: first === undefined ? `A server could not register by the ACME access “${name}”` : titleOf(left),
    detail: `${customer} · ${advice || `The server was answered: ${text}`}${more}`,
    when: left === null ? (past < 1 ? 'today' : untilText(-past)) : untilText(left),
    at: validTo === null ? at.getTime() : new Date(validTo).getTime(),
    action: { label: 'Open', to: `/certificates/acme/${row.accessId}` },
  };
}

function titleOf(daysLeft: number | null): string {
  if (daysLeft === null) return 'got no certificate by ACME';
  return daysLeft < 0 ? 'was not renewed by ACME and has expired' : 'was not renewed by ACME';
}

function transfers(count: number, now: Date): AttentionItem {
  return {
    ...{ key: 'transfers', kind: 'transfer', level: 'warn', name: null },
    title: count === 1 ? 'One domain is on its way to you' : `${count} domains are on their way to you`,
    detail: 'The other registrar releases a domain within five days',
    when: 'under way',
    at: now.getTime(),
    action: { label: 'Follow', to: '/domain/list?sort=-expireDate' },
  };
}

const daysText = (days: number) => (days === 1 ? '1 day' : `${days} days`);
const untilText = (days: number) =>
  days < 0 ? `${daysText(-days)} ago` : days < 1 ? 'today' : `${daysText(days)} left`;
