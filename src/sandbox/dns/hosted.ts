import { createHash } from 'node:crypto';
import type { Answer } from 'dns-packet';
import { z } from 'zod';
import type { RegistrarReader } from '../registrar/read.ts';
import { TTL_SECONDS, type ZoneView } from './zone.ts';

/** Zones at the DNS of others: of another registrar, or of a provider of DNS alone. */

const field = z.union([z.string(), z.number()]).transform(String);
const record = z.record(z.string(), field).transform((fields) => ({ subdomain: '', ...fields }));

const hostedZone = z.strictObject({
  domain: z.string().toLowerCase(),
  /** By type, with the registrar's own names of fields; CAA has flags, tag and value. */
  records: z.record(z.enum(['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA']), z.array(record).optional()),
  /** Its servers give the whole zone to anybody who asks. */
  axfr: z.boolean().default(false),
  /** False: the DNS of the present registrar, which ends as soon as the name has left. */
  independent: z.boolean().default(false),
  /** Its DS stands at the registry. */
  signed: z.boolean().default(false),
});
type HostedZone = z.output<typeof hostedZone>;
export const hostedZones = z.strictObject({ zones: z.array(hostedZone).max(10_000) });

export interface Hosted {
  /** In place of those that were set before. */
  set(zones: readonly HostedZone[]): void;
  /** The zone as its servers answer, or null where they answer nothing (any more). */
  view(reader: RegistrarReader, domain: string): (ZoneView & { axfr: boolean }) | null;
  /** The DS at the registry, which stays when another DNS serves the zone. */
  ds(domain: string): Answer[];
}

export function createHosted(): Hosted {
  let zones = new Map<string, HostedZone>();
  return {
    set(list) {
      zones = new Map(list.map((zone) => [zone.domain, zone]));
    },
    view(reader, domain) {
      const zone = zones.get(domain);
      const delegation = reader.delegation(domain);
      if (!zone || !delegation || delegation.served) return null;
      if (!zone.independent && reader.holds(domain)) return null;
      const records = Object.fromEntries(
        Object.entries(zone.records).map(([type, list]) => [type, list ?? []]),
      );
      return { domain, serial: 1, nameservers: delegation.nameservers, records, axfr: zone.axfr };
    },
    ds(domain) {
      if (!zones.get(domain)?.signed) return [];
      const digest = createHash('sha256').update(domain).digest();
      const data = { keyTag: 20_326, algorithm: 8, digestType: 2, digest };
      return [{ type: 'DS', name: domain, ttl: TTL_SECONDS, data } as Answer];
    },
  };
}
