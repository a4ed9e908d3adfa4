import type { Generated } from 'kysely';
import type { At, Computed } from './columns.ts';

/** Domains, what renews them and how they move. */

export interface DomainsTable {
  id: string;
  organisation_id: string;
  customer_id: string | null;
  /** The customer's name, of a domain that has not ended. Triggers write it. */
  customer_organization: Computed<string | null>;
  address: string;
  status: 'active' | 'transferring' | 'expired' | 'ended';
  registered_at: Date | null;
  expires_at: Date | null;
  auto_renew: Generated<boolean>;
  locked: boolean | null;
  privacy: boolean | null;
  nameservers: Generated<string[]>;
  credentials_sealed: Buffer | null;
  synced_at: Date | null;
  /** When it is read from the registrar again. */
  sync_due_at: Generated<Date>;
  ended_at: Date | null;
  end_reason: string | null;
  created_at: At;
  renewed_at: Date | null;
  transferred_at: Date | null;
  verification: 'verified' | 'waiting' | 'reviewing' | 'suspended' | null;
  verification_deadline: Date | null;
  verification_bounced: Generated<boolean>;
  verification_read_at: Date | null;
  verification_sent_at: Date | null;
  verification_told: 'begun' | 'soon' | 'suspended' | null;
  restorable_until: Date | null;
  /** Since when the registrar has said that it is not in the account any more. */
  missing_since: Date | null;
}

export interface AutoRenewalsTable {
  organisation_id: string;
  address: string;
  expiry_year: number;
  expires_at: Date;
  state: 'intended' | 'ordered' | 'unable' | 'done' | 'dropped';
  attempt: Generated<number>;
  price_cents: number;
  order_id: string | null;
  reason_kind: 'funds' | 'refused' | null;
  reason: string | null;
  next_try_at: Date | null;
  told_at: Date | null;
  updated_at: Date;
}

export interface RenewalRemindersTable {
  organisation_id: string;
  address: string;
  expiry_year: number;
  days: number;
  sent_at: Date;
}

export interface TransfersTable {
  id: string;
  organisation_id: string;
  address: string;
  customer_id: string | null;
  requested_at: Date;
  registrar_status: string | null;
  status_since: Date | null;
  asked_at: Date | null;
  nameservers_before: string[] | null;
  nameservers_after: string[] | null;
  compared_at: Date | null;
  completed_at: Date | null;
  failed_at: Date | null;
  reason: string | null;
}
