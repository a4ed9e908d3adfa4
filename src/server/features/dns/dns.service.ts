import { z } from 'zod';
import type { Clock } from '#kernel/clock.ts';
import type { Db } from '#kernel/db/database.ts';
import type { Registrar } from '../../ports/registrar.ts';
import { createNameservers } from './nameservers.service.ts';
import { createTemplates } from './templates.service.ts';
import { createZoneLeases, type LeaseTimes } from './zone-lease.ts';
import { createZoneProofs } from './zone-proofs.ts';
import { createZones } from './zones.service.ts';

export interface DnsDeps {
  db: Db;
  /** The jobs work across tenants. */
  systemDb: Db;
  registrar: Registrar;
  clock: Clock;
  newId: (nowMs: number) => string;
  /** How long a write that was not answered may still strike; changes of that zone wait for so long. */
  settleMs: number;
  /** Hosts of the managed DNS. */
  nameservers: readonly string[];
  /** How long a zone that was read is shown without asking the registrar again; changes always ask. */
  copyMs: number;
  leaseTimes?: LeaseTimes;
}

export type DnsApi = ReturnType<typeof createDns>;

const payload = z.object({ organisationId: z.uuid(), address: z.string() });

export function createDns(deps: DnsDeps) {
  const leases = createZoneLeases({ ...deps, ...(deps.leaseTimes ? { times: deps.leaseTimes } : {}) });
  const zones = createZones({ ...deps, leases });
  return {
    zones,
    nameservers: createNameservers({ ...deps, leases }),
    templates: createTemplates(deps),
    setProof: createZoneProofs({ ...deps, leases, publishStaged: zones.publishStaged }),
    /** Jobs of this feature, by name. */
    tasks: {
      'dns.publish-staged': (given: Record<string, unknown>) => zones.publishStaged(payload.parse(given)),
    },
  };
}
