import type { Generated } from 'kysely';
import type { At } from './columns.ts';

/** The books: written by `ledger/` alone. */

export interface WalletsTable {
  organisation_id: string;
  posted_cents: Generated<number>;
  held_cents: Generated<number>;
  pending_cents: Generated<number>;
}

export interface JournalTable {
  id: string;
  organisation_id: string;
  kind: string;
  ref: string;
  actor: string;
  text: Generated<string>;
  order_item_id: string | null;
  topup_id: string | null;
  at: At;
}

export type LedgerAccount =
  | 'wallet'
  | 'pending_topups'
  | 'receivable'
  | 'payments_clearing'
  | 'payment_fees'
  | 'registrar_cost'
  | 'revenue'
  | 'disputes'
  | 'adjustments';

export interface PostingsTable {
  id: Generated<number>;
  journal_id: string;
  organisation_id: string;
  account: LedgerAccount;
  cents: number;
}

export interface HoldsTable {
  item_id: string;
  organisation_id: string;
  cents: number;
  state: 'open' | 'captured' | 'released';
  created_at: At;
  ended_at: Date | null;
}
