import { type DnsRecord, hostOf } from '#contracts/values/dns-records.ts';
import { type ChangeProblem, touchedChanges, type ZoneChange } from '#contracts/values/zone-changes.ts';

/** The zone that somebody had before their eyes, and what stands against their changes to that one already. */
export interface SeenZone {
  records: readonly DnsRecord[];
  problems: readonly ChangeProblem[];
}

export type MergeVerdict =
  | { kind: 'merge' }
  /** The changes are wrong by themselves. */
  | { kind: 'invalid'; problems: readonly ChangeProblem[] }
  /** Somebody else has changed the zone. `touched`: the changes that are about records which they changed. */
  | { kind: 'zone changed'; touched: number[] };

/**
 * Whether changes may be made to the zone as it is. `seen` is the zone that they were made on; null when nobody knows it
 * any more: then each of them may be about something that was changed. `problems`: what stands against them now.
 */
export function mergeVerdict(given: {
  seen: 'as it is' | SeenZone | null;
  now: readonly DnsRecord[];
  changes: readonly ZoneChange[];
  problems: readonly ChangeProblem[];
}): MergeVerdict {
  const { seen, now, changes, problems } = given;
  if (seen === 'as it is') return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'merge' };
  if (seen && seen.problems.length > 0) return { kind: 'invalid', problems: seen.problems };
  const touched = seen ? touchedChanges(seen.records, now, changes) : [...changes.keys()];
  return touched.length === 0 && problems.length === 0
    ? { kind: 'merge' }
    : { kind: 'zone changed', touched };
}

/** Why each change that is in the way of somebody else's cannot be made, in the order of the changes. */
export function conflictMessages(
  domain: string,
  changes: readonly ZoneChange[],
  touched: readonly number[],
  problems: readonly ChangeProblem[],
): { index: number; message: string }[] {
  const messages = new Map<number, string>();
  for (const index of touched) {
    const record = changes[index]?.record;
    if (record) messages.set(index, `The ${record.type} records of ${hostOf(record, domain)} were changed.`);
  }
  for (const { index, message } of problems) messages.set(index, message);
  return [...messages].sort(([a], [b]) => a - b).map(([index, message]) => ({ index, message }));
}
