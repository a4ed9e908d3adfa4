import type { ColumnType, Generated } from 'kysely';
import type { At, Computed, Json, OptionalJson } from './columns.ts';
import type { UserRole } from './people.ts';

/** End customers, and the files they come from. */

export interface StoredContact {
  organization: string;
  firstName: string;
  lastName: string;
  address1: string;
  address2?: string | undefined;
  address3?: string | undefined;
  city: string;
  state: string;
  postalCode: string;
  country: string;
  email: string;
  phone: string;
}

/** Written by triggers alone: by how much the number of each changed. */
export interface KeptCountsTable {
  id: Generated<number>;
  organisation_id: string;
  customers: Generated<number>;
  domains: Generated<number>;
  renewing: Generated<number>;
  not_renewing: Generated<number>;
  locked: Generated<number>;
  not_locked: Generated<number>;
}

export interface StoredMarkup {
  type: 'percentage' | 'fixed';
  value: number;
}

export interface StoredMarkups {
  domain: { purchase: StoredMarkup; renewal: StoredMarkup };
  certificate: { purchase: StoredMarkup; renewal: StoredMarkup };
}

export interface CustomersTable {
  id: string;
  organisation_id: string;
  owner: Json<StoredContact>;
  admin: Json<StoredContact>;
  billing_contact: Json<StoredContact>;
  bill_directly: Generated<boolean>;
  billing_email: Generated<string>;
  allow_change_billing: Generated<boolean>;
  markups: Json<StoredMarkups>;
  payment_customer_id: string | null;
  payment_method_set: Generated<boolean>;
  payment_method_id: ColumnType<string | null, string | null | undefined, string | null>;
  payment_method_revoked: ColumnType<string | null, string | null | undefined, string | null>;
  allow_domain_settings: Generated<boolean>;
  external_id: string | null;
  version: Generated<number>;
  deleted_at: Date | null;
  created_at: At;
  updated_at: At;
  organization: Computed<string>;
  contact_name: Computed<string>;
  location: Computed<string>;
  search_text: Computed<string>;
}

export interface ImportsTable {
  id: string;
  organisation_id: string;
  upload_key: string;
  file_name: string;
  columns: string[];
  assumed: Generated<string[]>;
  state: 'ready' | 'importing' | 'done' | 'discarded';
  mode: 'all' | 'good' | null;
  notice: Generated<string>;
  new_rows: number;
  changed_rows: number;
  same_rows: number;
  faulty_rows: number;
  suggested_rows: Generated<number>;
  rows_done: Generated<number>;
  judged: Generated<number>;
  actor_id: string;
  actor: string;
  actor_ip: string | null;
  /** With the token: by whose rights the rows were judged, until somebody starts them. */
  actor_role: UserRole;
  token_id: string | null;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
}

export interface ImportRowsTable {
  import_id: string;
  organisation_id: string;
  number: number;
  cells: string[];
  kind: 'new' | 'changed' | 'same' | 'faulty';
  organization: string;
  customer_id: string | null;
  version: number | null;
  match_key: string;
  /** What the customer will be; null for a faulty row. */
  state: OptionalJson<unknown>;
  notes: Json<unknown>;
}

export interface ImportMappingsTable {
  id: string;
  organisation_id: string;
  name: string;
  mapping: Json<unknown>;
  created_at: Date;
}
