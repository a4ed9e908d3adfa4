import { inTransaction } from '../../src/server/kernel/db/database.ts';
import type { OrderItemKind, OrderItemState, TopupState } from '../../src/server/kernel/db/schema.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import type { Scope } from '../../src/server/kernel/scope.ts';
import * as ledger from '../../src/server/ledger/ledger.ts';
import type { TestDatabase } from './database.ts';

export interface BookedItemInput {
  kind?: OrderItemKind;
  address: string;
  state?: OrderItemState;
  cents?: number;
  costCents?: number;
  registrarOrderId?: string | null;
  customerId?: string | null;
  at?: Date;
  unknownSince?: Date | null;
  note?: string | null;
  expiryYear?: number | null;
}

/** An order of one item in some state, with the money where the engine would have it. */
export async function bookItem(database: TestDatabase, scope: Scope, input: BookedItemInput) {
  const { organisationId } = scope;
  const { state = 'succeeded', cents = 1_200, costCents = cents - 100, at = new Date() } = input;
  const [orderId, itemId] = [newId(), newId()];
  const ended = state === 'succeeded' || state === 'declined';
  await inTransaction(database.db, scope, async (tx) => {
    await tx
      .insertInto('orders')
      .values({
        id: orderId,
        organisation_id: organisationId,
        user_id: scope.userId,
        source: 'cart',
        state: state === 'succeeded' ? 'settled' : state === 'declined' ? 'failed' : 'running',
        total_cents: cents,
        created_at: at,
        ended_at: ended ? at : null,
      })
      .execute();
    await tx
      .insertInto('order_items')
      .values({
        id: itemId,
        organisation_id: organisationId,
        order_id: orderId,
        position: 0,
        kind: input.kind ?? 'domain',
        address: input.address,
        customer_id: input.customerId ?? null,
        years: 1,
        price_cents: cents,
        cost_cents: costCents,
        details: '{}',
        secrets_sealed: null,
        state,
        intent_hash: null,
        sent_at: at,
        unknown_since: input.unknownSince ?? null,
        next_check_at: null,
        registrar_order_id: input.registrarOrderId ?? null,
        expiry_year: input.expiryYear ?? null,
        public_error: state === 'declined' ? 'refused' : null,
        outcome_note: input.note ?? null,
        created_at: at,
        updated_at: at,
      })
      .execute();
    const hold = { organisationId, items: [{ itemId, cents }], pendingLimitCents: 0 };
    if (!(await ledger.hold(tx, hold))) throw new Error('not enough money in the test');
    const entry = { organisationId, itemId, actor: 'orders' };
    if (state === 'succeeded') {
      await ledger.capture(tx, { ...entry, costCents, text: `Registration of ${input.address}` });
    }
    if (state === 'declined')
      await ledger.release(tx, { ...entry, text: `Registration of ${input.address}` });
  });
  return { orderId, itemId };
}

export interface BookedTopupInput {
  cents: number;
  state?: TopupState;
  paymentIntent?: string | null;
  kind?: 'manual' | 'auto';
  reversedCents?: number;
  at?: Date;
  failure?: string;
}

/** A top-up, credited when it succeeded or was taken back later. */
export async function bookTopup(database: TestDatabase, scope: Scope, input: BookedTopupInput) {
  const { organisationId } = scope;
  const { state = 'succeeded', at = new Date(), reversedCents = 0 } = input;
  const topupId = newId();
  await inTransaction(database.db, scope, async (tx) => {
    await tx
      .insertInto('topups')
      .values({
        id: topupId,
        organisation_id: organisationId,
        user_id: scope.userId,
        kind: input.kind ?? 'manual',
        cents: input.cents,
        state,
        payment_intent: input.paymentIntent ?? null,
        reversed_cents: reversedCents,
        method: 'card',
        failure: input.failure ?? null,
        created_at: at,
        updated_at: at,
      })
      .execute();
    if (state !== 'succeeded' && state !== 'reversed') return;
    const entry = { organisationId, topupId, actor: 'payments', text: 'Top-up by card' };
    await ledger.creditTopUp(tx, { ...entry, cents: input.cents, pendingCents: 0, feeCents: 0 });
    if (reversedCents > 0) await ledger.reverseTopUp(tx, { ...entry, cents: reversedCents, sequence: '0' });
  });
  return topupId;
}
