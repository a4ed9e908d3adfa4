import { hostOf, readRecord, recordData } from '#contracts/values/dns-records.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { type AskedType, askedTypes, type SeenRecord, type ZoneSource } from '../../ports/zone-source.ts';
import type { LineZone } from './line.ts';
import { lacksNeeded } from './moves.rules.ts';
import type { Answer } from './old-zone.rules.ts';
import { canBeAsked, dataOf } from './zone-finder.ts';

/** Servers of others are not flooded: so many questions to the servers of one zone at the same time. */
const beside = 4;
/** After so many questions that nobody answered, where none was answered, the others are not asked: each may take half a minute. */
const mostSilent = 8;

type Asked = Pick<Answer, 'name' | 'before'> & { type: AskedType };

/** Asks servers for everything that a zone said when it was read, also for what our zones cannot hold and hosts and mail need. */
export async function answersOf(
  source: Pick<ZoneSource, 'askServers'>,
  domain: string,
  zone: LineZone,
  servers: readonly string[],
): Promise<Answer[]> {
  const open = setsOf(domain, zone);
  const answers: Answer[] = [];
  const isSilent = () => answers.length >= mostSilent && answers.every(({ now }) => now === null);
  const runners = Array.from({ length: beside }, async () => {
    for (let set = open.shift(); set; set = open.shift()) {
      answers.push({ ...set, now: isSilent() ? null : await answered(source, servers, domain, set) });
    }
  });
  await Promise.all(runners);
  return answers.sort((one, other) => (`${one.name} ${one.type}` < `${other.name} ${other.type}` ? -1 : 1));
}

function setsOf(domain: string, { records, leftOut }: LineZone): Asked[] {
  const needed = leftOut.filter((out) => lacksNeeded({ leftOut: [out] }) && canBeAsked(out.name));
  const said = [
    ...records.map((record) => ({
      ...{ name: hostOf(record, domain), type: record.type as string, data: recordData(record) },
    })),
    ...needed,
  ];
  const sets = Map.groupBy(said, ({ name, type }) => `${type} ${name}`);
  return [...sets.values()].flatMap((set) => {
    const { name, type: read } = set[0] ?? { name: '', type: '' };
    const type = askedTypes.find((each) => each === read);
    // Servers answer for what they hold: a name that they delegate is not among it.
    return type && type !== 'NS' ? [{ name, type, before: set.map(({ data }) => data) }] : [];
  });
}

/** null: nobody answered. */
async function answered(
  source: Pick<ZoneSource, 'askServers'>,
  servers: readonly string[],
  domain: string,
  { name, type }: Asked,
): Promise<string[] | null> {
  try {
    const { records } = await source.askServers(servers, name, type);
    return records.map((record) => saidBy(record, domain));
  } catch (error) {
    if (error instanceof UpstreamUnavailable) return null;
    throw error;
  }
}

function saidBy({ name, type, fields }: SeenRecord, domain: string): string {
  const subdomain = name === domain ? '' : name.slice(0, -domain.length - 1);
  const read = readRecord({ type, subdomain, ...fields });
  return read.ok ? recordData(read.record) : dataOf(fields);
}
