import { AppError } from '#contracts/errors.ts';
import type { PaymentSetup } from '#contracts/operations/payment-link.ts';
import { dayMs } from '#contracts/values/time.ts';
import { audit } from '#kernel/audit.ts';
import { inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { newId, newSecret, sha256 } from '#kernel/ids.ts';
import { postSealed } from '#kernel/letters.ts';
import { requireRoom } from '#kernel/room.ts';
import type { Scope } from '#kernel/scope.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { PaymentRefused } from '../../ports/payments.ts';
import { findBilledCustomer, wantsDirectBilling } from '../customers/index.ts';
import { organisationName } from '../users/index.ts';
import { paymentAccountOf } from './account.repo.ts';
import type { createConnections } from './connections.ts';
import type { DirectBillingDeps } from './deps.ts';
import { setupLetter } from './direct-billing.letters.ts';
import {
  countWorkingLinks,
  forgetOldLinks,
  insertLink,
  linkUnder,
  lockedSendings,
} from './setup-links.repo.ts';
import { countedSince, isUsable, linkEndsAt, waitBeforeLinkMs } from './setup-links.rules.ts';

/** So long somebody who opens an old letter reads that its link has expired. */
const rememberedMs = 90 * dayMs;

/**
 * The payment setup link: a mail with an address of ours. The provider's own page lives for a day at most, so it is
 * made when the customer clicks.
 */
export function createSetupLinks(
  deps: DirectBillingDeps,
  connections: Pick<ReturnType<typeof createConnections>, 'refreshMethod'>,
) {
  const { db, systemDb, payments, clock } = deps;

  /** P1 §7: sends the link again to the customer with this id at the provider. */
  async function resend(scope: Scope, stripeId: string): Promise<void> {
    await inTransaction(db, scope, async (tx) => {
      const customer = await findBilledCustomer(tx, { paymentCustomer: stripeId }, scope);
      if (!customer || customer.deleted) throw new AppError('not_found');
      if (!wantsDirectBilling(customer)) {
        throw new AppError('unprocessable', { message: 'Direct billing is not enabled for this customer.' });
      }
      const now = clock.now();
      const sent = await lockedSendings(
        tx,
        { organisationId: scope.organisationId, customerId: customer.id },
        countedSince(now),
      );
      const waitMs = waitBeforeLinkMs(sent, now);
      if (waitMs > 0) throw new AppError('rate_limited', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
      const { id, email } = customer;
      await forgetOldLinks(tx, scope, id, new Date(now.getTime() - rememberedMs));
      await requireRoom(tx, 'paymentLinks', id, () => countWorkingLinks(tx, scope, id, now));
      const link = await writeLink(tx, { organisationId: scope.organisationId, customerId: id, email }, now);
      const msp = await organisationName(tx, scope.organisationId);
      const messageId = `payment-setup.${link.id}`;
      // The address in it is a secret, and a job table is a table like any other.
      await postSealed(tx, deps.seal, {
        ...{ to: email, messageId, sender: { organisationId: scope.organisationId, inItsName: true } },
        letter: setupLetter({ msp, organization: customer.organization, address: link.address }),
      });
      await audit(tx, scope, {
        at: now,
        action: 'customers.resendPaymentLink',
        objectKind: 'customer',
        object: id,
        customerId: id,
        after: { sentTo: email },
      });
    });
  }

  /** A new link in the caller's transaction; the address holds the only copy of the token. */
  async function writeLink(
    tx: Tx,
    to: { organisationId: string; customerId: string; email: string },
    now: Date,
  ): Promise<{ id: string; address: string }> {
    const token = newSecret();
    const id = newId(now.getTime());
    await insertLink(tx, { id, ...to, tokenHash: sha256(token), expiresAt: linkEndsAt(now), now });
    return { id, address: `${deps.publicUrl}/payment-setup/${token}` };
  }

  /** The content of the page behind the link. The provider is asked again, because a return from its page proves nothing. */
  async function state(token: string): Promise<PaymentSetup> {
    const link = await find(token);
    const { invitedBy, organization } = link;
    if (!link.usable) return { state: 'expired', invitedBy, organization };
    const done = await connections.refreshMethod(link).catch(asPublic);
    return { state: done ? 'done' : 'open', invitedBy, organization };
  }

  /** One address of the provider's page, made on click. */
  async function open(token: string): Promise<{ url: string }> {
    const link = await find(token);
    if (!link.usable || !link.accountId || !link.paymentCustomer) {
      throw new AppError('unprocessable', {
        message: 'This link is no longer valid. Please ask for a new one.',
      });
    }
    const back = `${deps.publicUrl}/payment-setup/${token}`;
    const url = await payments
      .setupSession({
        accountId: link.accountId,
        connectedCustomer: link.paymentCustomer,
        successUrl: back,
        cancelUrl: back,
      })
      .catch(asPublic);
    return { url };
  }

  async function find(token: string) {
    const found = await systemTransaction(systemDb, async (tx) => {
      const link = await linkUnder(tx, sha256(token));
      if (!link) return null;
      const customer = await findBilledCustomer(tx, { id: link.customer_id });
      if (!customer) return null;
      const account = await paymentAccountOf(tx, link.organisation_id);
      const usable = isUsable(link, customer, clock.now());
      return {
        organisationId: link.organisation_id,
        customerId: customer.id,
        paymentCustomer: customer.paymentCustomer,
        accountId: account?.id ?? null,
        organization: customer.organization,
        invitedBy: await organisationName(tx, link.organisation_id),
        usable,
      };
    });
    if (!found) throw new AppError('not_found');
    return found;
  }

  return { resend, state, open, writeLink };
}

function asPublic(error: unknown): never {
  const message = 'The payment provider does not answer at the moment. Please try again.';
  if (error instanceof UpstreamUnavailable)
    throw new AppError('upstream_unavailable', { message, cause: error });
  if (error instanceof PaymentRefused)
    throw new AppError('payment_failed', { message: error.message, cause: error });
  throw error;
}
