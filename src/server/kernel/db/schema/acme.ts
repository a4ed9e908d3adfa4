import type { Generated } from 'kysely';
import type { At } from './columns.ts';

/** Certificates by ACME: who may have them, and what was done. */

export interface AcmeAccessesTable {
  id: string;
  organisation_id: string;
  customer_id: string;
  name: string;
  key_id: string;
  hmac_sealed: Buffer;
  /** Null: every name of the customer. */
  hosts: string[] | null;
  product_type: string;
  /** Null, as the money is: it never buys. */
  orders_per_month: number | null;
  cents_per_month: number | null;
  made_by: string;
  by_customer: boolean;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  created_at: At;
}

export interface AcmeAccessLogTable {
  id: Generated<number>;
  organisation_id: string;
  access_id: string;
  at: Date;
  last_at: Date;
  times: Generated<number>;
  event: string;
  outcome: 'done' | 'waiting' | 'refused' | 'failed';
  identifiers: string[];
  detail: string;
  /** Never absent; empty: there is none. */
  advice: Generated<string>;
}

export interface AcmeAllowancesTable {
  customer_id: string;
  organisation_id: string;
  most_accesses: number;
  product_type: string;
  orders_per_month: number | null;
  cents_per_month: number | null;
}
