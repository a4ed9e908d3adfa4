import type { Generated } from 'kysely';
import type { OptionalJson } from './columns.ts';

/** Domains that come here together, from a pasted list. */

export interface MovesTable {
  id: string;
  organisation_id: string;
  customer_id: string;
  author_id: string;
  created_at: Date;
}

export interface MoveLinesTable {
  id: string;
  organisation_id: string;
  move_id: string;
  number: number;
  address: string;
  problem: string | null;
  code_sealed: Buffer | null;
  code_problem: string | null;
  state: string;
  left_out: Generated<boolean>;
  dns: Generated<string>;
  dns_chosen: Generated<boolean>;
  facts: OptionalJson<unknown>;
  zone: OptionalJson<unknown>;
  item_id: string | null;
  staged_at: Date | null;
  switched_at: Date | null;
  held: string | null;
  compared_at: Date | null;
  differences: OptionalJson<unknown>;
  next_at: Date | null;
  checked_at: Date | null;
  accepted: OptionalJson<unknown>;
  code_at: Date | null;
}
