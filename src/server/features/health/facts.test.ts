import { describe, expect, test } from 'vitest';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Probe } from '../../ports/probe.ts';
import type { Registration } from '../../ports/rdap.ts';
import type { Resolver } from '../../ports/resolver.ts';
import { gatherFacts, type OwnFacts } from './facts.ts';

test('a domain that names thousands of servers costs no more questions than any other', async () => {
  const names = Array.from({ length: 2_000 }, (_, n) => `ns${n}.many.example`);
  const asked: string[] = [];
  const none = async () => [];
  const resolver: Resolver = {
    ...{ txt: none, cname: none, mx: none, caa: none, nameservers: async () => names },
    addresses: async (name) => {
      asked.push(name);
      return name.endsWith('.many.example') ? ['203.0.113.7'] : [];
    },
  };
  const looks: string[] = [];
  const probe = {
    nameserver: async (_domain: string, address: string) => {
      looks.push(address);
      return { authoritative: true, serial: 1 };
    },
  } as unknown as Probe;
  const own = { address: 'acme.com', registered: null, aliases: null, certificates: [] };
  const rdap = { registration: async () => null };
  const facts = await gatherFacts({ resolver, probe, rdap }, own, new Date());
  expect(facts.nameservers).toHaveLength(2_000);
  expect(asked.filter((name) => name.endsWith('.many.example'))).toHaveLength(20);
  expect(looks).toHaveLength(8);
});

/** The world by "type name": what DNS says, and what servers show; an error: nobody answers. */
type World = Record<string, unknown>;
const silence = () => new UpstreamUnavailable('nobody answers');
const own: OwnFacts = {
  ...{ address: 'acme.com', aliases: [], certificates: [] },
  registered: {
    ...{ nameservers: ['ns1.acme.net'], locked: true, expiresAt: null, autoRenew: true },
    ...{ verification: null, bounced: false },
  },
};
const registrationOf = (change: Partial<Registration> = {}): Registration => ({
  ...{ name: 'acme.com', registrar: 'Other', registeredAt: null, expiresAt: null },
  ...{ nameservers: ['ns1.else.net'], statuses: [], ...change },
});

async function look(world: World, known: Partial<OwnFacts> = {}) {
  const asked: string[] = [];
  const answer = async <T>(question: string, none: T): Promise<T> => {
    asked.push(question);
    const said = question in world ? world[question] : none;
    if (said instanceof Error) throw said;
    return said as T;
  };
  const facts = await gatherFacts(
    {
      resolver: {
        nameservers: (name) => answer(`NS ${name}`, []),
        txt: (name) => answer(`TXT ${name}`, []),
        cname: (name) => answer(`CNAME ${name}`, []),
        addresses: (name) => answer(`A ${name}`, []),
        mx: (name) => answer(`MX ${name}`, []),
        caa: (name) => answer(`CAA ${name}`, []),
      },
      probe: {
        website: (host, at) => answer(`https ${host} ${at}`, 'refused'),
        plainWebsite: (host, at) => answer(`http ${host} ${at}`, 'refused'),
        file: (host, at, path) => answer(`file ${host} ${at} ${path}`, 'refused'),
        mailServer: (at) => answer(`mail ${at}`, 'refused'),
        nameserver: (domain, at) => answer(`dns ${domain} ${at}`, 'refused'),
      },
      rdap: { registration: (name) => answer(`RDAP ${name}`, null) },
    },
    { ...own, ...known },
    new Date('2026-11-23T12:00:00Z'),
  );
  return { facts, asked };
}
/** Questions of this kind. */
const of = (asked: string[], kind: string) => asked.filter((one) => one.startsWith(`${kind} `));

