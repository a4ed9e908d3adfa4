import type { Fence } from '#kernel/fence.ts';
import type { Outcome } from '../outcome.ts';

/** Zones on the registrar's own DNS. */
export interface RegistrarZones {
  /** null: the registrar serves no zone for this name. */
  zone(domain: string): Promise<RegistrarZone | null>;
  createZone(domain: string, fence: Fence): Promise<Outcome<RegistrarZone>>;
  /** Replaces the zone's whole record set. */
  replaceZone(domain: string, records: ZoneRecords, fence: Fence): Promise<Outcome<RegistrarZone>>;
  deleteZone(domain: string, fence: Fence): Promise<Outcome<void>>;
  /** Points the delegation at the registrar's own DNS hosts. */
  useRegistrarNameservers(domain: string, fence: Fence): Promise<Outcome<void>>;
}

/** Records of a zone by type; names are relative, '' is the apex. Order inside a type is kept. */
export interface ZoneRecords {
  A: { subdomain: string; ip_address: string }[];
  AAAA: { subdomain: string; ipv6_address: string }[];
  CNAME: { subdomain: string; hostname: string }[];
  MX: { subdomain: string; hostname: string; priority: number }[];
  TXT: { subdomain: string; text: string }[];
  SRV: { subdomain: string; hostname: string; priority: number; weight: number; port: number }[];
}

export interface RegistrarZone {
  /** null: the answer says nothing of records. A blank zone may come so, and so may one that was not read to its end. */
  records: ZoneRecords | null;
  /** The name is delegated to the registrar's DNS hosts. */
  delegated: boolean;
}
