import type { Generated } from 'kysely';
import type { At, Json } from './columns.ts';

/** Top-ups, events of the payment provider, direct billing. */

/** Who is at the provider for this row (`claims.ts`). */
interface ClaimColumns {
  claim: Generated<string | null>;
  claimed_at: Generated<Date | null>;
}

export interface BillingProfilesTable {
  organisation_id: string;
  payment_customer_id: string | null;
  payment_method_id: string | null;
  payment_account_id: string | null;
  payment_account_ready: Generated<boolean>;
  initial_fee_paid: Generated<boolean>;
  auto_topup: Generated<boolean>;
  auto_topup_cents: Generated<number>;
  auto_topup_mark_cents: Generated<number>;
  auto_topup_paused_until: Date | null;
  auto_topup_declines: Generated<number>;
  updated_at: At;
}

export type TopupState =
  | 'requested'
  | 'requires_action'
  | 'processing'
  | 'failed'
  | 'cancelled'
  | 'succeeded'
  | 'reversed';

export interface TopupsTable extends ClaimColumns {
  id: string;
  organisation_id: string;
  user_id: string | null;
  kind: 'manual' | 'initial' | 'auto';
  cents: number;
  payment_intent: string | null;
  state: TopupState;
  rank: Generated<number>;
  pending_cents: Generated<number>;
  reversed_cents: Generated<number>;
  fee_cents: Generated<number>;
  method: string | null;
  failure: string | null;
  created_at: At;
  version: Generated<number>;
  updated_at: At;
  alarmed_as: string | null;
}

export interface WebhookEventsTable {
  id: string;
  type: string;
  account: string | null;
  object_id: string | null;
  payload: Json<unknown>;
  received_at: At;
  applied_at: Date | null;
  attempts: Generated<number>;
  last_error: string | null;
}

export interface PaymentSetupLinksTable {
  id: string;
  organisation_id: string;
  customer_id: string;
  token_hash: Buffer;
  email: string;
  expires_at: Date;
  created_at: At;
}

export type DirectChargeState = 'collecting' | 'sending' | 'processing' | 'succeeded' | 'failed' | 'waived';

export interface DirectChargesTable extends ClaimColumns {
  id: string;
  organisation_id: string;
  customer_id: string;
  order_id: string;
  part: number;
  cents: number;
  state: DirectChargeState;
  attempt: Generated<number>;
  payment_intent: string | null;
  refunded_cents: Generated<number>;
  returned_cents: Generated<number>;
  disputed_cents: Generated<number>;
  dispute_released_cents: Generated<number>;
  disputed_at: Generated<Date | null>;
  disputes_read_at: Generated<Date | null>;
  failure: string | null;
  next_try_at: Date | null;
  note: string | null;
  created_at: At;
  updated_at: At;
  sent_at: Date | null;
}

export interface DirectChargeItemsTable {
  item_id: string;
  organisation_id: string;
  charge_id: string;
  price_cents: number;
  markup_cents: number;
}

export interface DirectRefundsTable extends ClaimColumns {
  item_id: string;
  organisation_id: string;
  charge_id: string | null;
  cents: Generated<number>;
  state: 'wanted' | 'sending' | 'done' | 'failed' | 'none';
  refund_id: string | null;
  failure: string | null;
  reason: Generated<string>;
  created_at: At;
  updated_at: At;
}

/** When the last sweep of an account at the payment provider that came to its end began. */
export interface PaymentSweepsTable {
  /** Of a connected account; empty: our own. */
  account: string;
  reached_at: Date;
}
