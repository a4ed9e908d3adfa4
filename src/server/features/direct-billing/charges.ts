import { jobActions } from '#contracts/values/audit-actions.ts';
import { audit } from '#kernel/audit.ts';
import { claimOf, type RowClaim } from '#kernel/db/claims.ts';
import { inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { type Payment, PaymentRefused } from '../../ports/payments.ts';
import { type BilledCustomer, findBilledCustomer } from '../customers/index.ts';
import { organisationName } from '../users/index.ts';
import { paymentAccountOf } from './account.repo.ts';
import { chargeable } from './charge-lines.ts';
import { applyToCharge, failCharge } from './charge-outcome.ts';
import {
  addToCharge,
  type Charge,
  chargeAt,
  claimCharge,
  findCharge,
  isStillOpen,
  justConfirmed,
  namesIn,
  openCharges,
} from './charges.repo.ts';
import {
  idempotencyKeyOf,
  isAnswer,
  isCollecting,
  isTheirAccount,
  lookAgainAt,
  obstacleTo,
  sameMomentSince,
} from './charges.rules.ts';
import type { DirectBillingDeps } from './deps.ts';
import type { createSetupLinks } from './setup-links.ts';

interface ChargeRef {
  organisationId: string;
  chargeId: string;
}

/** Everything the act needs to know, read before it. */
interface Target {
  charge: Charge;
  customer: BilledCustomer;
  account: { id: string; ready: boolean };
  claim: RowClaim;
}

/**
 * What end customers are charged (decisions no. 24): price plus markup, to the MSP's account, after the registrar
 * confirmed. The intent is stored before the call; a charge whose answer was lost is looked for before it is sent
 * again, under the same key. What is decided is in `charges.rules.ts`.
 */
export function createCharges(
  deps: DirectBillingDeps,
  links: Pick<ReturnType<typeof createSetupLinks>, 'writeLink'>,
) {
  const { db, systemDb, payments, clock } = deps;
  const { seal, publicUrl } = deps;
  const outcome = { clock, seal, publicUrl, writeLink: links.writeLink };

  /** After an item succeeded: puts it into its customer's charge, if that customer is billed directly. */
  async function collect(organisationId: string, itemId: string): Promise<void> {
    await inTransaction(db, { organisationId }, async (tx) => {
      const item = await chargeable(tx, itemId);
      if (!item) return;
      const now = clock.now();
      const id = await addToCharge(tx, organisationId, item, now);
      if (id) await chargeAt(tx, { id, organisationId }, now);
    });
  }

  /** Sends a charge when its time has come; takes up one whose answer was lost. */
  async function run(ref: ChargeRef): Promise<void> {
    const { organisationId, chargeId } = ref;
    const row = { organisationId, table: 'direct_charges', id: chargeId } as const;
    const claim = claimOf({ db, clock, limitMs: deps.claimMs }, row);
    const step = await inTransaction(db, { organisationId }, (tx) => take(tx, ref, claim));
    if (!step) return;
    failpoint('direct-charge.claimed');
    const { charge, customer, account, fresh } = step;
    const obstacle = obstacleTo(account, customer);
    if (obstacle === null && account) return send({ charge, customer, account, claim }, fresh);
    await failMine({ charge, claim }, obstacle ?? '');
  }

  /** The charge to send now, claimed; null when there is none, or it waits. */
  async function take(tx: Tx, { organisationId, chargeId }: ChargeRef, claim: RowClaim) {
    const now = clock.now();
    const before = await findCharge(tx, chargeId);
    if (!before) return null;
    if (before.state === 'collecting') {
      if (await waitsForMore(tx, before, now)) return null;
      await gather(tx, before, now);
    }
    const claimed = await claimCharge(tx, chargeId, now);
    const charge = claimed ?? (before.state === 'sending' ? before : null);
    if (!charge) return null;
    // Whoever was at it before, and may be paused, has lost it from here on.
    await claim.take(tx);
    const customer = await findBilledCustomer(tx, { id: charge.customer_id });
    const account = await paymentAccountOf(tx, organisationId);
    if (claimed) await logTry(tx, claimed, now);
    return customer ? { charge, customer, account, fresh: claimed !== null } : null;
  }

  /** Looks again soon when items of the purchase are still open. */
  async function waitsForMore(tx: Tx, charge: Charge, now: Date): Promise<boolean> {
    if (!isCollecting(charge.created_at, now) || !(await isStillOpen(tx, charge))) return false;
    await chargeAt(tx, { id: charge.id, organisationId: charge.organisation_id }, lookAgainAt(now));
    return true;
  }

  /** Each try has its entry, written before the provider is asked. */
  function logTry(tx: Tx, charge: Charge, at: Date): Promise<void> {
    const { action, actor } = jobActions['direct-billing.charge'];
    const job = { organisationId: charge.organisation_id, userId: null, email: actor, ip: null };
    return audit(tx, job, {
      ...{ at, action, objectKind: 'direct-charge', object: charge.id, customerId: charge.customer_id },
      after: { cents: charge.cents, try: charge.attempt, order: charge.order_id },
    });
  }

  /** What was confirmed in the same moment, and whose own job has not come yet, goes with it. */
  async function gather(tx: Tx, charge: Charge, now: Date): Promise<void> {
    const organisationId = charge.organisation_id;
    for (const itemId of await justConfirmed(tx, charge, sameMomentSince(now))) {
      const item = await chargeable(tx, itemId);
      const id = item && (await addToCharge(tx, organisationId, item, now));
      if (id && id !== charge.id) await chargeAt(tx, { id, organisationId }, now);
    }
  }

  async function send(target: Target, fresh: boolean): Promise<void> {
    const { charge, claim } = target;
    try {
      const known = fresh ? null : await whatBecame(target);
      const payment = known ?? (await act(target));
      failpoint('direct-charge.made');
      // Without the claim it is news as any other: whoever has taken over waits for an answer of their own.
      await inTransaction(db, { organisationId: charge.organisation_id }, async (tx) =>
        applyToCharge(outcome, tx, charge.id, { payment, answer: await claim.isMine(tx) }),
      );
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      await failMine(target, error.message);
    }
  }

  function failMine({ charge, claim }: Pick<Target, 'charge' | 'claim'>, text: string): Promise<void> {
    return inTransaction(db, { organisationId: charge.organisation_id }, async (tx) => {
      if (await claim.isMine(tx)) await failCharge(outcome, tx, charge.id, { text, wantsPerson: false });
    });
  }

  /** The answer was lost: a payment that exists and has ended is the answer. */
  async function whatBecame({ charge, customer, account }: Target): Promise<Payment | null> {
    const found = charge.payment_intent
      ? await payments.connectedPayment(account.id, charge.payment_intent)
      : await payments.findConnected(account.id, customer.paymentCustomer ?? '', charge.id);
    return found && isAnswer(charge, found) ? found : null;
  }

  async function act({ charge, customer, account, claim }: Target): Promise<Payment> {
    const paymentMethod = customer.paymentMethod ?? '';
    const key = idempotencyKeyOf(charge);
    const common = { accountId: account.id, paymentMethod, amountCents: charge.cents };
    if (charge.payment_intent) {
      // The customer may store another method before a lost answer is asked for: that is another request.
      const again = { paymentId: charge.payment_intent, idempotencyKey: `${key}:${paymentMethod}` };
      return payments.retryConnected({ ...common, ...again }, claim.fence);
    }
    const organisationId = charge.organisation_id;
    const { items, msp } = await inTransaction(db, { organisationId }, async (tx) => ({
      items: await namesIn(tx, charge.id),
      msp: await organisationName(tx, organisationId),
    }));
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

  /** An event named a payment of a connected account: it is read again, with refunds and disputes. */
  async function refreshPayment(accountId: string, paymentId: string): Promise<Charge | null> {
    const payment = await payments.connectedPayment(accountId, paymentId);
    if (!payment?.chargeId) return null;
    const { chargeId } = payment;
    const charge = await systemTransaction(systemDb, (tx) => findCharge(tx, chargeId));
    if (!charge) return null;
    return inTransaction(db, { organisationId: charge.organisation_id }, async (tx) => {
      if (!isTheirAccount(await paymentAccountOf(tx, charge.organisation_id), accountId)) return null;
      await applyToCharge(outcome, tx, chargeId, { payment, answer: false });
      const after = await findCharge(tx, chargeId);
      return after?.payment_intent === paymentId ? after : null;
    });
  }

  /** Nets: tries whose process died, waiting ones nobody woke, payments whose events were lost. */
  async function sweep(): Promise<void> {
    for (const charge of await systemTransaction(systemDb, (tx) => openCharges(tx, clock, deps.claimMs))) {
      await takeUp(charge).catch((error: unknown) =>
        deps.logger.warn(
          { err: error, chargeId: charge.id },
          'direct charge not taken up; the next sweep will',
        ),
      );
    }
  }

  async function takeUp(charge: Awaited<ReturnType<typeof openCharges>>[number]): Promise<void> {
    if (charge.state !== 'processing') {
      await run({ organisationId: charge.organisation_id, chargeId: charge.id });
    } else if (charge.payment_intent && charge.payment_account_id) {
      await refreshPayment(charge.payment_account_id, charge.payment_intent);
    }
  }

  return { collect, run, refreshPayment, sweep };
}
