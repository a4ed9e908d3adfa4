/** What is wrong with domains as the world sees them. */

export interface HealthChecksTable {
  domain_id: string;
  organisation_id: string;
  next_at: Date;
  checked_at: Date | null;
}

export interface HealthFindingsTable {
  id: string;
  organisation_id: string;
  domain_id: string;
  kind: string;
  detail: string;
  first_seen: Date;
  last_seen: Date;
  cleared_at: Date | null;
  muted_until: Date | null;
  muted_reason: string | null;
  muted_by: string | null;
}
