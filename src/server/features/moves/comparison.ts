import { type DnsRecord, hostOf, readRecord, recordData, recordKey } from '#contracts/values/dns-records.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { SeenRecord, ZoneSource } from '../../ports/zone-source.ts';
import type { Difference } from './line.ts';

/** Servers of others are not flooded: so many questions to the servers of one zone at the same time. */
const beside = 4;

/**
 * Asks the servers that the domain is delegated to for everything that its zone said before, and names what they say
 * otherwise. No answer is a difference: others who ask get none either.
 */
export async function differencesOf(
  source: Pick<ZoneSource, 'askServers'>,
  domain: string,
  before: readonly DnsRecord[],
  servers: readonly string[],
): Promise<Difference[]> {
  const sets = Map.groupBy(before, (record) => `${record.type} ${hostOf(record, domain)}`);
  const open = [...sets.values()];
  const found: Difference[] = [];
  const runners = Array.from({ length: beside }, async () => {
    for (let set = open.shift(); set; set = open.shift()) {
      const difference = await differenceOf(source, domain, set, servers);
      if (difference) found.push(difference);
    }
  });
  await Promise.all(runners);
  return found.sort((one, other) => (`${one.name} ${one.type}` < `${other.name} ${other.type}` ? -1 : 1));
}

async function differenceOf(
  source: Pick<ZoneSource, 'askServers'>,
  domain: string,
  set: readonly DnsRecord[],
  servers: readonly string[],
): Promise<Difference | null> {
  const [first] = set;
  if (!first) return null;
  const [name, { type }] = [hostOf(first, domain), first];
  const now = await answered(source, servers, { domain, name, type });
  if (keysOf(now) === keysOf(set)) return null;
  return { name, type, before: set.map(recordData), now: now.map(recordData) };
}

const keysOf = (records: readonly DnsRecord[]) => [...new Set(records.map(recordKey))].sort().join('\n');

async function answered(
  source: Pick<ZoneSource, 'askServers'>,
  servers: readonly string[],
  { domain, name, type }: { domain: string; name: string; type: DnsRecord['type'] },
): Promise<DnsRecord[]> {
  try {
    const { records } = await source.askServers(servers, name, type);
    return records.flatMap((record) => asRecord(record, domain));
  } catch (error) {
    if (error instanceof UpstreamUnavailable) return [];
    throw error;
  }
}

function asRecord({ name, type, fields }: SeenRecord, domain: string): DnsRecord[] {
  const subdomain = name === domain ? '' : name.slice(0, -domain.length - 1);
  const read = readRecord({ type, subdomain, ...fields });
  return read.ok ? [read.record] : [];
}
