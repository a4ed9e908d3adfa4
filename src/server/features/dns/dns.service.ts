import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading } from '#kernel/db/database.ts';
import type { Leases } from '#kernel/leases.ts';
import type { Scope } from '#kernel/scope.ts';
import type { RegistrarNames, RegistrarSettings, RegistrarZones } from '../../ports/registrar.ts';
import { createDnssec } from './dnssec.service.ts';
import { createNameservers } from './nameservers.service.ts';
import { type FoundRecord, findRecordsLike } from './record-search.repo.ts';
import { requireServed } from './served.ts';
import { settleVersions } from './settle-versions.ts';
import { createTemplateWatch } from './template-watch.ts';
import { createTemplates } from './templates.service.ts';
import { newestVersion, type ZonePlace } from './versions.repo.ts';
import { createZoneProofs } from './zone-proofs.ts';
import { readZone } from './zone-reading.ts';
import { createZoneRepair } from './zone-repair.ts';
import { createZones } from './zones.service.ts';

export interface DnsDeps {
  db: Db;
  /** The jobs work across tenants. */
  systemDb: Db;
  registrar: RegistrarNames & RegistrarSettings & RegistrarZones;
  clock: Clock;
  newId: (nowMs: number) => string;
  /** How long a write that was not answered may still strike; changes of that zone wait for so long. */
  settleMs: number;
  /** Hosts of the managed DNS. */
  nameservers: readonly string[];
  /** How long a zone that was read is shown without asking the registrar again; changes always ask. */
  copyMs: number;
  /** Whose turn it is to write. */
  leases: Leases;
}

export type DnsApi = ReturnType<typeof createDns>;

export function createDns(deps: DnsDeps) {
  const zones = createZones(deps);
  const repair = createZoneRepair(deps);
  return {
    zones,
    /** Records of all zones in reach that contain this text, as the portal last saw them; one letter finds nothing. */
    findRecords: async (scope: Scope, search: string): Promise<FoundRecord[]> =>
      search.length < 2
        ? []
        : inReading(deps.db, scope, (tx) => findRecordsLike(tx, scope, search.toLowerCase())),
    /** Reads a zone again: what differs from the newest version becomes a version. Whether it did. */
    compare: async (place: ZonePlace): Promise<boolean> => {
      const before = await inReading(deps.db, place, (tx) => newestVersion(tx, deps.clock, place));
      const zone = await readZone(deps, place);
      return before === null ? zone.exists : before.hash !== zone.version;
    },
    /** Throws unless a zone holds what was written last. */
    requireServed: (given: Parameters<typeof requireServed>[1]) => requireServed(deps.db, given),
    nameservers: createNameservers(deps),
    dnssec: createDnssec(deps),
    templates: createTemplates(deps),
    setProof: createZoneProofs({ ...deps, publishStaged: zones.publishStaged }),
    /** Jobs of this feature, by name. */
    tasks: {
      'dns.repair-zone': repair,
      'dns.settle-versions': () => settleVersions(deps),
      'dns.check-templates': createTemplateWatch(deps),
      'dns.publish-staged': zones.publishStaged,
    },
  };
}
