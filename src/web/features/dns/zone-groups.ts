import { type DnsRecord, noTarget } from '#contracts/values/dns-records.ts';
import { isDkim, isDmarc, isSpf } from '#contracts/values/mail-records.ts';
import { recordWarnings } from '#contracts/values/zone-warnings.ts';
import type { Tone } from '../../ui/tone.ts';

export const purposes = ['web', 'mail', 'verification', 'other'] as const;
export type Purpose = (typeof purposes)[number];

export const purposeTitles: Readonly<Record<Purpose, string>> = {
  web: 'Web',
  mail: 'Mail',
  verification: 'Verification',
  other: 'Other',
};

/** What a group of records comes to, in a sentence. */
export interface Verdict {
  tone: Tone;
  text: string;
}

const mailNames = new Set(['autodiscover', 'autoconfig']);
const mailServices = new Set([
  '_autodiscover',
  '_imap',
  '_imaps',
  '_pop3',
  '_pop3s',
  '_submission',
  '_submissions',
]);

/** What a record is for, as far as it says so itself. `mailHosts`: names that MX records of the zone point to. */
export function purposeOf(record: DnsRecord, mailHosts: ReadonlySet<string> = new Set()): Purpose {
  const labels = record.subdomain.split('.');
  const [first = ''] = labels;
  if (isMail(record, labels) || (isAddress(record) && mailHosts.has(record.subdomain))) return 'mail';
  if (first === '_acme-challenge' || first === '_dnsauth') return 'verification';
  // Certificate authorities ask for an alias below a name of digits.
  if (record.type === 'CNAME' && /^_[0-9a-f]{16,}$/i.test(first)) return 'verification';
  if (record.type === 'TXT')
    return /verif|^ms=|^_?globalsign|challenge/i.test(record.text) ? 'verification' : 'other';
  return isAddress(record) || record.type === 'CNAME' ? 'web' : 'other';
}

function isMail(record: DnsRecord, labels: readonly string[]): boolean {
  if (record.type === 'MX' || labels.includes('_domainkey') || labels[0] === '_dmarc') return true;
  if (record.type === 'TXT') return isSpf(record.text) || isDmarc(record.text) || isDkim(record.text);
  if (record.type === 'SRV') return mailServices.has(labels[0] ?? '');
  return mailNames.has(labels[0] ?? '');
}

const isAddress = ({ type }: DnsRecord) => type === 'A' || type === 'AAAA';

/** Names below the domain that its MX records point to. */
export function mailHostsOf(domain: string, records: readonly DnsRecord[]): Set<string> {
  const below = `.${domain}`;
  return new Set(
    records.flatMap((record) =>
      record.type === 'MX' && record.hostname.endsWith(below)
        ? [record.hostname.slice(0, -below.length)]
        : [],
    ),
  );
}

/** What the records of one purpose come to. It judges the records alone: nothing is asked over the network. */
export function verdictOf(domain: string, purpose: Purpose, records: readonly DnsRecord[]): Verdict {
  const count = records.length;
  if (purpose === 'web') return webVerdict(records);
  if (purpose === 'mail') return mailVerdict(domain, records);
  if (purpose === 'verification') {
    return {
      tone: 'plain',
      text:
        count === 1 ? 'One verification for another service' : `${count} verifications for other services`,
    };
  }
  return { tone: 'plain', text: count === 1 ? 'One more record' : `${count} more records` };
}

function webVerdict(records: readonly DnsRecord[]): Verdict {
  const leads = (name: string) =>
    records.some((record) => record.subdomain === name && (isAddress(record) || record.type === 'CNAME'));
  const any = leads('*');
  const [bare, www] = [leads(''), leads('www') || any];
  if (bare && www) return { tone: 'good', text: 'The domain and www lead to an address' };
  if (bare) return { tone: 'warn', text: 'www has no address' };
  if (www) return { tone: 'warn', text: 'The domain without www has no address' };
  return { tone: 'plain', text: 'Subdomains only' };
}

function mailVerdict(domain: string, records: readonly DnsRecord[]): Verdict {
  const texts = records.flatMap((record) => (record.type === 'TXT' ? [record] : []));
  const servers = records.flatMap((record) =>
    record.type === 'MX' && record.subdomain === '' ? [record.hostname] : [],
  );
  const warningsOf = recordWarnings(domain, [...records]);
  const [wrong] = texts.flatMap((record) => warningsOf(record));
  if (wrong) return { tone: 'warn', text: wrong };
  if (servers.some((name) => name === noTarget)) return { tone: 'good', text: 'This domain accepts no mail' };
  const missing = [
    ...(texts.some(({ subdomain, text }) => subdomain === '' && isSpf(text)) ? [] : ['SPF']),
    ...(records.some(({ subdomain }) => subdomain.split('.').includes('_domainkey')) ? [] : ['DKIM']),
  ];
  const dmarc = texts.find(({ subdomain, text }) => subdomain === '_dmarc' && isDmarc(text));
  if (!dmarc) missing.push('DMARC');
  const forged = missing.length > 0 ? `Mail can be forged: ${listed(missing)} missing` : null;
  if (servers.length === 0) {
    return {
      tone: 'warn',
      text: forged ? `No mail server. ${forged}` : 'No mail server: this domain cannot receive mail',
    };
  }
  if (forged) return { tone: 'warn', text: forged };
  if (dmarc && /;\s*p\s*=\s*none/i.test(dmarc.text)) {
    return { tone: 'warn', text: 'Mail can be forged: DMARC only monitors (p=none)' };
  }
  return { tone: 'good', text: 'SPF, DKIM and DMARC protect the mail' };
}

function listed(words: readonly string[]): string {
  const [last = '', ...others] = words.toReversed();
  return others.length === 0 ? `${last} is` : `${others.toReversed().join(', ')} and ${last} are`;
}