test('a domain held here is what its registrar says; one held elsewhere what its registry does', async () => {
  const world = { 'RDAP acme.com': registrationOf({ expiresAt: new Date('2027-01-01T00:00:00Z') }) };
  const here = (await look(world)).facts;
  expect([here.watched, here.registered]).toEqual([false, own.registered]);
  expect(here.registration).toMatchObject({ registrar: 'Other' });
  const elsewhere = (await look(world, { registered: null })).facts;
  expect([elsewhere.watched, elsewhere.registered]).toEqual([
    true,
    {
      ...{ nameservers: ['ns1.else.net'], expiresAt: new Date('2027-01-01T00:00:00Z'), autoRenew: false },
      ...{ locked: false, verification: null, bounced: false },
    },
  ]);
  const unknown = async (said: unknown) =>
    (await look({ 'RDAP acme.com': said }, { registered: null })).facts.registered;
  expect([await unknown(null), await unknown(silence())]).toEqual([null, undefined]);
});

test.each<[string, string[], boolean | null]>([
  ['acme.com', ['client transfer prohibited'], true],
  ['acme.com', ['server transfer prohibited', 'active'], true],
  ['acme.com', ['client delete prohibited', 'pending transfer'], false],
  ['acme.com', [], false],
  // Registries of countries have no lock that everybody sees.
  ['acme.de', [], null],
  ['acme.co.uk', ['client transfer prohibited'], true],
])('a name elsewhere, %s with %j, is locked: %s', async (name, statuses, locked) => {
  const world = { [`RDAP ${name}`]: registrationOf({ name, statuses }) };
  expect((await look(world, { address: name, registered: null })).facts.registered?.locked).toBe(locked);
});

test('a question without an answer leaves its fact open, and no other; a fault of ours is no silence', async () => {
  const world = { 'MX acme.com': silence(), 'A www.acme.com': silence(), 'TXT _dmarc.acme.com': silence() };
  const { facts } = await look(world);
  expect([facts.mx, facts.dmarc, facts.txt, facts.addresses]).toEqual([undefined, undefined, [], []]);
  expect(facts.sites).toEqual([{ host: 'www.acme.com', https: undefined, http: undefined }]);
  await expect(look({ 'NS acme.com': new TypeError('a bug') })).rejects.toThrow('a bug');
});

describe('websites', () => {
  const site = { certificate: { serial: 'ab' }, status: 200 };

  test('are looked at under the domain and www, at the first address that everybody can reach', async () => {
    const { facts, asked } = await look({
      ...{ 'A acme.com': ['10.0.0.1', '203.0.113.7', '203.0.113.8'], 'A www.acme.com': ['203.0.113.9'] },
      ...{ 'https acme.com 203.0.113.7': site, 'https www.acme.com 203.0.113.9': site },
    });
    expect(of(asked, 'https')).toEqual(['https acme.com 203.0.113.7', 'https www.acme.com 203.0.113.9']);
    expect(facts.sites).toEqual([
      { host: 'acme.com', https: site, http: undefined },
      { host: 'www.acme.com', https: site, http: undefined },
    ]);
    // Where HTTPS answers nobody asks without it.
    expect(of(asked, 'http')).toEqual([]);
  });

  test('without HTTPS are asked for without it; where nobody answers they are not', async () => {
    const world = { 'A acme.com': ['203.0.113.7'], 'http acme.com 203.0.113.7': { status: 301 } };
    expect((await look(world)).facts.sites).toEqual([
      { host: 'acme.com', https: 'refused', http: { status: 301 } },
    ]);
    const silent = await look({ ...world, 'https acme.com 203.0.113.7': silence() });
    expect(silent.facts.sites).toEqual([{ host: 'acme.com', https: undefined, http: undefined }]);
    expect(of(silent.asked, 'http')).toEqual([]);
  });

  test('in inner networks, and names without an address, are none that could be looked at', async () => {
    const { facts, asked } = await look({ 'A acme.com': ['10.0.0.1'] });
    expect([facts.sites, of(asked, 'https')]).toEqual([[], []]);
  });
});

