import { generateKeyPairSync } from 'node:crypto';
import type pg from 'pg';
import type { HealthKind } from '../../src/contracts/values/health.ts';
import { healthKinds } from '../../src/contracts/values/health.ts';
import { newId } from '../../src/server/kernel/ids.ts';

/** A fleet of domains with every fault that health knows, planted in the sandbox's world and in the portal's own rows. */

export interface Rec {
  name: string;
  type: 'A' | 'NS' | 'MX' | 'TXT' | 'CNAME' | 'CAA';
  data: string;
}

/** One domain, as the world answers and as the portal has it. */
export interface Planted {
  address: string;
  records: Rec[];
  /** What differs from a usual row of the portal. */
  row: Record<string, unknown>;
  /** Of its zone. */
  aliases: { subdomain: string; hostname: string }[];
  /** Of a certificate that runs; null: it has none. */
  certificate: Record<string, unknown> | null;
  /** The registry holds it back. */
  isHeld: boolean;
  /** It is held by another registrar. */
  watched: boolean;
  /** The registry knows it. */
  isRegistered: boolean;
}

/** Nobody holds it: only of a watched name that is a fault. */
export const kindsHere = healthKinds.filter((kind) => kind !== 'unregistered');
/** What only a registrar knows of its own domains. */
export const kindsElsewhere = healthKinds.filter(
  (kind) => !['registrant-unverified', 'registrant-bounced', 'reissue-blocked'].includes(kind),
);

