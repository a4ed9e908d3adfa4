import { useState } from 'react';
import type { Zone } from '#contracts/operations/dns.ts';
import { type DnsRecord, recordKey } from '#contracts/values/dns-records.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';
import { inverseOf, recordsIn, useChangeZone, useZone } from './api.ts';
import { collected, type RecordRow, rowsOf } from './record-rows.ts';

interface Draft {
  /** The zone on which the collecting began. */
  base: Zone;
  changes: readonly ZoneChange[];
}

/** The records of a domain with what is being done to them: edits saved one by one, or collected into one change. */
export function useZoneEditor(domain: string) {
  const zone = useZone(domain);
  const [collecting, setCollecting] = useState(false);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [last, setLast] = useState<{ before: Zone; after: Zone } | null>(null);
  const undo = useChangeZone(domain);
  const base = draft?.base ?? zone.data;
  const changes = draft?.changes ?? [];

  const collect = (...more: readonly ZoneChange[]) => {
    if (!base) return;
    const next = more.reduce<readonly ZoneChange[]>(collected, changes);
    setDraft(next.length === 0 ? null : { base, changes: next });
  };
  const saved = (before: Zone, after: Zone) => {
    undo.reset();
    setDraft(null);
    setLast(before.version === after.version ? null : { before, after });
  };
  return {
    ...{ zone, base, changes, collecting, setCollecting, collect, saved, undo },
    rows: base ? rowsOf(recordsIn(base), changes) : [],
    discard: () => setDraft(null),
    takeBack: (row: RecordRow) => {
      if (!draft || row.change === null) return;
      const rest = draft.changes.filter((_change, index) => index !== row.change);
      setDraft(rest.length === 0 ? null : { ...draft, changes: rest });
    },
    /** The last saved change, while it is still what the zone is. */
    last: last && zone.data?.version === last.after.version ? last : null,
    undoLast: () => {
      if (last) undo.mutate(inverseOf(last.before, last.after), { onSuccess: () => setLast(null) });
    },
  };
}

export type ZoneEditor = ReturnType<typeof useZoneEditor>;

/** Whether a record is still in the zone. */
export function holds(zone: Zone, record: DnsRecord): boolean {
  const key = recordKey(record);
  return recordsIn(zone).some((other) => recordKey(other) === key);
}
