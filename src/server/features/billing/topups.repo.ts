import { topupLimits } from '#contracts/values/topup-limits.ts';
import { type Db, later, sql, type Tx } from '#kernel/db/database.ts';
import { keepAsItIs } from '#kernel/db/open-organisation.ts';
import type { TopupState } from '#kernel/db/schema.ts';
import { newId } from '#kernel/ids.ts';
import type { Payment } from '../../ports/payments.ts';
import { rankOf } from './topups.rules.ts';

export interface NewTopup {
  id: string;
  organisationId: string;
  userId: string | null;
  kind: 'manual' | 'initial' | 'auto';
  cents: number;
}

/** Intent before act: the row exists before the provider hears of it. */
export async function insertTopup(tx: Tx, topup: NewTopup): Promise<void> {
  await later(
    tx,
    tx.insertInto('topups').values({
      id: topup.id,
      organisation_id: topup.organisationId,
      user_id: topup.userId,
      kind: topup.kind,
      cents: topup.cents,
      state: 'requested',
    }),
  );
}

/** A second payment under one top-up, as a top-up of its own. False when it has one already. */
export async function insertSecondPayment(
  tx: Tx,
  { organisationId, userId, payment }: { organisationId: string; userId: string | null; payment: Payment },
): Promise<boolean> {
  const made = await tx
    .insertInto('topups')
    .values({
      ...{ id: newId(payment.createdAt.getTime()), organisation_id: organisationId, user_id: userId },
      ...{ kind: 'manual', cents: payment.amountCents, state: 'requested', payment_intent: payment.id },
    })
    .onConflict((conflict) => conflict.column('payment_intent').doNothing())
    .executeTakeFirst();
  return (made.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/**
 * After its organisation's profile (as `lockedProfile`). With when the organisation was closed, if it was: it is not while this
 * transaction goes on.
 */
export async function lockTopup(tx: Tx, id: string) {
  const owner = tx.selectFrom('topups').select('organisation_id').where('id', '=', id);
  await keepAsItIs(tx, { organisationId: sql<string>`${owner}` });
  await later(
    tx,
    tx
      .insertInto('billing_profiles')
      .columns(['organisation_id'])
      .expression(owner)
      .onConflict((conflict) => conflict.doNothing()),
  );
  await later(
    tx,
    tx
      .selectFrom('billing_profiles')
      .select('organisation_id')
      .where('organisation_id', '=', owner)
      .forUpdate(),
  );
  return tx
    .selectFrom('topups')
    .selectAll('topups')
    .select((eb) =>
      eb
        .selectFrom('organisations')
        .select('closed_at')
        .whereRef('organisations.id', '=', 'topups.organisation_id')
        .as('organisation_closed_at'),
    )
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export function findTopup(tx: Tx, organisationId: string, id: string) {
  return tx
    .selectFrom('topups')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Across tenants: whose top-up a payment is, where that is recorded. */
export async function topupOfPayment(systemDb: Db, paymentId: string) {
  const row = await systemDb
    .selectFrom('topups')
    .select(['id', 'organisation_id'])
    .where('payment_intent', '=', paymentId)
    .executeTakeFirst();
  return row && { topupId: row.id, organisationId: row.organisation_id };
}

/** The top-up of a payment, or else the one that the payment's metadata names. */
export function topupNamedBy(tx: Tx, organisationId: string, payment: { id: string; topupId: string }) {
  return tx
    .selectFrom('topups')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where((eb) => eb.or([eb('payment_intent', '=', payment.id), eb('id', '=', payment.topupId)]))
    .orderBy(sql`payment_intent IS NOT DISTINCT FROM ${payment.id}`, 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Across tenants: all top-ups of before that may have ended without a word, what was begun last first. */
export function openTopups(tx: Tx, before: Date) {
  return tx
    .selectFrom('topups')
    .select(['id', 'organisation_id', 'payment_intent', 'state'])
    .where('state', 'in', ['requested', 'requires_action', 'processing'])
    .where('payment_intent', 'is not', null)
    .where('created_at', '<', before)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
}

/** Writes what a payment is. */
export async function storePayment(
  tx: Tx,
  topup: { id: string; fee_cents: number; method: string | null },
  change: { payment: Payment; state: TopupState; pendingCents: number; now: Date },
): Promise<void> {
  const { payment, state } = change;
  await later(
    tx,
    tx
      .updateTable('topups')
      .set((eb) => ({
        version: eb('version', '+', 1),
        state,
        rank: rankOf(state),
        payment_intent: payment.id,
        pending_cents: change.pendingCents,
        reversed_cents: payment.reversedCents,
        fee_cents: payment.feeCents ?? topup.fee_cents,
        method: payment.method ?? topup.method,
        failure: payment.failure,
        updated_at: change.now,
      }))
      .where('id', '=', topup.id),
  );
}

/** Notes what the operator is told of its payment. A reading of before it is told of nothing. */
export async function storeAlarm(tx: Tx, topupId: string, text: string): Promise<void> {
  await later(
    tx,
    tx
      .updateTable('topups')
      .set((eb) => ({
        version: eb('version', '+', 1),
        alarmed_as: sql<string>`concat_ws(E'\\n', alarmed_as, ${text}::text)`,
      }))
      .where('id', '=', topupId),
  );
}

/**
 * The initial fee counts as paid while a top-up of $100 arrived or is on its way (decisions no. 5). What was taken
 * back as a whole did not arrive; a part of it that was refunded changes nothing.
 */
export async function isInitialFeePaid(tx: Tx, organisationId: string): Promise<boolean> {
  const paid = await tx
    .selectFrom('topups')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('cents', '>=', topupLimits.initialCents)
    .where((eb) =>
      eb.or([
        eb('state', 'in', ['succeeded', 'processing']),
        eb.and([eb('state', '=', 'reversed'), eb('reversed_cents', '<', eb.ref('cents'))]),
      ]),
    )
    .executeTakeFirst();
  return paid !== undefined;
}
