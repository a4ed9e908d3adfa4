import { AppError } from '#contracts/errors.ts';
import type { QueueEntry, QueueKind } from '#contracts/operations/operator.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import type { BillingApi } from '../billing/index.ts';
import type { OrdersApi } from '../orders/index.ts';
import { listQueue } from './queue.repo.ts';

export interface QueueDeps {
  systemDb: Db;
  clock: Clock;
  orders: { engine: Pick<OrdersApi['engine'], 'lookAgain'> };
  billing: { autoTopup: Pick<BillingApi['autoTopup'], 'retry'>; webhooks: Pick<BillingApi['webhooks'], 'apply'> };
}

type Retry = (entry: QueueEntry) => Promise<string>;

/** What needs a person, and what he can do about it that cannot do harm. */
export function createQueue({ systemDb, clock, orders, billing }: QueueDeps) {
  const list = () => systemTransaction(systemDb, (tx) => listQueue(tx, clock.now()));

  /** Asks the registrar; money moves by what it says, as in any other look. Nothing is sent again. */
  const look: Retry = async (entry) => {
    const state = await orders.engine.lookAgain(entry.organizationId ?? '', entry.id);
    if (state === 'succeeded') return 'The registrar has carried it out. It was charged.';
    if (state === 'declined') return 'The registrar did not carry it out. The money was given back.';
    if (state === 'review') return 'The registrar’s answer has not changed. The money stays held.';
    return 'It is still open. The portal goes on asking.';
  };

  const retries: Record<QueueKind, Retry> = {
    review: look,
    waiting: look,
    charge: async (entry) => {
      const charged = await billing.autoTopup.retry(entry.organizationId ?? '');
      return charged ? 'A new automatic top-up was made.' : 'No top-up is due, or the organisation has turned it off.';
    },
    renewal: () => {
      throw new AppError('unprocessable', { message: 'The registrar refused this; its owner decides about it.' });
    },
    event: async (entry) => {
      await billing.webhooks.apply(entry.id);
      return 'The event was applied.';
    },
  };

  async function retry(kind: QueueKind, id: string): Promise<{ message: string }> {
    const entry = (await list()).find((one) => one.kind === kind && one.id === id);
    if (!entry) throw new AppError('not_found', { message: 'This is no longer in the queue.' });
    return { message: await retries[kind](entry) };
  }

  return { list, retry };
}
