import type { Stripe } from 'stripe';
import { newId } from '../database.ts';
import { APPLICATION_ID, type World } from '../world.ts';

/** 2.9 % + 30 ¢ for a card, 0.8 % up to $5 for a bank debit (stripe.com/pricing, checked 2026-11-21). */
export function processingFeeCents(method: string, amountCents: number): number {
  if (method === 'us_bank_account') return Math.min(500, Math.round((amountCents * 8) / 1000));
  return Math.round((amountCents * 29) / 1000) + 30;
}

/** A dispute costs $15, no matter who is right (stripe.com/pricing, checked 2026-11-21). */
export const DISPUTE_FEE_CENTS = 1500;

const DAY_SECONDS = 86_400;

export interface Movement {
  type: Stripe.BalanceTransaction.Type;
  category: string;
  amountCents: number;
  /** What the provider takes for this movement. */
  feeCents?: number;
  /** What the platform takes of it (direct charges). */
  applicationFeeCents?: number;
  currency: string;
  source: string;
  description: string | null;
}

/** Writes one line of the provider's statement. */
export function moveBalance(world: World, account: string, movement: Movement): Stripe.BalanceTransaction {
  const feeCents = movement.feeCents ?? 0;
  const applicationFeeCents = movement.applicationFeeCents ?? 0;
  const line = (amount: number, type: string, description: string, application: string | null) => ({
    amount,
    application,
    currency: movement.currency,
    description,
    type,
  });
  const fee_details = [
    ...(applicationFeeCents > 0
      ? [line(applicationFeeCents, 'application_fee', 'Application fee', APPLICATION_ID)]
      : []),
    ...(feeCents > 0 ? [line(feeCents, 'stripe_fee', 'Stripe processing fees', null)] : []),
  ];
  const transaction: Stripe.BalanceTransaction = {
    id: newId('txn'),
    object: 'balance_transaction',
    amount: movement.amountCents,
    available_on: world.seconds() + 2 * DAY_SECONDS,
    balance_type: 'payments',
    created: world.seconds(),
    currency: movement.currency,
    description: movement.description,
    exchange_rate: null,
    fee: feeCents + applicationFeeCents,
    fee_details,
    net: movement.amountCents - feeCents - applicationFeeCents,
    reporting_category: movement.category,
    source: movement.source,
    status: 'pending',
    type: movement.type,
  };
  return world.objects.insert('balance_transaction', account, transaction);
}
