import { jobActions } from '#contracts/values/audit-actions.ts';
import { audit } from '#kernel/audit.ts';
import { claimOf } from '#kernel/db/claims.ts';
import { inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { JobPayload } from '#kernel/job-table.ts';
import { tellManagers } from '#kernel/letters.ts';
import { type PaymentRefund, PaymentRefused } from '../../ports/payments.ts';
import { paymentAccountOf } from './account.repo.ts';
import { type Charge, lockCharge } from './charges.repo.ts';
import type { DirectBillingDeps } from './deps.ts';
import { refundLetter, returnLetter } from './direct-billing.letters.ts';
import * as repo from './refunds.repo.ts';
import { refundStep } from './refunds.rules.ts';

interface Step {
  charge: Charge;
  accountId: string;
  cents: number;
  /** It was sent before and its answer was lost. */
  sentBefore: boolean;
}

/**
 * What an end customer paid for an item that came to nothing goes back by the way it came, price and markup (decision
 * 88). The intent is stored before the call, and a refund whose answer was lost is looked for before it is sent again.
 */
export function createRefunds(
  deps: DirectBillingDeps,
  charges: { refreshPayment(accountId: string, paymentId: string): Promise<Charge | null> },
) {
  const { db, systemDb, payments, clock } = deps;

  /** After the wallet got an item's price back. */
  async function want({ reason, ...ref }: JobPayload<'orders.after-refund'>): Promise<void> {
    const now = clock.now();
    await inTransaction(db, ref, async (tx) => {
      await repo.wantRefund(tx, ref, reason, now);
      await repo.refundAt(tx, ref, now);
    });
  }

  /** Goes as far as the charge allows; what waits for the charge is woken by it. */
  async function run(ref: repo.RefundRef): Promise<void> {
    const claim = claimOf(
      { db, clock, limitMs: deps.claimMs },
      { ...ref, table: 'direct_refunds', id: ref.itemId },
    );
    const step = await inTransaction(db, ref, async (tx) => {
      const prepared = await prepare(tx, ref);
      if (prepared) await claim.take(tx);
      return prepared;
    });
    if (!step) return;
    failpoint('direct-refund.claimed');
    const { charge, accountId } = step;
    const paymentId = charge.payment_intent ?? '';
    try {
      const made = step.sentBefore ? await payments.connectedRefunds(accountId, paymentId) : [];
      const refundId =
        made.find(({ itemId }) => itemId === ref.itemId)?.id ??
        (await payments.refundConnected(
          {
            accountId,
            paymentId,
            amountCents: step.cents,
            itemId: ref.itemId,
            idempotencyKey: `refund:${ref.itemId}`,
          },
          claim.fence,
        ));
      failpoint('direct-refund.made');
      await inTransaction(db, ref, async (tx) => {
        // Otherwise the process that took over finds it at the provider.
        if (!(await claim.isMine(tx))) return;
        const done = { state: 'done' as const, refund_id: refundId, failure: null };
        await repo.changeRefund(tx, ref.itemId, done, clock.now());
        const { action, actor } = jobActions['direct-billing.refund'];
        const job = { organisationId: ref.organisationId, userId: null, email: actor, ip: null };
        await audit(tx, job, {
          ...{ at: clock.now(), action, objectKind: 'direct-charge', object: charge.id },
          ...{ customerId: charge.customer_id, after: { cents: step.cents, item: ref.itemId } },
        });
      });
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      await inTransaction(db, ref, async (tx) => {
        if (await claim.isMine(tx)) await fail(tx, ref, step, error.message);
      });
      return;
    }
    await refreshPayment(accountId, paymentId);
  }

  /** A payment of a connected account is read again, and what became of what went back of it. */
  async function refreshPayment(accountId: string, paymentId: string): Promise<void> {
    const charge = await charges.refreshPayment(accountId, paymentId);
    if (charge?.state !== 'succeeded') return;
    const refunds = await payments.connectedRefunds(accountId, paymentId);
    const returned = refunds.filter((refund) => refund.returned);
    if (returned.length === 0) return;
    await inTransaction(db, { organisationId: charge.organisation_id }, (tx) =>
      takeReturned(tx, charge, returned),
    );
  }

  /** Days after it was made a refund may come back (`refund.failed`): the customer has nothing, the MSP is told once. */
  async function takeReturned(tx: Tx, charge: Charge, returned: readonly PaymentRefund[]): Promise<void> {
    const now = clock.now();
    for (const { itemId, failure } of returned) {
      if (itemId) await repo.markReturned(tx, { itemId, chargeId: charge.id, failure: failure ?? '' }, now);
    }
    const cents = returned.reduce((sum, refund) => sum + refund.amountCents, 0);
    const before = await repo.noteReturned(tx, charge.id, cents, now);
    if (before === null) return;
    const failure = returned.at(0)?.failure ?? '';
    const payment = charge.payment_intent ?? '';
    await tellManagers(tx, {
      organisationId: charge.organisation_id,
      notice: `direct-return.${charge.id}.${cents}`,
      letter: returnLetter({ cents: cents - before, failure, payment, publicUrl: deps.publicUrl }),
    });
  }

  /** The intent; null when there is nothing to send, or not yet. */
  async function prepare(tx: Tx, ref: repo.RefundRef): Promise<Step | null> {
    const now = clock.now();
    const refund = await repo.lockRefund(tx, ref.itemId);
    const charged = refund && (await repo.chargedFor(tx, ref.itemId));
    const charge = charged && (await lockCharge(tx, charged.charge_id));
    const step = refundStep(refund, charged, charge);
    const of = charge ? { charge_id: charge.id } : {};
    const end = (change: Parameters<typeof repo.changeRefund>[2]) =>
      repo.changeRefund(tx, ref.itemId, { ...of, ...change }, now).then(() => null);
    switch (step.do) {
      case 'nothing':
        return null;
      case 'end':
        return end({ state: step.state, ...(step.state === 'done' ? { cents: 0 } : {}) });
      case 'wait':
        return end({ cents: step.cents });
      case 'take out': {
        const note = `Not charged: ${charged?.address}, ${refund?.reason}`;
        const item = { itemId: ref.itemId, chargeId: charge?.id ?? '', cents: step.cents, note };
        await repo.takeOut(tx, item, now);
        return end({ state: 'none' });
      }
      case 'send': {
        if (!charge) return null;
        const { cents, sentBefore } = step;
        const account = await paymentAccountOf(tx, ref.organisationId);
        await end({ state: 'sending', cents });
        return { charge, accountId: account?.id ?? '', cents, sentBefore };
      }
    }
  }

  /** The provider will not: the MSP has to give it back itself. */
  async function fail(tx: Tx, ref: repo.RefundRef, step: Step, text: string): Promise<void> {
    await repo.changeRefund(tx, ref.itemId, { state: 'failed', failure: text }, clock.now());
    const payment = step.charge.payment_intent ?? '';
    await tellManagers(tx, {
      organisationId: ref.organisationId,
      notice: `direct-refund.${ref.itemId}`,
      letter: refundLetter({ cents: step.cents, failure: text, payment, publicUrl: deps.publicUrl }),
    });
  }

  /** Nets: refunds whose process died, and those whose charge ended without waking them. */
  async function sweep(): Promise<void> {
    const open = await systemTransaction(systemDb, (tx) => repo.openRefunds(tx, clock, deps.claimMs));
    for (const ref of open) {
      await run(ref).catch((error: unknown) =>
        deps.logger.warn({ err: error, itemId: ref.itemId }, 'direct refund not made; the next sweep will'),
      );
    }
  }

  return { want, run, refreshPayment, sweep };
}
