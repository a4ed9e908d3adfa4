import { describe, expect, test } from 'vitest';
import {
  dmarcOf,
  isDmarc,
  isReportAddress,
  isSts,
  mailProviderOf,
  mostLookups,
  type StsPolicy,
  spfLookups,
  spfRecords,
  spfTerms,
  stsFault,
  tlsReportFault,
} from './mail.rules.ts';

describe('SPF', () => {
  test('a record begins with its version, whatever blanks stand before it', () => {
    const txt = ['v=spf1', ' V=SPF1 -all ', 'v=spf10 -all', 'x v=spf1'];
    expect(spfRecords(txt)).toEqual(['v=spf1', ' V=SPF1 -all ']);
  });

  test('the version is no term, also behind blanks; a bare "all" lets everybody send', () => {
    expect(spfTerms('  v=spf1 all')).toEqual({ follows: [], lookups: 0, all: '+' });
    expect(spfTerms('a b')).toEqual({ follows: [], lookups: 0, all: null });
    expect(
      spfTerms('v=spf1 include:A.net. redirect=b.net include: include:%{d}.c.net mx exists:d.net ~all'),
    ).toEqual({ follows: ['a.net', 'b.net'], lookups: 3, all: '~' });
  });

  const chain = (length: number) =>
    new Map(
      Array.from({ length }, (_, n) => [
        `n${n}.net`,
        [n === length - 1 ? 'v=spf1 -all' : `v=spf1 include:n${n + 1}.net`],
      ]),
    );

  test.each([1, 9, 10])('%i names that follow each other cost as many look-ups', (length) => {
    expect(spfLookups('v=spf1 include:n0.net', chain(length))).toBe(length);
  });

  test('beyond the limit nothing more has to be known', () => {
    const over = `v=spf1 ${'a '.repeat(mostLookups)}include:silent.net -all`;
    expect(spfLookups(over, new Map())).toBe(mostLookups + 1);
    const at = `v=spf1 ${'a '.repeat(mostLookups - 1)}include:silent.net -all`;
    expect(spfLookups(at, new Map())).toBeUndefined();
    expect(spfLookups(at, new Map([['silent.net', ['v=spf1 -all']]]))).toBe(mostLookups);
  });

  test('a loop is beyond every limit, and a name that does not answer somewhere inside leaves it open', () => {
    const loop = new Map([
      ['a.net', ['v=spf1 include:b.net']],
      ['b.net', ['v=spf1 include:a.net']],
    ]);
    expect(spfLookups('v=spf1 include:a.net', loop)).toBeGreaterThan(mostLookups);
    const ofItself = new Map([['a.net', ['v=spf1 include:a.net']]]);
    expect(spfLookups('v=spf1 include:a.net', ofItself)).toBeGreaterThan(mostLookups);
    const inside = new Map([['a.net', ['v=spf1 include:silent.net']]]);
    expect(spfLookups('v=spf1 include:a.net', inside)).toBeUndefined();
    expect(spfLookups('v=spf1 include:a.net mx', new Map([['a.net', ['text']]]))).toBe(2);
  });
});

test('a policy of DMARC is one of three words; blanks around a record and its tags do not count', () => {
  expect([' v=DMARC1; p=none', 'v=DMARC1', 'v=DMARC10; p=none'].map(isDmarc)).toEqual([true, true, false]);
  expect(dmarcOf('v=DMARC1 ; P = Reject ; rua = mailto:a@b.com?x=1')).toEqual({
    policy: 'reject',
    rua: 'mailto:a@b.com?x=1',
  });
  expect(dmarcOf('v=DMARC1; p=quarantine')).toEqual({ policy: 'quarantine', rua: null });
  expect(dmarcOf('v=DMARC1; sp=none')).toBeNull();
});

test.each([
  ['mailto:a@b.com', true],
  [' mailto:a@b.com!10m ', true],
  ['a@b.com', false],
  ['mailto:a@b', false],
])('reports are sent to %j: %s', (address, isGood) => expect(isReportAddress(address)).toBe(isGood));

