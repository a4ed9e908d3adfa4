import { hourMs } from '#contracts/values/time.ts';
import { isConnectionLoss } from '#kernel/db/connection-loss.ts';
import { inReading, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { unfenced } from '#kernel/fence.ts';
import type { JobPayload } from '#kernel/job-table.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Logger } from '#kernel/logger.ts';
import { turnOf } from '#kernel/turn-of.rules.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import {
  findBilledCustomer,
  setPaymentCustomer,
  setPaymentMethod,
  waitingForPayment,
  wantsDirectBilling,
} from '../customers/index.ts';
import { paymentAccountOf } from './account.repo.ts';
import { dueNow } from './charges.repo.ts';
import type { DirectBillingDeps } from './deps.ts';

export interface CustomerRef {
  organisationId: string;
  customerId: string;
}

/** Customers that are asked about in one go. */
export const mostInTurn = 200;
/** Customers in a row without an answer. */
const isAwayAfter = 3;

/** End customers at the payment provider: their id there, and the method that is charged. */
export function createConnections(deps: DirectBillingDeps) {
  const { db, systemDb, payments, clock, logger } = deps;

  /** Makes the customer known on the MSP's account, once. Nothing happens while the MSP has no account. */
  async function connect({ organisationId, customerId }: CustomerRef): Promise<void> {
    const { customer, account } = await read({ organisationId, customerId });
    if (!customer || !account || customer.deleted || customer.paymentCustomer !== null) return;
    if (!wantsDirectBilling(customer)) return;
    const paymentCustomer = await payments.createConnectedCustomer(
      {
        accountId: account.id,
        customerId,
        email: customer.email,
        name: customer.organization,
        // The address may be corrected between two tries: another address is another request.
        idempotencyKey: `customer:${account.id}:${customerId}:${customer.email}`,
      },
      unfenced('its-key-makes-it-once'),
    );
    failpoint('direct-billing.connected');
    await inTransaction(db, { organisationId }, (tx) => setPaymentCustomer(tx, customerId, paymentCustomer));
  }

  /** Reads the stored methods again; the newest that was not revoked is charged. Returns whether there is one. */
  async function refreshMethod({ organisationId, customerId }: CustomerRef): Promise<boolean> {
    const { customer, account } = await read({ organisationId, customerId });
    if (!customer?.paymentCustomer || !account) return false;
    const methods = await payments.connectedPaymentMethods(account.id, customer.paymentCustomer);
    const method = methods.find((id) => id !== customer.revokedMethod) ?? null;
    await inTransaction(db, { organisationId }, async (tx) => {
      const changed = await setPaymentMethod(tx, customerId, { id: method });
      // What failed on the old method is tried on the new one at once.
      if (changed && method) await dueNow(tx, customerId, clock.now());
    });
    return method !== null;
  }

  /** The bank told something about a consent to debits: without it the method is not used any more. */
  async function refreshMandate(accountId: string, mandateId: string): Promise<void> {
    const mandate = await payments.connectedMandate(accountId, mandateId);
    const { paymentMethod } = mandate;
    if (mandate.active || !paymentMethod) return;
    const customer = await systemTransaction(systemDb, (tx) => findBilledCustomer(tx, { paymentMethod }));
    if (!customer) return;
    await inTransaction(db, customer, (tx) =>
      setPaymentMethod(tx, customer.id, { id: null, revoked: paymentMethod }),
    );
    await refreshMethod({ organisationId: customer.organisationId, customerId: customer.id });
  }

  /** An event named a customer or a method of the provider's: whichever of ours that is, it is read again. */
  async function refreshNamed(named: {
    customerId: string | null;
    paymentMethodId: string | null;
  }): Promise<void> {
    const { customerId: paymentCustomer, paymentMethodId: paymentMethod } = named;
    const customer = await systemTransaction(systemDb, async (tx) => {
      if (paymentCustomer) return findBilledCustomer(tx, { paymentCustomer });
      return paymentMethod ? findBilledCustomer(tx, { paymentMethod }) : null;
    });
    if (customer) {
      await refreshMethod({ organisationId: customer.organisationId, customerId: customer.id });
    }
  }

  /**
   * After the MSP's account became ready, or an import: customers that were saved with direct billing before. Those behind the
   * last one of this go are a job of their own, planned first, so that whatever fails here does not keep them waiting.
   */
  async function connectAll({
    organisationId,
    after,
  }: JobPayload<'direct-billing.connect-all'>): Promise<void> {
    const waiting = await inTransaction(db, { organisationId }, async (tx) => {
      const found = await waitingForPayment(tx, 'id', { after, limit: mostInTurn });
      const last = found.length === mostInTurn ? found.at(-1) : undefined;
      if (last) {
        const queue = `connect-all:${organisationId}`;
        const next = { organisationId, after: last.id };
        await enqueueJob(tx, 'direct-billing.connect-all', next, { key: `${queue}:${last.id}`, queue });
      }
      return found;
    });
    await each(logger, waiting, connect);
  }

  /** Finds what lost events would have told, and what could not be done before: customers without an id or a method. */
  async function sweep(): Promise<void> {
    const waiting = await systemTransaction(systemDb, async (tx) => ({
      ids: await waitingForPayment(tx, 'id'),
      methods: await waitingForPayment(tx, 'method'),
    }));
    const [now, turn] = [clock.now(), { most: mostInTurn, everyMs: hourMs }];
    await each(logger, turnOf(waiting.ids, now, turn), connect);
    await each(logger, turnOf(waiting.methods, now, turn), refreshMethod);
  }

  function read({ organisationId, customerId }: CustomerRef) {
    return inReading(db, { organisationId }, async (tx) => {
      const [customer, account] = await Promise.all([
        findBilledCustomer(tx, { id: customerId }),
        paymentAccountOf(tx, organisationId),
      ]);
      return { customer, account };
    });
  }

  return { connect, connectAll, refreshMethod, refreshMandate, refreshNamed, sweep };
}

/** One that is refused stops no other, and comes again. A database or a provider that is away ends the job, which comes again as a whole. */
async function each(
  logger: Logger,
  customers: readonly { organisationId: string; id: string }[],
  work: (ref: CustomerRef) => Promise<unknown>,
): Promise<void> {
  let unanswered = 0;
  for (const { organisationId, id: customerId } of customers) {
    try {
      await work({ organisationId, customerId });
      unanswered = 0;
    } catch (error) {
      if (isConnectionLoss(error)) throw error;
      logger.warn({ err: error, customerId }, 'customer not asked about at the payment provider');
      unanswered = error instanceof UpstreamUnavailable ? unanswered + 1 : 0;
      if (unanswered === isAwayAfter) throw error;
    }
  }
}
