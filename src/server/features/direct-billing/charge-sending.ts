import type { RowClaim } from '#kernel/db/claims.ts';
import { inReading, inTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { type Payment, PaymentRefused } from '../../ports/payments.ts';
import { organisationName } from '../users/index.ts';
import { applyToCharge, failCharge, type OutcomeDeps } from './charge-outcome.ts';
import type { Taken } from './charge-taking.ts';
import { type Charge, lockCharge, namesIn, orderedAt } from './charges.repo.ts';
import { idempotencyKeyOf, isAnswer, looksFirst, obstacleTo, paidSince } from './charges.rules.ts';
import type { DirectBillingDeps } from './deps.ts';

/** Everything the act needs to know, read before it. */
interface Target extends Taken {
  claim: RowClaim;
}

/** The call to the provider, and what its answer means: the claim is asked before and after. */
export function createChargeSending(
  { db, payments }: Pick<DirectBillingDeps, 'db' | 'payments'>,
  outcome: OutcomeDeps,
) {
  async function send(target: Target): Promise<void> {
    const { charge, customer, account, claim, stopped, fresh } = target;
    try {
      const known = looksFirst(charge, account, fresh) ? await whatBecame(target) : null;
      // What was made counts, whatever is in the way by now.
      const obstacle = known ? null : obstacleTo(account, customer, stopped);
      if (obstacle !== null) return await failMine(target, obstacle, stopped);
      const payment = known ?? (await act(target));
      failpoint('direct-charge.made');
      await inTransaction(db, { organisationId: charge.organisation_id }, async (tx) => {
        const answer = await claim.isMine(tx);
        // Without the claim, this is ordinary news. The process that took over waits for its own answer. News of what has been paid since are
        // old: that was written of a later reading, with what went back of it.
        const written = answer ? null : await lockCharge(tx, charge.id);
        if (written?.state !== 'succeeded') await applyToCharge(outcome, tx, charge.id, { payment, answer });
      });
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      await failMine(target, error.message);
    }
  }

  function failMine({ charge, claim }: Target, text: string, stopped = false): Promise<void> {
    return inTransaction(db, { organisationId: charge.organisation_id }, async (tx) => {
      const failed = { text, wantsPerson: stopped, stopped };
      if (await claim.isMine(tx)) await failCharge(outcome, tx, charge.id, failed);
    });
  }

  /** The answer may be lost: a payment that exists and has ended is the answer. */
  async function whatBecame({ charge, customer, account, fresh }: Target): Promise<Payment | null> {
    const accountId = account?.id ?? '';
    const found = charge.payment_intent
      ? await payments.connectedPayment(accountId, charge.payment_intent)
      : await find(accountId, customer.paymentCustomer, charge);
    return found && isAnswer(charge, found, fresh) ? found : null;
  }

  async function find(accountId: string, paymentCustomer: string | null, charge: Charge) {
    if (!paymentCustomer) return null;
    const { id: chargeId, organisation_id: organisationId, order_id: orderId } = charge;
    const since = await inReading(db, { organisationId }, async (tx) =>
      paidSince(await orderedAt(tx, orderId)),
    );
    return payments.findConnected(accountId, paymentCustomer, { chargeId, since });
  }

  async function act({ charge, customer, account, claim }: Target): Promise<Payment> {
    const paymentMethod = customer.paymentMethod ?? '';
    const key = idempotencyKeyOf(charge);
    const common = { accountId: account?.id ?? '', paymentMethod, amountCents: charge.cents };
    if (charge.payment_intent) {
      // The customer may store another method before a lost answer is asked for: that is another request.
      const again = { paymentId: charge.payment_intent, idempotencyKey: `${key}:${paymentMethod}` };
      return payments.retryConnected({ ...common, ...again }, claim.fence);
    }
    const organisationId = charge.organisation_id;
    const [items, msp] = await inReading(db, { organisationId }, (tx) =>
      Promise.all([namesIn(tx, charge.id), organisationName(tx, organisationId)]),
    );
    return payments.chargeConnected(
      {
        ...common,
        connectedCustomer: customer.paymentCustomer ?? '',
        description: `${msp}: ${items}`.slice(0, 300),
        metadata: {
          charge: charge.id,
          purchase: charge.order_id,
          customer: charge.customer_id,
          organisation: organisationId,
          items: items.slice(0, 500),
        },
        idempotencyKey: key,
      },
      claim.fence,
    );
  }

  return { send };
}
