import { expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { mailHostsOf, purposeOf, verdictOf } from './zone-groups.ts';

const domain = 'acme.com';
const a = (subdomain: string): DnsRecord => ({ type: 'A', subdomain, ip_address: '192.0.2.1' });
const cname = (subdomain: string, hostname = 'x.vendor.example'): DnsRecord => ({
  type: 'CNAME',
  subdomain,
  hostname,
});
const txt = (subdomain: string, text: string): DnsRecord => ({ type: 'TXT', subdomain, text });
const mx = (hostname: string): DnsRecord => ({ type: 'MX', subdomain: '', hostname, priority: 10 });
const spf = txt('', 'v=spf1 include:spf.vendor.example -all');
const dkim = cname('selector1._domainkey');
const dmarc = (policy: string) => txt('_dmarc', `v=DMARC1; p=${policy}`);

test('records are grouped by what they are for', () => {
  expect([a(''), a('www'), cname('shop')].map((record) => purposeOf(record))).toEqual(['web', 'web', 'web']);
  const mail = [mx('mx.vendor.example'), spf, dmarc('none'), dkim, cname('autodiscover')];
  expect(new Set(mail.map((record) => purposeOf(record)))).toEqual(new Set(['mail']));
  const proofs = [
    txt('', 'google-site-verification=abc'),
    txt('', 'MS=ms12345678'),
    txt('_acme-challenge.www', 'abc'),
    cname('_0123456789abcdef0123456789abcdef'),
  ];
  expect(new Set(proofs.map((record) => purposeOf(record)))).toEqual(new Set(['verification']));
  expect(purposeOf(txt('note', 'hello'))).toBe('other');
  const sip: DnsRecord = {
    type: 'SRV',
    subdomain: '_sip._tls',
    hostname: 'x.example',
    priority: 1,
    weight: 1,
    port: 443,
  };
  expect(purposeOf(sip)).toBe('other');
});

test('an address that the mail servers point to is one of the mail', () => {
  const hosts = mailHostsOf(domain, [mx('post.acme.com'), mx('mx.vendor.example')]);
  expect([...hosts]).toEqual(['post']);
  expect(purposeOf(a('post'), hosts)).toBe('mail');
  expect(purposeOf(a('www'), hosts)).toBe('web');
});

test('the web group says which of the two names leads nowhere', () => {
  expect(verdictOf(domain, 'web', [a(''), cname('www')])).toEqual({
    tone: 'good',
    text: 'The domain and www lead to an address',
  });
  expect(verdictOf(domain, 'web', [a(''), a('*')]).tone).toBe('good');
  expect(verdictOf(domain, 'web', [a('')])).toEqual({ tone: 'warn', text: 'www has no address' });
  expect(verdictOf(domain, 'web', [a('www')]).text).toBe('The domain without www has no address');
  // What stands for every name below the domain does not stand for the domain itself (RFC 4592).
  expect(verdictOf(domain, 'web', [a('*')]).text).toBe('The domain without www has no address');
  expect(verdictOf(domain, 'web', [a('shop')])).toEqual({
    tone: 'plain',
    text: 'Subdomains only',
  });
});

test('the mail group says whether mail can be forged, and what is missing', () => {
  const verdict = (...records: DnsRecord[]) => verdictOf(domain, 'mail', records);
  const server = mx('mx.vendor.example');
  expect(verdict(server, spf, dkim, dmarc('reject'))).toEqual({
    tone: 'good',
    text: 'SPF, DKIM and DMARC protect the mail',
  });
  expect(verdict(server)).toEqual({
    tone: 'warn',
    text: 'Mail can be forged: SPF, DKIM and DMARC are missing',
  });
  expect(verdict(server, spf, dkim).text).toBe('Mail can be forged: DMARC is missing');
  expect(verdict(server, spf, dkim, dmarc('none')).text).toBe(
    'Mail can be forged: DMARC only monitors (p=none)',
  );
  expect(verdict(spf, dkim, dmarc('reject')).text).toBe('No mail server: this domain cannot receive mail');
  expect(verdict(mx('.'))).toEqual({ tone: 'good', text: 'This domain accepts no mail' });
});

test('what is wrong with a mail record is the verdict of its group', () => {
  const verdict = verdictOf(domain, 'mail', [mx('mx.vendor.example'), txt('_dmarc', 'v=DMARC1; p=banana')]);
  expect(verdict.tone).toBe('warn');
  expect(verdict.text).toContain('banana');
});

test('what else is of the mail is known by its name or its service, and what proves control by its own', () => {
  const srv = (subdomain: string): DnsRecord => ({
    ...{ type: 'SRV', subdomain, hostname: 'x.example', priority: 1, weight: 1, port: 443 },
  });
  const services = ['_autodiscover', '_imap', '_imaps', '_pop3', '_pop3s', '_submission', '_submissions'];
  const mail = [
    ...[...services.map((name) => srv(`${name}._tcp`)), cname('autoconfig'), a('autodiscover.shop')],
    ...[dmarc('none'), cname('_dmarc'), txt('k1._domainkey', 'p=x'), txt('sub', 'v=spf1 -all')],
    ...[{ type: 'MX', subdomain: 'sub', hostname: 'mx.vendor.example', priority: 1 } as DnsRecord],
  ];
  expect(new Set(mail.map((record) => purposeOf(record)))).toEqual(new Set(['mail']));
  const proofs = [
    ...[txt('_dnsauth', 'x'), cname('_dnsauth.www'), cname('_acme-challenge'), txt('', '_globalsign-x=1')],
    ...[cname('_0123456789ABCDEF.www'), txt('x', 'Verification: 1')],
  ];
  expect(new Set(proofs.map((record) => purposeOf(record)))).toEqual(new Set(['verification']));
  expect(
    [cname('_0123456789abcde'), { ...a('v6'), type: 'AAAA' } as DnsRecord].map((one) => purposeOf(one)),
  ).toEqual(['web', 'web']);
  // An alias that the mail leads to is a host of the web, and no name of the mail by itself.
  expect(purposeOf(cname('post'), new Set(['post']))).toBe('web');
});

test('groups without a verdict of their own are counted', () => {
  const text = (purpose: 'verification' | 'other', count: number) =>
    verdictOf(
      domain,
      purpose,
      Array.from({ length: count }, (_none, n) => txt(`t${n}`, 'x')),
    );
  expect([text('verification', 1), text('verification', 2), text('other', 1), text('other', 3)]).toEqual([
    { tone: 'plain', text: 'One verification for another service' },
    { tone: 'plain', text: '2 verifications for other services' },
    { tone: 'plain', text: 'One more record' },
    { tone: 'plain', text: '3 more records' },
  ]);
});

test('mail of other names does not protect the domain’s, and what is missing is listed', () => {
  const verdict = (...records: DnsRecord[]) => verdictOf(domain, 'mail', records).text;
  const server = mx('mx.vendor.example');
  expect(verdict(server, txt('sub', 'v=spf1 -all'), dkim, dmarc('reject'))).toBe(
    'Mail can be forged: SPF is missing',
  );
  expect(verdict(server, spf, txt('_dmarc.sub', 'v=DMARC1; p=reject'))).toBe(
    'Mail can be forged: DKIM and DMARC are missing',
  );
  const elsewhere: DnsRecord = { ...mx('mx.vendor.example'), subdomain: 'sub' } as DnsRecord;
  expect(verdict(elsewhere, spf, dkim, dmarc('reject'))).toBe(
    'No mail server: this domain cannot receive mail',
  );
  expect(verdict(elsewhere, spf)).toBe('No mail server. Mail can be forged: DKIM and DMARC are missing');
  expect(verdict(server, spf, dkim, dmarc('quarantine'))).toBe('SPF, DKIM and DMARC protect the mail');
});
