import type { Zone } from '#contracts/operations/dns.ts';
import { type DnsRecord, recordData, recordKey, recordTypes } from '#contracts/values/dns-records.ts';
import {
  applyChanges,
  changesBetween,
  flatRecords,
  groupRecords,
  type ZoneChange,
} from '#contracts/values/zone-changes.ts';
import { mailHostsOf, type Purpose, purposeOf, purposes, type Verdict, verdictOf } from './zone-groups.ts';

/** A row of the records table: a record, and what is to become of it when the collected changes are saved. */
export interface RecordRow {
  key: string;
  record: DnsRecord;
  mark: 'new' | 'changed' | 'deleted' | null;
  /** Which of the collected changes. */
  change: number | null;
  /** What a changed record was. */
  before: DnsRecord | null;
}

/** A line of the table: the head of a group with its verdict, or a record. */
export type TableItem =
  | { kind: 'group'; key: string; purpose: Purpose; verdict: Verdict }
  | { kind: 'row'; key: string; row: RecordRow };

/** The rows by purpose. A group's verdict is about all of its records, shown or not. */
export function tableItems(
  domain: string,
  rows: readonly RecordRow[],
  records: readonly DnsRecord[],
): TableItem[] {
  const hosts = mailHostsOf(domain, records);
  const all = Map.groupBy(records, (record) => purposeOf(record, hosts));
  const shown = Map.groupBy(rows, ({ record }) => purposeOf(record, hosts));
  return purposes.flatMap((purpose): TableItem[] => {
    const members = shown.get(purpose);
    if (!members) return [];
    const verdict = verdictOf(domain, purpose, all.get(purpose) ?? members.map(({ record }) => record));
    return [
      { kind: 'group', key: `group ${purpose}`, purpose, verdict },
      ...members.map((row): TableItem => ({ kind: 'row', key: row.key, row })),
    ];
  });
}

/** The zone with the collected changes marked, by name and then by type. */
export function rowsOf(records: readonly DnsRecord[], changes: readonly ZoneChange[]): RecordRow[] {
  const changed = new Map<string, { change: ZoneChange; index: number }>();
  for (const [index, change] of changes.entries()) {
    const named = change.action === 'update' ? change.old : change.record;
    if (change.action !== 'add' && named) changed.set(recordKey(named), { change, index });
  }
  const rows = records.map((record): RecordRow => {
    const key = recordKey(record);
    const found = changed.get(key);
    if (!found) return { key, record, mark: null, change: null, before: null };
    const { change, index } = found;
    if (change.action === 'remove') return { key, record, mark: 'deleted', change: index, before: null };
    return { key, record: change.record, mark: 'changed', change: index, before: record };
  });
  const added = changes.flatMap((change, index): RecordRow[] => {
    if (change.action !== 'add') return [];
    return [
      {
        key: `new ${recordKey(change.record)}`,
        record: change.record,
        mark: 'new',
        change: index,
        before: null,
      },
    ];
  });
  const named = [...rows, ...added].map((row) => [placeOf(row.record), row] as const);
  return named.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row);
}

/** The indexes of rows in ascending order, with that of one more; -1: none. */
export function withIndex(indexes: number[], more: number): number[] {
  if (more < 0 || indexes.includes(more)) return indexes;
  return [...indexes, more].sort((a, b) => a - b);
}

/** By name, type and data. */
const placeOf = (record: DnsRecord) =>
  [record.subdomain, recordTypes.indexOf(record.type), recordData(record)]
    .map((part) => withLongNumbers(`${part}`))
    .join('\0');

/** So that `mx2` comes before `mx10`. `Intl` does so too; its data take a phone 30 ms to load, and thousands of rows longer to compare. */
const withLongNumbers = (text: string) => text.replace(/\d+/g, (digits) => digits.padStart(10, '0'));

/** The keys are made last: thousands of records are compared with thousands. */
const isSame = (a: DnsRecord, b: DnsRecord) =>
  a.type === b.type && a.subdomain === b.subdomain && recordKey(a) === recordKey(b);

