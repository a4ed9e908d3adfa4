import { createHash } from 'node:crypto';
import type { DnsRecord } from '../../src/contracts/values/dns-records.ts';
import { builtInTemplates, domainValues, filledTemplate } from '../../src/contracts/values/dns-templates.ts';
import { type DemoDomain, demoCompanies } from './companies.ts';

/** What the DNS of the demonstration's domains holds: web, mail and proofs of the usual providers, and some usual slips. */

const hostings = ['own', 'server', 'pages', 'netlify', 'vercel', 'dual'] as const;
const mailKinds = ['microsoft', 'google', 'own', 'microsoft', 'fastmail', 'google', 'microsoft'] as const;

export function zoneOf(domain: DemoDomain): DnsRecord[] {
  const { address, company, rank } = domain;
  const parts =
    rank === 0
      ? [...webOf(domain), ...mailOf(domain), ...proofsOf(domain), ...extrasOf(domain)]
      : [...sideWebOf(domain), ...sideMailOf(domain), ...proofsOf(domain)];
  return withSlips(parts, address, company, rank);
}

const a = (subdomain: string, ip_address: string): DnsRecord => ({ type: 'A', subdomain, ip_address });
const aaaa = (subdomain: string, ipv6_address: string): DnsRecord => ({
  ...{ type: 'AAAA', subdomain, ipv6_address },
});
const cname = (subdomain: string, hostname: string): DnsRecord => ({ type: 'CNAME', subdomain, hostname });
const mx = (priority: number, hostname: string): DnsRecord => ({
  ...{ type: 'MX', subdomain: '', hostname, priority },
});
export const txt = (subdomain: string, text: string): DnsRecord => ({ type: 'TXT', subdomain, text });

/** Always the same for the same text, and different for others. */
const digest = (text: string) => createHash('sha256').update(text).digest();
const byteOf = (text: string) => digest(text)[0] ?? 0;
/** From the networks that are kept for documentation. */
export const serverOf = (company: number, host = 10) =>
  `${['192.0.2', '198.51.100', '203.0.113'][company % 3]}.${host + company}`;

function template(id: string, address: string, values: Record<string, string> = {}): DnsRecord[] {
  const found = builtInTemplates.find((each) => each.id === id);
  const filled = filledTemplate(found?.records ?? [], { ...domainValues(address), ...values });
  if (!filled.ok) throw new Error(`The template ${id} does not fit ${address}.`);
  return filled.records;
}

function webOf({ address, company }: DemoDomain): DnsRecord[] {
  const server = serverOf(company);
  switch (hostings[company % hostings.length]) {
    case 'pages':
      return template('github-pages', address, { site: demoCompanies[company]?.word ?? '' });
    case 'netlify':
      return template('netlify', address, { site: demoCompanies[company]?.word ?? '' });
    case 'vercel':
      return template('vercel', address);
    case 'dual':
      return [a('', server), aaaa('', `2001:db8:${company}::80`), cname('www', address)];
    case 'server':
      return [a('', server), a('www', server), a('staging', serverOf(company, 110))];
    default:
      return [a('', server), cname('www', address)];
  }
}

/** Other names of a company lead to the first one, are shops, or stand by themselves. */
function sideWebOf({ address, company, rank }: DemoDomain): DnsRecord[] {
  if (address.endsWith('-shop.com')) return template('shopify', address);
  if (address.endsWith('-app.com')) return template('vercel', address);
  if (address.endsWith('-booking.com'))
    return [a('', serverOf(company)), cname('www', 'sites.bookwell.example')];
  if (rank % 3 === 2)
    return [a('', serverOf(company)), aaaa('', `2001:db8:${company}::80`), cname('www', address)];
  return [a('', serverOf(company)), cname('www', address)];
}