describe('servers', () => {
  test('are asked each for itself: what has no address that everybody reaches is not judged', async () => {
    const { facts } = await look({
      ...{
        'NS acme.com': ['ns1.acme.net', 'ns2.acme.net', 'ns3.acme.net'],
        'A ns1.acme.net': ['203.0.113.1'],
      },
      ...{ 'A ns2.acme.net': ['10.0.0.2'], 'A ns3.acme.net': silence() },
      'dns acme.com 203.0.113.1': { authoritative: true, serial: 7 },
    });
    expect([...facts.servers]).toEqual([
      ['ns1.acme.net', { authoritative: true, serial: 7 }],
      ['ns3.acme.net', undefined],
    ]);
    expect(facts.nameserverAddresses.get('ns3.acme.net')).toBeUndefined();
  });

  test('of mail are greeted, told whether they are aliases; the record that says there is no mail names none', async () => {
    const { facts } = await look({
      'MX acme.com': [
        { host: 'mx.acme.net', priority: 5 },
        { host: 'alias.acme.net', priority: 10 },
      ],
      ...{ 'A mx.acme.net': ['203.0.113.25'], 'mail 203.0.113.25': { startTls: true } },
      'CNAME alias.acme.net': ['mx.acme.net'],
    });
    expect([...facts.mxHosts]).toEqual([
      ['mx.acme.net', { isAlias: false, addresses: ['203.0.113.25'] }],
      ['alias.acme.net', { isAlias: true, addresses: [] }],
    ]);
    expect([...facts.mailServers]).toEqual([['mx.acme.net', { startTls: true }]]);
    const none = await look({ 'MX acme.com': [{ host: '', priority: 0 }] });
    expect([none.facts.mxHosts.size, of(none.asked, 'CNAME')]).toEqual([0, []]);
  });
});

describe('mail', () => {
  test('keys are looked up where the service has them, of this domain', async () => {
    const mx = [{ host: 'acme-com.mail.protection.outlook.com', priority: 0 }];
    const { facts } = await look({
      ...{ 'MX acme.com': mx, 'TXT selector1._domainkey.acme.com': ['v=DKIM1; k=ed25519; p=AAAA'] },
      'TXT selector2._domainkey.acme.com': silence(),
    });
    expect([...facts.dkim]).toEqual([
      ['selector1', 2048],
      ['selector2', undefined],
    ]);
    expect((await look({})).facts.dkim.size).toBe(0);
  });

  test('SPF is followed from name to name, each once', async () => {
    const { facts, asked } = await look({
      'TXT acme.com': ['other', 'v=spf1 include:a.net include:b.net -all'],
      ...{ 'TXT a.net': ['v=spf1 include:c.net -all'], 'TXT b.net': silence() },
      'TXT c.net': ['v=spf1 include:a.net -all'],
    });
    expect([...facts.spfTxt.keys()]).toEqual(['a.net', 'b.net', 'c.net']);
    expect(facts.spfTxt.get('b.net')).toBeUndefined();
    expect(of(asked, 'TXT').filter((one) => one.endsWith('.net'))).toHaveLength(3);
  });

  test('the policy of MTA-STS is read where a record says that there is one', async () => {
    const record = { 'TXT _mta-sts.acme.com': ['v=STSv1; id=1'] };
    const policy = { status: 200, text: 'version: STSv1' };
    const path = 'file mta-sts.acme.com 203.0.113.5 /.well-known/mta-sts.txt';
    const read = async (world: World) => (await look(world)).facts.sts.policy;
    const there = { 'A mta-sts.acme.com': ['203.0.113.5'], [path]: policy };
    expect(await read({ ...record, ...there })).toEqual(policy);
    expect(await read(record)).toBe('no address');
    expect(await read({ ...record, 'A mta-sts.acme.com': silence() })).toBeUndefined();
    expect(await read({ ...record, 'A mta-sts.acme.com': ['10.0.0.1'] })).toBeUndefined();
    expect(of((await look(there)).asked, 'file')).toEqual([]);
  });

  test('reports of TLS and DMARC are read at their own names', async () => {
    const { facts } = await look({ 'TXT _smtp._tls.acme.com': ['tls'], 'TXT _dmarc.acme.com': ['dmarc'] });
    expect([facts.tlsReports, facts.dmarc]).toEqual([['tls'], ['dmarc']]);
  });
});

