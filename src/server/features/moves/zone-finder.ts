import { randomBytes } from 'node:crypto';
import {
  type DnsRecord,
  hostOf,
  noTarget,
  readRecord,
  recordData,
  recordKey,
  recordTypes,
} from '#contracts/values/dns-records.ts';
import { asOneLine } from '#contracts/values/one-line.ts';
import { type ChangeProblem, changing, type ZoneChange } from '#contracts/values/zone-changes.ts';
import { inSlices } from '#kernel/give-way.ts';
import { createTurns } from '#kernel/turns.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { AskedType, SeenName, SeenRecord, ZoneSource } from '../../ports/zone-source.ts';
import { usualNames } from './usual-names.ts';

/** A record that the managed DNS cannot hold. */
export interface LeftOut {
  name: string;
  type: string;
  data: string;
  reason: string;
}

/** A zone of others as it was read. */
export interface FoundZone {
  /** `whole`: from its own servers; `usual`: name by name. */
  how: 'whole' | 'usual';
  records: DnsRecord[];
  leftOut: LeftOut[];
}

/** To the operator's resolver, from one process. */
const resolverLimits = { parallel: 16, perSecond: 200 };
/** Names of one zone that are asked for, with those that its records lead to. */
const mostNames = 400;
const apexTypes = ['A', 'AAAA', 'MX', 'TXT', 'CAA'] as const;
const hostTypes = ['A', 'AAAA', 'MX', 'TXT', 'NS'] as const;

/** Reads zones of others: whole where their servers allow it, else by the names that are usual. */
export function createZoneFinder(source: ZoneSource, limits = resolverLimits) {
  const inTurn = createTurns(limits);

  /** One question; no answer is asked for once more. */
  async function ask(name: string, type: AskedType): Promise<SeenName> {
    try {
      return await inTurn(() => source.ask(name, type));
    } catch (error) {
      if (!(error instanceof UpstreamUnavailable)) throw error;
      return inTurn(() => source.ask(name, type));
    }
  }

  /**
   * Throws `UpstreamUnavailable` where a question stays without an answer: a zone that is not known as far as it was asked
   * for is not known. `known`: names below the domain that are asked for before any others.
   */
  return async function find(
    domain: string,
    nameservers: readonly string[],
    known: readonly string[] = [],
  ): Promise<FoundZone> {
    const whole = await inTurn(() => source.transfer(domain, nameservers));
    if (whole) return zoneOf('whole', domain, whole);
    return zoneOf('usual', domain, await byNames(domain, [...new Set([...known, ...usualNames])]));
  };

  async function byNames(domain: string, names: readonly string[]): Promise<SeenRecord[]> {
    const wild = await wildcard(domain);
    const found: SeenRecord[] = wild.map((record) => ({ ...record, name: `*.${domain}` }));
    const asked = new Set<string>();
    let open = [domain, ...names.map((name) => `${name}.${domain}`)];
    while (open.length > 0) {
      const level = open.filter((name) => !asked.has(name)).slice(0, mostNames - asked.size);
      for (const name of level) asked.add(name);
      const read = (await Promise.all(level.map((name) => recordsAt(domain, name, wild)))).flat();
      found.push(...read);
      open = read.flatMap((record) => leadsTo(record, domain)).filter((name) => !asked.has(name));
      if (asked.size >= mostNames) break;
    }
    return found;
  }

  /** What names without records of their own are answered with. */
  async function wildcard(domain: string): Promise<SeenRecord[]> {
    const name = `${randomBytes(8).toString('hex')}.${domain}`;
    const types = ['A', 'AAAA', 'MX', 'TXT'] as const;
    const first = await ask(name, types[0]);
    if (!first.exists) return [];
    if (first.records.some(({ type }) => type === 'CNAME')) return first.records;
    const others = await Promise.all(types.slice(1).map((type) => ask(name, type)));
    return [first, ...others].flatMap(({ records }) => records);
  }

  async function recordsAt(domain: string, name: string, wild: readonly SeenRecord[]): Promise<SeenRecord[]> {
    const types = typesAt(domain, name);
    const [head, ...rest] = types;
    const first = await ask(name, head);
    if (!first.exists) return [];
    const alias = first.records.filter(({ type }) => type === 'CNAME');
    const all =
      alias.length > 0
        ? alias
        : [
            ...first.records,
            ...(await Promise.all(rest.map((type) => ask(name, type)))).flatMap((one) => one.records),
          ];
    // What the wildcard says of every name is not said of this one.
    const said = new Set(wild.map(textOf));
    const isWild = name !== domain && all.length > 0 && all.every((record) => said.has(textOf(record)));
    return isWild ? [] : all;
  }
}

