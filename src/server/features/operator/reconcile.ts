import { dayMs } from '#contracts/values/time.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { newId } from '#kernel/ids.ts';
import type { Logger } from '#kernel/logger.ts';
import { checkLedger } from '../../ledger/check.ts';
import type { Payments } from '../../ports/payments.ts';
import type { RegistrarCertificates, RegistrarNames, RegistrarOrders } from '../../ports/registrar.ts';
import {
  type BookedItem,
  bookDifference,
  compareAsked,
  compareNames,
  compareOrders,
  comparePayments,
  type Difference,
  type PlacedOrder,
  placedCertificate,
  placedOf,
} from './compare.rules.ts';
import { beginRun, endRun, itemsToCompare, livingNames, topupsToCompare } from './reconcile.repo.ts';

export interface ReconcileDeps {
  systemDb: Db;
  clock: Clock;
  logger: Logger;
  registrar: Pick<RegistrarOrders, 'ordersFor'> &
    Pick<RegistrarCertificates, 'certificateOrdersFor'> &
    Pick<RegistrarNames, 'expiring'>;
  payments: Pick<Payments, 'payment' | 'paymentsSince'>;
}

/** Everything that changed since then is compared again: one day, plus the days in which nothing could be asked. */
const lookBackMs = 3 * dayMs;
/** What is younger may be under way between the two sides. */
const settlingMs = 15 * 60_000;
/** Names that expire in the span are those that the registrar has for us. */
const expiredSinceMs = 40 * dayMs;
const longestTermMs = 11 * 365 * dayMs;

export type ReconcileResult = { differences: Difference[]; fresh: Difference[]; incomplete: string | null };

/**
 * Compares registrar orders, ledger and payments, and names each difference (design: operations). Only reads outside;
 * what it finds is for a person. Differences that are gone are settled, as far as the run could ask.
 */
export function createReconcile(deps: ReconcileDeps) {
  const { systemDb, clock, logger, registrar, payments } = deps;

  async function run(): Promise<ReconcileResult> {
    const startedAt = clock.now();
    const since = new Date(startedAt.getTime() - lookBackMs);
    const settled = new Date(startedAt.getTime() - settlingMs);
    const id = newId(startedAt.getTime());
    await systemTransaction(systemDb, (tx) => beginRun(tx, { id, startedAt, since }));
    const unanswered: string[] = [];
    const attempt = async <T>(what: string, ask: () => Promise<T>, otherwise: T): Promise<T> => {
      try {
        return await withFairnessKey('operator', ask);
      } catch (error) {
        logger.warn({ err: error, what }, 'could not be compared');
        unanswered.push(what);
        return otherwise;
      }
    };
    const books = (await checkLedger(systemDb)).map(bookDifference);
    const orders = await ordersDiffer(since, settled, attempt);
    const paid = await paymentsDiffer(since, settled, attempt);
    const names = await attempt('the names at the registrar', () => namesDiffer(startedAt, settled), []);
    const differences = [...books, ...orders.differences, ...paid.differences, ...names];
    const incomplete = unanswered.length > 0 ? unanswered.slice(0, 20).join(', ') : null;
    const counts = { items: orders.items, registrarOrders: orders.orders, payments: paid.payments };
    const fresh = await systemTransaction(systemDb, (tx) =>
      endRun(tx, { id, startedAt, endedAt: clock.now(), incomplete, differences, ...counts }),
    );
    return { differences, fresh, incomplete };
  }

  type Attempt = <T>(what: string, ask: () => Promise<T>, otherwise: T) => Promise<T>;

  async function ordersDiffer(since: Date, settled: Date, attempt: Attempt) {
    const items = await systemTransaction(systemDb, (tx) => itemsToCompare(tx, since, settled));
    const differences: Difference[] = [];
    let count = 0;
    for (const [key, own] of Map.groupBy(items, groupOf)) {
      const [address = '', kind] = key.split(' ');
      const placed = await attempt(`orders of ${address}`, () => placedOrders(address, kind === 'ssl'), null);
      if (!placed) continue;
      count += placed.length;
      const [moved, others] = [own.filter((item) => item.moved), own.filter((item) => !item.moved)];
      differences.push(...compareOrders(address, moved, others, placed, { since, settled }));
    }
    return { differences, items: items.filter((item) => item.moved).length, orders: count };
  }

  async function placedOrders(address: string, certificate: boolean): Promise<PlacedOrder[]> {
    return certificate
      ? (await registrar.certificateOrdersFor(address)).map(placedCertificate)
      : (await registrar.ordersFor(address)).map(placedOf);
  }

  async function paymentsDiffer(since: Date, settled: Date, attempt: Attempt) {
    const topups = await systemTransaction(systemDb, (tx) => topupsToCompare(tx, since));
    const seen = await attempt('payments', () => collect(payments.paymentsSince(since)), null);
    if (!seen) return { differences: [], payments: 0 };
    const { differences, unseen } = comparePayments(seen, topups, settled);
    for (const topup of unseen) {
      const intent = topup.payment_intent;
      const ask = async () => ({ payment: intent ? await payments.payment(intent) : null });
      const answer = await attempt(`payment ${intent}`, ask, null);
      // No answer is no absence: nothing is known of it until the next run.
      if (answer) differences.push(...compareAsked(topup, answer.payment));
    }
    return { differences, payments: seen.length };
  }

  async function namesDiffer(now: Date, settled: Date): Promise<Difference[]> {
    const from = new Date(now.getTime() - expiredSinceMs);
    const held = await collect(registrar.expiring(from, new Date(now.getTime() + longestTermMs)));
    const listed = await systemTransaction(systemDb, (tx) => livingNames(tx));
    const names = held.map(({ domain }) => domain);
    return compareNames(names, listed, { now, settled });
  }

  return { run };
}

const groupOf = (item: BookedItem) => `${item.address} ${item.kind === 'certificate' ? 'ssl' : 'name'}`;

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}
