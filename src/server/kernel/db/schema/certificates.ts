import type { Generated } from 'kysely';
import type { At, OptionalJson } from './columns.ts';

/** Certificates, their orders and what was told of them. */

export interface CertificatesTable {
  id: string;
  organisation_id: string;
  customer_id: string | null;
  address: string;
  provider: string;
  product_type: string;
  state: string;
  registrar_order_id: string | null;
  registrar_product_id: string | null;
  csr: string;
  validation_method: Generated<string>;
  ordered_at: At;
  term_ends_at: Date | null;
  valid_from: Date | null;
  valid_to: Date | null;
  serial: string | null;
  certificate_pem: string | null;
  chain_pem: string | null;
  order_item_id: string | null;
  synced_at: Date | null;
  proof: OptionalJson<StoredProof>;
  proof_state: 'set' | 'present' | 'missing' | 'waiting' | null;
  proof_checked_at: Date | null;
  approver_email: string | null;
  remark: string | null;
  host_names: Generated<string[]>;
  contacts: OptionalJson<Record<string, unknown>>;
  auto_reissue: Generated<boolean>;
  issued_order_id: string | null;
  downloaded_at: Date | null;
  revoked_at: Date | null;
  next_sync_at: Date | null;
  sync_failures: Generated<number>;
  /** The access whose machine installs it; null: a person does. */
  acme_access_id: string | null;
}

/** What the authority wants to see, as the registrar said it last. */
export interface StoredProof {
  method: 'DNS' | 'File' | 'Email';
  dnsName: string | null;
  dnsType: 'TXT' | 'CNAME' | null;
  dnsValue: string | null;
  filePath: string | null;
  fileContent: string | null;
}

export interface CertificateReissuesTable {
  id: string;
  organisation_id: string;
  certificate_id: string;
  csr: string;
  state: 'sending' | 'unknown' | 'running' | 'completed' | 'declined';
  registrar_order_id: string | null;
  automatic: boolean;
  /** The access whose machine asked for it; null: a person or the portal did. */
  acme_access_id: string | null;
  remark: string | null;
  created_at: Date;
  ended_at: Date | null;
}

export interface CertificateIssuesTable {
  organisation_id: string;
  certificate_id: string;
  serial: string;
  valid_from: Date;
  valid_to: Date;
  certificate_pem: string;
  /** Null: recorded before this was kept. */
  registrar_order_id: string | null;
  recorded_at: Date;
  revoked_at: Date | null;
}

export interface CertificateNoticesTable {
  organisation_id: string;
  certificate_id: string;
  serial: string;
  kind: string;
  noted_at: Generated<Date>;
  /** Null while its letter waits for others of its batch. */
  sent_at: Date | null;
}

export interface CertificateProductsTable {
  product_type: string;
  provider: string;
  name: string;
  cost_cents: number;
  business_validated: boolean;
  wildcard: boolean;
  sort: Generated<number>;
  active: Generated<boolean>;
}
