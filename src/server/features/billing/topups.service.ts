import { AppError } from '#contracts/errors.ts';
import { audit } from '#kernel/audit.ts';
import { inReading, inTransaction } from '#kernel/db/database.ts';
import type { TopupState } from '#kernel/db/schema.ts';
import { unfenced } from '#kernel/fence.ts';
import type { Scope } from '#kernel/scope.ts';
import type { TopupDeps } from './deps.ts';
import { publicError } from './public-error.ts';
import { createTopupReadings } from './topup-readings.ts';
import { createTopupStart } from './topup-start.ts';
import { createTopupSweep } from './topup-sweep.ts';
import { findTopup } from './topups.repo.ts';
import { isCharged } from './topups.rules.ts';

export interface TopupStatus {
  topupId: string;
  /** Cents. */
  amount: number;
  state: TopupState;
  /** False only when the provider has said that no money moved. */
  charged: boolean;
}

/** Top-ups as people see them: begun, asked about, given up; and what the provider says of them in between. */
export function createTopups(deps: TopupDeps) {
  const { db, payments, clock } = deps;
  const { refresh, refreshPayment } = createTopupReadings(deps);

  /** Reads the payment again before saying anything about it ("You were not charged" must be true). */
  async function status(scope: Scope, topupId: string): Promise<TopupStatus> {
    const known = await required(scope, topupId);
    if (known.payment_intent) {
      await refresh(known.organisation_id, topupId, known.payment_intent).catch(asPublic);
    }
    const { cents, state } = await required(scope, topupId);
    return { topupId, amount: cents, state, charged: isCharged(state) };
  }

  async function required(scope: Scope, topupId: string) {
    const topup = await inReading(db, scope, (tx) => findTopup(tx, scope.organisationId, topupId));
    if (!topup) throw new AppError('not_found');
    return topup;
  }

  /**
   * Before a person is told that nothing was charged: what can still be cancelled is, so that no late success ever
   * contradicts it. What it is in the end is read again; a payment that was faster than this is a success.
   */
  async function cancel(scope: Scope, topupId: string): Promise<TopupStatus> {
    const before = await status(scope, topupId);
    if (before.charged || before.state === 'cancelled') return before;
    const { payment_intent: paymentId } = await required(scope, topupId);
    if (!paymentId) return before;
    await payments.cancelPayment(paymentId, unfenced('ends-what-is-not-done')).catch(asPublic);
    const after = await status(scope, topupId);
    if (after.state !== before.state) {
      await inTransaction(db, scope, (tx) =>
        audit(tx, scope, {
          ...{ at: clock.now(), action: 'billing.cancelTopUp', objectKind: 'top-up', object: topupId },
          ...{ customerId: null, before: { state: before.state }, after: { state: after.state } },
        }),
      );
    }
    return after;
  }

  return {
    start: createTopupStart(deps),
    ...{ status, cancel, refresh, refreshPayment, sweep: createTopupSweep(deps, refresh) },
  };
}

function asPublic(error: unknown): never {
  throw publicError(error);
}