/** The collected changes after one more; a second thought about the same record replaces the first. */
export function collected(changes: readonly ZoneChange[], next: ZoneChange): ZoneChange[] {
  if (next.action === 'add') {
    const known = changes.find(({ record }) => isSame(record, next.record));
    if (!known) return [...changes, next];
    // It was to be deleted, and stays; or it comes already.
    return changes.filter((change) => change !== known || known.action !== 'remove');
  }
  const meant = next.action === 'update' ? (next.old ?? next.record) : next.record;
  const key = recordKey(meant);
  const index = changes.findIndex((change) => change.action !== 'remove' && recordKey(change.record) === key);
  const earlier = changes[index];
  if (!earlier) return [...changes, next];
  const rest = changes.filter((_change, at) => at !== index);
  // It came with these changes: another one comes, or none.
  if (earlier.action === 'add') {
    return next.action === 'update' ? [...rest, { action: 'add', record: next.record }] : rest;
  }
  const old = earlier.action === 'update' ? earlier.old : null;
  if (!old) return [...changes, next];
  if (next.action === 'remove') return [...rest, { action: 'remove', record: old }];
  return recordKey(next.record) === recordKey(old) ? rest : [...rest, { ...next, old }];
}

/** The zone with the collected changes made. */
export function pendingZone(domain: string, base: Zone, changes: readonly ZoneChange[]): Zone {
  if (changes.length === 0) return base;
  const { records } = applyChanges(domain, flatRecords(base.records), changes);
  return { ...base, records: groupRecords(records) };
}

/** The name of a change: the same in every list that holds it. */
export function changeKey(change: ZoneChange): string {
  const old = change.action === 'update' && change.old ? recordKey(change.old) : '';
  return [change.action, old, recordKey(change.record)].join('\n');
}

/** Which of the changes are chosen: all but those that somebody left out, by their names. */
export function chosenOf(changes: readonly ZoneChange[], leftOut: ReadonlySet<string>): number[] {
  return changes.flatMap((change, index) => (leftOut.has(changeKey(change)) ? [] : [index]));
}

/** The collected changes that are still to be made, once some were saved. */
export function stillCollected(changes: readonly ZoneChange[], saved: readonly ZoneChange[]): ZoneChange[] {
  const done = new Set(saved.map(changeKey));
  return changes.filter((change) => !done.has(changeKey(change)));
}

/** What takes saved changes back. `after` may hold what others did meanwhile, merged with these changes: it stays. */
export function takenBack(
  saved: readonly ZoneChange[],
  before: readonly DnsRecord[],
  after: readonly DnsRecord[],
): ZoneChange[] {
  const named = saved.flatMap((change) =>
    change.action === 'update' && change.old ? [change.old, change.record] : [change.record],
  );
  const mine = new Set(named.map(recordKey));
  return changesBetween(after, before).filter(({ record }) => mine.has(recordKey(record)));
}

/**
 * My changes once more over a zone that somebody else changed: what is gone is added again, what stands in the
 * place of what I changed is replaced, what is done already is left out.
 */
export function rebased(changes: readonly ZoneChange[], theirs: readonly DnsRecord[]): ZoneChange[] {
  const keys = new Set(theirs.map(recordKey));
  return changes.flatMap((change): ZoneChange[] => {
    const { record } = change;
    if (change.action === 'remove') return keys.has(recordKey(record)) ? [change] : [];
    if (keys.has(recordKey(record))) return [];
    if (change.action === 'add') return [change];
    if (change.old && keys.has(recordKey(change.old))) return [change];
    const alike = theirs.filter(
      ({ type, subdomain }) => type === record.type && subdomain === record.subdomain,
    );
    const [only] = alike;
    return only && alike.length === 1
      ? [{ action: 'update', record, old: only }]
      : [{ action: 'add', record }];
  });
}

/** A conflict: what was chosen, what was sent of it, which an earlier conflict may have changed, and what is chosen now. */
interface InConflict {
  meant: readonly ZoneChange[];
  sent: readonly ZoneChange[];
  wanted: readonly ZoneChange[];
}

/** "Save mine": what is sent next. What was left out or edited since is not, and is not collected as saved either. */
export function mineAfter({ meant, sent, wanted }: InConflict, theirs: readonly DnsRecord[]) {
  return { send: rebased(alikeIn(sent, wanted), theirs), meant: alikeIn(meant, wanted) };
}

/** "Take theirs": the changes that the conflict is about are given up, the others stay chosen. */
export function theirsAfter({ meant, sent, wanted }: InConflict, touched: readonly { index: number }[]) {
  const named = touched.flatMap(({ index }) => sent[index] ?? []);
  const dropped = alikeIn(meant, named);
  return { dropped, kept: stillCollected(alikeIn(meant, wanted), dropped) };
}

/** Of the changes, those that others are too, but for the record that each replaces: a conflict names another one, or none. */
function alikeIn(changes: readonly ZoneChange[], others: readonly ZoneChange[]): ZoneChange[] {
  const aims = new Set(others.map(aimOf));
  return changes.filter((change) => aims.has(aimOf(change)));
}

const aimOf = ({ action, record }: ZoneChange) =>
  `${action === 'remove' ? 'gone' : 'there'} ${recordKey(record)}`;
