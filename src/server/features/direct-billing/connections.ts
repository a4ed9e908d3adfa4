import { inTransaction, systemTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { unfenced } from '#kernel/fence.ts';
import {
  type BilledCustomer,
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

/** Customers re-read by one sweep. */
const sweepLimit = 200;

/** End customers at the payment provider: their id there, and the method that is charged. */
export function createConnections(deps: DirectBillingDeps) {
  const { db, systemDb, payments, clock } = deps;

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

  /** After the MSP's account became ready: customers that were saved with direct billing before. */
  async function connectAll(organisationId: string): Promise<void> {
    const waiting = await inTransaction(db, { organisationId }, (tx) =>
      waitingForPayment(tx, 'id', sweepLimit),
    );
    for (const customerId of waiting) await connect({ organisationId, customerId });
  }

  /** Finds what lost events would have told: customers that are invited and have no method yet. */
  async function sweep(): Promise<void> {
    const waiting = await systemTransaction(systemDb, async (tx) => {
      const found: BilledCustomer[] = [];
      for (const id of await waitingForPayment(tx, 'method', sweepLimit)) {
        const customer = await findBilledCustomer(tx, { id });
        if (customer) found.push(customer);
      }
      return found;
    });
    for (const customer of waiting) {
      await refreshMethod({ organisationId: customer.organisationId, customerId: customer.id });
    }
  }

  function read({ organisationId, customerId }: CustomerRef) {
    return inTransaction(db, { organisationId }, async (tx) => ({
      customer: await findBilledCustomer(tx, { id: customerId }),
      account: await paymentAccountOf(tx, organisationId),
    }));
  }

  return { connect, connectAll, refreshMethod, refreshMandate, refreshNamed, sweep };
}
