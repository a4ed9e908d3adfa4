import { type DnsRecord, hostOf, noTarget, type RecordType, recordKey, recordTypes } from './dns-records.ts';

/** Changing a zone: what an edit does to the records there are, and what may not stand side by side. */

export type ZoneChange =
  | { action: 'add'; record: DnsRecord }
  /** `old` names the record that is meant, when there are several of its type and name. */
  | { action: 'update'; record: DnsRecord; old: DnsRecord | null }
  | { action: 'remove'; record: DnsRecord };

export interface ChangeProblem {
  /** Which of the changes. */
  index: number;
  /** `missing`: the record is not there (any more). */
  kind: 'missing' | 'ambiguous' | 'duplicate' | 'clash' | 'name';
  message: string;
}

export interface ChangedZone {
  records: DnsRecord[];
  problems: ChangeProblem[];
  /** Which additions are there already: a request that is repeated changes nothing, and is no error. */
  present: number[];
  /** Which removals are of records that are gone already: the same holds for them. */
  absent: number[];
}

/** The zone after the changes. Records that no change names stay as they are, in their order. */
export function applyChanges(
  domain: string,
  present: readonly DnsRecord[],
  changes: readonly ZoneChange[],
): ChangedZone {
  const work = changing(domain, present, changes);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** The same, yielding at each change and each record: thousands of them are looked at in slices. */
export function* changing(
  domain: string,
  present: readonly DnsRecord[],
  changes: readonly ZoneChange[],
): Generator<void, ChangedZone> {
  const [byKey, byName] = [new Standing(), new Standing()];
  const entries: Entry[] = [];
  const put = (record: DnsRecord, by: number, place = entries.length) => {
    const entry = { record, key: recordKey(record), by, place, gone: false };
    byKey.of(entry.key).add(entry);
    byName.of(nameOf(record)).add(entry);
    entries[place] = entry;
  };
  for (const record of present) {
    yield;
    put(record, -1);
  }
  const problems: ChangeProblem[] = [];
  const alreadyThere: number[] = [];
  const absent: number[] = [];
  for (const [index, change] of changes.entries()) {
    yield;
    if (change.action === 'add') {
      if (byKey.of(recordKey(change.record)).size > 0) alreadyThere.push(index);
      else put(change.record, index);
      continue;
    }
    const meant = change.action === 'remove' ? change.record : change.old;
    const found = meant ? byKey.of(recordKey(meant)) : byName.of(nameOf(change.record));
    const [entry] = found;
    if (!entry) {
      if (change.action === 'remove') {
        absent.push(index);
        continue;
      }
      problems.push({ index, kind: 'missing', message: 'This record no longer exists.' });
    } else if (!meant && found.size > 1) {
      const message = 'Several records match. Please say which one you mean.';
      problems.push({ index, kind: 'ambiguous', message });
    } else {
      entry.gone = true;
      byKey.of(entry.key).delete(entry);
      byName.of(nameOf(entry.record)).delete(entry);
      if (change.action === 'update') put(change.record, index, entry.place);
    }
  }
  const standing = entries.filter(({ gone }) => !gone);
  problems.push(...(yield* clashes(domain, standing)));
  return { records: standing.map(({ record }) => record), problems, present: alreadyThere, absent };
}

interface Entry {
  record: DnsRecord;
  key: string;
  /** Which change put it there; -1: none. */
  by: number;
  /** Where it stands among the others. */
  place: number;
  gone: boolean;
}

/** Entries that are not gone, by a name: each is found and taken away at once, however many there are. */
class Standing {
  readonly #groups = new Map<string, Set<Entry>>();
  of(name: string): Set<Entry> {
    const group = this.#groups.get(name) ?? new Set<Entry>();
    this.#groups.set(name, group);
    return group;
  }
}

const nameOf = ({ type, subdomain }: DnsRecord) => `${type} ${subdomain}`;

/** The names that are there more than once. */
function severalOf(names: readonly string[]): ReadonlySet<string> {
  const [once, several] = [new Set<string>(), new Set<string>()];
  for (const name of names) (once.has(name) ? several : once).add(name);
  return several;
}

/** Of the records that were put there: those that may not stand beside the others. */
function* clashes(domain: string, entries: readonly Entry[]): Generator<void, ChangeProblem[]> {
  const repeated = severalOf(entries.map(({ key }) => key));
  const shared = severalOf(entries.map(({ record }) => hostOf(record, domain)));
  const targets = new Map<string, DnsRecord>();
  const aliases = new Set<string>();
  const mail = new Map<string, { servers: number; none: boolean }>();
  for (const { record } of entries) {
    yield;
    const host = hostOf(record, domain);
    if (record.type === 'MX' || record.type === 'SRV') targets.set(record.hostname, record);
    if (record.type === 'CNAME') aliases.add(host);
    if (record.type !== 'MX') continue;
    const { servers, none } = mail.get(host) ?? { servers: 0, none: false };
    mail.set(host, { servers: servers + 1, none: none || record.hostname === noTarget });
  }
  const problems: ChangeProblem[] = [];
  for (const entry of entries) {
    yield;
    if (entry.by < 0) continue;
    const problem = problemOf(domain, entry, { repeated, shared, targets, aliases, mail });
    if (problem) problems.push({ index: entry.by, ...problem });
  }
  return problems;
}

/** The zone by what is asked of it, so that thousands of changes are looked at in one go. */
interface Surroundings {
  /** Keys of records that are there more than once. */
  repeated: ReadonlySet<string>;
  /** Names of more than one record. */
  shared: ReadonlySet<string>;
  /** What mail and services are sent to. */
  targets: ReadonlyMap<string, DnsRecord>;
  aliases: ReadonlySet<string>;
  mail: ReadonlyMap<string, { servers: number; none: boolean }>;
}

function problemOf(
  domain: string,
  { record, key }: Entry,
  { repeated, shared, targets, aliases, mail }: Surroundings,
): Omit<ChangeProblem, 'index'> | null {
  const host = hostOf(record, domain);
  if (record.subdomain === domain || record.subdomain.endsWith(`.${domain}`)) {
    return { kind: 'name', message: `Please leave out ${domain}. It is added automatically.` };
  }
  if (host.length > 253) return { kind: 'name', message: 'This name is too long.' };
  if (repeated.has(key)) return { kind: 'duplicate', message: 'This record already exists.' };
  if (shared.has(host) && aliases.has(host)) {
    return {
      kind: 'clash',
      message: `An alias (CNAME) must be the only record of its name. ${host} has other records.`,
    };
  }
  if (record.type === 'CNAME') {
    const pointing = targets.get(host);
    if (!pointing) return null;
    const from = hostOf(pointing, domain);
    return {
      kind: 'clash',
      message: `The ${pointing.type} record of ${from} points to ${host}, which therefore cannot be an alias (CNAME).`,
    };
  }
  if (record.type !== 'MX' && record.type !== 'SRV') return null;
  const mx = record.type === 'MX' ? mail.get(host) : undefined;
  if (mx?.none && mx.servers > 1) {
    const message = `The MX record "0 ." says that ${host} accepts no mail. It must be the only MX record.`;
    return { kind: 'clash', message };
  }
  if (!aliases.has(record.hostname)) return null;
  return {
    kind: 'clash',
    message: `${record.hostname} is an alias (CNAME); ${record.type} needs a name with an address.`,
  };
}

/** The changes that lead from one set of records to another: the preview of a restore or an import. */
export function changesBetween(from: readonly DnsRecord[], to: readonly DnsRecord[]): ZoneChange[] {
  const [before, after] = [from.map(recordKey), to.map(recordKey)];
  const isGone = isSurplus(before, after);
  const isNew = isSurplus(after, before);
  return [
    ...from.filter((_, at) => isGone[at]).map((record) => ({ action: 'remove' as const, record })),
    ...to.filter((_, at) => isNew[at]).map((record) => ({ action: 'add' as const, record })),
  ];
}

/** Of each key, whether it is there once more than among the others. */
function isSurplus(keys: readonly string[], others: readonly string[]): boolean[] {
  const left = new Map<string, number>();
  for (const key of others) left.set(key, (left.get(key) ?? 0) + 1);
  return keys.map((key) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

/** Which of the changes are about records of a name and type that differ between two states of the zone. */
export function touchedChanges(
  base: readonly DnsRecord[],
  present: readonly DnsRecord[],
  changes: readonly ZoneChange[],
): number[] {
  const [before, now] = [setsOf(base), setsOf(present)];
  return changes.flatMap(({ record }, index) =>
    before.get(nameOf(record)) === now.get(nameOf(record)) ? [] : [index],
  );
}

function setsOf(records: readonly DnsRecord[]): Map<string, string> {
  const sets = Map.groupBy(records, nameOf);
  return new Map([...sets].map(([name, all]) => [name, all.map(recordKey).sort().join('\n')]));
}

/** Records by type, as the zone call answers (P2 §3). */
export type RecordsByType = { [T in RecordType]: Omit<Extract<DnsRecord, { type: T }>, 'type'>[] };

export function groupRecords(records: readonly DnsRecord[]): RecordsByType {
  const grouped: Record<RecordType, object[]> = { A: [], AAAA: [], CNAME: [], MX: [], TXT: [], SRV: [] };
  for (const { type, ...fields } of records) grouped[type].push(fields);
  return grouped as RecordsByType;
}

export function flatRecords(grouped: RecordsByType): DnsRecord[] {
  return recordTypes.flatMap((type) => grouped[type].map((fields) => ({ type, ...fields }) as DnsRecord));
}
