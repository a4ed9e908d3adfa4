import { type Db, inReading, systemTransaction } from '#kernel/db/database.ts';
import type { Leases } from '#kernel/leases.ts';
import { placeOfVersion } from './places.repo.ts';
import { acknowledgedSince, newestVersion, versionOf, type ZonePlace } from './versions.repo.ts';
import { readSettledZone } from './zone-reading.ts';
import { reapplied } from './zone-repair.rules.ts';
import { type WritingDeps, writeZone } from './zone-writing.ts';

export interface ZoneRepairDeps extends WritingDeps {
  systemDb: Db;
  leases: Leases;
}

const reason = 'Applied again: a delayed change had replaced the zone';

/**
 * After a write whose process lost the lease while the registrar was asked (design: fences): it may have struck after
 * others were told that theirs is in force. Versions hold what these changed, so they are applied again on top.
 */
export function createZoneRepair(deps: ZoneRepairDeps) {
  return async function repair(given: {
    organisationId: string;
    address: string;
    versionId: string;
  }): Promise<void> {
    const row = await systemTransaction(deps.systemDb, (tx) => placeOfVersion(tx, given));
    if (!row) return;
    const { id: domainId, address, nameservers } = row;
    const place: ZonePlace = { organisationId: given.organisationId, domainId, address, nameservers };
    await deps.leases.run(place, address, async (lease) => {
      const before = await inReading(deps.db, place, (tx) => newestVersion(tx, deps.clock, place));
      const now = await readSettledZone(deps, place, before);
      // The reading has concluded the write itself: it was the newest, or those who wrote since have read first.
      const since = await inReading(deps.db, place, (tx) => acknowledgedSince(tx, place, given.versionId));
      const records = reapplied(address, now.records, since);
      const version = versionOf(records);
      if (version === now.version) return;
      const actor = { organisationId: place.organisationId, userId: null, email: 'Nameward', ip: null };
      const write = { place, actor, now, records, version, reason, lease };
      await writeZone(deps, { ...write, customerId: row.customer_id });
    });
  };
}
