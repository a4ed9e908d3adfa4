import { isInnerAddress } from '#contracts/values/inner-address.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Probe } from '../../ports/probe.ts';
import type { Rdap, Registration } from '../../ports/rdap.ts';
import type { Resolver } from '../../ports/resolver.ts';
import type { Answer } from './answer.ts';
import { dkimBits } from './dkim.ts';
import type { Facts, Registered } from './evidence.rules.ts';
import { isSts, mailProviderOf, type StsPolicy, spfRecords, spfTerms } from './mail.rules.ts';

/** What the portal knows of a domain itself. */
export interface OwnFacts {
  address: string;
  /** Null: it is held elsewhere, and the registry is asked for it. */
  registered: Registered | null;
  /** Aliases of its zone, as the portal sent it last; null: the world asks another zone than ours, or none. */
  aliases: readonly { name: string; target: string }[] | null;
  /** Running certificates for names in it. */
  certificates: readonly OwnCertificate[];
}

export interface OwnCertificate {
  hosts: readonly string[];
  productType: string;
  serial: string | null;
  /** The record by which its reissues are validated; null: they are validated otherwise, or there are none. */
  proof: { name: string; type: 'TXT' | 'CNAME'; value: string } | null;
}

/** Of one domain; more is not followed. */
const mostMailHosts = 10;
const mostAliases = 50;
const mostSpfNames = 30;
const mostCertificates = 50;
const mostServers = 8;
/** Nobody has more nameservers; who names thousands is not looked up at everybody's cost. */
const mostNameservers = 20;

/** Where aliases usually are, in zones that nobody hands out. */
const usualAliases = ['www', 'mail', 'autodiscover', 'ftp', 'shop', 'blog'];

/**
 * Asks DNS what the rules need to know of a domain. Each question is asked once; one without an answer leaves its fact open.
 */
export async function gatherFacts(
  { resolver, probe, rdap }: { resolver: Resolver; probe: Probe; rdap: Rdap },
  own: OwnFacts,
  now: Date,
): Promise<Facts> {
  const { address } = own;
  const [nameservers, addresses, mx, txt, dmarc, tlsReports, stsTxt, caa, wwwAddresses] = await Promise.all([
    answered(resolver.nameservers(address)),
    answered(resolver.addresses(address)),
    answered(resolver.mx(address)),
    answered(resolver.txt(address)),
    answered(resolver.txt(`_dmarc.${address}`)),
    answered(resolver.txt(`_smtp._tls.${address}`)),
    answered(resolver.txt(`_mta-sts.${address}`)),
    own.certificates.length > 0 ? answered(resolver.caa(address)) : [],
    answered(resolver.addresses(`www.${address}`)),
  ]);
  const hosts = (mx ?? []).map(({ host }) => host).filter((host) => host !== '');
  const [nameserverAddresses, mxHosts, spfTxt, dkim, aliases, proofs] = await Promise.all([
    byName((nameservers ?? []).slice(0, mostNameservers), (name) => answered(resolver.addresses(name))),
    byName(hosts.slice(0, mostMailHosts), async (host) => {
      const [alias, found] = await Promise.all([
        answered(resolver.cname(host)),
        answered(resolver.addresses(host)),
      ]);
      return { isAlias: alias && alias.length > 0, addresses: found };
    }),
    spfNames(resolver, txt ?? []),
    byName(mailProviderOf(mx ?? [])?.selectors ?? [], async (selector) => {
      const records = await answered(resolver.txt(`${selector}._domainkey.${address}`));
      return records && dkimBits(records);
    }),
    own.aliases
      ? Promise.all(own.aliases.slice(0, mostAliases).map((alias) => followed(resolver, alias)))
      : Promise.all(usualAliases.map(seenAlias)).then((found) => found.flat()),
    Promise.all(
      own.certificates
        .slice(0, mostCertificates)
        .flatMap(({ proof }) => proof ?? [])
        .map(seenProof),
    ),
  ]);
  const [servers, mailServers, policy, sites, registration] = await Promise.all([
    byName([...nameserverAddresses.keys()].slice(0, mostServers), (name) =>
      atOne(nameserverAddresses.get(name), (at) => probe.nameserver(address, at)),
    ),
    byName([...mxHosts.keys()], (name) => atOne(mxHosts.get(name)?.addresses, (at) => probe.mailServer(at))),
    stsTxt?.some(isSts) ? stsPolicy(`mta-sts.${address}`) : undefined,
    Promise.all([...seenSite(address, addresses), ...seenSite(`www.${address}`, wwwAddresses)]),
    answered(rdap.registration(address)),
  ]);
  return {
    ...{ now, address, registration, tlsReports, caa, dkim, proofs, sites },
    ...{ servers: asked(servers), mailServers: asked(mailServers), sts: { txt: stsTxt, policy } },
    watched: own.registered === null,
    registered: own.registered ?? (registration && heldElsewhere(registration)),
    ...{ nameservers, nameserverAddresses, addresses, mx, mxHosts, txt, spfTxt, dmarc, aliases },
    certificates: own.certificates.flatMap(({ hosts: names, productType, serial }) =>
      names.map((host) => ({ host, serial: plainSerial(serial), authorities: authoritiesOf(productType) })),
    ),
  };

  async function stsPolicy(host: string): Promise<Answer<StsPolicy>> {
    const at = await answered(resolver.addresses(host));
    if (at?.length === 0) return 'no address';
    const file = await atOne(at, (one) => probe.file(host, one, '/.well-known/mta-sts.txt'));
    return file === 'unseen' ? undefined : file;
  }

  /** An alias that is there, as the world sees it, with whether anything is behind it. */
  async function seenAlias(name: string) {
    const targets = await answered(resolver.cname(`${name}.${address}`));
    if (targets === undefined) return [{ name, target: '', resolves: undefined }];
    return Promise.all(targets.map((target) => followed(resolver, { name, target })));
  }

  /** A website under this name, where one is to be expected. */
  function seenSite(host: string, at: Answer<readonly string[]>) {
    if (at === undefined) return [{ host, https: undefined, http: undefined }];
    if (publicAddress(at) === null) return [];
    const look = async () => {
      const https = await atOne(at, (one) => probe.website(host, one));
      const http = https === 'refused' ? await atOne(at, (one) => probe.plainWebsite(host, one)) : undefined;
      return {
        host,
        https: https === 'unseen' ? undefined : https,
        http: http === 'unseen' ? undefined : http,
      };
    };
    return [look()];
  }

  async function seenProof({ name, type, value }: NonNullable<OwnCertificate['proof']>) {
    const found = await answered(type === 'CNAME' ? resolver.cname(name) : resolver.txt(name));
    const plain = (text: string) => text.toLowerCase().replace(/\.$/, '');
    return { name, isThere: found?.some((text) => plain(text) === plain(value)) };
  }
}

