import { type DnsRecord, type RecordProblem, readRecord, recordKey } from './dns-records.ts';
import { isDmarc, isSpf } from './mail-records.ts';
import { applyChanges, type ZoneChange } from './zone-changes.ts';
import { differenceOf, type RecordDifference } from './zone-difference.ts';

/** What a template asks for besides the domain. */
export interface TemplateInput {
  key: string;
  label: string;
  placeholder: string;
}

export interface RecordTemplate {
  id: string;
  name: string;
  purpose: 'mail' | 'web';
  inputs: readonly TemplateInput[];
  /** `{domain}`, `{dashed}` (the domain with hyphens for dots) and `{key}` of an input are filled in. */
  records: readonly Readonly<Record<string, string | number>>[];
}

const mx = (hostname: string, priority: number) => ({ type: 'MX', subdomain: '', hostname, priority });
const txt = (text: string, subdomain = '') => ({ type: 'TXT', subdomain, text });
const a = (ip_address: string, subdomain = '') => ({ type: 'A', subdomain, ip_address });
const aaaa = (ipv6_address: string, subdomain = '') => ({ type: 'AAAA', subdomain, ipv6_address });
const alias = (subdomain: string, hostname: string) => ({ type: 'CNAME', subdomain, hostname });

const site = (label: string, placeholder: string): TemplateInput => ({ key: 'site', label, placeholder });

/** Records that the usual providers ask for (checked 2026-11-21). */
export const builtInTemplates: readonly RecordTemplate[] = [
  {
    ...{ id: 'microsoft-365', name: 'Microsoft 365', purpose: 'mail', inputs: [] },
    records: [
      mx('{dashed}.mail.protection.outlook.com', 0),
      txt('v=spf1 include:spf.protection.outlook.com -all'),
      alias('autodiscover', 'autodiscover.outlook.com'),
    ],
  },
  {
    ...{ id: 'google-workspace', name: 'Google Workspace', purpose: 'mail', inputs: [] },
    records: [mx('smtp.google.com', 1), txt('v=spf1 include:_spf.google.com ~all')],
  },
  {
    ...{ id: 'fastmail', name: 'Fastmail', purpose: 'mail', inputs: [] },
    records: [
      mx('in1-smtp.messagingengine.com', 10),
      mx('in2-smtp.messagingengine.com', 20),
      txt('v=spf1 include:spf.messagingengine.com ?all'),
      ...['fm1', 'fm2', 'fm3'].map((key) => alias(`${key}._domainkey`, `${key}.{domain}.dkim.fmhosted.com`)),
    ],
  },
  {
    ...{ id: 'zoho-mail', name: 'Zoho Mail', purpose: 'mail', inputs: [] },
    records: [
      ...[mx('mx.zoho.com', 10), mx('mx2.zoho.com', 20), mx('mx3.zoho.com', 50)],
      txt('v=spf1 include:zohomail.com ~all'),
    ],
  },
  {
    ...{ id: 'no-mail', name: 'No mail is sent from this domain', purpose: 'mail', inputs: [] },
    records: [txt('v=spf1 -all'), txt('v=DMARC1; p=reject;', '_dmarc')],
  },
  {
    ...{ id: 'web-server', name: 'Own web server', purpose: 'web' },
    inputs: [{ key: 'ipv4', label: 'IPv4 address of the server', placeholder: '192.0.2.1' }],
    records: [a('{ipv4}'), a('{ipv4}', 'www')],
  },
  {
    ...{ id: 'github-pages', name: 'GitHub Pages', purpose: 'web' },
    inputs: [site('GitHub user or organisation', 'octocat')],
    records: [
      ...[108, 109, 110, 111].map((part) => a(`185.199.${part}.153`)),
      ...[0, 1, 2, 3].map((part) => aaaa(`2606:50c0:800${part}::153`)),
      alias('www', '{site}.github.io'),
    ],
  },
  {
    ...{ id: 'netlify', name: 'Netlify', purpose: 'web' },
    inputs: [site('Name of the Netlify site', 'my-site')],
    records: [a('75.2.60.5'), alias('www', '{site}.netlify.app')],
  },
  {
    ...{ id: 'vercel', name: 'Vercel', purpose: 'web', inputs: [] },
    records: [a('76.76.21.21'), alias('www', 'cname.vercel-dns.com')],
  },
  {
    ...{ id: 'shopify', name: 'Shopify', purpose: 'web', inputs: [] },
    records: [a('23.227.38.65'), alias('www', 'shops.myshopify.com')],
  },
];

/** What a template asks for besides the domain, as an organization's own template keeps it. */
export interface TemplateVariable {
  key: string;
  label: string;
}

/** Filled in for every domain. */
const ownMarks: ReadonlySet<string> = new Set(['domain', 'dashed']);

/** The marks of records that a person fills in, each once, in their order. */
export function marksIn(records: readonly Readonly<Record<string, unknown>>[]): string[] {
  const texts = records.flatMap((record) =>
    Object.values(record).filter((value) => typeof value === 'string'),
  );
  const marks = texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));
  return [...new Set(marks)].filter((mark) => !ownMarks.has(mark));
}