test('a mail service is known by how the names of its mail hosts end, of whichever record', () => {
  const of = (...hosts: string[]) => mailProviderOf(hosts.map((host) => ({ host })))?.name ?? null;
  expect(of('google.com')).toBe('Google');
  expect(of('mx.other.net', 'aspmx.l.google.com')).toBe('Google');
  expect(of('notgoogle.com')).toBeNull();
  expect(of('a-com.mail.protection.outlook.com')).toBe('Microsoft 365');
  expect(of()).toBeNull();
});

test.each<[string[], string | null]>([
  [[' v=TLSRPTv1; rua=mailto:a@b.com'], null],
  [[' v=TLSRPTv1'], ' v=TLSRPTv1'],
  [['v=TLSRPTv1; rua=mailto:a@b.com, https://reports.b.com/tls'], null],
  [['v=TLSRPTv1; rua=mailto:a@b.com,b@b.com'], 'v=TLSRPTv1; rua=mailto:a@b.com,b@b.com'],
  [['v=TLSRPTv1; rua='], 'v=TLSRPTv1; rua='],
  [['v=TLSRPTv1; rua=mailto:a@b.com', 'other', 'v=TLSRPTv1; rua=mailto:a@b.com'], '2 records'],
])('reports of TLS by %j: %j', (txt, fault) => expect(tlsReportFault(txt)).toBe(fault));

describe('MTA-STS', () => {
  const record = 'v=STSv1; id=20261123';
  const policy = (lines: string, status = 200): StsPolicy => ({ status, text: lines });
  const good = 'version: STSv1\r\nmode: enforce\r\nmx: *.mail.net\nmx: MX.own.net\nmax_age: 86400';
  const hosts = ['a.mail.net', 'mx.own.net'];
  const faultOf = (text: string) => stsFault([record], policy(text), hosts);

  test('is there where one record says so', () => {
    expect([' v=STSv1; id=1', 'v=STSv1', 'V=STSV1'].map(isSts)).toEqual([true, true, false]);
    expect(stsFault(['other'], undefined, hosts)).toBeNull();
    expect(stsFault([record, record], policy(good), hosts)).toBe('2 records');
    expect(stsFault(['v=STSv1; id=2026-11'], policy(good), hosts)).toBe('v=STSv1; id=2026-11');
    expect(stsFault(['v=STSv1'], policy(good), hosts)).toBe('v=STSv1');
  });

  test.each<[StsPolicy | undefined, string | null | undefined]>([
    [policy(good), null],
    [undefined, undefined],
    ['no address', 'The name mta-sts has no address'],
    ['refused', 'Nothing answers at mta-sts'],
    ['untrusted', 'The certificate of mta-sts is not accepted'],
    [policy(good, 404), 'The policy is answered with 404'],
  ])('with what is found at its address, %j: %j', (found, fault) =>
    expect(stsFault([record], found, hosts)).toBe(fault),
  );

  test.each([
    [good.replace('STSv1', 'STSv2'), 'The policy does not say "version: STSv1"'],
    [good.replace('enforce', 'strict'), 'The policy has no valid mode'],
    [good.replace('mode: enforce', ''), 'The policy has no valid mode'],
    [good.replace('86400', 'a day'), 'The policy has no valid max_age'],
    [good.replace('max_age: 86400', ''), 'The policy has no valid max_age'],
    [good.replace('mx: MX.own.net', ''), 'mx.own.net: not in the policy'],
    [
      good.replace('*.mail.net', 'mail.net').replace('mx: MX.own.net', ''),
      'a.mail.net, mx.own.net: not in the policy',
    ],
  ])('with a policy that says %j: %j', (text, fault) => expect(faultOf(text)).toBe(fault));

  test.each(['testing', 'enforce'])(
    'a policy that is %s names the mail hosts, a star for one label',
    (mode) => {
      const text = good.replace('enforce', mode);
      const fault = (host: string) => stsFault([record], policy(text), [host]);
      expect(fault('b.a.mail.net')).toBe('b.a.mail.net: not in the policy');
      expect(fault('mail.net')).toBe('mail.net: not in the policy');
      expect(fault('b.mail.net')).toBeNull();
    },
  );

  test('blanks around the parts of a policy do not count', () => {
    expect(faultOf(good.replaceAll(':', ' :  '))).toBeNull();
  });

  test('a policy that asks for nothing fits all mail hosts', () => {
    expect(faultOf('version: STSv1\nmode: none\nmax_age: 1')).toBeNull();
  });
});
