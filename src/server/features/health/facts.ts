import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Resolver } from '../../ports/resolver.ts';
import { type Answer, type Facts, spfRecords, spfTerms } from './health.rules.ts';

/** What the portal knows of a domain itself. */
export interface OwnFacts {
  address: string;
  nameservers: readonly string[];
  locked: boolean | null;
  /** Aliases of its zone, as the portal sent it last. */
  aliases: readonly { name: string; target: string }[];
}

/** Of one domain; more is not followed. */
const mostMailHosts = 10;
const mostAliases = 50;
const mostSpfNames = 30;

/**
 * Asks DNS what the rules need to know of a domain. Each question is asked once; one without an answer leaves its fact open.
 */
export async function gatherFacts(resolver: Resolver, own: OwnFacts): Promise<Facts> {
  const { address } = own;
  const [nameservers, addresses, mx, txt, dmarc] = await Promise.all([
    answered(resolver.nameservers(address)),
    answered(resolver.addresses(address)),
    answered(resolver.mx(address)),
    answered(resolver.txt(address)),
    answered(resolver.txt(`_dmarc.${address}`)),
  ]);
  const hosts = (mx ?? []).map(({ host }) => host).filter((host) => host !== '');
  const [nameserverAddresses, mxHosts, spfTxt, aliases] = await Promise.all([
    byName(nameservers ?? [], (name) => answered(resolver.addresses(name))),
    byName(hosts.slice(0, mostMailHosts), async (host) => {
      const [alias, found] = await Promise.all([
        answered(resolver.cname(host)),
        answered(resolver.addresses(host)),
      ]);
      return { isAlias: alias && alias.length > 0, addresses: found };
    }),
    spfNames(resolver, txt ?? []),
    Promise.all(own.aliases.slice(0, mostAliases).map((alias) => followed(resolver, alias))),
  ]);
  return {
    registered: { nameservers: own.nameservers, locked: own.locked },
    ...{ nameservers, nameserverAddresses, addresses, mx, mxHosts, txt, spfTxt, dmarc, aliases },
  };
}

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