const key = (bits: number) => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  return `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
};
const [strongKey, shortKey] = [key(2048), key(1024)];

/** What many domains name. */
export const sharedRecords: readonly Rec[] = [
  { name: 'ns1.host.example', type: 'A', data: '192.0.2.1' },
  { name: 'ns2.host.example', type: 'A', data: '198.51.100.1' },
  { name: 'ns3.host.example', type: 'A', data: '192.0.2.3' },
  { name: 'ns1.else.example', type: 'A', data: '192.0.2.1' },
  { name: 'ns2.else.example', type: 'A', data: '198.51.100.1' },
  { name: 'lame.host.example', type: 'A', data: '203.0.113.53' },
  { name: 'late.host.example', type: 'A', data: '203.0.113.54' },
  { name: 'plain.mail.example', type: 'A', data: '203.0.113.25' },
  { name: 'mx.mail.example', type: 'A', data: '192.0.2.25' },
  { name: 'alias.mail.example', type: 'A', data: '192.0.2.25' },
  { name: 'alias.mail.example', type: 'CNAME', data: 'mx.mail.example' },
  { name: 'in1-smtp.messagingengine.com', type: 'A', data: '192.0.2.26' },
  { name: 'site.host.example', type: 'A', data: '192.0.2.80' },
  { name: 'spf.mail.example', type: 'TXT', data: 'v=spf1 ip4:192.0.2.0/24 -all' },
  { name: 'empty.mail.example', type: 'TXT', data: 'nothing' },
];

/** Who listens at which address: the body of the sandbox's `internet/hosts`. */
export const worldHosts = {
  hosts: [
    ...['192.0.2.1', '198.51.100.1', '192.0.2.3'].map((address) => ({ address, dns: {} })),
    { address: '203.0.113.53', dns: { lame: true } },
    { address: '203.0.113.54', dns: { serial: 2 } },
    ...['192.0.2.25', '192.0.2.26'].map((address) => ({ address, mail: {} })),
    { address: '203.0.113.25', mail: { startTls: false } },
    { address: '192.0.2.80', web: {} },
    { address: '192.0.2.81', web: { https: { serial: 'ab01' } } },
    { address: '192.0.2.82', web: { files: policies() } },
    { address: '203.0.113.1', web: { https: { names: ['other.example', '*.other.example'] } } },
    { address: '203.0.113.2', web: { https: { issuer: 'self' } } },
    { address: '203.0.113.3', web: { https: { days: [-90, -1] } } },
    { address: '203.0.113.4', web: { https: { days: [-80, 10] } } },
    { address: '203.0.113.5', web: { https: null } },
    { address: '203.0.113.6', web: { status: 503 } },
    // Neither of them is a fault: a certificate of six days with two left, and a start page that is missing.
    { address: '192.0.2.83', web: { https: { days: [-4, 2] } } },
    { address: '192.0.2.84', web: { status: 404 } },
  ],
};

/** Policies of MTA-STS by where they are: some sound ones, and some for other mail servers. */
function policies(): Record<string, string> {
  const policy = (mx: string) => `version: STSv1\r\nmode: enforce\r\nmx: ${mx}\r\nmax_age: 86400\r\n`;
  const at = (name: string) => `mta-sts.${name}.example/.well-known/mta-sts.txt`;
  return Object.fromEntries([
    ...Array.from({ length: 20 }, (_, n) => [at(`sts-${n}`), policy('*.mail.example')]),
    ...Array.from({ length: 20 }, (_, n) => [at(`mta-sts-broken-${n}`), policy('mx.other.example')]),
  ]);
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const nameservers = ['ns1.host.example', 'ns2.host.example'];
/** Hosts of which the portal says that they serve its zones. */
export const managedHosts: readonly string[] = [...nameservers, 'ns3.host.example'];

/** A domain in which nothing is wrong. */
export function sound(address: string): Planted {
  return {
    address,
    records: [
      ...nameservers.map((data): Rec => ({ name: address, type: 'NS', data })),
      { name: address, type: 'A', data: '192.0.2.80' },
      { name: address, type: 'MX', data: '10 mx.mail.example' },
      { name: address, type: 'TXT', data: 'v=spf1 include:spf.mail.example -all' },
      { name: `_dmarc.${address}`, type: 'TXT', data: `v=DMARC1; p=reject; rua=mailto:d@${address}` },
      { name: `_smtp._tls.${address}`, type: 'TXT', data: `v=TLSRPTv1; rua=mailto:d@${address}` },
    ],
    row: { locked: true, nameservers, expires_at: inDays(200), verification: 'verified' },
    aliases: [
      { subdomain: 'www', hostname: 'site.host.example.' },
      // What is behind a name like this has no address.
      { subdomain: 's1._domainkey', hostname: 'keys.gone.example' },
    ],
    certificate: null,
    isHeld: false,
    watched: false,
    isRegistered: true,
  };
}

type Fault = (domain: Planted) => void;

/** These in place of the records of a type at a name of the domain. */
const set =
  (type: Rec['type'], data: string[], at = ''): Fault =>
  (domain) => {
    const name = `${at}${domain.address}`;
    domain.records = [
      ...domain.records.filter((each) => each.type !== type || each.name !== name),
      ...data.map((text) => ({ name, type, data: text })),
    ];
  };
const spf = (...data: string[]) => set('TXT', data);
const dmarc = (...data: string[]) => set('TXT', data, '_dmarc.');
const row =
  (change: Record<string, unknown>): Fault =>
  (domain) => {
    Object.assign(domain.row, change);
  };
const all =
  (...faults: Fault[]): Fault =>
  (domain) => {
    for (const fault of faults) fault(domain);
  };
/** Other nameservers, at the registry and in the world. */
const servers = (...names: string[]) => all(set('NS', names), row({ nameservers: names }));
/** The world asks others for its zone. */
const servedElsewhere = servers('ns1.else.example', 'ns2.else.example');
const fastmail = (...keys: string[]) =>
  all(set('MX', ['10 in1-smtp.messagingengine.com']), set('TXT', keys, 'fm1._domainkey.'));
const certified =
  (more: Record<string, unknown> = {}): Fault =>
  (domain) => {
    const { address } = domain;
    const proof = { method: 'DNS', dnsName: `_proof.${address}`, dnsType: 'TXT', dnsValue: 'proof' };
    const times = { valid_from: inDays(-10), valid_to: inDays(180), term_ends_at: inDays(350) };
    const usual = { product_type: 'rapidssl', validation_method: 'DNS', proof, ...times };
    domain.certificate = { ...usual, ...more };
    // In zones of its own the portal writes the proofs.
    all(servedElsewhere, set('TXT', ['proof'], '_proof.'))(domain);
  };

const site = (address: string) => set('A', [address]);
const sts: Fault = (domain) => {
  set('TXT', ['v=STSv1; id=1'], '_mta-sts.')(domain);
  set('A', ['192.0.2.82'], 'mta-sts.')(domain);
};

/** How each fault is planted. A kind without its fault does not compile. */
const faults: Record<HealthKind, Fault> = {
  'ns-none': set('NS', []),
  'ns-differs': set('NS', [...nameservers, 'ns3.host.example']),
  'ns-dead': servers('ns1.host.example', 'ns2.host.example', 'ns-gone.host.example'),
  'ns-glue': (domain) => servers(...nameservers, `ns.${domain.address}`)(domain),
  'ns-network': servers('ns1.host.example', 'ns3.host.example'),
  'ns-one': servers('ns1.host.example'),
  'ns-lame': servers(...nameservers, 'lame.host.example'),
  'ns-serials': servers(...nameservers, 'late.host.example'),
  'mx-missing': set('MX', []),
  'mx-dead': set('MX', ['10 mx-gone.mail.example']),
  'mx-alias': set('MX', ['10 alias.mail.example']),
  'spf-missing': spf('other=1'),
  'spf-two': spf('v=spf1 -all', 'v=spf1 mx -all'),
  'spf-open': spf('v=spf1 include:spf.mail.example +all'),
  'spf-lookups': spf(`v=spf1 ${Array.from({ length: 11 }, (_, n) => `a:h${n}.example`).join(' ')} -all`),
  'spf-dead': spf('v=spf1 include:empty.mail.example -all'),
  'dmarc-missing': dmarc(),
  'dmarc-two': dmarc('v=DMARC1; p=none', 'v=DMARC1; p=reject'),
  'dmarc-broken': dmarc('v=DMARC1; p=maybe'),
  'dmarc-none': dmarc('v=DMARC1; p=none'),
  'dmarc-rua': dmarc('v=DMARC1; p=reject; rua=nobody'),
  'dkim-missing': fastmail(),
  'dkim-weak': fastmail(shortKey),
  'tls-rpt-broken': set('TXT', ['v=TLSRPTv1; rua=nobody'], '_smtp._tls.'),
  'mx-plain': set('MX', ['10 plain.mail.example']),
  'mta-sts-broken': sts,
  'web-plain': site('203.0.113.5'),
  'web-fails': site('203.0.113.6'),
  'web-cert-wrong': (domain) => site(domain.address.includes('-0.') ? '203.0.113.1' : '203.0.113.2')(domain),
  'web-cert-expired': site('203.0.113.3'),
  'web-cert-expiring': site('203.0.113.4'),
  'web-cert-other': certified({ serial: 'AB:01' }),
  'web-dangling': (domain) => {
    domain.aliases = [{ subdomain: 'shop', hostname: 'gone.host.example.' }];
  },
  'web-none': set('A', []),
  'caa-forbids': all(certified(), set('CAA', ['issue other-authority.example'])),
  'reissue-blocked': all(certified(), set('TXT', [], '_proof.')),
  unregistered: (domain) => {
    domain.records = [];
    domain.aliases = [];
    domain.isRegistered = false;
  },
  expiring: row({ expires_at: inDays(20), auto_renew: false }),
  'registry-hold': (domain) => {
    domain.isHeld = true;
  },
  'registrant-unverified': row({ verification: 'waiting', verification_deadline: inDays(9) }),
  'registrant-bounced': row({ verification_bounced: true }),
  unlocked: row({ locked: false }),
};

/** What looks like a fault and is none: each of these domains is sound. */
const lookAlikes: readonly Fault[] = [
  fastmail(strongKey),
  // The second key of two, and one that was withdrawn.
  all(
    set('MX', ['1 in1-smtp.messagingengine.com']),
    set('TXT', ['v=DKIM1; p=', strongKey], 'fm1._domainkey.'),
  ),
  set('MX', ['0 .']),
  spf('v=spf1 ~all'),
  set('TXT', [], '_smtp._tls.'),
  certified(),
  all(certified(), set('CAA', ['issue digicert.com', 'iodef mailto:a@b.example'])),
  all(certified({ product_type: 'positivessl' }), set('CAA', ['issue sectigo.com; account=1'])),
  // Nothing is reissued any more.
  all(certified({ term_ends_at: inDays(180) }), set('TXT', [], '_proof.')),
  row({ expires_at: inDays(20), auto_renew: true }),
  row({ expires_at: inDays(31), auto_renew: false }),
  servers(...nameservers, 'ns3.host.example'),
  all(site('192.0.2.81'), certified({ serial: '00:AB:01' })),
  site('192.0.2.83'),
  site('192.0.2.84'),
  // Nobody answers there; that is no fault of which anything is known.
  site('198.51.100.200'),
  site('10.0.0.1'),
  // Its zone here has an alias to nothing, and nobody asks for that zone.
  all(servedElsewhere, (domain) => {
    domain.aliases = [{ subdomain: 'shop', hostname: 'gone.host.example.' }];
  }),
];

export function planted(address: string, kind: HealthKind | null): Planted {
  const domain = sound(address);
  if (kind) faults[kind](domain);
  return domain;
}

/** The same, held by another registrar: its aliases are in the world's DNS alone. */
export function plantedElsewhere(address: string, kind: HealthKind | null): Planted {
  const domain = planted(address, kind);
  const aliases = domain.aliases.map(
    ({ subdomain, hostname }): Rec => ({
      ...{ name: `${subdomain}.${address}`, type: 'CNAME', data: hostname.replace(/\.$/, '') },
    }),
  );
  return { ...domain, watched: true, records: [...domain.records, ...aliases] };
}

/** The same domain without its fault; a certificate that it had runs on. */
export function mended({ address, certificate }: Planted): Planted {
  const domain = sound(address);
  if (certificate) certified()(domain);
  // The certificate that was bought is installed.
  if (certificate?.serial) site('192.0.2.81')(domain);
  return domain;
}

/**
 * Domains by their one fault: as many as said of each kind, then of each look-alike one, then sound ones up to `count`.
 * Names carry their fault. Beside them one of each that is held elsewhere.
 */
export function faultyFleet(count: number, ofEach: number): { domains: Planted[]; expected: string[] } {
  const twins = Array.from({ length: ofEach }, (_, twin) => twin);
  const here = kindsHere.flatMap((kind) =>
    twins.map((twin) => ({ kind, domain: planted(`${kind}-${twin}.example`, kind) })),
  );
  const elsewhere = kindsElsewhere.map((kind) => ({
    ...{ kind, domain: plantedElsewhere(`watched-${kind}.example`, kind) },
  }));
  const faulty = [...here, ...elsewhere];
  const alike = lookAlikes.map((fault, index) => {
    const domain = sound(`alike-${index}.example`);
    fault(domain);
    return domain;
  });
  for (const twin of [0, 1]) {
    const domain = sound(`sts-${twin}.example`);
    sts(domain);
    alike.push(domain);
  }
  alike.push(plantedElsewhere('watched-sound.example', null));
  const rest = Math.max(0, count - faulty.length - alike.length);
  const healthy = Array.from({ length: rest }, (_, index) => sound(`sound-${index}.example`));
  return {
    domains: [...faulty.map(({ domain }) => domain), ...alike, ...healthy],
    expected: faulty.map(({ kind, domain }) => `${domain.address} ${kind}`),
  };
}

/** What the world answers of these domains: the body of the sandbox's `dns/outside`. */
export const recordsOf = (domains: readonly Planted[]) => ({
  records: [...sharedRecords, ...domains.flatMap(({ records }) => records)],
});

/** What registries say of these domains: the body of the sandbox's `rdap/registrations`. */
export const registrationsOf = (domains: readonly Planted[]) => ({
  registrations: domains
    .filter(({ isRegistered }) => isRegistered)
    .map(({ address, isHeld, watched, row: own }) => ({
      domain: address,
      statuses: [...(isHeld ? ['server hold'] : []), ...(own.locked ? ['client transfer prohibited'] : [])],
      ...(watched
        ? {
            ...{ registrar: 'Other Registrar, Inc.', nameservers: own.nameservers },
            expiresAt: (own.expires_at as Date).toISOString(),
          }
        : {}),
    })),
});

/** Writes the portal's own rows of these domains, `customerOf` each. As the database's owner. */
export async function writeFleet(
  owner: pg.Client,
  organisationId: string,
  domains: readonly Planted[],
  customerOf: (domain: Planted, index: number) => string,
): Promise<void> {
  const none = { A: [], AAAA: [], MX: [], TXT: [], SRV: [] };
  const rows = domains.map((domain, index) => ({
    ...domain,
    id: newId(),
    customer: customerOf(domain, index),
  }));
  const held = rows.filter(({ watched }) => !watched);
  await fill(
    owner,
    'watched_names',
    rows
      .filter(({ watched }) => watched)
      .map(({ id, customer, address }) => ({
        ...{ id, organisation_id: organisationId, customer_id: customer, address, created_at: new Date() },
      })),
  );
  await fill(
    owner,
    'domains',
    held.map(({ id, customer, address, row: own }) => ({
      ...{ id, organisation_id: organisationId, customer_id: customer, address, status: 'active' },
      ...{ auto_renew: true, verification_bounced: false, created_at: new Date(), ...own },
    })),
  );
  await fill(
    owner,
    'zone_versions',
    held.map(({ id, address, aliases }) => ({
      ...{
        id: newId(),
        organisation_id: organisationId,
        domain_id: id,
        record_count: aliases.length,
        hash: address,
      },
      ...{
        state: 'applied',
        records: { ...none, CNAME: aliases },
        author: 'A',
        reason: '',
        created_at: new Date(),
      },
    })),
  );
  await fill(
    owner,
    'certificates',
    rows.flatMap(({ customer, address, certificate }) =>
      certificate
        ? {
            ...{
              id: newId(),
              organisation_id: organisationId,
              customer_id: customer,
              address,
              host_names: [],
            },
            ...{ provider: 'A', state: 'completed', csr: '', ordered_at: new Date(), auto_reissue: true },
            ...{ sync_failures: 0, ...certificate },
          }
        : [],
    ),
  );
}

/** Inserts rows of one form; columns that they do not name have their usual values. */
async function fill(
  owner: pg.Client,
  table: string,
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  const names = [...new Set(rows.flatMap((each) => Object.keys(each)))].map((name) => `"${name}"`).join(', ');
  if (rows.length === 0) return;
  await owner.query(
    `INSERT INTO ${table} (${names}) SELECT ${names} FROM jsonb_populate_recordset(NULL::${table}, $1)`,
    [JSON.stringify(rows)],
  );
}
