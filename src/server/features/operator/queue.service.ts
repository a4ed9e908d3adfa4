import { AppError } from '#contracts/errors.ts';
import type { QueueEntry, QueueKind } from '#contracts/operations/operator.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { type Operator, operatorActor } from '#kernel/operator.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '#kernel/scope.ts';
import type { BillingApi } from '../billing/index.ts';
import type { DirectBillingApi } from '../direct-billing/index.ts';
import { enqueueSync } from '../domains/index.ts';
import type { OrdersApi } from '../orders/index.ts';
import type { RenewalsApi } from '../renewals/index.ts';
import { countQueue, customerOf, findEntry, listQueue } from './queue.repo.ts';

export interface QueueDeps {
  systemDb: Db;
  clock: Clock;
  orders: { engine: Pick<OrdersApi['engine'], 'lookAgain'> };
  directBilling: Pick<DirectBillingApi, 'retry'>;
  renewals: { autoRenew: Pick<RenewalsApi['autoRenew'], 'retry'> };
  billing: {
    autoTopup: Pick<BillingApi['autoTopup'], 'retry'>;
    webhooks: Pick<BillingApi['webhooks'], 'apply'>;
  };
}

type Retry = (entry: QueueEntry, operator: Operator) => Promise<string>;

/** The entries that need attention, and the harmless things that a person can do about them. */
export function createQueue({ systemDb, clock, orders, billing, directBilling, renewals }: QueueDeps) {
  const list = () => systemTransaction(systemDb, (tx) => listQueue(tx, clock.now()));
  const counts = () => systemTransaction(systemDb, (tx) => countQueue(tx, clock.now()));

  /** Asks the registrar; money moves by what it says, as in any other look. Nothing is sent again. */
  const look: Retry = async (entry) => {
    const state = await orders.engine.lookAgain(entry.organizationId ?? '', entry.id);
    if (state === 'succeeded') return 'The registrar has completed the order, and it was charged.';
    if (state === 'declined') return 'The registrar did not complete the order. The money was returned.';
    if (state === 'review') return 'The registrar’s answer has not changed. The money stays reserved.';
    return 'It is still open. The portal keeps asking.';
  };

  const retries: Record<Exclude<QueueKind, 'debt'>, Retry> = {
    review: look,
    waiting: look,
    charge: async (entry, operator) => {
      if (entry.orderId) {
        await directBilling.retry(operatorIn(entry.organizationId ?? '', operator), entry.id);
        return 'The customer’s payment method is being charged again.';
      }
      const charged = await billing.autoTopup.retry(entry.organizationId ?? '');
      return charged
        ? 'The portal started a new automatic top-up.'
        : 'No top-up is due, or the organization has turned it off.';
    },
    renewal: async (entry) => {
      const place = { organisationId: entry.organizationId ?? '', address: entry.id.split(' ')[1] ?? '' };
      const again = await renewals.autoRenew.retry(place);
      return again ? 'The renewal is being tried again.' : 'Nothing is waiting to be retried.';
    },
    event: async (entry) => {
      await billing.webhooks.apply(entry.id);
      return 'The event was applied.';
    },
    missing: async ({ organizationId, subject: address }) => {
      const place = { organisationId: organizationId ?? '', address };
      await systemTransaction(systemDb, (tx) => enqueueSync(tx, place));
      return 'The portal is asking the registrar. If the domain is there again, it leaves the queue.';
    },
  };

  async function retry(operator: Operator, kind: QueueKind, id: string): Promise<{ message: string }> {
    const entry = await systemTransaction(systemDb, (tx) => findEntry(tx, clock.now(), { kind, id }));
    if (!entry) throw new AppError('not_found', { message: 'This is no longer in the queue.' });
    // A debt ends by money, and by itself.
    if (!entry.retry || kind === 'debt')
      throw new AppError('unprocessable', { message: 'You cannot retry this from here.' });
    const message = await retries[kind](entry, operator);
    await note(operator, entry, message);
    return { message };
  }

  /** What the operator did stands in the organisation's own log. */
  async function note(operator: Operator, entry: QueueEntry, message: string): Promise<void> {
    const { organizationId } = entry;
    if (!organizationId) return;
    const actor = { organisationId: organizationId, ...operatorActor(operator) };
    await systemTransaction(systemDb, async (tx) => {
      // The words hold the name of the customer's domain: they are erased with the customer.
      const customerId = await customerOf(tx, entry);
      await audit(tx, actor, {
        ...{
          at: clock.now(),
          action: 'operator.retry',
          objectKind: entry.kind,
          object: entry.id,
          customerId,
        },
        after: { subject: entry.subject, message },
      });
    });
  }

  return { list, counts, retry };
}

/** No person of the organisation: its log says who it was. */
const operatorId = '00000000-0000-7000-8000-000000000000';
const operatorIn = (organisationId: string, operator: Operator): Scope => ({
  organisationId,
  userId: operatorId,
  email: operatorActor(operator).email,
  role: 'MSP_ADMIN',
  reach: wholeOrganisation,
  rights: rightsOfRole,
  ip: operator.ip,
  requestId: operator.requestId,
});