/** A template's records for a domain, or what is wrong with what was filled in. */
export function filledTemplate(
  records: readonly Readonly<Record<string, unknown>>[],
  values: Readonly<Record<string, string>>,
): { ok: true; records: DnsRecord[] } | { ok: false; problems: RecordProblem[] } {
  const read: DnsRecord[] = [];
  const problems: RecordProblem[] = [];
  for (const record of records) {
    const one = readRecord(filled(record, values));
    if (one.ok) read.push(one.record);
    else problems.push(...one.problems);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, records: read };
}

/** Values that every template may use. */
export function domainValues(domain: string): Record<string, string> {
  return { domain, dashed: domain.replaceAll('.', '-') };
}

function filled(
  record: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [
      key,
      typeof value === 'string'
        ? value.replace(/\{(\w+)\}/g, (whole, name: string) =>
            Object.hasOwn(values, name) ? (values[name] ?? '').trim() : whole,
          )
        : value,
    ]),
  );
}

/** What a set of records asks of a zone: what it replaces goes, what is there already stays. */
export function templateChanges(present: readonly DnsRecord[], wanted: readonly DnsRecord[]): ZoneChange[] {
  const there = new Set(present.map(recordKey));
  const asked = new Set(wanted.map(recordKey));
  const replaced = present.filter(
    (record) => !asked.has(recordKey(record)) && wanted.some((other) => replaces(other, record)),
  );
  return [
    ...replaced.map((record): ZoneChange => ({ action: 'remove', record })),
    ...wanted
      .filter((record) => !there.has(recordKey(record)))
      .map((record): ZoneChange => ({ action: 'add', record })),
  ];
}

/**
 * What a zone has become since a template was applied to it. `add`: a record of it is missing; `update`: it was changed;
 * `remove`: there is another one where the template's should stand alone.
 */
export function driftOf(
  domain: string,
  present: readonly DnsRecord[],
  owned: readonly DnsRecord[],
): RecordDifference[] {
  const steps = templateChanges(present, owned);
  return differenceOf(present, applyChanges(domain, present, steps).records);
}

/** What another version of a template asks of a zone: records of the former one that it does not have any more go. */
export function rolledOut(
  present: readonly DnsRecord[],
  owned: readonly DnsRecord[],
  wanted: readonly DnsRecord[],
): ZoneChange[] {
  const there = new Set(present.map(recordKey));
  const steps = templateChanges(present, wanted);
  const known = new Set([...steps.map(({ record }) => record), ...wanted].map(recordKey));
  const former = owned.filter((record) => there.has(recordKey(record)) && !known.has(recordKey(record)));
  return [...former.map((record): ZoneChange => ({ action: 'remove', record })), ...steps];
}

/**
 * The template that a zone which drifted is right by: what was changed there is changed in it, what is gone goes, what came
 * besides comes in. The domain's name becomes a mark again; other values stay as they are in the zone.
 */
export function acceptedRecords(
  records: readonly Readonly<Record<string, unknown>>[],
  owned: readonly DnsRecord[],
  drift: readonly RecordDifference[],
  domain: string,
): Record<string, unknown>[] {
  const kept = records.flatMap((record, index): Record<string, unknown>[] => {
    const mine = owned[index];
    if (!mine) return [{ ...record }];
    // No record of the template is one that stands beside it.
    const of = drift.find((step) => recordKey(step.record) === recordKey(mine));
    if (!of) return [{ ...record }];
    return of.old ? [generalised(of.old, domain)] : [];
  });
  const extra = drift.filter(({ action }) => action === 'remove');
  return [...kept, ...extra.map(({ record }) => generalised(record, domain))];
}

/** The same record for any domain: where a host lies below this one, its name gives way to a mark. */
export function generalised(record: DnsRecord, domain: string): Record<string, unknown> & DnsRecord {
  if (!('hostname' in record)) return { ...record };
  const { hostname } = record;
  if (hostname !== domain && !hostname.endsWith(`.${domain}`)) return { ...record };
  return { ...record, hostname: `${hostname.slice(0, -domain.length)}{domain}` };
}

const addressTypes = ['A', 'AAAA', 'CNAME'];
const hasText = (record: DnsRecord, is: (text: string) => boolean) =>
  record.type === 'TXT' && is(record.text);

/** Mail goes to one provider, a name leads to one place, and a domain has one SPF and one DMARC record. */
function replaces(wanted: DnsRecord, present: DnsRecord): boolean {
  if (wanted.subdomain !== present.subdomain) return false;
  if (wanted.type === 'CNAME' || present.type === 'CNAME') return true;
  if (addressTypes.includes(wanted.type)) return addressTypes.includes(present.type);
  if (wanted.type === 'MX') return present.type === 'MX';
  return [isSpf, isDmarc].some((is) => hasText(wanted, is) && hasText(present, is));
}
