import type { Generated } from 'kysely';
import type { At } from './columns.ts';

/** Organisations and who may act for them. */

export interface OrganisationsTable {
  id: string;
  name: string;
  logo_key: string | null;
  default_auto_renew: Generated<boolean>;
  closed_at: Date | null;
  created_at: At;
}

export type UserRole = 'MSP_OWNER' | 'MSP_ADMIN' | 'MSP_EMPLOYEE' | 'MSP_CUSTOMER';

export interface UsersTable {
  id: string;
  organisation_id: string | null;
  identity_issuer: string;
  identity_subject: string;
  email: string;
  email_verified: Generated<boolean>;
  username: Generated<string>;
  role: UserRole;
  customer_id: string | null;
  first_name: Generated<string>;
  last_name: Generated<string>;
  daily_limit_cents: number | null;
  disabled_at: Date | null;
  removed_at: Date | null;
  last_seen_at: Date | null;
  created_at: At;
}

export interface InvitesTable {
  id: string;
  organisation_id: string;
  email: string;
  role: UserRole;
  customer_id: string | null;
  token_hash: Buffer;
  token_sealed: Buffer;
  invited_by: string;
  expires_at: Date;
  accepted_at: Date | null;
  cancelled_at: Date | null;
  created_at: At;
}

export interface ApiTokensTable {
  id: string;
  organisation_id: string;
  user_id: string;
  name: string;
  token_hash: Buffer;
  permissions: string[];
  /** Whether `customer_id` limits it; neither is ever told by an absent value. */
  reach: 'organisation' | 'customer';
  customer_id: string | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  ended_because: string | null;
  created_at: At;
}
