import { domainMark, removesMuch, type ZoneRequest } from '#contracts/values/changes.ts';
import {
  type DnsRecord,
  fieldOrder,
  readRecord,
  recordData,
  recordKey,
  shortIpv6,
  sortedRecords,
} from '#contracts/values/dns-records.ts';
import { rolledOut } from '#contracts/values/dns-templates.ts';
import { dmarcStrictness, isDmarc, isSpf } from '#contracts/values/mail-records.ts';
import { applyChanges, changesBetween, type ZoneChange } from '#contracts/values/zone-changes.ts';
import { differenceOf, summaryOf } from '#contracts/values/zone-difference.ts';
import { changeWarnings } from '#contracts/values/zone-warnings.ts';

/** What a change of many zones does to one of them. Records of a type and name are one set: what is not touched stays. */

export interface ZonePlan {
  /** The sets of records that become different, as they are and as they are to be. */
  before: DnsRecord[];
  after: DnsRecord[];
  /** Records that stay as they are. */
  others: number;
  removed: number;
  /** So much goes that a person has to say that it is meant. */
  needsTick: boolean;
  warnings: string[];
}

export type ZoneVerdict =
  | { kind: 'change'; plan: ZonePlan }
  /** There is nothing to change. */
  | { kind: 'same'; note: string }
  /** It cannot be made beside what is there. */
  | { kind: 'barred'; note: string };

/** What was done to a zone, of which the undoing is asked. */
export interface Done {
  before: readonly DnsRecord[];
  after: readonly DnsRecord[];
}

/** A template for one domain: its records there, and those that are there of it from before. */
export interface TemplateWish {
  kind: 'template';
  wanted: readonly DnsRecord[];
  owned: readonly DnsRecord[];
}

/** What the request makes of a zone. */
export function planZone(
  request: ZoneRequest | TemplateWish | { kind: 'undo'; done: Done },
  domain: string,
  records: readonly DnsRecord[],
): ZoneVerdict {
  const wanted =
    request.kind === 'undo' ? undone(records, request.done) : wantedRecords(request, domain, records);
  if ('problem' in wanted) return { kind: 'barred', note: wanted.problem };
  const steps = changesBetween(records, wanted.records);
  if (steps.length === 0) return { kind: 'same', note: wanted.note };
  const result = applyChanges(domain, records, steps);
  const [problem] = result.problems;
  if (problem) return { kind: 'barred', note: problem.message };
  const { before, after } = touchedSets(records, wanted.records, steps);
  const { removed } = summaryOf(differenceOf(before, after));
  const warned = changeWarnings(domain, steps, result).map(({ message }) => message);
  return {
    kind: 'change',
    plan: {
      ...{ before, after, others: records.length - before.length, removed },
      // What an undo takes away is what the change itself has added (docs/decisions/0346).
      needsTick: request.kind !== 'undo' && removesMuch(removed, records.length),
      warnings: [...new Set([...(wanted.note ? [wanted.note] : []), ...warned])],
    },
  };
}

/** The changes that lead from one to the other: made twice, they change nothing the second time. */
export function stepsOf({ before, after }: Done): ZoneChange[] {
  return changesBetween(before, after);
}

/** Whether two plans lead to the same. */
export function isSamePlan(one: Done, other: Done): boolean {
  const text = ({ before, after }: Done) => [textOf(before), textOf(after)].join('\n\n');
  return text(one) === text(other);
}

const textOf = (records: readonly DnsRecord[]) => records.map(recordKey).sort().join('\n');
const nameOf = ({ type, subdomain }: Pick<DnsRecord, 'type' | 'subdomain'>) => `${type} ${subdomain}`;

function touchedSets(
  from: readonly DnsRecord[],
  to: readonly DnsRecord[],
  steps: readonly ZoneChange[],
): Done & {
  before: DnsRecord[];
  after: DnsRecord[];
} {
  const names = new Set(steps.map(({ record }) => nameOf(record)));
  const ofThem = (records: readonly DnsRecord[]) =>
    sortedRecords(records.filter((record) => names.has(nameOf(record))));
  return { before: ofThem(from), after: ofThem(to) };
}

