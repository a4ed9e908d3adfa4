import { claimOf } from '#kernel/db/claims.ts';
import { isConnectionLoss } from '#kernel/db/connection-loss.ts';
import { inTransaction, systemTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { turnOf } from '#kernel/turn-of.rules.ts';
import { paymentAccountOf } from './account.repo.ts';
import { chargeable } from './charge-lines.ts';
import { applyToCharge } from './charge-outcome.ts';
import { createChargeSending } from './charge-sending.ts';
import { type ChargeRef, takeCharge } from './charge-taking.ts';
import {
  addToCharge,
  type Charge,
  chargeAt,
  chargeOfPayment,
  dueNow,
  findCharge,
  lockCharge,
  mayBeSent,
  noteRead,
  openCharges,
  openWithoutDispute,
  type UnreadPayment,
  unreadPayments,
} from './charges.repo.ts';
import { isOutrun, isTheirAccount, sweepTurn } from './charges.rules.ts';
import type { DirectBillingDeps } from './deps.ts';
import type { createSetupLinks } from './setup-links.ts';

/** Readings of one payment while others change its charge at the same time. */
const maxReadings = 5;

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
  const sending = createChargeSending(deps, outcome);

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
    const take = () => {
      const claim = claimOf({ db, clock, limitMs: deps.claimMs }, row, mayBeSent());
      return inTransaction(db, { organisationId }, async (tx) => {
        const step = await takeCharge(tx, ref, claim, clock.now());
        return step && { ...step, claim };
      });
    };
    const first = await take();
    if (first && 'unread' in first) for (const payment of first.unread) await readOnce(payment);
    const step = first && 'unread' in first ? await take() : first;
    if (!step || 'unread' in step) return;
    failpoint('direct-charge.claimed');
    await sending.send(step);
  }

  /**
   * An event named a payment of a connected account: it is read again, with refunds and disputes. A reading that somebody else's has outrun
   * may be the older one, and is made again.
   */
  async function refreshPayment(accountId: string, paymentId: string): Promise<Charge | null> {
    for (let reading = 1; ; reading += 1) {
      const seen = await systemTransaction(systemDb, (tx) => chargeOfPayment(tx, paymentId));
      const payment = await payments.connectedPayment(accountId, paymentId);
      if (!payment?.chargeId) return null;
      const { chargeId } = payment;
      const charge = seen ?? (await systemTransaction(systemDb, (tx) => findCharge(tx, chargeId)));
      if (!charge) return null;
      const after = await inTransaction(db, { organisationId: charge.organisation_id }, async (tx) => {
        if (!isTheirAccount(await paymentAccountOf(tx, charge.organisation_id), accountId)) return null;
        const locked = await lockCharge(tx, chargeId);
        if (isOutrun(seen, locked, paymentId) && reading < maxReadings) return 'outrun';
        await applyToCharge(outcome, tx, chargeId, { payment, answer: false });
        const written = await findCharge(tx, chargeId);
        return written?.payment_intent === paymentId ? written : null;
      });
      if (after !== 'outrun') return after;
    }
  }

  /** For a payment that may have been disputed before a version read disputes. One that the provider does not have has none. */
  async function readOnce(payment: UnreadPayment): Promise<void> {
    await refreshPayment(payment.accountId, payment.paymentId);
    await systemTransaction(systemDb, (tx) => noteRead(tx, payment, clock.now()));
  }

  /**
   * Nets: tries whose process died, waiting ones nobody woke, payments whose events were lost or whose disputes were never read, and what a
   * dispute left open that was won in the same moment.
   */
  async function sweep(): Promise<void> {
    const [unread, freed, open] = await systemTransaction(systemDb, async (tx) => [
      await unreadPayments(tx),
      await openWithoutDispute(tx),
      await openCharges(tx, clock, deps.claimMs),
    ]);
    // Before anything is charged.
    await eachInTurn(unread, readOnce);
    for (const { organisationId, customerId } of freed) {
      await inTransaction(db, { organisationId }, (tx) => dueNow(tx, customerId, clock.now()));
    }
    await eachInTurn(
      open.map((charge) => ({ ...charge, chargeId: charge.id })),
      takeUp,
    );
  }

  async function eachInTurn<C extends { chargeId: string }>(
    all: readonly C[],
    work: (charge: C) => Promise<unknown>,
  ): Promise<void> {
    for (const charge of turnOf(all, clock.now(), sweepTurn)) {
      await work(charge).catch((error: unknown) => {
        if (isConnectionLoss(error)) throw error;
        const { chargeId } = charge;
        deps.logger.warn({ err: error, chargeId }, 'direct charge not taken up; the next sweep will');
      });
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
