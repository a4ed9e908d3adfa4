import { AppError } from '#contracts/errors.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { topupLimits } from '#contracts/values/topup-limits.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction } from '#kernel/db/database.ts';
import type { TopupState } from '#kernel/db/schema.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { unfenced } from '#kernel/fence.ts';
import { once } from '#kernel/idempotency.ts';
import { newId } from '#kernel/ids.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Payment, Payments } from '../../ports/payments.ts';
import { organisationName } from '../users/index.ts';
import { applyPayment } from './apply-payment.ts';
import { billingProfile, storeCustomer } from './profile.repo.ts';
import { publicError } from './public-error.ts';
import { createTopupSweep } from './topup-sweep.ts';
import { findTopup, insertTopup, topupOfPayment, versionOf } from './topups.repo.ts';
import { amountProblem, isCharged } from './topups.rules.ts';

/** Readings of one payment when others change its top-up at the same time. */
const maxReadings = 5;

export interface TopupDeps {
  db: Db;
  systemDb: Db;
  payments: Payments;
  clock: Clock;
  logger: Logger;
}

export interface StartedTopup {
  intentSecret: string;
  topupId: string;
  /** Cents. */
  amount: number;
}

export interface TopupStatus {
  topupId: string;
  /** Cents. */
  amount: number;
  state: TopupState;
  /** False only when the provider has said that no money moved. */
  charged: boolean;
}

