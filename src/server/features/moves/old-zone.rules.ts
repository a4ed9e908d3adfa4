import type { MoveDns } from '#contracts/operations/moves.ts';
import { type DnsRecord, hostOf, readRecord, recordData, recordKey } from '#contracts/values/dns-records.ts';
import { utcDayText } from '#contracts/values/format.ts';
import type { Difference, Line, LineZone } from './line.ts';

/** A zone that was read, and what servers say of it later: pure. */

/** What servers say to a question whose answer was known. */
export interface Answer {
  name: string;
  type: string;
  before: string[];
  /** null: nobody answered. */
  now: string[] | null;
}

const textOf = (data: readonly string[]) => [...new Set(data)].sort().join('\n');
const isSame = (one: readonly string[], other: readonly string[]) => textOf(one) === textOf(other);

/** What is said otherwise than before. No answer is a difference: others who ask get none either. */
export const differencesOf = (answers: readonly Answer[]): Difference[] =>
  answers
    .map(({ now, ...answer }) => ({ ...answer, now: now ?? [] }))
    .filter(({ before, now }) => !isSame(before, now));

/**
 * What the old servers say otherwise than before. Silence proves nothing: null where they have nothing of the zone any more, as
 * after the old registrar ended it.
 */
export function changesOf(answers: readonly Answer[]): Difference[] | null {
  const said = answers.filter(({ now }) => now !== null);
  return answers.some(({ now }) => now?.length) ? differencesOf(said) : null;
}

export interface OldZone {
  /** What changed there, is not so here, and no person knows of. */
  open: Difference[];
  /** What is to be answered after the nameservers have changed. */
  zone: LineZone;
  /** Its old servers have said that all of it is as it is here. */
  isSure: boolean;
}

/**
 * Whether the zone of a line is still what its old servers serve. `changes`: what is known to have changed there. `served`: the
 * records that are served here, as far as they matter for that.
 */
export function oldZoneOf(
  { address, accepted }: Pick<Line, 'address' | 'accepted'>,
  zone: LineZone,
  seen: { answers: readonly Answer[]; changes: readonly Difference[]; served: readonly DnsRecord[] },
): OldZone {
  const { answers, changes, served } = seen;
  const hereAt = ({ name, type }: Difference) =>
    served.filter((record) => hostOf(record, address) === name && [type, 'CNAME'].includes(record.type));
  const taken = changes.filter((change) => isSame(hereAt(change).map(recordData), change.now));
  const left = changes.filter((change) => !taken.includes(change));
  const isAnswered = answers.every(({ now }) => now !== null);
  return {
    open: left.filter((change) => !accepted?.some((other) => isSameChange(change, other))),
    zone: withSets(address, zone, taken, taken.flatMap(hereAt)),
    isSure: isAnswered && changesOf(answers) !== null && left.length === 0,
  };
}

const isSameChange = (one: Difference, other: Difference) =>
  one.name === other.name && one.type === other.type && isSame(one.now, other.now);

/** The zone with these records in place of the sets that changed. */
function withSets(
  domain: string,
  zone: LineZone,
  changed: readonly Difference[],
  records: readonly DnsRecord[],
): LineZone {
  const isChanged = (name: string, type: string) =>
    changed.some((change) => change.name === name && change.type === type);
  const kept = zone.records.filter((record) => !isChanged(hostOf(record, domain), record.type));
  const all = new Map([...kept, ...records].map((record) => [recordKey(record), record]));
  return {
    ...{ how: zone.how, records: [...all.values()] },
    leftOut: zone.leftOut.filter(({ name, type }) => !isChanged(name, type)),
  };
}

/** As they would be read from DNS: registrars write some otherwise. */
export const asRead = (records: readonly DnsRecord[]): DnsRecord[] =>
  records.map((record) => {
    const read = readRecord({ ...record });
    return read.ok ? read.record : record;
  });

const mostNamed = 4;

/** Why a domain does not lead here yet. */
export function changedText(changes: readonly Difference[], checkedAt: Date | null): string {
  const named = changes.slice(0, mostNamed).map(({ name, type }) => `${name} (${type})`);
  const more = changes.length > mostNamed ? ` and ${changes.length - mostNamed} more` : '';
  const since = checkedAt ? `since ${utcDayText(checkedAt)}` : 'since its records were read';
  return `Its old DNS has changed ${since}: ${named.join(', ')}${more}. Correct its records here and check again, or serve its records here as they are.`;
}

/** Whether a line waits for a person because its old DNS has changed. */
export const isHeldByChanges = ({
  held,
  differences,
  checkedAt,
}: Pick<Line, 'held' | 'differences' | 'checkedAt'>): boolean =>
  differences !== null && held === changedText(differences, checkedAt);

/** Since when its old DNS says that: another look that finds the same is no news. */
export function foundAt(
  { differences: known, comparedAt }: Pick<Line, 'differences' | 'comparedAt'>,
  open: readonly Difference[],
  now: Date,
): Date {
  if (!known || !comparedAt || known.length !== open.length) return now;
  return open.every((change) => known.some((other) => isSameChange(change, other))) ? comparedAt : now;
}

/** The changes that a person has taken upon themselves by now: of lines that are held by some, and not by something else. */
export const acceptedOf = (
  lines: readonly Pick<Line, 'id' | 'held' | 'differences' | 'accepted' | 'checkedAt'>[],
  dns: MoveDns | undefined,
): { id: string; differences: Difference[] }[] =>
  dns === 'bring'
    ? lines.filter(isHeldByChanges).map(({ id, accepted, differences }) => ({
        ...{ id, differences: [accepted, differences].flatMap((changes) => changes ?? []) },
      }))
    : [];

/** Whether a line is held by other changes than a person was shown. `shown`: when those were found; undefined: they do not say. */
export const isOtherThanShown = (
  line: Pick<Line, 'held' | 'differences' | 'checkedAt' | 'comparedAt'>,
  shown: string | null | undefined,
): boolean =>
  shown !== undefined && isHeldByChanges(line) && (line.comparedAt?.toISOString() ?? null) !== shown;
