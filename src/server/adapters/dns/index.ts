import { Resolver as NodeResolver } from 'node:dns/promises';
import { assertNoTransaction } from '#kernel/db/transaction-context.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Resolver } from '../../ports/resolver.ts';

export { createZoneSource } from './zone-source.ts';

/** "There is no such record" is an answer; anything else is none. */
const emptyCodes = ['ENODATA', 'ENOTFOUND', 'NXDOMAIN'];

/** Real DNS questions to the configured servers, or the system's own. */
export function createDns(options: { servers: readonly string[] }): Resolver {
  const resolver = new NodeResolver({ timeout: 3_000, tries: 2 });
  if (options.servers.length > 0) resolver.setServers(options.servers);

  async function ask<T>(what: string, question: () => Promise<T[]>): Promise<T[]> {
    assertNoTransaction(`dns: ${what}`);
    try {
      return await question();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (emptyCodes.includes(code)) return [];
      throw new UpstreamUnavailable(`dns: ${what}: ${code}`, { cause: error });
    }
  }

  return {
    nameservers: async (domain) =>
      (await ask(`NS ${domain}`, () => resolver.resolveNs(domain))).map((name) => name.toLowerCase()).sort(),
    txt: async (name) =>
      (await ask(`TXT ${name}`, () => resolver.resolveTxt(name))).map((parts) => parts.join('')),
    cname: (name) => ask(`CNAME ${name}`, () => resolver.resolveCname(name)),
    mx: async (name) =>
      (await ask(`MX ${name}`, () => resolver.resolveMx(name)))
        .map(({ exchange, priority }) => ({ host: exchange.toLowerCase().replace(/\.$/, ''), priority }))
        .sort((one, other) => one.priority - other.priority),
    caa: async (name) =>
      (await ask(`CAA ${name}`, () => resolver.resolveCaa(name))).flatMap(({ issue, issuewild }) => [
        ...(issue === undefined ? [] : [{ tag: 'issue', value: issue }]),
        ...(issuewild === undefined ? [] : [{ tag: 'issuewild', value: issuewild }]),
      ]),
    addresses: async (name) => {
      const [four, six] = await Promise.all([
        ask(`A ${name}`, () => resolver.resolve4(name)),
        ask(`AAAA ${name}`, () => resolver.resolve6(name)),
      ]);
      return [...four, ...six];
    },
  };
}
