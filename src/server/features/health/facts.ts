import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Resolver } from '../../ports/resolver.ts';
import type { Answer } from './answer.ts';
import { dkimBits } from './dkim.ts';
import type { Facts, Registered } from './health.rules.ts';
import { mailProviderOf, spfRecords, spfTerms } from './mail.rules.ts';

/** What the portal knows of a domain itself. */
export interface OwnFacts extends Registered {
  address: string;
  /** Aliases of its zone, as the portal sent it last. */
  aliases: readonly { name: string; target: string }[];
  /** Running certificates for names in it. */
  certificates: readonly OwnCertificate[];
}

export interface OwnCertificate {
  hosts: readonly string[];
  productType: string;
  /** The record by which its reissues are validated; null: they are validated otherwise, or there are none. */
  proof: { name: string; type: 'TXT' | 'CNAME'; value: string } | null;
}

/** Of one domain; more is not followed. */
const mostMailHosts = 10;
const mostAliases = 50;
const mostSpfNames = 30;
const mostCertificates = 50;

/**
 * Asks DNS what the rules need to know of a domain. Each question is asked once; one without an answer leaves its fact open.
 */
export async function gatherFacts(resolver: Resolver, own: OwnFacts, now: Date): Promise<Facts> {
  const { address } = own;
  const [nameservers, addresses, mx, txt, dmarc, tlsReports, caa] = await Promise.all([
    answered(resolver.nameservers(address)),
    answered(resolver.addresses(address)),
    answered(resolver.mx(address)),
    answered(resolver.txt(address)),
    answered(resolver.txt(`_dmarc.${address}`)),
    answered(resolver.txt(`_smtp._tls.${address}`)),
    own.certificates.length > 0 ? answered(resolver.caa(address)) : [],
  ]);
  const hosts = (mx ?? []).map(({ host }) => host).filter((host) => host !== '');
  const [nameserverAddresses, mxHosts, spfTxt, dkim, aliases, proofs] = await Promise.all([
    byName(nameservers ?? [], (name) => answered(resolver.addresses(name))),
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
    Promise.all(own.aliases.slice(0, mostAliases).map((alias) => followed(resolver, alias))),
    Promise.all(
      own.certificates
        .slice(0, mostCertificates)
        .flatMap(({ proof }) => proof ?? [])
        .map(seenProof),
    ),
  ]);
  const { nameservers: set, locked, expiresAt, autoRenew, verification, bounced } = own;
  return {
    ...{ now, address, tlsReports, caa, dkim, proofs },
    registered: { ...{ nameservers: set, locked, expiresAt, autoRenew, verification, bounced } },
    ...{ nameservers, nameserverAddresses, addresses, mx, mxHosts, txt, spfTxt, dmarc, aliases },
    certificates: own.certificates.flatMap(({ hosts: names, productType }) =>
      names.map((host) => ({ host, authorities: authoritiesOf(productType) })),
    ),
  };

  async function seenProof({ name, type, value }: NonNullable<OwnCertificate['proof']>) {
    const found = await answered(type === 'CNAME' ? resolver.cname(name) : resolver.txt(name));
    const plain = (text: string) => text.toLowerCase().replace(/\.$/, '');
    return { name, isThere: found?.some((text) => plain(text) === plain(value)) };
  }
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