export function createTopups(deps: TopupDeps) {
  const { db, payments, clock } = deps;

  /** Starts a payment that the person completes in the browser. `amountUsd` is in dollars. */
  async function start(
    scope: Scope,
    amountUsd: number,
    idempotencyKey: string | null,
  ): Promise<StartedTopup> {
    const { topup, customer, organisation } = await inTransaction(db, scope, async (tx) => {
      const [profile, organisation] = await Promise.all([
        billingProfile(tx, scope.organisationId),
        organisationName(tx, scope.organisationId),
      ]);
      const initial = !profile.initial_fee_paid;
      const cents = initial ? topupLimits.initialCents : requireAmount(amountUsd);
      const request = { operation: 'billing.topUp', key: idempotencyKey, request: { amountUsd } };
      const topup = await once(tx, scope, request, async () => {
        const id = newId(clock.now().getTime());
        const kind = initial ? ('initial' as const) : ('manual' as const);
        await insertTopup(tx, {
          id,
          organisationId: scope.organisationId,
          userId: scope.userId,
          kind,
          cents,
        });
        await audit(tx, scope, {
          ...{ at: clock.now(), action: 'billing.topUp', objectKind: 'top-up', object: id },
          after: { cents, kind },
        });
        return { id, cents };
      });
      return { topup, customer: profile.payment_customer_id, organisation };
    });
    try {
      const customerId = customer ?? (await createCustomer(scope, organisation));
      const payment = await payments.createTopUp(
        {
          topupId: topup.id,
          organisationId: scope.organisationId,
          customer: customerId,
          amountCents: topup.cents,
          idempotencyKey: `topup:${topup.id}`,
        },
        unfenced('a-person-completes-it'),
      );
      failpoint('topup.created');
      await inTransaction(db, scope, (tx) => applyPayment(tx, topup.id, payment, clock.now()));
      return { intentSecret: payment.clientSecret, topupId: topup.id, amount: topup.cents };
    } catch (error) {
      throw publicError(error);
    }
  }

  async function createCustomer(scope: Scope, name: string): Promise<string> {
    const customer = await payments.createCustomer(
      {
        organisationId: scope.organisationId,
        email: scope.email,
        name,
        idempotencyKey: `customer:${scope.organisationId}`,
      },
      unfenced('its-key-makes-it-once'),
    );
    await inTransaction(db, scope, (tx) => storeCustomer(tx, scope.organisationId, customer));
    return customer;
  }

  /** Reads the payment again before saying anything about it ("You were not charged" must be true). */
  async function status(scope: Scope, topupId: string): Promise<TopupStatus> {
    const known = await inReading(db, scope, (tx) => findTopup(tx, scope.organisationId, topupId));
    if (!known) throw new AppError('not_found');
    if (known.payment_intent) {
      try {
        await refresh(known.organisation_id, topupId, known.payment_intent);
      } catch (error) {
        throw publicError(error);
      }
    }
    const topup = await inReading(db, scope, (tx) => findTopup(tx, scope.organisationId, topupId));
    if (!topup) throw new AppError('not_found');
    return {
      topupId,
      amount: topup.cents,
      state: topup.state,
      charged: isCharged(topup.state),
    };
  }

  /**
   * Before a person is told that nothing was charged: what can still be cancelled is, so that no late success ever
   * contradicts it. What it is in the end is read again; a payment that was faster than this is a success.
   */
  async function cancel(scope: Scope, topupId: string): Promise<TopupStatus> {
    const before = await status(scope, topupId);
    if (before.charged || before.state === 'cancelled') return before;
    const known = await inReading(db, scope, (tx) => findTopup(tx, scope.organisationId, topupId));
    if (!known?.payment_intent) return before;
    try {
      await payments.cancelPayment(known.payment_intent, unfenced('ends-what-is-not-done'));
    } catch (error) {
      throw publicError(error);
    }
    const after = await status(scope, topupId);
    if (after.state !== before.state) {
      await inTransaction(db, scope, (tx) =>
        audit(tx, scope, {
          ...{ at: clock.now(), action: 'billing.cancelTopUp', objectKind: 'top-up', object: topupId },
          ...{ before: { state: before.state }, after: { state: after.state } },
        }),
      );
    }
    return after;
  }

  /** Re-fetches a payment and applies it. Returns what it is, or null for one the provider does not know. */
  async function refresh(
    organisationId: string,
    topupId: string,
    paymentId: string,
  ): Promise<Payment | null> {
    for (let reading = 1; ; reading += 1) {
      const version = await inReading(db, { organisationId }, (tx) => versionOf(tx, topupId));
      const payment = await payments.payment(paymentId);
      if (!payment) return null;
      failpoint('topup.fetched');
      const applied = await inTransaction(db, { organisationId }, (tx) =>
        applyPayment(tx, topupId, payment, clock.now(), version),
      );
      // Somebody applied a reading that may be newer than this one.
      if (applied !== 'stale' || reading >= maxReadings) return payment;
    }
  }

  /**
   * An event named a payment. Where its top-up is known, the payment is read once, as for any refresh; where it is not, its
   * metadata says which one it is, and that same reading is applied unless another came in between.
   */
  async function refreshPayment(paymentId: string): Promise<void> {
    const known = await topupOfPayment(deps.systemDb, paymentId);
    if (known) {
      await refresh(known.organisationId, known.topupId, paymentId);
      return;
    }
    const payment = await payments.payment(paymentId);
    if (!payment?.topupId || !payment.organisationId) return;
    const { topupId, organisationId } = payment;
    failpoint('topup.fetched');
    const applied = await inTransaction(db, { organisationId }, async (tx) => {
      const topup = await findTopup(tx, organisationId, topupId);
      if (!topup) return false;
      // Nothing was applied to it before this moment: the reading cannot be older than what is written.
      if (topup.payment_intent !== null) return 'stale';
      return applyPayment(tx, topupId, payment, clock.now(), topup.version);
    });
    if (applied === 'stale') await refresh(organisationId, topupId, paymentId);
  }

  const sweep = createTopupSweep(deps, refresh);
  return { start, status, cancel, refresh, refreshPayment, sweep };
}

function requireAmount(amountUsd: number): number {
  const cents = usdToCents(amountUsd);
  const problem = amountProblem(cents);
  if (problem) throw amountError(problem);
  return cents;
}

function amountError(message: string): AppError {
  return new AppError('validation_failed', { message, details: [{ path: 'amount', message }] });
}
