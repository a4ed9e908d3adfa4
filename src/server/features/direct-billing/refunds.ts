import { jobActions } from '#contracts/values/audit-actions.ts';
import { audit } from '#kernel/audit.ts';
import { claimOf, type RowClaim } from '#kernel/db/claims.ts';
import { isConnectionLoss } from '#kernel/db/connection-loss.ts';
import { inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Fence } from '#kernel/fence.ts';
import type { JobPayload } from '#kernel/job-table.ts';
import { tellManagers } from '#kernel/letters.ts';
import { turnOf } from '#kernel/turn-of.rules.ts';
import { PaymentRefused } from '../../ports/payments.ts';
import type { Charge } from './charges.repo.ts';
import { failedText, sweepTurn } from './charges.rules.ts';
import type { DirectBillingDeps } from './deps.ts';
import { refundLetter } from './direct-billing.letters.ts';
import { type IntendedRefund, intendRefund, lookAtPayment } from './refund-intents.ts';
import { takeReturned } from './refund-returns.ts';
import * as repo from './refunds.repo.ts';
import { type NextRefund, nextRefund, type SeenPayment } from './refunds.rules.ts';

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
    const row = { ...ref, table: 'direct_refunds', id: ref.itemId } as const;
    const claim = claimOf({ db, clock, limitMs: deps.claimMs }, row);
    const intended = await intend(ref, claim, null);
    if (!intended) return;
    failpoint('direct-refund.claimed');
    const { accountId, charge } = intended;
    try {
      const next = await nextOf(payments, ref, intended);
      const refundId = next.do === 'send' ? await make(ref, intended, claim.fence) : null;
      failpoint('direct-refund.made');
      await inTransaction(db, ref, async (tx) => {
        // Otherwise the process that took over finds it at the provider.
        if (!(await claim.isMine(tx))) return;
        if (next.do === 'hand over') {
          await fail(deps, tx, { ...ref, ...intended }, failedText.refundedOutside);
        } else {
          await done(tx, ref, intended, next.do === 'done' ? next.refundId : refundId);
        }
      });
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      await inTransaction(db, ref, async (tx) => {
        if (await claim.isMine(tx)) await fail(deps, tx, { ...ref, ...intended }, error.message);
      });
      return;
    }
    await refreshPayment(accountId, charge.payment_intent ?? '');
  }

  /** The intent, committed; null when nothing is sent. What only the provider knows is asked in between, once. */
  async function intend(
    ref: repo.RefundRef,
    claim: RowClaim,
    seen: SeenPayment | null,
  ): Promise<IntendedRefund | null> {
    const intent = await inTransaction(db, ref, async (tx) => {
      const found = await intendRefund(tx, ref, clock.now(), seen);
      if (found?.do === 'send') await claim.take(tx);
      if (found?.do === 'hand over') await fail(deps, tx, { ...ref, ...found }, found.why);
      return found;
    });
    if (intent?.do === 'look' && !seen) {
      const { refreshPayment } = charges;
      return intend(ref, claim, await lookAtPayment({ payments, refreshPayment }, intent));
    }
    return intent?.do === 'send' ? intent : null;
  }

  function make(ref: repo.RefundRef, intended: IntendedRefund, fence: Fence): Promise<string> {
    const { accountId, charge, cents: amountCents } = intended;
    const { itemId } = ref;
    const paymentId = charge.payment_intent ?? '';
    return payments.refundConnected(
      { accountId, paymentId, amountCents, itemId, idempotencyKey: `refund:${itemId}` },
      fence,
    );
  }

  /** Without a refund of ours, nothing of it is the portal's doing. */
  async function done(tx: Tx, ref: repo.RefundRef, of: IntendedRefund, refundId: string | null) {
    const { organisationId, itemId: item } = ref;
    if (refundId === null) return repo.changeRefund(tx, item, { state: 'done', cents: 0 }, clock.now());
    const { charge, cents } = of;
    const change = { state: 'done' as const, refund_id: refundId, failure: null };
    await repo.changeRefund(tx, item, change, clock.now());
    const { action, actor } = jobActions['direct-billing.refund'];
    const job = { organisationId, userId: null, email: actor, ip: null };
    await audit(tx, job, {
      ...{ at: clock.now(), action, objectKind: 'direct-charge', object: charge.id },
      ...{ customerId: charge.customer_id, after: { cents, item } },
    });
  }

  /** A payment of a connected account is read again, and what became of what went back of it. */
  async function refreshPayment(accountId: string, paymentId: string): Promise<void> {
    const charge = await charges.refreshPayment(accountId, paymentId);
    if (charge?.state !== 'succeeded') return;
    const refunds = await payments.connectedRefunds(accountId, paymentId);
    const returned = refunds.filter((refund) => refund.returned);
    if (returned.length === 0) return;
    const { publicUrl } = deps;
    await inTransaction(db, { organisationId: charge.organisation_id }, (tx) =>
      takeReturned(tx, charge, returned, { now: clock.now(), publicUrl }),
    );
  }

  /** Nets: refunds whose process died, and those whose charge ended without waking them. */
  async function sweep(): Promise<void> {
    const open = await systemTransaction(systemDb, (tx) => repo.openRefunds(tx, clock, deps.claimMs));
    for (const ref of turnOf(open, clock.now(), sweepTurn)) {
      await run(ref).catch((error: unknown) => {
        if (isConnectionLoss(error)) throw error;
        deps.logger.warn({ err: error, itemId: ref.itemId }, 'direct refund not made; the next sweep will');
      });
    }
  }

  return { want, run, refreshPayment, sweep };
}

/**
 * What has gone back by now, as the provider knows it: this refund, when its answer was lost, and what the MSP gave back itself, of which no
 * event may have come yet (decision 331).
 */
async function nextOf(
  payments: DirectBillingDeps['payments'],
  { itemId }: repo.RefundRef,
  { accountId, charge }: IntendedRefund,
): Promise<NextRefund> {
  return nextRefund(
    itemId,
    charge.cents,
    await payments.connectedRefunds(accountId, charge.payment_intent ?? ''),
  );
}

/** The provider will not, or nobody knows what it has: the MSP has to give it back itself. */
async function fail(
  { clock, publicUrl }: Pick<DirectBillingDeps, 'clock' | 'publicUrl'>,
  tx: Tx,
  of: repo.RefundRef & Pick<IntendedRefund, 'charge' | 'cents'>,
  text: string,
): Promise<void> {
  const { organisationId, itemId, charge, cents } = of;
  await repo.changeRefund(tx, itemId, { state: 'failed', failure: text }, clock.now());
  const payment = charge.payment_intent ?? '';
  await tellManagers(tx, {
    organisationId,
    notice: `direct-refund.${itemId}`,
    letter: refundLetter({ cents, failure: text, payment, publicUrl }),
  });
}
