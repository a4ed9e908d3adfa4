import type { ColumnType, Generated } from 'kysely';
import type { At, Json, OptionalJson } from './columns.ts';

/** Zones: versions, who writes, templates, copies. */

export interface StoredZone {
  A: { subdomain: string; ip_address: string }[];
  AAAA: { subdomain: string; ipv6_address: string }[];
  CNAME: { subdomain: string; hostname: string }[];
  MX: { subdomain: string; hostname: string; priority: number }[];
  TXT: { subdomain: string; text: string }[];
  SRV: { subdomain: string; hostname: string; priority: number; weight: number; port: number }[];
}

/** One record that a version changed, with the record's own fields beside its type. */
export interface StoredDifference {
  action: 'add' | 'update' | 'remove';
  record: { type: keyof StoredZone; subdomain: string };
  old: { type: keyof StoredZone; subdomain: string } | null;
}

export interface ZoneVersionsTable {
  id: string;
  sequence: Generated<number>;
  organisation_id: string;
  domain_id: string;
  records: Json<StoredZone>;
  record_count: number;
  hash: string;
  state: 'writing' | 'applied' | 'refused' | 'unknown' | 'found' | 'staged';
  author_id: string | null;
  author: string;
  reason: string;
  created_at: Date;
  /** Refused because nobody answered for so long, not by the registrar. */
  given_up: Generated<boolean>;
  /** null: found as it is, or kept before changes were. */
  changes: OptionalJson<StoredDifference[]>;
  change_summary: OptionalJson<{
    added: number;
    changed: number;
    removed: number;
    first: StoredDifference[];
  }>;
  /** The item of a change of many domains that wrote it. */
  change_item_id: string | null;
  /** Whose the domain was when it was written; null: nobody's, or written before this was kept. */
  customer_id: string | null;
}

export interface ZoneLeasesTable {
  organisation_id: string;
  address: string;
  holder: string;
  expires_at: Date;
}

export interface DnsTemplatesTable {
  id: string;
  organisation_id: string;
  name: string;
  records: Json<StoredZone>;
  variables: ColumnType<{ key: string; label: string }[], string | undefined, string>;
  version: Generated<number>;
  created_at: At;
}

export interface DnsTemplateVersionsTable {
  organisation_id: string;
  template_id: string;
  version: number;
  records: Json<StoredZone>;
  variables: Json<{ key: string; label: string }[]>;
  created_at: Date;
}

export interface DnsTemplateUsesTable {
  organisation_id: string;
  template_id: string;
  domain_id: string;
  version: number;
  filled: Json<Record<string, string>>;
  owned: Json<unknown[]>;
  change_id: string | null;
  previous: OptionalJson<unknown>;
  state: 'unread' | 'held' | 'drifted' | 'away';
  drift: ColumnType<unknown[], string | undefined, string>;
  applied_at: Date;
  checked_at: Date | null;
  next_at: Date;
}

export interface ZoneCopiesTable {
  domain_id: string;
  organisation_id: string;
  nameservers: string[];
  body: string;
  checked_at: Date;
}
