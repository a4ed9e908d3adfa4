import { useState } from 'react';
import type { Zone } from '#contracts/operations/dns.ts';
import { type DnsRecord, recordKey } from '#contracts/values/dns-records.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';
import { recordsIn, useChangeZone, useZone, type ZoneEdit } from './api.ts';
import { collected, type RecordRow, rowsOf, stillCollected, takenBack } from './record-rows.ts';

interface Draft {
  /** The zone that the changes are about. */
  base: Zone;
  changes: readonly ZoneChange[];
}

/** The records of a domain with what is being done to them: edits saved one by one, or collected into one change. */
export function useZoneEditor(domain: string) {
  const zone = useZone(domain);
  const [collecting, setCollecting] = useState(false);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [last, setLast] = useState<ZoneEdit | null>(null);
  const undo = useChangeZone(domain);
  const base = draft?.base ?? zone.data;
  const changes = draft?.changes ?? [];

  const collect = (...more: readonly ZoneChange[]) => {
    if (!base) return;
    const next = more.reduce<readonly ZoneChange[]>(collected, changes);
    setDraft(next.length === 0 ? null : { base, changes: next });
  };
  /** `meant`: the changes as they were chosen, where a conflict made others of them. They are collected no more. */
  const saved = (before: Zone, after: Zone, sent: readonly ZoneChange[], meant = sent) => {
    undo.reset();
    setDraft((now) => {
      const rest = stillCollected(now?.changes ?? [], meant);
      return rest.length === 0 ? null : { base: after, changes: rest };
    });
    const back = takenBack(sent, recordsIn(before), recordsIn(after));
    setLast(back.length === 0 ? null : { base: after, changes: back, reason: 'Undone' });
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
    /** What takes the last saved change back, while the zone is still what that made of it. */
    last: last && zone.data?.version === last.base.version ? last : null,
    undoLast: (onUndone: (changes: readonly ZoneChange[]) => void) => {
      if (!last) return;
      const onSuccess = () => {
        setLast(null);
        onUndone(last.changes);
      };
      undo.mutate(last, { onSuccess });
    },
  };
}

export type ZoneEditor = ReturnType<typeof useZoneEditor>;

/** Whether a record is still in the zone. */
export function holds(zone: Zone, record: DnsRecord): boolean {
  const key = recordKey(record);
  return recordsIn(zone).some((other) => recordKey(other) === key);
}