type Wanted = { records: DnsRecord[]; note: string } | { problem: string };
const all = (records: DnsRecord[]): Wanted => ({ records, note: '' });

function wantedRecords(
  request: ZoneRequest | TemplateWish,
  domain: string,
  records: readonly DnsRecord[],
): Wanted {
  switch (request.kind) {
    case 'replace-value':
      return replaced(request, records);
    case 'add-record': {
      const record = filled(request.record, domain);
      const key = recordKey(record);
      return all(records.some((other) => recordKey(other) === key) ? [...records] : [...records, record]);
    }
    case 'change-record': {
      const { value } = request;
      const record = filled(request.record, domain);
      const isMeant = (other: DnsRecord) => nameOf(other) === nameOf(record) && hasValue(other, value);
      return all(records.some(isMeant) ? setIn(records, isMeant, record) : [...records]);
    }
    case 'remove-record':
      return all(
        records.filter((record) => nameOf(record) !== nameOf(request) || !hasValue(record, request.value)),
      );
    case 'set-spf':
      return all(policySet(records, { ...request, subdomain: '', isOne: isSpf }, domain));
    case 'set-dmarc':
      return all(policySet(records, { ...request, subdomain: '_dmarc', isOne: isDmarc }, domain));
    case 'remove-aliases': {
      const hosts = new Set(request.hosts.map(plain));
      const isMeant = (record: DnsRecord) =>
        record.type === 'CNAME' && !isService(record.subdomain) && hosts.has(plain(record.hostname));
      return all(records.filter((record) => !isMeant(record)));
    }
    case 'keep-dmarc':
      return all(oneDmarc(records));
    case 'template': {
      const { wanted, owned } = request;
      return all(applyChanges(domain, records, rolledOut(records, owned, wanted)).records);
    }
    case 'delete-host': {
      const { subdomain, below } = request;
      const isIn = (name: string) => name === subdomain || (below && name.endsWith(`.${subdomain}`));
      return all(records.filter((record) => !isIn(record.subdomain)));
    }
  }
}

/** The records that are meant go; one takes the place of the first of them, or comes at the end. */
function setIn(
  records: readonly DnsRecord[],
  isMeant: (record: DnsRecord) => boolean,
  record: DnsRecord,
): DnsRecord[] {
  return [...records.filter((other) => !isMeant(other) && recordKey(other) !== recordKey(record)), record];
}

function policySet(
  records: readonly DnsRecord[],
  wish: {
    text: string;
    where: 'missing' | 'everywhere';
    subdomain: string;
    isOne: (text: string) => boolean;
  },
  domain: string,
): DnsRecord[] {
  const isOne = (record: DnsRecord) =>
    record.type === 'TXT' && record.subdomain === wish.subdomain && wish.isOne(record.text);
  if (wish.where === 'missing' && records.some(isOne)) return [...records];
  return setIn(records, isOne, filled({ type: 'TXT', subdomain: wish.subdomain, text: wish.text }, domain));
}

/** Names such as `s1._domainkey` are of services, and what they lead to need not have an address. */
const isService = (subdomain: string) => /(^|\.)_/.test(subdomain);

type TextRecord = Extract<DnsRecord, { type: 'TXT' }>;

/** The mildest policy stays: receivers ignore several, so that a strict one would be new. */
function oneDmarc(records: readonly DnsRecord[]): DnsRecord[] {
  const isOne = (record: DnsRecord): record is TextRecord =>
    record.type === 'TXT' && record.subdomain === '_dmarc' && isDmarc(record.text);
  const strictness = ({ text }: TextRecord) => dmarcStrictness(text) ?? Number.POSITIVE_INFINITY;
  const policies = records.filter(isOne);
  const mildest = Math.min(...policies.map(strictness));
  const kept = policies.find((policy) => strictness(policy) === mildest);
  return records.filter((record) => !isOne(record) || record === kept);
}

