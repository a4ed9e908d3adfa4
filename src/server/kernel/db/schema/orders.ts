import type { ColumnType, Generated } from 'kysely';
import type { At, Json } from './columns.ts';

/** Orders, their items, and what things cost. */

export interface PriceEntriesTable {
  id: Generated<number>;
  version: number;
  product: string;
  name: string;
  kind: 'new' | 'renewal' | 'transfer';
  /** null: cost plus the default margin again. */
  price_cents: number | null;
  valid_from: At;
}

export interface CostQuotesTable {
  address: string;
  kind: 'new' | 'renewal' | 'transfer';
  years: number;
  cost_cents: number;
  premium: boolean;
  quoted_at: Date;
}

export interface OrdersTable {
  id: string;
  organisation_id: string;
  user_id: string | null;
  source: 'cart' | 'auto_renew' | 'api' | 'acme' | 'recovery';
  state: 'held' | 'running' | 'settled' | 'partial' | 'failed';
  total_cents: number;
  attached: Generated<string[]>;
  created_at: At;
  ended_at: Date | null;
}

export type OrderItemKind = 'domain' | 'renewal' | 'transfer' | 'certificate' | 'redemption';

export type OrderItemState =
  | 'queued'
  | 'sending'
  | 'pending'
  | 'unknown'
  | 'review'
  | 'succeeded'
  | 'declined';

export interface OrderItemsTable {
  id: string;
  organisation_id: string;
  order_id: string;
  position: number;
  kind: OrderItemKind;
  address: string;
  customer_id: string | null;
  years: number;
  price_cents: number;
  cost_cents: number;
  details: Json<Record<string, unknown>>;
  secrets_sealed: Buffer | null;
  state: OrderItemState;
  attempt: Generated<number>;
  intent_hash: string | null;
  sent_at: Date | null;
  unknown_since: Date | null;
  next_check_at: Date | null;
  checks: Generated<number>;
  registrar_order_id: string | null;
  expiry_year: number | null;
  public_error: string | null;
  outcome_note: string | null;
  created_at: At;
  updated_at: At;
}

export interface IdempotencyKeysTable {
  organisation_id: string;
  user_id: string;
  key: string;
  operation: string;
  request_hash: string;
  status: number | null;
  reply: ColumnType<unknown, string | null, string | null>;
  order_id: string | null;
  created_at: At;
}

export interface RequestKeysTable {
  id: string;
  organisation_id: string | null;
  caller: string;
  operation: string;
  key: string;
  request_hash: string;
  reply_sealed: Buffer | null;
  created_at: At;
}

/** One row a change of the price list; the entries stand under the same number. */
export interface PriceVersionsTable {
  version: number;
  valid_from: Date;
  note: Generated<string>;
  created_at: At;
}
