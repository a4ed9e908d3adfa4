import {
  type DnsRecord,
  noTarget,
  type RecordType,
  readRecord,
  recordKey,
  recordTypes,
  ttlSeconds,
} from '#contracts/values/dns-records.ts';
import { asciiName } from '#contracts/values/pasted-name.ts';
import { type Slices, slices } from '#kernel/give-way.ts';
import { type LeftOut, logicalLines, type Token, tokenText } from './zone-file-lines.ts';

export interface ZoneFileReading {
  /** `note`: what becomes different from what the file says. */
  records: { line: number; record: DnsRecord; note: string | null }[];
  leftOut: LeftOut[];
}

interface Place {
  domain: string;
  /** Full name, without the dot at its end. */
  origin: string;
  /** Of the record before; a line that begins with a blank continues it. */
  owner: string | null;
  ttlSeconds: number | null;
}

/** A file may be anything; what is answered stays of a size that can be shown. */
const mostRecords = 10_000;
const mostTold = 2_000;

const classes = new Set(['IN', 'CH', 'HS', 'CS', 'ANY']);
/** `3600` or `1h30m`. Each digit has one place in the pattern only: a long row of digits costs its length, not more. */
const ttlPattern = /^\d+(?:[smhdw]\d+)*[smhdw]?$/i;
/** RFC 2181 §8: 31 bits. */
const longestSeconds = 2_147_483_647;
/** What a file calls a type or a name is repeated in a reason: it stays of a size that can be shown. */
const shown = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Reads a BIND zone file (RFC 1035 §5, RFC 2308 §4) into records of a domain; what cannot be kept is told, line by line. */
export async function readZoneFile(
  domain: string,
  text: string,
  giveWay: Slices = slices(),
): Promise<ZoneFileReading> {
  const place: Place = { domain, origin: domain, owner: null, ttlSeconds: null };
  const reading: ZoneFileReading = { records: [], leftOut: [] };
  const seen = new Set<string>();
  let untold = 0;
  for (const line of logicalLines(text)) {
    const wait = giveWay();
    if (wait !== undefined) await wait;
    const leave = (reason: string) => {
      if (reading.leftOut.length < mostTold) {
        reading.leftOut.push({ line: line.number, text: line.text.slice(0, 300), reason });
      } else untold += 1;
    };
    if (line.problem) {
      leave(line.problem);
      continue;
    }
    const read = readLine(place, line.tokens, line.continued);
    if (read === null) continue;
    if (typeof read === 'string') {
      leave(read);
      continue;
    }
    const key = recordKey(read.record);
    if (seen.has(key)) leave('The file contains this record twice');
    else if (reading.records.length >= mostRecords) leave('A zone has at most 10,000 records here');
    else reading.records.push({ line: line.number, ...read });
    seen.add(key);
  }
  if (untold > 0) {
    reading.leftOut.push({ line: 0, text: '', reason: `${untold} more lines are left out` });
  }
  return reading;
}

/** A record, why the line is left out, or null for a line that is no record. */
function readLine(
  place: Place,
  tokens: readonly Token[],
  continued: boolean,
): { record: DnsRecord; note: string | null } | string | null {
  const [first] = tokens;
  if (!first) return null;
  if (!continued && !first.quoted && first.raw.startsWith('$')) return directive(place, tokens);
  const rest = [...tokens];
  if (!continued) {
    const name = fullName(place, rest.shift() as Token);
    place.owner = name;
  }
  if (place.owner === null) return 'This line continues a record, but there is none before it';
  const given = typeAndTtl(rest);
  if (typeof given === 'string') return given;
  if (given.className !== null && given.className !== 'IN') return 'Only records of class IN are supported';
  const relative = relativeName(place.domain, place.owner);
  if (relative === null) return `${shown(place.owner)} is not part of ${place.domain}`;
  const fields = fieldsOf(place, given.type, relative, rest);
  if (typeof fields === 'string') return fields;
  const read = readRecord({ type: given.type, subdomain: relative, ...fields });
  if (!read.ok) return read.problems.map(({ message }) => message).join('; ');
  const seconds = given.ttlSeconds ?? place.ttlSeconds ?? ttlSeconds;
  const notes = [
    ...(seconds === ttlSeconds ? [] : [`Its time to live changes from ${seconds} seconds to 1 hour`]),
    ...(isAscii(tokens) || !JSON.stringify(read.record).includes('xn--')
      ? []
      : ['Its name is stored in its DNS form (xn--)']),
    ...('hostname' in read.record && looksFull(place, rest.at(-1))
      ? [`Its target was read as ${read.record.hostname}. End it with a dot if it is a full name`]
      : []),
  ];
  return { record: read.record, note: notes.length > 0 ? notes.join('. ') : null };
}