function filled(record: DnsRecord, domain: string): DnsRecord {
  return record.type === 'TXT' ? { ...record, text: record.text.replaceAll(domainMark, domain) } : record;
}

const plain = (text: string) => text.trim().toLowerCase().replace(/\.$/, '');

/** Null: whatever it says. */
function hasValue(record: DnsRecord, value: string | null): boolean {
  if (value === null) return true;
  if (record.type === 'TXT') return record.text === value;
  if (record.type === 'AAAA') return shortIpv6(record.ipv6_address) === shortIpv6(value.trim());
  return plain(recordData(record)) === plain(value);
}

type Replacing = Extract<ZoneRequest, { kind: 'replace-value' }>;

/** Values that equal what is looked for, or have it as whole words. */
function replaced(request: Replacing, records: readonly DnsRecord[]): Wanted {
  const there = new Set(records.map(recordKey));
  const result: DnsRecord[] = [];
  for (const record of records) {
    const changed = replacedFields(record, request);
    const read = changed ? readRecord(changed) : ({ ok: true, record } as const);
    if (!read.ok) {
      const [problem] = read.problems;
      return { problem: `${record.type} ${recordData(record)}: ${problem?.message ?? ''}` };
    }
    const key = recordKey(read.record);
    // Two that became the same are one.
    if (changed && there.has(key)) continue;
    there.add(key);
    result.push(read.record);
  }
  return all(result);
}

/** Null: it has nothing of it. */
function replacedFields(
  record: DnsRecord,
  { find, replacement, part }: Replacing,
): Record<string, unknown> | null {
  const changed: Record<string, unknown> = { ...record };
  let isChanged = false;
  for (const field of fieldOrder[record.type]) {
    const value = changed[field];
    if (typeof value !== 'string') continue;
    const whole = isSame(record, value, find) ? replacement : value;
    const next = part ? replacedWords(value, find, replacement) : whole;
    isChanged ||= next !== value;
    changed[field] = next;
  }
  return isChanged ? changed : null;
}

function isSame(record: DnsRecord, value: string, find: string): boolean {
  if (record.type === 'TXT') return value === find;
  if (record.type === 'AAAA') return shortIpv6(value) === shortIpv6(find.trim());
  return plain(value) === plain(find);
}

const ofWord = /[a-z0-9-]/i;
/** A name goes on behind a dot, and so does an address. */
const goesOn = /^\.?[a-z0-9-]/i;

/** Each place where the words stand by themselves; `oldfilter.example` does not have `filter.example`. */
function replacedWords(text: string, find: string, replacement: string): string {
  const [low, wanted] = [text.toLowerCase(), find.toLowerCase()];
  let result = '';
  let from = 0;
  for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if (at < from || !standsAlone(text, at, end)) continue;
    result += text.slice(from, at) + replacement;
    from = end;
  }
  return result + text.slice(from);
}

function standsAlone(text: string, at: number, end: number): boolean {
  const [before, first] = [text.charAt(at - 1), text.charAt(at)];
  if (ofWord.test(first) && ofWord.test(before)) return false;
  return !(ofWord.test(text.charAt(end - 1)) && goesOn.test(text.slice(end)));
}

/** Sets that are still as they were left become what they were before; others stay. */
function undone(records: readonly DnsRecord[], { before, after }: Done): Wanted {
  const setsOf = (some: readonly DnsRecord[]) => Map.groupBy(some, nameOf);
  const [now, was, left] = [setsOf(records), setsOf(before), setsOf(after)];
  const names = new Set([...was.keys(), ...left.keys()]);
  const standing = [...names].filter((name) => textOf(now.get(name) ?? []) === textOf(left.get(name) ?? []));
  const back = new Set(standing);
  const later = names.size - back.size;
  const note =
    later === 0
      ? ''
      : later === names.size
        ? 'Its records were changed later and stay as they are.'
        : 'Some of its records were changed later and stay as they are.';
  return {
    records: [
      ...records.filter((record) => !back.has(nameOf(record))),
      ...standing.flatMap((name) => was.get(name) ?? []),
    ],
    note,
  };
}
