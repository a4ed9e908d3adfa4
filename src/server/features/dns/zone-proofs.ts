import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { applyChanges } from '#contracts/values/zone-changes.ts';
import { type Db, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Leases } from '#kernel/leases.ts';
import type { RegistrarNames } from '../../ports/registrar.ts';
import { newestVersion } from './versions.repo.ts';
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

export interface ZoneProof {
  organisationId: string;
  /** The full name under which the record has to stand. */
  name: string;
  type: 'TXT' | 'CNAME';
  value: string;
  /** The value it takes the place of. */
  instead: string | null;
  reason: string;
}

/**
 * Writes a record that proves control of a name, where the portal manages the zone: as an edit like any other, with a
 * version that can be restored. `no-domain`: nothing of that name is among the organisation's domains (yet).
 */
export function createZoneProofs(deps: ZoneProofDeps) {
  return async function setProof(proof: ZoneProof): Promise<'set' | 'not-managed' | 'no-domain'> {
    const row = await domainOf(deps.systemDb, proof);
    if (!row) return 'no-domain';
    const { id: domainId, address, nameservers } = row;
    const place = { organisationId: proof.organisationId, domainId, address, nameservers };
    await deps.publishStaged(place);
    return deps.leases.run(place, row.address, async (lease) => {
      const before = await inTransaction(deps.db, place, (tx) => newestVersion(tx, deps.clock, place));
      const now = await readSettledZone(deps, place, before);
      if (!now.delegated && (now.exists || !(await delegatedToUs(deps, place)))) return 'not-managed';
      const subdomain = proof.name.slice(0, -row.address.length - 1);
      const record = recordOf(subdomain, proof.type, proof.value);
      const old = proof.instead === null ? null : recordOf(subdomain, proof.type, proof.instead);
      const removed = old
        ? applyChanges(row.address, now.records, [{ action: 'remove', record: old }])
        : null;
      const base = removed && removed.problems.length === 0 ? removed.records : now.records;
      const added = applyChanges(row.address, base, [{ action: 'add', record }]);
      // It stands there already.
      if (added.problems.some(({ kind }) => kind === 'duplicate')) return 'set';
      if (added.problems.length > 0) return 'not-managed';
      const actor = { organisationId: proof.organisationId, userId: null, email: 'Nameward', ip: null };
      await writeZone(deps, {
        ...{ place, actor, now, lease },
        customerId: row.customer_id,
        records: added.records,
        reason: proof.reason,
      });
      return 'set';
    });
  };
}

/** The registered name at or above a host name, of this organisation. */
function domainOf(systemDb: Db, { organisationId, name }: ZoneProof) {
  const labels = name.split('.');
  const candidates = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
  return systemTransaction(systemDb, (tx) =>
    tx
      .selectFrom('domains')
      .select(['id', 'address', 'customer_id', 'nameservers'])
      .where('organisation_id', '=', organisationId)
      .where('address', 'in', candidates)
      .where('status', '=', 'active')
      .orderBy((eb) => eb.fn('length', ['address']), 'desc')
      .executeTakeFirst(),
  );
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

function recordOf(subdomain: string, type: 'TXT' | 'CNAME', value: string): DnsRecord {
  return type === 'TXT' ? { type, subdomain, text: value } : { type, subdomain, hostname: value };
}