function directive(place: Place, tokens: readonly Token[]): string | null {
  const [name, value] = tokens.map(({ raw }) => raw);
  switch (name?.toUpperCase()) {
    case '$ORIGIN': {
      if (!value) return '$ORIGIN needs a name';
      const origin = fullName(place, tokens[1] as Token);
      if (origin.length > 253) return 'This name is too long';
      place.origin = origin;
      return null;
    }
    case '$TTL': {
      const seconds = value ? secondsOf(value) : null;
      if (seconds === null) return '$TTL needs a time, such as 3600 or 1h';
      place.ttlSeconds = seconds;
      return null;
    }
    case '$INCLUDE':
      return 'Other files cannot be included. Please import them one by one';
    case '$GENERATE':
      return 'Generated records ($GENERATE) are not supported. Please write them out';
    default:
      return `${shown(name ?? '')} is not known`;
  }
}

/** `[ttl] [class] type`, the first two in either order. */
function typeAndTtl(
  rest: Token[],
): { type: string; className: string | null; ttlSeconds: number | null } | string {
  let className: string | null = null;
  let ttl: number | null = null;
  for (let token = rest.shift(); token; token = rest.shift()) {
    const word = token.raw.toUpperCase();
    if (!token.quoted && className === null && classes.has(word)) className = word;
    else if (!token.quoted && ttl === null && secondsOf(token.raw) !== null) ttl = secondsOf(token.raw);
    else return { type: word, className, ttlSeconds: ttl };
  }
  return 'The record type is missing';
}

function fieldsOf(
  place: Place,
  type: string,
  relative: string,
  data: readonly Token[],
): Record<string, unknown> | string {
  const known = recordTypes.find((each) => each === type);
  if (!known) return unkept(type, relative);
  const count = { A: 1, AAAA: 1, CNAME: 1, MX: 2, SRV: 4 }[known as Exclude<RecordType, 'TXT'>];
  if (known === 'TXT') {
    if (data.length === 0) return 'The text is missing';
    const text = tokenText(data);
    return text === null ? 'The text is not UTF-8' : { text };
  }
  if (data.length !== count)
    return `A record of type ${type} takes ${count} ${count === 1 ? 'value' : 'values'}`;
  const [a, b, c, d] = data.map(({ raw }) => raw);
  const target = fullName(place, data.at(-1) as Token) || noTarget;
  if (known === 'CNAME' && target === noTarget) return 'An alias cannot point to the root (a single dot)';
  switch (known) {
    case 'A':
      return { ip_address: a };
    case 'AAAA':
      return { ipv6_address: a };
    case 'CNAME':
      return { hostname: target };
    case 'MX':
      return { priority: a, hostname: target };
    case 'SRV':
      return { priority: a, weight: b, port: c, hostname: d === undefined ? '' : target };
  }
}

/** A target of several labels that ends without a dot is below the domain, and is hardly ever meant to be. */
function looksFull({ origin }: Place, target: Token | undefined): boolean {
  return origin !== '' && target !== undefined && target.raw.includes('.') && !/[.@]$/.test(target.raw);
}

const isAscii = (tokens: readonly Token[]) =>
  tokens.every(({ raw, quoted }) => quoted || !/[^ -~]/.test(raw));

function unkept(type: string, relative: string): string {
  if (type === 'SOA') return 'The registrar keeps the SOA record itself';
  if (type === 'NS') {
    return relative === ''
      ? 'Set the domain’s nameservers on the Info tab'
      : 'A subdomain cannot be delegated here';
  }
  if (/^[A-Z][A-Z0-9-]{0,19}$/.test(type)) return `${type} records are not supported by the registrar`;
  return `${shown(type)} is not a record type`;
}

/** Without the dot at its end; '' is the root. In the form that the DNS has of it. */
function fullName({ origin }: Place, token: Token): string {
  const { raw } = token;
  if (raw === '@') return origin;
  // GoDaddy writes `_sip._tls.@` for a name below the domain.
  const below = raw.endsWith('.@') ? raw.slice(0, -2) : raw;
  const absolute = below.endsWith('.') && !below.endsWith('\\.');
  const name = asciiName(unescaped(absolute ? below.slice(0, -1) : below).toLowerCase());
  if (absolute || origin === '') return name;
  return `${name}.${origin}`;
}

/** `\DDD` and `\X` read. An escaped dot is part of a label, which no name here can have: it stays to be refused. */
function unescaped(raw: string): string {
  if (!raw.includes('\\') || /\\(?:\.|046)/.test(raw)) return raw;
  return tokenText([{ raw, quoted: false }]) ?? raw;
}

function relativeName(domain: string, name: string): string | null {
  if (name === domain) return '';
  return name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : null;
}

/** Null for what is no time, and for times longer than the protocol can say. */
function secondsOf(text: string): number | null {
  if (!ttlPattern.test(text)) return null;
  let seconds = 0;
  for (const [, amount, unit] of text.toLowerCase().matchAll(/(\d+)([smhdw]?)/g)) {
    seconds += Number(amount) * (unitSeconds[unit || 's'] ?? 1);
  }
  return seconds <= longestSeconds ? seconds : null;
}
