import { type Db, inReading, systemTransaction } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Leases } from '#kernel/leases.ts';
import type { RegistrarNames } from '../../ports/registrar.ts';
import { domainAbove } from './places.repo.ts';
import { newestVersion, versionOf } from './versions.repo.ts';
import { type ProofRecord, proofChange } from './zone-proofs.rules.ts';
import { readSettledZone } from './zone-reading.ts';
import { type WritingDeps, writeZone } from './zone-writing.ts';

export interface ZoneProofDeps extends WritingDeps {
  registrar: WritingDeps['registrar'] & Pick<RegistrarNames, 'domain'>;
  systemDb: Db;
  leases: Leases;
  /** Hosts of the managed DNS. */
  nameservers: readonly string[];
  publishStaged(given: { organisationId: string; address: string }): Promise<void>;
}

export interface ZoneProof extends ProofRecord {
  organisationId: string;
  reason: string;
}

/**
 * Writes a record that proves control of a name, where the portal manages the zone: as an edit like any other, with a
 * version that can be restored. `no-domain`: nothing of that name is among the organisation's domains (yet).
 */
export function createZoneProofs(deps: ZoneProofDeps) {
  return async function setProof(proof: ZoneProof): Promise<'set' | 'not-managed' | 'no-domain'> {
    const row = await systemTransaction(deps.systemDb, (tx) => domainAbove(tx, proof));
    if (!row) return 'no-domain';
    const { id: domainId, address, nameservers } = row;
    const place = { organisationId: proof.organisationId, domainId, address, nameservers };
    await deps.publishStaged(place);
    return deps.leases.run(place, row.address, async (lease) => {
      const before = await inReading(deps.db, place, (tx) => newestVersion(tx, deps.clock, place));
      const now = await readSettledZone(deps, place, before);
      if (!now.delegated && (now.exists || !(await delegatedToUs(deps, place)))) return 'not-managed';
      const change = proofChange(row.address, now.records, proof);
      if (change.kind === 'there already') return 'set';
      if (change.kind === 'clash') return 'not-managed';
      const actor = { organisationId: proof.organisationId, userId: null, email: 'Nameward', ip: null };
      await writeZone(deps, {
        ...{ place, actor, now, lease },
        customerId: row.customer_id,
        records: change.records,
        version: versionOf(change.records),
        reason: proof.reason,
      });
      return 'set';
    });
  };
}

/** A name without a zone yet: whether its delegation points at us already. */
async function delegatedToUs(
  { registrar, nameservers }: ZoneProofDeps,
  place: { organisationId: string; address: string },
): Promise<boolean> {
  const domain = await withFairnessKey(place.organisationId, () => registrar.domain(place.address));
  const hosts = domain?.nameservers ?? [];
  return hosts.length > 0 && hosts.every((host) => nameservers.includes(host));
}
