import type { Generated } from 'kysely';
import type { Json, OptionalJson } from './columns.ts';

/** The ACME server's own tables: nonces, accounts of clients, and their orders. */

export interface AcmeNoncesTable {
  digest: Buffer;
  used_at: Generated<Date>;
}

export interface AcmeAccountsTable {
  id: string;
  organisation_id: string;
  access_id: string;
  thumbprint: string;
  jwk: Json<Record<string, unknown>>;
  contacts: string[];
  status: 'valid' | 'deactivated';
  created_at: Date;
}

export interface AcmeOrdersTable {
  id: string;
  organisation_id: string;
  account_id: string;
  access_id: string;
  customer_id: string;
  names: string[];
  state: 'ready' | 'processing' | 'valid' | 'invalid';
  given_up: Generated<number[]>;
  replaces: string | null;
  csr: string | null;
  csr_digest: Buffer | null;
  key_digest: Buffer | null;
  reissue_id: string | null;
  order_item_id: string | null;
  certificate_id: string | null;
  issued_id: string | null;
  serial: string | null;
  valid_from: Date | null;
  valid_to: Date | null;
  chain: string | null;
  revoked_at: Date | null;
  bought_cents: number | null;
  bought_at: Date | null;
  problem: OptionalJson<StoredProblem>;
  told_at: Date | null;
  next_look_at: Date | null;
  looks: Generated<number>;
  created_at: Date;
  /** When it got its signing request; null: it has none, or got it before this was kept. */
  finalized_at: Date | null;
  expires_at: Date;
}

/** The error of an order as its client reads it (RFC 8555 7.1.3). */
export interface StoredProblem {
  type: string;
  detail: string;
  status: number;
}

export interface AcmeCompromisedKeysTable {
  digest: Buffer;
  noted_at: Generated<Date>;
}
