import { getServers } from 'node:dns';
import type { Answer } from 'dns-packet';
import { isInnerAddress } from '#contracts/values/inner-address.ts';
import { assertNoTransaction } from '#kernel/db/transaction-context.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Resolver } from '../../ports/resolver.ts';
import type { AskedType, SeenName, SeenRecord, ZoneSource } from '../../ports/zone-source.ts';
import { exchange, type Server, transferFrom } from './exchange.ts';
import { questionOf, type readReply, seenRecord } from './messages.ts';

export interface ZoneSourceOptions {
  /** Resolvers; none: the system's own. */
  servers: readonly string[];
  /** Asked in place of a zone's own servers; none: these. */
  zoneServers: readonly string[];
  resolver: Pick<Resolver, 'addresses'>;
}

const dnsPort = 53;
/** Of one zone. */
const mostServers = 4;

/** `192.0.2.1`, `192.0.2.1:53`, `[2001:db8::1]:53`, `2001:db8::1`. */
export function serverOf(text: string): Server {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(text);
  if (bracketed) return { address: bracketed[1] ?? '', port: Number(bracketed[2] ?? dnsPort) };
  const [address = '', port] = text.split(':');
  const isPlain = text.split(':').length <= 2;
  return isPlain ? { address, port: Number(port ?? dnsPort) } : { address: text, port: dnsPort };
}

/** Zones of others over UDP and TCP. Addresses of inner networks are nobody's servers and are never asked. */
export function createZoneSource(options: ZoneSourceOptions): ZoneSource {
  const configured = (options.servers.length > 0 ? options.servers : getServers()).map(serverOf);
  const inPlace = options.zoneServers.map(serverOf);

  async function addressesOf(names: readonly string[]): Promise<Server[]> {
    if (inPlace.length > 0) return inPlace;
    const found = await Promise.all(
      names.slice(0, mostServers).map((name) => options.resolver.addresses(name).catch(() => [])),
    );
    return found
      .flatMap((addresses) => addresses.slice(0, 1))
      .filter((address) => !isInnerAddress(address))
      .map((address) => ({ address, port: dnsPort }));
  }

  /** The first server that answers. */
  async function firstOf<T>(servers: readonly Server[], what: string, ask: (server: Server) => Promise<T>) {
    let failure: unknown = new UpstreamUnavailable(`dns: ${what}: there is no server to ask`);
    for (const server of servers) {
      try {
        return await ask(server);
      } catch (error) {
        if (!(error instanceof UpstreamUnavailable)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  async function asked(servers: readonly Server[], name: string, type: AskedType, recursive: boolean) {
    assertNoTransaction(`dns: ${type} ${name}`);
    const asName = name.toLowerCase();
    return firstOf(servers, `${type} ${name}`, async (server): Promise<SeenName> => {
      const reply = await exchange(server, questionOf(asName, type, recursive));
      return seenName(asName, type, reply);
    });
  }

  return {
    ask: (name, type) => asked(configured, name, type, true),
    askServers: async (names, name, type) => asked(await addressesOf(names), name, type, false),
    async transfer(domain, names) {
      assertNoTransaction(`dns: AXFR ${domain}`);
      for (const server of await addressesOf(names)) {
        const records = await transferFrom(server, questionOf(domain, 'AXFR', false)).catch((error) => {
          if (error instanceof UpstreamUnavailable) return null;
          throw error;
        });
        if (records) return seenRecords(records).filter((each) => isWithin(each, domain));
      }
      return null;
    },
  };
}

const seenRecords = (answers: readonly Answer[]) => answers.flatMap((answer) => seenRecord(answer) ?? []);
const isWithin = ({ name }: SeenRecord, domain: string) => name === domain || name.endsWith(`.${domain}`);

function seenName(
  name: string,
  type: AskedType,
  { code, missing, answers }: NonNullable<ReturnType<typeof readReply>>,
): SeenName {
  if (code !== 0 && !missing) throw new UpstreamUnavailable(`dns: ${type} ${name}: answer code ${code}`);
  const records = seenRecords(answers).filter(
    (each) => each.name === name && (each.type === type || each.type === 'CNAME'),
  );
  // A name with an alias exists, also where what it leads to does not.
  return { exists: !missing || records.length > 0, records };
}
