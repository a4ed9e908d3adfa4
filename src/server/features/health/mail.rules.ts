import type { Answer } from './answer.ts';

/** What the texts of mail's DNS records say: SPF, DMARC, DKIM and reports of TLS. */

/** TXT records by name, as far as they were asked for. */
export type KnownTxt = ReadonlyMap<string, Answer<readonly string[]>>;

/** RFC 7208, section 4.6.4. */
export const mostLookups = 10;

const isSpf = (text: string) => /^v=spf1( |$)/i.test(text.trim());
export const spfRecords = (txt: readonly string[]) => txt.filter(isSpf);

export interface SpfTerms {
  /** Names whose own record is looked at: `include` and `redirect`. */
  follows: string[];
  /** Terms that cost a look-up of their own, beside those of `follows`. */
  lookups: number;
  /** How everybody else is judged; null: not said. */
  all: '+' | '-' | '~' | '?' | null;
}

/** The terms of an SPF record as far as they matter here. Names with macros cannot be followed. */
export function spfTerms(record: string): SpfTerms {
  const terms = record.split(/\s+/).slice(1);
  const found: SpfTerms = { follows: [], lookups: 0, all: null };
  for (const term of terms) {
    const [, sign = '', word = '', value = ''] = /^([+\-~?]?)([a-z0-9]+)(?:[:=]([^/\s]*))?/i.exec(term) ?? [];
    switch (word.toLowerCase()) {
      case 'include':
      case 'redirect':
        if (value.includes('%')) found.lookups += 1;
        else if (value !== '') found.follows.push(value.toLowerCase().replace(/\.$/, ''));
        break;
      case 'a':
      case 'mx':
      case 'ptr':
      case 'exists':
        found.lookups += 1;
        break;
      case 'all':
        found.all = (sign || '+') as SpfTerms['all'];
        break;
    }
  }
  return found;
}

/** How many look-ups a record costs with all that it follows; undefined: a name on the way did not answer. */
export function spfLookups(record: string, known: KnownTxt, seen: readonly string[] = []): Answer<number> {
  const { follows, lookups } = spfTerms(record);
  let sum = lookups;
  for (const name of follows) {
    sum += 1;
    // A loop has no end: it is more than any limit.
    if (seen.includes(name)) return mostLookups + 1;
    // Beyond the limit nothing more is asked, and nothing more has to be known.
    if (sum > mostLookups) return sum;
    const txt = known.get(name);
    if (txt === undefined) return undefined;
    const [next] = spfRecords(txt);
    if (next === undefined) continue;
    const inner = spfLookups(next, known, [...seen, name]);
    if (inner === undefined) return undefined;
    sum += inner;
  }
  return sum;
}

export interface Dmarc {
  policy: string;
  rua: string | null;
}

export const isDmarc = (text: string) => /^v=DMARC1\b/i.test(text.trim());

/** `a=b; c=d`: tags with their values, as DMARC, DKIM and reports of TLS have them. */
export function tagsOf(record: string): Map<string, string> {
  return new Map(
    record
      .split(';')
      .map((part) => part.split('='))
      .map(([name = '', ...value]) => [name.trim().toLowerCase(), value.join('=').trim()]),
  );
}

/** The tags of a DMARC record (RFC 7489, section 6.3); null: it has no valid policy. */
export function dmarcOf(record: string): Dmarc | null {
  const tags = tagsOf(record);
  const policy = tags.get('p')?.toLowerCase() ?? '';
  if (!['none', 'quarantine', 'reject'].includes(policy)) return null;
  return { policy, rua: tags.get('rua') ?? null };
}

export const isReportAddress = (text: string) =>
  /^mailto:[^\s@]+@[^\s@!.]+(?:\.[^\s@!.]+)+(?:![0-9]+[kmgt]?)?$/i.test(text.trim());