function typesAt(domain: string, name: string): readonly [AskedType, ...AskedType[]] {
  if (name === domain) return apexTypes;
  if (/^_[^.]+\._(tcp|udp|tls)\./.test(name)) return ['SRV', 'TXT'];
  if (name.slice(0, -domain.length).includes('_')) return ['TXT'];
  return hostTypes;
}

const textOf = ({ type, fields }: SeenRecord) => `${type} ${JSON.stringify(fields)}`;

/** Names of the same zone that a record speaks of. */
function leadsTo({ type, fields }: SeenRecord, domain: string): string[] {
  const told =
    type === 'TXT'
      ? [...String(fields.text).matchAll(/\b(?:a|mx|include|redirect)[:=]([a-z0-9._-]+)/gi)].map(
          (match) => match[1],
        )
      : [fields.hostname];
  return told.flatMap((name) => {
    const host = String(name ?? '').toLowerCase();
    return host.endsWith(`.${domain}`) && canBeAsked(host) ? [host] : [];
  });
}

/** A question about anything else is never answered, and the whole zone would count as not known. */
export const canBeAsked = (name: string) =>
  name.length <= 253 && name.split('.').every((label) => label.length >= 1 && label.length <= 63);

/** What was read as records of our own zones, each once, and what our zones cannot hold. */
async function zoneOf(
  how: FoundZone['how'],
  domain: string,
  seen: readonly SeenRecord[],
): Promise<FoundZone> {
  const records = new Map<string, DnsRecord>();
  const leftOut: LeftOut[] = [];
  for (const { name, type, fields } of seen) {
    // The delegation of the domain itself is the registry's; signatures belong to the old keys.
    if (name === domain && ['NS', 'SOA'].includes(type)) continue;
    if (/^(RRSIG|NSEC|NSEC3|NSEC3PARAM|DNSKEY|CDS|CDNSKEY)$/.test(type)) continue;
    const out = (reason: string) => leftOut.push(leftOutOf(name, type, { data: dataOf(fields), reason }));
    if (!(recordTypes as readonly string[]).includes(type)) {
      out(`The managed DNS has no records of the type ${type}.`);
      continue;
    }
    const read = readRecord({
      type,
      subdomain: name === domain ? '' : name.slice(0, -domain.length - 1),
      ...fields,
    });
    if (read.ok) records.set(recordKey(read.record), read.record);
    else out(read.problems.map(({ message }) => message).join(' '));
  }
  const { held, clashing } = await withoutClashes(domain, [...records.values()]);
  return { how, records: held, leftOut: [...leftOut, ...clashing] };
}

/**
 * Which records give way where our zones do not let some stand side by side, one kind after the other. An alias stays: resolvers
 * follow it and see nothing else of its name, and a host without its mail record is more than a mail record without its host.
 */
const givesWay: readonly ((record: DnsRecord, problem: ChangeProblem) => boolean)[] = [
  (_record, { kind }) => kind === 'name',
  (record) => record.type === 'MX' && record.hostname === noTarget,
  (record) => record.type !== 'CNAME',
  () => true,
];

/** Servers of others let stand side by side what our zones refuse, such as mail servers that are aliases. */
async function withoutClashes(domain: string, records: readonly DnsRecord[]) {
  let held = [...records];
  const clashing: LeftOut[] = [];
  for (const gives of givesWay) {
    const changes = held.map((record): ZoneChange => ({ action: 'add', record }));
    const { problems } = await inSlices(changing(domain, [], changes));
    if (problems.length === 0) break;
    const problemAt = new Map(problems.map((problem) => [problem.index, problem]));
    held = held.filter((record, index) => {
      const problem = problemAt.get(index);
      if (!problem || !gives(record, problem)) return true;
      const said = { data: recordData(record), reason: problem.message };
      clashing.push(leftOutOf(hostOf(record, domain), record.type, said));
      return false;
    });
  }
  return { held, clashing };
}

/** Of a record that is only shown. */
const mostShown = 500;
const leftOutOf = (
  name: string,
  type: string,
  { data, reason }: Pick<LeftOut, 'data' | 'reason'>,
): LeftOut => ({
  ...{ name: asOneLine(name, mostShown), type, data: asOneLine(data, mostShown), reason },
});

export const dataOf = (fields: SeenRecord['fields']) => Object.values(fields).join(' ');
