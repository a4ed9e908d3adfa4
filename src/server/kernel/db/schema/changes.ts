import type { Generated } from 'kysely';
import type { Json, OptionalJson } from './columns.ts';

/** Changes of many domains at once, each thing an item. */

export interface ChangesTable {
  id: string;
  organisation_id: string;
  user_id: string;
  author: string;
  token_id: string | null;
  title: string;
  reason: string;
  request: Json<{ kind: string }>;
  state: 'draft' | 'ready' | 'running' | 'paused' | 'done' | 'partly' | 'cancelled' | 'undone';
  round: Generated<number>;
  note: Generated<string>;
  undoes: string | null;
  created_at: Date;
  looked_at: Date | null;
  started_at: Date | null;
  ended_at: Date | null;
}

export interface ChangeItemsTable {
  id: string;
  organisation_id: string;
  change_id: string;
  domain_id: string | null;
  /** Whose domain it was when it was looked at. */
  customer_id: string | null;
  address: string;
  state:
    | ('waiting' | 'ready' | 'left-out' | 'same' | 'barred')
    | ('queued' | 'applying' | 'done' | 'failed' | 'moved' | 'cancelled');
  note: Generated<string>;
  before: OptionalJson<unknown>;
  after: OptionalJson<unknown>;
  version: string | null;
  others: number | null;
  removed: number | null;
  warnings: Json<string[]>;
  needs_tick: Generated<boolean>;
  ticked: Generated<boolean>;
  attempts: Generated<number>;
  next_at: Date | null;
  ended_at: Date | null;
}