/** Registries of countries have no lock that everybody sees. */
const isOfCountry = (name: string) => /\.[a-z]{2}$/.test(name);

/** What the registry says, in the place of what a registrar knows of its own. Who renews it is not known. */
function heldElsewhere({ name, nameservers, statuses, expiresAt }: Registration): Registered {
  const isLocked = statuses.some((code) => /^(client|server) transfer prohibited$/.test(code));
  return {
    locked: isLocked || (isOfCountry(name) ? null : false),
    ...{ nameservers, expiresAt, autoRenew: false, verification: null, bounced: false },
  };
}

/** By what names an authority is allowed in CAA records, from its own documents (checked 2026-11-23). */
const authorityNames: readonly (readonly [products: RegExp, names: readonly string[]])[] = [
  [
    /^(comodo|positivessl|essentialssl|sectigo)/,
    ['sectigo.com', 'comodoca.com', 'comodo.com', 'usertrust.com', 'trust-provider.com'],
  ],
  [/^trustwave/, ['trustwave.com', 'securetrust.com']],
  [/./, ['digicert.com', 'geotrust.com', 'rapidssl.com', 'thawte.com', 'symantec.com', 'digicert.ne.jp']],
];

const authoritiesOf = (productType: string) =>
  authorityNames.find(([products]) => products.test(productType))?.[1] ?? [];

/** undefined where nobody answered; other errors are ours. */
async function answered<T>(question: Promise<T>): Promise<Answer<T>> {
  try {
    return await question;
  } catch (error) {
    if (error instanceof UpstreamUnavailable) return undefined;
    throw error;
  }
}

/** The address that is looked at: one is enough, and inner networks are nobody's. */
const publicAddress = (addresses: readonly string[]): string | null =>
  addresses.find((address) => !isInnerAddress(address)) ?? null;

/** A look at one address of a host; `unseen`: it has none that can be looked at. */
async function atOne<T>(
  addresses: Answer<readonly string[]>,
  look: (address: string) => Promise<T>,
): Promise<Answer<T> | 'unseen'> {
  if (addresses === undefined) return undefined;
  const address = publicAddress(addresses);
  return address === null ? 'unseen' : answered(look(address));
}

/** Without those that could not be looked at. */
const asked = <T>(all: ReadonlyMap<string, T | 'unseen'>): Map<string, T> =>
  new Map([...all].flatMap(([name, answer]) => (answer === 'unseen' ? [] : [[name, answer] as const])));

/** Serials as servers show them. */
const plainSerial = (serial: string | null) =>
  serial === null ? null : BigInt(`0x${serial.replaceAll(':', '')}`).toString(16);

async function byName<T>(
  names: readonly string[],
  ask: (name: string) => Promise<T>,
): Promise<Map<string, T>> {
  return new Map(
    await Promise.all([...new Set(names)].map(async (name) => [name, await ask(name)] as const)),
  );
}

/** The TXT records of all names that SPF leads to, level by level. */
async function spfNames(resolver: Resolver, txt: readonly string[]): Promise<Map<string, Answer<string[]>>> {
  const known = new Map<string, Answer<string[]>>();
  let open = followsOf(txt);
  while (open.length > 0 && known.size < mostSpfNames) {
    const level = open.slice(0, mostSpfNames - known.size);
    const found = await byName(level, (name) => answered(resolver.txt(name)));
    for (const [name, records] of found) known.set(name, records);
    open = [...found.values()]
      .flatMap((records) => followsOf(records ?? []))
      .filter((name) => !known.has(name));
  }
  return known;
}

const followsOf = (txt: readonly string[]) => [
  ...new Set(spfRecords(txt).flatMap((record) => spfTerms(record).follows)),
];

/** Whether anything is behind an alias: an address, or another alias. */
async function followed(resolver: Resolver, alias: { name: string; target: string }) {
  const [addresses, further] = await Promise.all([
    answered(resolver.addresses(alias.target)),
    answered(resolver.cname(alias.target)),
  ]);
  const known = addresses !== undefined && further !== undefined;
  const found = (addresses?.length ?? 0) > 0 || (further?.length ?? 0) > 0;
  return { ...alias, resolves: found ? true : known ? false : undefined };
}
