import { type DnsRecord, recordKey } from './dns-records.ts';
import { changesBetween, type ZoneChange } from './zone-changes.ts';

/** One record that a version changed. `old`: what it was before an update. */
export interface RecordDifference {
  action: ZoneChange['action'];
  record: DnsRecord;
  old: DnsRecord | null;
}

export interface DifferenceSummary {
  added: number;
  changed: number;
  removed: number;
  /** For lists: the first of them. */
  first: RecordDifference[];
}

/** The list of versions shows up to this many records of a version. */
export const summaryRecords = 20;

const nameOf = ({ type, subdomain }: DnsRecord) => `${type} ${subdomain}`;

/** What became of the records: one that went and one that came with the same type and name are one that changed. */
export function differenceOf(from: readonly DnsRecord[], to: readonly DnsRecord[]): RecordDifference[] {
  const changes = changesBetween(from, to);
  const gone = Map.groupBy(
    changes.filter(({ action }) => action === 'remove').map(({ record }) => record),
    nameOf,
  );
  const came = changes
    .filter(({ action }) => action === 'add')
    .map(({ record }): RecordDifference => {
      const old = gone.get(nameOf(record))?.shift() ?? null;
      return { action: old ? 'update' : 'add', record, old };
    });
  const left = [...gone.values()].flat();
  return [...left.map((record): RecordDifference => ({ action: 'remove', record, old: null })), ...came];
}

export function summaryOf(differences: readonly RecordDifference[]): DifferenceSummary {
  const count = (action: RecordDifference['action']) =>
    differences.filter((difference) => difference.action === action).length;
  return {
    added: count('add'),
    changed: count('update'),
    removed: count('remove'),
    first: differences.slice(0, summaryRecords),
  };
}

/** "Put back": the change that takes one difference back, as far as the zone allows it. null: it is taken back already. */
export function putBack(
  { action, record, old }: RecordDifference,
  present: readonly DnsRecord[],
): ZoneChange | null {
  const there = (wanted: DnsRecord) => present.some((other) => recordKey(other) === recordKey(wanted));
  if (action === 'add') return there(record) ? { action: 'remove', record } : null;
  const before = old ?? record;
  if (there(before)) return action === 'update' && there(record) ? { action: 'remove', record } : null;
  return there(record)
    ? { action: 'update', record: before, old: record }
    : { action: 'add', record: before };
}
