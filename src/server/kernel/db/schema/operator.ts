import type { Generated } from 'kysely';

/** What the operator compares. */

export interface ReconciliationsTable {
  id: string;
  started_at: Date;
  ended_at: Date | null;
  since: Date;
  items: Generated<number>;
  registrar_orders: Generated<number>;
  payments: Generated<number>;
  differences: Generated<number>;
  incomplete: string | null;
}

export interface ReconciliationDifferencesTable {
  id: string;
  kind: DifferenceKind;
  subject: string;
  organisation_id: string | null;
  text: string;
  first_seen_at: Date;
  last_seen_at: Date;
  settled_at: Date | null;
}

export interface OperatorsTable {
  id: string;
  name: string;
  key_hash: Buffer;
  made_at: Date;
  last_used_at: Date | null;
  ended_at: Date | null;
}

export interface OperatorActsTable {
  id: string;
  at: Date;
  operator_id: string | null;
  operator: string;
  address: string | null;
  operation: string;
  input: unknown;
  outcome: Generated<string | null>;
  ended_at: Generated<Date | null>;
}

export interface CorrectionsTable {
  id: string;
  organisation_id: string;
  cents: number;
  reason: string;
  reference: string;
  state: 'waiting' | 'entered' | 'declined';
  asked_by: string | null;
  asked_at: Date;
  decided_by: string | null;
  decided_at: Date | null;
}

export type DifferenceKind =
  | 'ledger'
  | 'charged-without-order'
  | 'order-without-charge'
  | 'order-twice'
  | 'order-unknown'
  | 'cost-differs'
  | 'payment-without-credit'
  | 'credit-without-payment'
  | 'payment-differs'
  | 'payment-unknown'
  | 'name-missing'
  | 'name-unknown';