function mailOf({ address, company }: DemoDomain): DnsRecord[] {
  const report = `rua=mailto:dmarc@${address}`;
  switch (mailKinds[company % mailKinds.length]) {
    case 'microsoft': {
      const tenant = `${demoCompanies[company]?.word}.onmicrosoft.com`;
      const dashed = address.replaceAll('.', '-');
      return [
        ...template('microsoft-365', address),
        ...['selector1', 'selector2'].map((key) =>
          cname(`${key}._domainkey`, `${key}-${dashed}._domainkey.${tenant}`),
        ),
        txt('_dmarc', `v=DMARC1; p=quarantine; ${report}`),
      ];
    }
    case 'google':
      return [
        ...template('google-workspace', address),
        txt('google._domainkey', dkimKey(address)),
        txt('_dmarc', `v=DMARC1; p=reject; ${report}; adkim=s`),
      ];
    case 'fastmail':
      return [...template('fastmail', address), txt('_dmarc', `v=DMARC1; p=quarantine; ${report}`)];
    default:
      return [
        ...[mx(10, `mail.${address}`), mx(20, 'backup-mx.marshmanaged.example')],
        a('mail', serverOf(company, 60)),
        txt('', `v=spf1 mx ip4:${serverOf(company, 60)} -all`),
        txt('s2026._domainkey', dkimKey(address)),
        txt('_dmarc', `v=DMARC1; p=reject; ${report}`),
      ];
  }
}

/** Mail to the other names: some take it where the first name does, most take and send none. */
function sideMailOf(domain: DemoDomain): DnsRecord[] {
  const { address, rank } = domain;
  if (/(group|hq|-news)\.com$/.test(address)) return mailOf(domain);
  const none = template('no-mail', address);
  return rank % 2 === 0 ? [{ type: 'MX', subdomain: '', hostname: '.', priority: 0 }, ...none] : none;
}

function proofsOf({ address, company, rank }: DemoDomain): DnsRecord[] {
  const code = digest(address).toString('base64url');
  const kind = mailKinds[company % mailKinds.length];
  return [
    ...(rank === 0 && kind === 'microsoft'
      ? [txt('', `MS=ms${10_000_000 + byteOf(address) * 301_337}`)]
      : []),
    ...(rank < 2 ? [txt('', `google-site-verification=${code}`)] : []),
    ...(company % 5 === 2 && rank === 0
      ? [txt('', `atlassian-domain-verification=${code.slice(0, 40)}`)]
      : []),
  ];
}

function extrasOf({ address, company }: DemoDomain): DnsRecord[] {
  const office = serverOf(company, 160);
  return [
    ...(company % 2 === 0 ? [a('vpn', office)] : []),
    ...(company % 4 === 1
      ? [a('portal', serverOf(company, 110)), cname('booking', 'sites.bookwell.example')]
      : []),
    ...(company % 3 === 0 ? [cname('ftp', address)] : []),
    ...(company % 4 === 3
      ? [
          {
            ...{ type: 'SRV' as const, subdomain: '_sip._tls', hostname: `pbx.${address}` },
            priority: 10,
            weight: 5,
            port: 5061,
          },
          a('pbx', office),
        ]
      : []),
  ];
}

const isAt = (record: DnsRecord, subdomain: string, begins: string) =>
  record.type === 'TXT' && record.subdomain === subdomain && record.text.startsWith(begins);

/** What real zones have wrong, each at some companies only. */
function withSlips(zone: DnsRecord[], address: string, company: number, rank: number): DnsRecord[] {
  if (rank !== 0)
    return company % 6 === 5 && rank === 2 ? zone.filter((each) => !isAt(each, '_dmarc', 'v=')) : zone;
  switch (company % 10) {
    case 2:
      return zone.filter((record) => !isAt(record, '_dmarc', 'v='));
    case 3:
      return [
        ...zone.filter((record) => !isAt(record, '_dmarc', 'v=')),
        txt('_dmarc', `v=DMARC1; p=none; rua=mailto:dmarc@${address}`),
      ];
    case 4:
      // A newsletter's instructions were followed to the letter.
      return [...zone, txt('', 'v=spf1 include:send.letterbird.example ~all')];
    case 7:
      return [...zone, a('intranet', '10.20.0.5')];
    case 9:
      return zone.map((record) =>
        isAt(record, '', 'v=spf1') ? txt('', 'v=spf1 a mx include:_spf.google.com +all') : record,
      );
    default:
      return zone;
  }
}

/** The head of an RSA key of 2048 bits (RFC 8017); the number behind it is nobody's. */
const rsaHead = '30820122300d06092a864886f70d01010105000382010f003082010a0282010100';
const rsaTail = '0203010001';

function dkimKey(address: string): string {
  const number = Buffer.concat(Array.from({ length: 8 }, (_, part) => digest(`${address} ${part}`)));
  number[0] = (number[0] ?? 0) | 0x80;
  const key = Buffer.concat([Buffer.from(rsaHead, 'hex'), number, Buffer.from(rsaTail, 'hex')]);
  return `v=DKIM1; k=rsa; p=${key.toString('base64')}`;
}
