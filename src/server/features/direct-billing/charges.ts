import { claimOf, type RowClaim } from '#kernel/db/claims.ts';
import { inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { type Payment, PaymentRefused } from '../../ports/payments.ts';
import { type BilledCustomer, findBilledCustomer } from '../customers/index.ts';
import { chargeable, idempotencyKeyOf, justConfirmed, namesIn } from './charge-lines.ts';
import { failedText, noticeOfFailure } from './charge-texts.ts';
import {
  addToCharge,
  type Charge,
  chargeAt,
  claimCharge,
  findCharge,
  isStillOpen,
  lockCharge,
} from './charges.repo.ts';
import { type DirectBillingDeps, organisationName, paymentAccountOf } from './deps.ts';
import { refundsDue } from './refunds.repo.ts';
import type { createSetupLinks } from './setup-links.ts';

/** How long a charge waits for the rest of its purchase; a transfer that takes days is charged by itself. */
const collectForMs = 15 * 60_000;
const lookAgainMs = 20_000;
/** Items confirmed within so long of each other are one charge; whoever was confirmed earlier was judged then. */
const sameMomentMs = 60_000;
const dayMs = 86_400_000;
/** Days between a failed try and the next; after the last one a person decides. */
export const retryAfterDays = [1, 3, 5, 7];

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
 * again, under the same key.
 */
export function createCharges(
  deps: DirectBillingDeps,
  links: Pick<ReturnType<typeof createSetupLinks>, 'writeLink'>,
) {
  const { db, systemDb, payments, clock } = deps;

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
  async function run({ organisationId, chargeId }: ChargeRef): Promise<void> {
    const now = clock.now();
    const claim = claimOf(
      { db, clock, limitMs: deps.claimMs },
      { organisationId, table: 'direct_charges', id: chargeId },
    );
    const step = await inTransaction(db, { organisationId }, async (tx) => {
      const before = await findCharge(tx, chargeId);
      if (!before) return null;
      if (before.state === 'collecting') {
        if (await waitsForMore(tx, before, now)) return null;
        await gather(tx, before, now);
      }
      const claimed = await claimCharge(tx, chargeId, now);
      const charge = claimed ?? (before.state === 'sending' ? before : null);
      // Whoever was at it before, and may be paused, has lost it from here on.
      if (charge) await claim.take(tx);
      const customer = charge && (await findBilledCustomer(tx, { id: charge.customer_id }));
      const account = await paymentAccountOf(tx, organisationId);
      return charge && customer ? { charge, customer, account, fresh: claimed !== null } : null;
    });
    if (!step) return;
    failpoint('direct-charge.claimed');
    const { charge, customer, account, fresh } = step;
    if (!account?.ready || !customer.paymentMethod || !customer.paymentCustomer) {
      const text = account?.ready ? failedText.noMethod : failedText.noAccount;
      await inTransaction(db, { organisationId }, async (tx) => {
        if (await claim.isMine(tx)) await fail(tx, charge.id, text, false);
      });
      return;
    }
    await send({ charge, customer, account, claim }, fresh);
  }

  /** What was confirmed in the same moment, and whose own job has not come yet, goes with it. */
  async function gather(tx: Tx, charge: Charge, now: Date): Promise<void> {
    const organisationId = charge.organisation_id;
    for (const itemId of await justConfirmed(tx, charge, new Date(now.getTime() - sameMomentMs))) {
      const item = await chargeable(tx, itemId);
      const id = item && (await addToCharge(tx, organisationId, item, now));
      if (id && id !== charge.id) await chargeAt(tx, { id, organisationId }, now);
    }
  }

  async function send(target: Target, fresh: boolean): Promise<void> {
    const { charge, claim } = target;
    const organisationId = charge.organisation_id;
    try {
      const known = fresh ? null : await whatBecame(target);
      const payment = known ?? (await act(target));
      failpoint('direct-charge.made');
      // Without the claim it is news as any other: whoever has taken over waits for an answer of their own.
      await inTransaction(db, { organisationId }, async (tx) =>
        apply(tx, charge.id, payment, await claim.isMine(tx)),
      );
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      await inTransaction(db, { organisationId }, async (tx) => {
        if (await claim.isMine(tx)) await fail(tx, charge.id, error.message, false);
      });
    }
  }

  /** The answer was lost: a payment that exists and has ended is the answer. */
  async function whatBecame({ charge, customer, account }: Target): Promise<Payment | null> {
    const found = charge.payment_intent
      ? await payments.connectedPayment(account.id, charge.payment_intent)
      : await payments.findConnected(account.id, customer.paymentCustomer ?? '', charge.id);
    if (!found) return null;
    // A decline of an earlier try says nothing of this one: the same key asks for this one's answer.
    const declined = found.state === 'requires_payment_method' || found.state === 'requires_action';
    return declined && charge.payment_intent ? null : found;
  }

  async function act({ charge, customer, account, claim }: Target): Promise<Payment> {
    const paymentMethod = customer.paymentMethod ?? '';
    const key = idempotencyKeyOf(charge);
    if (charge.payment_intent) {
      return payments.retryConnected(
        {
          accountId: account.id,
          paymentId: charge.payment_intent,
          paymentMethod,
          amountCents: charge.cents,
          // The customer may store another method before a lost answer is asked for: that is another request.
          idempotencyKey: `${key}:${paymentMethod}`,
        },
        claim.fence,
      );
    }
    const { items, msp } = await inTransaction(
      db,
      { organisationId: charge.organisation_id },
      async (tx) => ({
        items: await namesIn(tx, charge.id),
        msp: await organisationName(tx, charge.organisation_id),
      }),
    );
    return payments.chargeConnected(
      {
        accountId: account.id,
        connectedCustomer: customer.paymentCustomer ?? '',
        paymentMethod,
        amountCents: charge.cents,
        description: `${msp}: ${items}`.slice(0, 300),
        metadata: {
          charge: charge.id,
          purchase: charge.order_id,
          customer: charge.customer_id,
          organisation: charge.organisation_id,
          items: items.slice(0, 500),
        },
        idempotencyKey: key,
      },
      claim.fence,
    );
  }

  /** Writes what a payment is. `answer`: it is the reply to this try, not news about an earlier one. */
  async function apply(tx: Tx, chargeId: string, payment: Payment, answer: boolean): Promise<void> {
    const charge = await lockCharge(tx, chargeId);
    if (!charge || (charge.payment_intent !== null && charge.payment_intent !== payment.id)) return;
    const moves = payment.state === 'succeeded' || payment.state === 'processing';
    // One that was declined may have been for more: what came to nothing since is taken off before it is tried again.
    if (moves && payment.amountCents !== charge.cents) {
      const text = `direct charge ${chargeId}: ${payment.amountCents} cents charged instead of ${charge.cents}`;
      await enqueueJob(
        tx,
        'operator.alert',
        { kind: 'direct-charge', text },
        { key: `alert:direct:${chargeId}` },
      );
      return;
    }
    if (moves) {
      await tx
        .updateTable('direct_charges')
        .set({
          state: payment.state === 'succeeded' ? 'succeeded' : 'processing',
          payment_intent: payment.id,
          refunded_cents: payment.reversedCents,
          failure: null,
          next_try_at: null,
          updated_at: clock.now(),
        })
        .where('id', '=', chargeId)
        .execute();
      if (payment.state === 'succeeded') await refundsDue(tx, charge, clock.now());
      return;
    }
    // While a try runs, only its own answer may end it.
    if (charge.state === 'sending' && !answer) return;
    if (charge.state !== 'sending' && charge.state !== 'processing') return;
    const usable = payment.state !== 'cancelled';
    await tx
      .updateTable('direct_charges')
      .set({ payment_intent: usable ? payment.id : null })
      .where('id', '=', chargeId)
      .execute();
    const asks = payment.state === 'requires_action' || payment.failureCode === 'authentication_required';
    await fail(tx, chargeId, payment.failure ?? failedText.declined, asks);
  }

  /** An open receivable: shown, told to both sides, and tried again by itself a few times. */
  async function fail(tx: Tx, chargeId: string, text: string, wantsPerson: boolean): Promise<void> {
    const charge = await lockCharge(tx, chargeId);
    if (charge?.state !== 'sending' && charge?.state !== 'processing') return;
    const now = clock.now();
    // Asking the bank again without the person is no use; a new method starts the tries anew.
    const days = wantsPerson ? undefined : retryAfterDays[charge.attempt - 1];
    const next = days === undefined ? null : new Date(now.getTime() + days * dayMs);
    await tx
      .updateTable('direct_charges')
      .set({ state: 'failed', failure: text, next_try_at: next, updated_at: now })
      .where('id', '=', chargeId)
      .execute();
    if (next) await chargeAt(tx, { id: chargeId, organisationId: charge.organisation_id }, next);
    await refundsDue(tx, charge, now);
    await tell(tx, charge, text, next);
  }

  async function tell(tx: Tx, charge: Charge, failure: string, next: Date | null): Promise<void> {
    const customer = await findBilledCustomer(tx, { id: charge.customer_id });
    if (!customer) return;
    const { organisation_id: organisationId, customer_id: customerId } = charge;
    const msp = await organisationName(tx, organisationId);
    const about = { msp, organization: customer.organization, items: await namesIn(tx, charge.id) };
    const link = customer.deleted
      ? null
      : await links.writeLink(tx, { organisationId, customerId, email: customer.email }, clock.now());
    const notice = noticeOfFailure({
      ...about,
      cents: charge.cents,
      failure,
      next,
      address: link?.address ?? null,
    });
    const id = `direct-charge.${charge.id}.${charge.attempt}`;
    if (customer.email !== '') {
      const { subject, text } = notice.customer;
      // It speaks for the MSP, and holds a link that opens without a sign-in: a job table is a table like any other.
      const sealedText = deps.seal.seal(text, id).toString('base64');
      await enqueueJob(tx, 'mail.send', {
        to: customer.email,
        fromName: msp,
        subject,
        sealedText,
        messageId: id,
      });
    }
    await enqueueJob(tx, 'billing.notify', { organisationId, notice: id, ...notice.msp });
  }

  /** An event named a payment of a connected account: it is read again, with refunds and disputes. */
  async function refreshPayment(accountId: string, paymentId: string): Promise<Charge | null> {
    const payment = await payments.connectedPayment(accountId, paymentId);
    if (!payment?.chargeId) return null;
    const { chargeId } = payment;
    const charge = await systemTransaction(systemDb, (tx) => findCharge(tx, chargeId));
    if (!charge) return null;
    return inTransaction(db, { organisationId: charge.organisation_id }, async (tx) => {
      // The metadata is ours, but the account must be the organisation's too.
      const account = await paymentAccountOf(tx, charge.organisation_id);
      if (account?.id !== accountId) return null;
      await apply(tx, chargeId, payment, false);
      const after = await findCharge(tx, chargeId);
      return after?.payment_intent === paymentId ? after : null;
    });
  }

  /** Nets: tries whose process died, waiting ones nobody woke, payments whose events were lost. */
  async function sweep(): Promise<void> {
    const now = clock.now();
    const lost = new Date(now.getTime() - deps.claimMs);
    const open = await systemTransaction(systemDb, (tx) =>
      tx
        .selectFrom('direct_charges as c')
        .leftJoin('billing_profiles as b', 'b.organisation_id', 'c.organisation_id')
        .select(['c.id', 'c.organisation_id', 'c.state', 'c.payment_intent', 'b.payment_account_id'])
        .where((eb) =>
          eb.or([
            eb.and([eb('c.state', 'in', ['sending', 'collecting']), eb('c.updated_at', '<', lost)]),
            eb.and([eb('c.state', '=', 'failed'), eb('c.next_try_at', '<', lost)]),
            eb('c.state', '=', 'processing'),
          ]),
        )
        .orderBy('c.updated_at')
        .limit(500)
        .execute(),
    );
    for (const charge of open) {
      await takeUp(charge).catch((error: unknown) =>
        deps.logger.warn(
          { err: error, chargeId: charge.id },
          'direct charge not taken up; the next sweep will',
        ),
      );
    }
  }

  async function takeUp(charge: {
    id: string;
    organisation_id: string;
    state: string;
    payment_intent: string | null;
    payment_account_id: string | null;
  }): Promise<void> {
    if (charge.state !== 'processing') {
      await run({ organisationId: charge.organisation_id, chargeId: charge.id });
    } else if (charge.payment_intent && charge.payment_account_id) {
      await refreshPayment(charge.payment_account_id, charge.payment_intent);
    }
  }

  /** Looks again soon when items of the purchase are still open. */
  async function waitsForMore(tx: Tx, charge: Charge, now: Date): Promise<boolean> {
    if (now.getTime() - charge.created_at.getTime() >= collectForMs) return false;
    if (!(await isStillOpen(tx, charge))) return false;
    const ref = { id: charge.id, organisationId: charge.organisation_id };
    await chargeAt(tx, ref, new Date(now.getTime() + lookAgainMs));
    return true;
  }

  return { collect, run, refreshPayment, sweep };
}
