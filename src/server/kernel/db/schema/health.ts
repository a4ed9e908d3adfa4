import type { Generated } from 'kysely';

/** What is wrong with domains as the world sees them. */

/** Of a domain held here or of a watched name: one of the two. */
interface OfSubject {
  domain_id: string | null;
  watched_id: string | null;
  /** Either of them. The database makes it. */
  subject_id: Generated<string>;
}

export interface HealthChecksTable extends OfSubject {
  organisation_id: string;
  next_at: Date;
  checked_at: Date | null;
}

export interface HealthFindingsTable extends OfSubject {
  id: string;
  organisation_id: string;
  kind: string;
  detail: string;
  first_seen: Date;
  last_seen: Date;
  cleared_at: Date | null;
  muted_until: Date | null;
  muted_reason: string | null;
  muted_by: string | null;
}

/** A name that is held elsewhere and looked at all the same. */
export interface WatchedNamesTable {
  id: string;
  organisation_id: string;
  customer_id: string | null;
  address: string;
  registrar: string | null;
  expires_at: Date | null;
  created_at: Date;
  created_by: string | null;
}