describe('aliases', () => {
  test('are those that the portal sent: there where an address or another alias is behind them', async () => {
    const aliases = ['a', 'b', 'c', 'd'].map((name) => ({ name, target: `${name}.else.net` }));
    const { facts, asked } = await look(
      {
        ...{ 'A a.else.net': ['203.0.113.1'], 'CNAME b.else.net': ['x.net'], 'A c.else.net': silence() },
        'CNAME d.else.net': [],
      },
      { aliases },
    );
    expect(facts.aliases.map(({ name, resolves }) => [name, resolves])).toEqual([
      ...[
        ['a', true],
        ['b', true],
      ],
      ...[
        ['c', undefined],
        ['d', false],
      ],
    ]);
    expect(asked).not.toContain('CNAME www.acme.com');
  });

  test('of a zone that is elsewhere are looked for where they usually are', async () => {
    const { facts } = await look(
      {
        ...{ 'CNAME shop.acme.com': ['gone.else.net'], 'CNAME www.acme.com': ['site.else.net'] },
        ...{ 'A site.else.net': ['203.0.113.1'], 'CNAME blog.acme.com': silence() },
      },
      { aliases: null },
    );
    expect(facts.aliases).toEqual([
      { name: 'www', target: 'site.else.net', resolves: true },
      { name: 'shop', target: 'gone.else.net', resolves: false },
      { name: 'blog', target: '', resolves: undefined },
    ]);
  });
});

describe('certificates', () => {
  const certificate = {
    ...{ hosts: ['acme.com', 'www.acme.com'], productType: 'rapidssl', serial: '00:AB:01' },
    proof: { name: '_proof.acme.com', type: 'CNAME' as const, value: 'Value.Example.' },
  };

  test('stand for each of their names, with the serial as servers show it and who issues them', async () => {
    const issuers = {
      ...{ rapidssl: 'digicert.com', 'sectigo-ev': 'sectigo.com', positivessl: 'sectigo.com' },
      'trustwave-dv': 'trustwave.com',
    };
    for (const [productType, authority] of Object.entries(issuers)) {
      const { facts } = await look({}, { certificates: [{ ...certificate, productType, proof: null }] });
      expect(
        facts.certificates.map(({ authorities, ...one }) => ({ ...one, by: authorities.at(0) })),
      ).toEqual(
        certificate.hosts.map((host) => ({
          ...{ host, serial: 'ab01' },
          by: authority,
        })),
      );
    }
    const unknown = await look({}, { certificates: [{ ...certificate, serial: null }] });
    expect(unknown.facts.certificates[0]?.serial).toBeNull();
  });

  test('have CAA read where one depends on it, and nowhere else', async () => {
    const caa = [{ tag: 'issue', value: 'digicert.com' }];
    const held = await look({ 'CAA acme.com': caa }, { certificates: [certificate] });
    expect(held.facts.caa).toEqual(caa);
    const none = await look({ 'CAA acme.com': caa });
    expect([none.facts.caa, of(none.asked, 'CAA')]).toEqual([[], []]);
  });

  test('are proven by the record that is there, whatever its case and the dot at its end', async () => {
    const proof = async (said: unknown, type: 'CNAME' | 'TXT' = 'CNAME') => {
      const one = { ...certificate, proof: { ...certificate.proof, type } };
      const { facts } = await look({ [`${type} _proof.acme.com`]: said }, { certificates: [one] });
      return facts.proofs;
    };
    const named = (isThere: boolean | undefined) => [{ name: '_proof.acme.com', isThere }];
    expect(await proof(['value.example'])).toEqual(named(true));
    expect(await proof(['other', 'VALUE.example.'], 'TXT')).toEqual(named(true));
    expect(await proof(['other.example'])).toEqual(named(false));
    expect(await proof([])).toEqual(named(false));
    expect(await proof(silence())).toEqual(named(undefined));
    expect((await look({}, { certificates: [{ ...certificate, proof: null }] })).facts.proofs).toEqual([]);
  });
});
