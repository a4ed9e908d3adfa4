import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type HealthKind, healthKinds } from '#contracts/values/health.ts';
import type { SeenWebsite } from '../../ports/probe.ts';
import { dkimBits } from './dkim.ts';
import { evidenceText, type Facts } from './evidence.rules.ts';
import { verdictsOn } from './health.rules.ts';
import { dmarcOf, spfLookups, spfTerms, stsFault, tlsReportFault } from './mail.rules.ts';

const now = new Date('2026-11-23T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
const keyOf = (bits: number) => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  return `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
};
const [strongKey, shortKey] = [keyOf(2048), keyOf(1024)];
const registered = {
  ...{
    nameservers: ['ns1.host.net', 'NS2.host.net'],
    locked: true,
    expiresAt: inDays(200),
    autoRenew: false,
  },
  ...{ verification: 'verified', bounced: false },
};

function website(change: Partial<SeenWebsite['certificate']> = {}, status: number | null = 200): SeenWebsite {
  const usual = {
    names: ['own.net'],
    serial: 'ab01',
    validFrom: inDays(-30),
    validTo: inDays(60),
    trouble: null,
  };
  return { certificate: { ...usual, ...change }, status };
}
const site = (https: Facts['sites'][number]['https'], http?: Facts['sites'][number]['http']) => ({
  sites: [{ host: 'own.net', https, http }],
});

const registrationOf = (...statuses: string[]) => ({
  ...{ name: 'own.net', registrar: 'Other', registeredAt: null, expiresAt: null, nameservers: [], statuses },
});

/** A domain in which nothing is wrong. */
const sound: Facts = {
  ...{ now, address: 'own.net', registered },
  nameservers: ['ns1.host.net', 'ns2.host.net'],
  nameserverAddresses: new Map([
    ['ns1.host.net', ['192.0.2.1']],
    ['ns2.host.net', ['198.51.100.1', '2001:db8::1']],
  ]),
  addresses: ['192.0.2.80'],
  mx: [{ host: 'mx.mail.net', priority: 10 }],
  mxHosts: new Map([['mx.mail.net', { isAlias: false, addresses: ['192.0.2.25'] }]]),
  txt: ['v=spf1 include:_spf.mail.net -all', 'other=1'],
  spfTxt: new Map([['_spf.mail.net', ['v=spf1 ip4:192.0.2.0/24 ~all']]]),
  dmarc: ['v=DMARC1; p=quarantine; rua=mailto:reports@example.com'],
  watched: false,
  registration: registrationOf('active', 'client transfer prohibited'),
  dkim: new Map(),
  tlsReports: ['v=TLSRPTv1; rua=mailto:reports@example.com,https://reports.example.com/tls'],
  aliases: [{ name: 'www', target: 'site.host.net', resolves: true }],
  servers: new Map([
    ['ns1.host.net', { authoritative: true, serial: 7 }],
    ['ns2.host.net', { authoritative: true, serial: 7 }],
  ]),
  mailServers: new Map([['mx.mail.net', { startTls: true }]]),
  sts: {
    txt: ['v=STSv1; id=20261123'],
    policy: { status: 200, text: 'version: STSv1\nmode: enforce\nmx: *.mail.net\nmax_age: 86400\n' },
  },
  sites: [{ host: 'own.net', https: website(), http: undefined }],
  caa: [{ tag: 'issue', value: 'Digicert.com; policy=ev' }],
  certificates: [{ host: 'own.net', serial: 'ab01', authorities: ['digicert.com', 'rapidssl.com'] }],
  proofs: [{ name: '_proof.own.net', isThere: true }],
};
const google = (bits: number | null) => ({
  mx: [{ host: 'aspmx.l.google.com', priority: 1 }],
  mxHosts: new Map([['aspmx.l.google.com', { isAlias: false, addresses: ['192.0.2.26'] }]]),
  dkim: new Map([['google', bits]]),
  sts: { txt: [], policy: undefined },
});

function found(change: Partial<Facts>): Partial<Record<HealthKind, string>> {
  const verdicts = [...verdictsOn({ ...sound, ...change })];
  return Object.fromEntries(verdicts.filter(([, verdict]) => typeof verdict === 'string'));
}
const kinds = (change: Partial<Facts>) => Object.keys(found(change));
const verdictOf = (kind: HealthKind, change: Partial<Facts>) => verdictsOn({ ...sound, ...change }).get(kind);
const spf = (record: string, more: [string, string[]][] = []) => ({
  txt: [record],
  spfTxt: new Map([...sound.spfTxt, ...more]),
});

/** For each kind: facts that have it and nothing else. A kind without its case does not compile. */
const faults: Record<HealthKind, Partial<Facts>> = {
  'ns-none': { nameservers: [] },
  'ns-differs': { registered: { ...registered, nameservers: ['ns1.host.net', 'ns9.host.net'] } },
  'ns-dead': {
    nameserverAddresses: new Map([...sound.nameserverAddresses, ['ns1.host.net', []]]),
  },
  'ns-glue': {
    nameservers: ['ns1.host.net', 'ns2.host.net', 'ns.own.net'],
    registered: { ...registered, nameservers: ['ns1.host.net', 'ns2.host.net', 'ns.own.net'] },
    nameserverAddresses: new Map([...sound.nameserverAddresses, ['ns.own.net', []]]),
  },
  'ns-network': {
    nameserverAddresses: new Map([
      ['ns1.host.net', ['192.0.2.1']],
      ['ns2.host.net', ['192.0.2.254']],
    ]),
  },
  'ns-one': {
    nameservers: ['ns1.host.net'],
    registered: { ...registered, nameservers: ['ns1.host.net'] },
  },
  'mx-missing': { mx: [] },
  'mx-dead': { mxHosts: new Map([['mx.mail.net', { isAlias: false, addresses: [] }]]) },
  'mx-alias': { mxHosts: new Map([['mx.mail.net', { isAlias: true, addresses: ['192.0.2.25'] }]]) },
  'spf-missing': { txt: ['v=spf10 -all', 'v=spf1x'] },
  'spf-two': { txt: ['v=spf1 -all', 'V=SPF1'] },
  'spf-open': spf('v=spf1 include:_spf.mail.net +all'),
  'spf-lookups': spf(`v=spf1 ${Array.from({ length: 11 }, (_, n) => `a:h${n}.net`).join(' ')} -all`),
  'spf-dead': spf('v=spf1 include:gone.net -all', [['gone.net', ['text']]]),
  'dmarc-missing': { dmarc: ['v=DMARC2; p=none'] },
  'dmarc-two': { dmarc: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] },
  'dmarc-broken': { dmarc: ['v=DMARC1; p=nothing'] },
  'dmarc-none': { dmarc: ['v=DMARC1; p=none'] },
  'dmarc-rua': { dmarc: ['v=DMARC1; p=reject; rua=mailto:a@example.com,b@example.com'] },
  'ns-lame': {
    servers: new Map([...sound.servers, ['ns2.host.net', { authoritative: false, serial: null }]]),
  },
  'ns-serials': {
    servers: new Map([...sound.servers, ['ns2.host.net', { authoritative: true, serial: 8 }]]),
  },
  'mx-plain': { mailServers: new Map([['mx.mail.net', { startTls: false }]]) },
  'mta-sts-broken': { sts: { ...sound.sts, policy: 'no address' } },
  'web-plain': site('refused', { status: 301 }),
  'web-fails': site(website({}, 500)),
  'web-cert-wrong': site(website({ trouble: 'ERR_TLS_CERT_ALTNAME_INVALID' })),
  'web-cert-expired': site(website({ trouble: 'CERT_HAS_EXPIRED', validTo: inDays(-1) })),
  'web-cert-expiring': site(website({ validFrom: inDays(-77), validTo: inDays(13) })),
  'web-cert-other': site(website({ serial: 'ab02' })),
  'web-dangling': { aliases: [{ name: 'shop', target: 'gone.host.net', resolves: false }] },
  'web-none': { addresses: [] },
  'dkim-missing': google(null),
  'dkim-weak': google(1024),
  'tls-rpt-broken': { tlsReports: ['v=TLSRPTv1; rua=nobody'] },
  'caa-forbids': { caa: [{ tag: 'issue', value: 'other.example' }] },
  'reissue-blocked': { proofs: [{ name: '_proof.own.net', isThere: false }] },
  expiring: { registered: { ...registered, expiresAt: inDays(29) } },
  unregistered: { watched: true, registration: null, registered: null, nameservers: [] },
  'registry-hold': { registration: registrationOf('client hold') },
  'registrant-unverified': { registered: { ...registered, verification: 'waiting' } },
  'registrant-bounced': { registered: { ...registered, bounced: true } },
  unlocked: { registered: { ...registered, locked: false } },
};

/** What each of these shows. */
const shown: Record<HealthKind, string> = {
  'ns-none': 'No NS records',
  'ns-differs': 'ns1.host.net, ns2.host.net instead of ns1.host.net, ns9.host.net',
  'ns-dead': 'ns1.host.net',
  'ns-glue': 'ns.own.net',
  'ns-network': '192.0.2',
  'ns-one': 'ns1.host.net',
  'mx-missing': 'No MX records',
  'mx-dead': 'mx.mail.net',
  'mx-alias': 'mx.mail.net',
  'spf-missing': 'No TXT record with v=spf1',
  'spf-two': '2 records',
  'spf-open': 'v=spf1 include:_spf.mail.net +all',
  'spf-lookups': 'At least 11 look-ups',
  'spf-dead': 'gone.net',
  'dmarc-missing': 'No TXT record at _dmarc',
  'dmarc-two': '2 records',
  'dmarc-broken': 'v=DMARC1; p=nothing',
  'dmarc-none': 'p=none',
  'dmarc-rua': 'mailto:a@example.com,b@example.com',
  'ns-lame': 'ns2.host.net',
  'ns-serials': 'ns1.host.net: 7, ns2.host.net: 8',
  'mx-plain': 'mx.mail.net',
  'mta-sts-broken': 'The name mta-sts has no address',
  'web-plain': 'own.net',
  'web-fails': 'own.net: 500',
  'web-cert-wrong': 'own.net: it is for other names',
  'web-cert-expired': 'own.net: Nov 22, 2026',
  'web-cert-expiring': 'own.net: Dec 6, 2026',
  'web-cert-other': 'own.net: serial ab02',
  'web-dangling': 'shop to gone.host.net',
  'web-none': 'No A or AAAA record',
  'dkim-missing': 'Google: no key at google',
  'dkim-weak': 'google: 1024 bits',
  'tls-rpt-broken': 'v=TLSRPTv1; rua=nobody',
  'caa-forbids': 'digicert.com for own.net',
  'reissue-blocked': '_proof.own.net',
  expiring: 'Dec 22, 2026',
  unregistered: 'The registry does not know it',
  'registry-hold': 'client hold',
  'registrant-unverified': 'waiting',
  'registrant-bounced': 'The registrar’s mail came back',
  unlocked: 'Not locked at the registry',
};

test('a sound domain has no findings, and every verdict is decided', () => {
  for (const change of [{}, spf('v=spf1 -all'), { aliases: [] }]) {
    expect([...verdictsOn({ ...sound, ...change }).values()].every((verdict) => verdict === null)).toBe(true);
  }
});

test.each(healthKinds)('%s is found where it is, and nothing beside it', (kind) => {
  expect(found(faults[kind])).toEqual({ [kind]: shown[kind] });
  expect([...verdictsOn({ ...sound, ...faults[kind] }).values()]).not.toContain(undefined);
});

test.each<[string, keyof Facts, HealthKind[]]>([
  [
    'nameservers',
    'nameservers',
    ['ns-none', 'ns-differs', 'ns-dead', 'ns-glue', 'ns-lame', 'ns-network', 'ns-one', 'ns-serials'],
  ],
  [
    'MX records',
    'mx',
    ['mx-missing', 'mx-dead', 'mx-alias', 'dkim-missing', 'dkim-weak', 'mx-plain', 'mta-sts-broken'],
  ],
  ['TXT records', 'txt', ['spf-missing', 'spf-two', 'spf-open', 'spf-lookups', 'spf-dead']],
  ['DMARC', 'dmarc', ['dmarc-missing', 'dmarc-two', 'dmarc-broken', 'dmarc-none', 'dmarc-rua']],
  ['addresses', 'addresses', ['web-none']],
  ['reports of TLS', 'tlsReports', ['tls-rpt-broken']],
  ['CAA', 'caa', ['caa-forbids']],
  ['the registry', 'registration', ['registry-hold']],
  [
    'what the registry has of a name that is held elsewhere',
    'registered',
    ['ns-differs', 'expiring', 'registrant-unverified', 'registrant-bounced', 'unlocked'],
  ],
])('without an answer about %s nothing is decided that depends on them', (_what, fact, open) => {
  const verdicts = verdictsOn({ ...sound, [fact]: undefined });
  const undecided = [...verdicts].flatMap(([kind, verdict]) => (verdict === undefined ? [kind] : []));
  expect(undecided.sort()).toEqual([...open].sort());
});

test('one that did not answer leaves open what no other has decided', () => {
  const mx = [...(sound.mx ?? []), { host: 'other.net', priority: 20 }];
  const unknown = new Map([
    ...sound.mxHosts,
    ['other.net', { isAlias: undefined, addresses: undefined }] as const,
  ]);
  expect(verdictsOn({ ...sound, mx, mxHosts: unknown }).get('mx-dead')).toBeUndefined();
  const dead = new Map([...unknown, ['mx.mail.net', { isAlias: false, addresses: [] }] as const]);
  expect(verdictsOn({ ...sound, mx, mxHosts: dead }).get('mx-dead')).toBe('mx.mail.net');
  const spfTxt = new Map([['_spf.mail.net', undefined]]);
  expect(verdictsOn({ ...sound, spfTxt }).get('spf-lookups')).toBeUndefined();
  expect(verdictsOn({ ...sound, spfTxt }).get('spf-dead')).toBeUndefined();
  const aliases = [{ name: 'www', target: 'x.net', resolves: undefined }];
  expect(verdictsOn({ ...sound, aliases }).get('web-dangling')).toBeUndefined();
  expect(verdictOf('ns-network', { nameserverAddresses: new Map() })).toBeUndefined();
  expect(verdictOf('reissue-blocked', { proofs: [{ name: '_p', isThere: undefined }] })).toBeUndefined();
  expect(verdictOf('mta-sts-broken', { sts: { ...sound.sts, txt: undefined } })).toBeUndefined();
  expect(verdictOf('dkim-weak', { ...google(2048), dkim: new Map() })).toBeUndefined();
});

test('a domain that receives no mail says so by "0 .", and by that alone', () => {
  const none = { host: '', priority: 0 };
  expect(kinds({ mx: [none], mxHosts: new Map() })).toEqual([]);
  for (const kind of ['mx-dead', 'mx-alias'] as const) {
    expect(verdictOf(kind, { mx: [none], mxHosts: new Map() })).toBeNull();
  }
  expect(verdictOf('mx-dead', { ...faults['mx-dead'], mx: [none, ...(sound.mx ?? [])] })).toBe('mx.mail.net');
});

test('of two records that each have a fault of their own it is said that there are two', () => {
  expect(kinds({ txt: ['v=spf1 +all', 'v=spf1 ?all'] })).toEqual(['spf-two']);
  expect(kinds({ dmarc: ['v=DMARC1; p=nothing', 'v=DMARC1; p=none'] })).toEqual(['dmarc-two']);
});

test('nameservers are the same in whatever order and case, and where the registry names none', () => {
  const named = (...nameservers: string[]) => kinds({ registered: { ...registered, nameservers } });
  expect(named('NS2.host.net', 'ns1.host.net')).toEqual([]);
  expect(named()).toEqual([]);
});

test('what was not asked for, because nothing depends on it, leaves nothing open', () => {
  expect(verdictOf('ns-lame', { servers: new Map([...sound.servers].slice(1)) })).toBeNull();
  expect(verdictOf('caa-forbids', { certificates: [], caa: undefined })).toBeNull();
});

test('a registrant who is suspended is not verified', () => {
  expect(kinds({ registered: { ...registered, verification: 'suspended' } })).toEqual([
    'registrant-unverified',
  ]);
});

test('a domain that the registry does not publish has that one finding of DNS', () => {
  expect(
    kinds({ nameservers: [], txt: [], dmarc: [], mx: [], addresses: [], nameserverAddresses: new Map() }),
  ).toEqual(['ns-none']);
});

test('nobody holds a watched name that neither the registry nor DNS knows; one of both alone decides nothing', () => {
  const free = (change: Partial<Facts>) =>
    verdictsOn({ ...sound, watched: true, registration: null, registered: null, nameservers: [], ...change });
  expect(free({}).get('ns-none')).toBeNull();
  expect(free({ nameservers: undefined }).get('unregistered')).toBeUndefined();
  expect(free({ registration: undefined }).get('unregistered')).toBeUndefined();
  expect(free({ nameservers: ['ns1.host.net'] }).get('unregistered')).toBeNull();
  expect(free({ registration: registrationOf() }).get('unregistered')).toBeNull();
  expect(free({ watched: false }).get('unregistered')).toBeNull();
  expect(free({ watched: false }).get('ns-none')).toBe('No NS records');
});

test('evidence is what can be stored and shown, whatever a server said', () => {
  expect(evidenceText('v=spf1\u0000 +all\n')).toBe('v=spf1  +all ');
  expect(evidenceText('x'.repeat(5_000))).toHaveLength(2_000);
  expect(evidenceText(`${'x'.repeat(1_999)}😀`).isWellFormed()).toBe(true);
});

describe('SPF', () => {
  test('terms are read whatever their case, sign and mask', () => {
    expect(spfTerms('v=spf1 a mx/24 ip4:192.0.2.0/24 INCLUDE:A.Net. ?exists:%{i}.x exp=e.net ~ALL')).toEqual({
      ...{ follows: ['a.net'], lookups: 3, all: '~' },
    });
    expect(spfTerms('v=spf1 redirect=b.net all')).toEqual({ follows: ['b.net'], lookups: 0, all: '+' });
    expect(spfTerms('v=spf1 include:%{d}.c.net include:')).toMatchObject({
      follows: [],
      lookups: 1,
      all: null,
    });
  });

  test('look-ups are counted through includes: ten are allowed, eleven are not', () => {
    const known = (count: number) =>
      new Map<string, string[]>([
        ...Array.from({ length: count }, (_, n): [string, string[]] => [
          `s${n}.net`,
          [`v=spf1 include:s${n + 1}.net -all`],
        ]),
        [`s${count}.net`, ['v=spf1 -all']],
      ]);
    expect(spfLookups('v=spf1 include:s0.net', known(9))).toBe(10);
    expect(spfLookups('v=spf1 include:s0.net', known(10))).toBe(11);
    expect(kinds({ ...spf('v=spf1 include:s0.net -all'), spfTxt: known(9) })).toEqual([]);
    expect(kinds({ ...spf('v=spf1 include:s0.net -all'), spfTxt: known(10) })).toEqual(['spf-lookups']);
  });

  test('a loop is more than any limit', () => {
    const loop = new Map([
      ['a.net', ['v=spf1 include:b.net']],
      ['b.net', ['v=spf1 include:a.net']],
    ]);
    expect(spfLookups('v=spf1 include:a.net', loop)).toBeGreaterThan(10);
  });

  test.each(['~all', '-all', ''])('a record that ends with "%s" is not open', (end) => {
    expect(kinds(spf(`v=spf1 include:_spf.mail.net ${end}`))).toEqual([]);
  });
  test.each(['+all', 'all', '?all', 'ALL'])('a record that ends with "%s" is open', (end) => {
    expect(kinds(spf(`v=spf1 include:_spf.mail.net ${end}`))).toEqual(['spf-open']);
  });
});

describe('DMARC', () => {
  test.each([
    ['v=DMARC1;p=reject', { policy: 'reject', rua: null }],
    ['V=dmarc1 ; P = NONE ; rua = mailto:a=b@c.com', { policy: 'none', rua: 'mailto:a=b@c.com' }],
    ['v=DMARC1', null],
    ['v=DMARC1; p=', null],
  ])('%s', (record, expected) => expect(dmarcOf(record)).toEqual(expected));

  test.each([
    ['mailto:a@b.com!10m', []],
    ['mailto:a@b.com, mailto:c@d.org', []],
    ['a@b.com', ['dmarc-rua']],
    ['mailto:nobody', ['dmarc-rua']],
    ['', ['dmarc-rua']],
  ])('reports to "%s"', (rua, expected) =>
    expect(kinds({ dmarc: [`v=DMARC1; p=reject; rua=${rua}`] })).toEqual(expected),
  );
});

describe('nameservers in one network', () => {
  const at = (...each: string[][]) => ({
    nameserverAddresses: new Map(each.map((addresses, n) => [`ns${n + 1}.host.net`, addresses])),
  });
  test.each<[string, string[][], HealthKind[]]>([
    ['one network of the fourth version', [['192.0.2.1'], ['192.0.2.200']], ['ns-network']],
    ['two networks', [['192.0.2.1'], ['192.0.3.1']], []],
    ['one of the sixth version', [['2001:db8:1:2::1'], ['2001:db8:1:9::1']], ['ns-network']],
    ['one network, and one that has no address', [[], ['192.0.2.1']], ['ns-dead', 'ns-network']],
    ['the sixth version beside', [['192.0.2.1'], ['192.0.2.2', '2001:db8::1']], []],
    ['an inner network, which nobody outside sees', [['10.0.0.1'], ['10.0.0.2']], []],
  ])('%s', (_what, addresses, expected) => expect(kinds(at(...addresses))).toEqual(expected));
});

describe('DKIM', () => {
  test('the bits of a key, in parts and with blanks; one that was withdrawn has none', () => {
    expect(dkimBits([strongKey])).toBe(2048);
    expect(dkimBits(['other', shortKey.replace('p=', 'p = ').replace('AQ', 'A Q')])).toBe(1024);
    expect(dkimBits(['v=DKIM1; k=ed25519; p=AAAA'])).toBe(2048);
    expect([dkimBits(['v=DKIM1; p=']), dkimBits(['v=DKIM1; p=nonsense']), dkimBits(['text'])]).toEqual([
      0,
      0,
      null,
    ]);
  });
  test('one key of a service suffices; what is not known of another decides nothing then', () => {
    const microsoft = { ...google(null), mx: [{ host: 'a-com.mail.protection.outlook.com', priority: 0 }] };
    const verdict = (one?: number | null, other?: number | null) => {
      const dkim = new Map([
        ['selector1', one],
        ['selector2', other],
      ]);
      return verdictsOn({ ...sound, ...microsoft, dkim }).get('dkim-missing');
    };
    expect(verdict(2048, undefined)).toBeNull();
    expect(verdict(null, undefined)).toBeUndefined();
    expect(verdict(null, 0)).toContain('Microsoft 365');
  });
  test('a key is short below 2048 bits; one that was withdrawn, or is not there, is not short', () => {
    const weak = (bits: number | null) => verdictOf('dkim-weak', google(bits));
    expect([weak(2048), weak(0), weak(null)]).toEqual([null, null, null]);
    expect(weak(2047)).toBe('google: 2047 bits');
  });
  test('another service, or a name that only looks like one, is not asked for keys', () => {
    expect(kinds({ ...google(null), mx: [{ host: 'mx.notgoogle.com', priority: 1 }] })).not.toContain(
      'dkim-missing',
    );
  });
});

test.each<[string[], boolean]>([
  [[], false],
  [['other'], false],
  [['v=TLSRPTv1;rua=mailto:a@b.com'], false],
  [['v=TLSRPTv1'], true],
  [['v=TLSRPTv1; rua='], true],
  [['v=TLSRPTv1; rua=mailto:a@b.com', 'v=TLSRPTv1; rua=mailto:a@b.com'], true],
])('reports of TLS by %j', (txt, isBroken) => expect(tlsReportFault(txt) !== null).toBe(isBroken));

describe('CAA', () => {
  const forbids = (caa: Facts['caa'], host = 'own.net') =>
    kinds({
      caa,
      certificates: [{ host, serial: null, authorities: ['digicert.com', 'rapidssl.com'] }],
    }).includes('caa-forbids');
  test('no record allows all, one of the names of an authority allows it, ";" allows nobody', () => {
    expect(forbids([])).toBe(false);
    expect(
      forbids([
        { tag: 'issue', value: 'other.example' },
        { tag: 'issue', value: ' rapidssl.com ' },
      ]),
    ).toBe(false);
    expect(forbids([{ tag: 'issue', value: ';' }])).toBe(true);
    expect(forbids([{ tag: 'iodef', value: 'mailto:a@b.com' }])).toBe(false);
  });
  test('a wildcard has rules of its own, where there are any', () => {
    const caa = [
      { tag: 'issue', value: 'digicert.com' },
      { tag: 'issuewild', value: ';' },
    ];
    expect([forbids(caa), forbids(caa, '*.own.net'), forbids(caa.slice(0, 1), '*.own.net')]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

test('a domain expires from 30 days on, unless it renews itself', () => {
  const at = (days: number, autoRenew = false) =>
    kinds({ registered: { ...registered, autoRenew, expiresAt: inDays(days) } });
  expect([at(30), at(29.99), at(-1), at(1, true)]).toEqual([[], ['expiring'], ['expiring'], []]);
  expect(kinds({ registered: { ...registered, expiresAt: null } })).toEqual([]);
});

describe('servers of others', () => {
  const undecided = (change: Partial<Facts>) =>
    [...verdictsOn({ ...sound, ...change })].flatMap(([kind, verdict]) =>
      verdict === undefined ? [kind] : [],
    );
  test('what nobody answered decides nothing; what others answered still counts', () => {
    const servers = new Map([...sound.servers, ['ns2.host.net', undefined] as const]);
    expect(undecided({ servers })).toEqual(['ns-lame', 'ns-serials']);
    expect(undecided({ mailServers: new Map([['mx.mail.net', undefined]]) })).toEqual(['mx-plain']);
    expect(undecided({ sts: { ...sound.sts, policy: undefined } })).toEqual(['mta-sts-broken']);
    expect(undecided(site(undefined)).sort()).toEqual(
      [
        'web-cert-expired',
        'web-cert-expiring',
        'web-cert-other',
        'web-cert-wrong',
        'web-fails',
        'web-plain',
      ].sort(),
    );
  });
  test('a nameserver or mail server that refuses the connection was not asked', () => {
    const servers = new Map([...sound.servers, ['ns2.host.net', 'refused'] as const]);
    expect(kinds({ servers, mailServers: new Map([['mx.mail.net', 'refused']]) })).toEqual([]);
  });
  test('no HTTPS is a fault only where a website is', () => {
    expect(kinds(site('refused', 'refused'))).toEqual([]);
    expect(undecided(site('refused', undefined))).toEqual(['web-plain']);
    expect(kinds({ sites: [] })).toEqual([]);
  });
  test('an error of the server begins at 500', () => {
    expect([kinds(site(website({}, 499))), kinds(site(website({}, null)))]).toEqual([[], []]);
    expect(kinds(site(website({}, 500)))).toEqual(['web-fails']);
  });
  test.each<[string, number, number, boolean]>([
    ['90 days, 13 left', -77, 13, true],
    ['90 days, 14 left', -76, 14, false],
    ['a year, 14 left', -351, 14, false],
    ['a year, 13.9 left', -351, 13.9, true],
    ['six days, two left', -4, 2, false],
  ])('a certificate of %s', (_what, from, to, isEnding) => {
    const shown = site(website({ validFrom: inDays(from), validTo: inDays(to) }));
    expect(kinds(shown).includes('web-cert-expiring')).toBe(isEnding);
  });
  test('the certificate of ours may be for a wildcard; where a browser refuses what is shown, that alone is said', () => {
    const wild = { caa: [], certificates: [{ host: '*.net', serial: 'cc', authorities: ['digicert.com'] }] };
    expect(kinds({ ...wild, ...site(website()) })).toEqual(['web-cert-other']);
    expect(kinds({ ...wild, ...site(website({ serial: 'cc' })) })).toEqual([]);
    expect(kinds({ ...wild, ...site(website({ trouble: 'DEPTH_ZERO_SELF_SIGNED_CERT' })) })).toEqual([
      'web-cert-wrong',
    ]);
  });
});

describe('MTA-STS', () => {
  const policy = (text: string) => ({ status: 200, text });
  const good = policy('version: STSv1\r\nmode: testing\r\nmx: mx.a.net\r\nmx: *.b.net\r\nmax_age: 1');
  const fault = (
    given: Parameters<typeof stsFault>[1],
    txt = ['v=STSv1; id=1'],
    hosts = ['mx.a.net', 'x.b.net'],
  ) => stsFault(txt, given, hosts);
  test('is about the mail hosts of the domain', () => {
    const change = { mx: [{ host: 'mx.other.net', priority: 1 }] };
    expect(verdictOf('mta-sts-broken', change)).toBe('mx.other.net: not in the policy');
  });
  test('is in order where the policy names the mail hosts, or asks for nothing', () => {
    const off = policy('version: STSv1\nmode: none\nmax_age: 1');
    expect([fault(good), fault(off), fault('refused', ['other'])]).toEqual([null, null, null]);
  });
  test.each<[string, ReturnType<typeof fault>]>([
    ['two records', fault(good, ['v=STSv1; id=1', 'v=STSv1; id=2'])],
    ['no id', fault(good, ['v=STSv1;'])],
    ['nothing there', fault('refused')],
    ['a certificate that is not accepted', fault('untrusted')],
    ['another answer', fault({ status: 301, text: '' })],
    ['no version', fault(policy('mode: none\nmax_age: 1'))],
    ['no mode', fault(policy('version: STSv1\nmode: all\nmax_age: 1'))],
    ['no max_age', fault(policy('version: STSv1\nmode: none'))],
    ['a mail host that it does not name', fault(good, undefined, ['y.x.b.net'])],
  ])('is broken by %s', (_what, found) => expect(found).toEqual(expect.any(String)));
});
