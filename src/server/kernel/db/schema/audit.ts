import type { ColumnType } from 'kysely';
import type { At } from './columns.ts';

/** What was done, and what has to be kept or counted. */

export interface AuditLogTable {
  organisation_id: string;
  sequence: number;
  at: At;
  actor_id: string | null;
  actor: string;
  ip: string | null;
  action: string;
  object_kind: string;
  object: string;
  customer_id: string | null;
  before: ColumnType<unknown, string | null, never>;
  after: ColumnType<unknown, string | null, never>;
  previous_hash: Buffer;
  hash: Buffer;
}

export interface AuditHeadsTable {
  organisation_id: string;
  rows: number;
  head_sealed: Buffer;
  at: Date;
}

/** What the log says of a person is sealed with that person's key. */
export interface SubjectKeysTable {
  organisation_id: string;
  subject_id: string;
  key: Buffer;
  created_at: At;
}

/** What must be kept of an erased person, and until when. */
export interface LegalHoldsTable {
  id: string;
  organisation_id: string;
  customer_id: string;
  address: string;
  data_sealed: Buffer;
  ended_at: Date;
  delete_after: Date;
  created_at: At;
}

export interface RateWindowsTable {
  key: string;
  window_start: Date;
  hits: number;
}
