import type { Generated } from 'kysely';
import type { Computed, Json } from './columns.ts';

/** What waits for a person. */

export interface AttentionItemsTable {
  id: string;
  organisation_id: string;
  cause: string;
  object: string;
  /** 0: now, 1: soon. */
  rank: number;
  customer_id: string | null;
  address: string | null;
  deadline: Date | null;
  facts: Json<unknown>;
  opened_at: Date;
  closed_at: Date | null;
  owner_id: string | null;
  snoozed_until: Date | null;
  /** Raised when it presses more or says something else. */
  version: Generated<number>;
  sort_at: Computed<Date>;
}

/** Written by triggers alone. */
export interface AttentionMarksTable {
  id: Generated<number>;
  organisation_id: string;
  cause: string;
}

export interface AttentionDigestsTable {
  user_id: string;
  organisation_id: string;
  sent_on: Generated<Date | null>;
}