/** Mail services whose keys are at known names: how their mail hosts end, and their selectors of DKIM. */
const providers: readonly { name: string; hosts: readonly string[]; selectors: readonly string[] }[] = [
  { name: 'Google', hosts: ['google.com', 'googlemail.com'], selectors: ['google'] },
  { name: 'Microsoft 365', hosts: ['mail.protection.outlook.com'], selectors: ['selector1', 'selector2'] },
  { name: 'Fastmail', hosts: ['messagingengine.com'], selectors: ['fm1', 'fm2', 'fm3'] },
  { name: 'Zoho', hosts: ['zoho.com', 'zoho.eu'], selectors: ['zmail', 'zoho'] },
  { name: 'Proton', hosts: ['protonmail.ch'], selectors: ['protonmail', 'protonmail2', 'protonmail3'] },
  { name: 'iCloud', hosts: ['mail.icloud.com'], selectors: ['sig1'] },
];
export type MailProvider = (typeof providers)[number];

/** The mail service that a domain's mail goes to, where its DKIM selectors are known. */
export function mailProviderOf(mx: readonly { host: string }[]): MailProvider | null {
  const isOf = (host: string) => (end: string) => host === end || host.endsWith(`.${end}`);
  return providers.find(({ hosts }) => mx.some(({ host }) => hosts.some(isOf(host)))) ?? null;
}

/** RFC 8301, section 3.2. */
export const strongKeyBits = 2048;

/** Why reports of TLS (RFC 8460, section 3) do not arrive; null: they do, or are not asked for. */
export function tlsReportFault(txt: readonly string[]): string | null {
  const [record, ...more] = txt.filter((text) => /^v=TLSRPTv1\b/i.test(text.trim()));
  if (record === undefined) return null;
  if (more.length > 0) return `${more.length + 1} records`;
  const rua = tagsOf(record).get('rua') ?? '';
  const isGood = (address: string) => isReportAddress(address) || /^https:\/\/[^\s/]+/i.test(address.trim());
  return rua.split(',').every(isGood) ? null : record;
}

/** What was found where the policy of MTA-STS has to be. */
export type StsPolicy = { status: number; text: string } | 'untrusted' | 'refused' | 'no address';

/** Why MTA-STS (RFC 8461) cannot be used; null: it can, or is not there; undefined: nobody answered. */
export function stsFault(
  txt: readonly string[],
  policy: Answer<StsPolicy>,
  mailHosts: readonly string[],
): string | null | undefined {
  const [record, ...more] = txt.filter(isSts);
  if (record === undefined) return null;
  if (more.length > 0) return `${more.length + 1} records`;
  if (!/^[a-z0-9]{1,32}$/i.test(tagsOf(record).get('id') ?? '')) return record;
  if (policy === undefined) return undefined;
  if (policy === 'no address') return 'The name mta-sts has no address';
  if (policy === 'refused') return 'Nothing answers at mta-sts';
  if (policy === 'untrusted') return 'The certificate of mta-sts is not accepted';
  if (policy.status !== 200) return `The policy is answered with ${policy.status}`;
  return policyFault(policy.text, mailHosts);
}

export const isSts = (text: string) => /^v=STSv1\b/.test(text.trim());

function policyFault(text: string, mailHosts: readonly string[]): string | null {
  const lines = text.split(/\r?\n/).map((line) => {
    const [name = '', ...value] = line.split(':');
    return { name: name.trim(), value: value.join(':').trim() };
  });
  const values = (wanted: string) => lines.flatMap(({ name, value }) => (name === wanted ? value : []));
  const [mode = ''] = values('mode');
  if (values('version')[0] !== 'STSv1') return 'The policy does not say "version: STSv1"';
  if (!['enforce', 'testing', 'none'].includes(mode)) return 'The policy has no valid mode';
  if (!/^\d{1,10}$/.test(values('max_age')[0] ?? '')) return 'The policy has no valid max_age';
  if (mode === 'none') return null;
  const patterns = values('mx').map((pattern) => pattern.toLowerCase());
  const outside = mailHosts.filter((host) => !patterns.some((pattern) => fits(pattern, host)));
  return outside.length > 0 ? `${outside.join(', ')}: not in the policy` : null;
}

/** `*.` stands for one label (RFC 8461, section 4.1). */
const fits = (pattern: string, host: string) =>
  pattern === host || (pattern.startsWith('*.') && host.split('.').slice(1).join('.') === pattern.slice(2));
