import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { applyChanges, changesBetween } from '#contracts/values/zone-changes.ts';
import { type Db, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import type { Leases } from '#kernel/leases.ts';
import {
  type AcknowledgedVersion,
  acknowledgedSince,
  concludeVersion,
  newestVersion,
  versionOf,
  type ZonePlace,
} from './versions.repo.ts';
import { readSettledZone } from './zone-reading.ts';
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
    const row = await systemTransaction(deps.systemDb, (tx) =>
      tx
        .selectFrom('zone_versions as v')
        .innerJoin('domains as d', 'd.id', 'v.domain_id')
        .select(['d.id', 'd.address', 'd.customer_id', 'd.nameservers', 'v.hash'])
        .where('v.organisation_id', '=', given.organisationId)
        .where('v.id', '=', given.versionId)
        .where('d.status', 'in', ['active', 'expired'])
        .executeTakeFirst(),
    );
    if (!row) return;
    const { id: domainId, address, nameservers } = row;
    const place: ZonePlace = { organisationId: given.organisationId, domainId, address, nameservers };
    await deps.leases.run(place, address, async (lease) => {
      const before = await inTransaction(deps.db, place, (tx) => newestVersion(tx, deps.clock, place));
      const now = await readSettledZone(deps, place, before);
      const since = await inTransaction(deps.db, place, async (tx) => {
        const end = now.version === row.hash ? 'applied' : 'refused';
        await concludeVersion(tx, place, given.versionId, end);
        return acknowledgedSince(tx, place, given.versionId);
      });
      const records = reapplied(address, now.records, since);
      if (versionOf(records) === now.version) return;
      const actor = { organisationId: place.organisationId, userId: null, email: 'Nameward', ip: null };
      await writeZone(deps, { place, actor, now, records, reason, lease, customerId: row.customer_id });
    });
  };
}

/** The records with what was acknowledged on top. Where the two cannot both be, what was acknowledged counts alone. */
export function reapplied(
  address: string,
  now: readonly DnsRecord[],
  since: readonly AcknowledgedVersion[],
): DnsRecord[] {
  let records = [...now];
  for (const { before, after } of since) {
    for (const change of changesBetween(before, after)) {
      const { problems, records: changed } = applyChanges(address, records, [change]);
      const clash = problems.some(({ kind }) => kind !== 'duplicate' && kind !== 'missing');
      if (clash) return [...(since.at(-1)?.after ?? now)];
      // What is there already, or gone already, stays as it is.
      if (problems.length === 0) records = changed;
    }
  }
  return records;
}
