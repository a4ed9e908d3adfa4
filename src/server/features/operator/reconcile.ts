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
  compareOrders,
  comparePayment,
  type Difference,
  missingPayment,
  type PlacedOrder,
} from './compare.ts';
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
    const books = (await checkLedger(systemDb)).map(
      (fault): Difference => ({
        kind: 'ledger',
        subject: `${fault.invariant}: ${fault.found}`.slice(0, 300),
        organisationId: fault.organisationId,
        text: `${fault.invariant}: ${fault.found}`,
      }),
    );
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
    if (!certificate) {
      const orders = await registrar.ordersFor(address);
      return orders.map((order) => ({ ...order, done: order.state === 'completed' }));
    }
    const orders = await registrar.certificateOrdersFor(address);
    // A certificate is charged when its order is accepted; what follows is the authority's work.
    return orders.map((order) => ({
      orderId: order.orderId,
      tag: order.tag,
      done: order.state !== 'declined' && order.state !== 'cancelled',
      costCents: null,
      orderedAt: null,
    }));
  }

  async function paymentsDiffer(since: Date, settled: Date, attempt: Attempt) {
    const topups = await systemTransaction(systemDb, (tx) => topupsToCompare(tx, since));
    const byId = new Map(topups.map((topup) => [topup.id, topup]));
    const seen = await attempt('payments', () => collect(payments.paymentsSince(since)), null);
    if (!seen) return { differences: [], payments: 0 };
    const differences = seen
      .filter((payment) => payment.createdAt < settled)
      .flatMap((payment) => comparePayment(payment, byId.get(payment.topupId ?? '')));
    const paymentIds = new Set(seen.map(({ id }) => id));
    for (const topup of topups.filter(isCredited)) {
      if (topup.payment_intent && paymentIds.has(topup.payment_intent)) {
        const payment = seen.find(({ id }) => id === topup.payment_intent) ?? null;
        differences.push(...missingPayment(topup, payment));
        continue;
      }
      const intent = topup.payment_intent;
      const payment = await attempt(
        `payment ${intent}`,
        async () => (intent ? payments.payment(intent) : null),
        null,
      );
      if (payment) differences.push(...comparePayment(payment, topup));
      differences.push(...missingPayment(topup, payment));
    }
    return { differences, payments: seen.length };
  }

  async function namesDiffer(now: Date, settled: Date): Promise<Difference[]> {
    const from = new Date(now.getTime() - expiredSinceMs);
    const held = await collect(registrar.expiring(from, new Date(now.getTime() + longestTermMs)));
    const there = new Set(held.map(({ domain }) => domain.toLowerCase()));
    const here = await systemTransaction(systemDb, (tx) => livingNames(tx));
    const missing = here
      .filter((row) => row.created_at < settled && row.expires_at && row.expires_at > now)
      .filter((row) => !there.has(row.address));
    const known = new Set(here.map(({ address }) => address));
    return [
      ...missing.map(
        (row): Difference => ({
          kind: 'name-missing',
          subject: row.address,
          organisationId: row.organisation_id,
          text: `${row.address} is listed as active, and the registrar does not have it for us`,
        }),
      ),
      ...[...there]
        .filter((name) => !known.has(name))
        .map(
          (name): Difference => ({
            kind: 'name-unknown',
            subject: name,
            organisationId: null,
            text: `the registrar has ${name} for us, and no organization has it`,
          }),
        ),
    ];
  }

  return { run };
}

const groupOf = (item: BookedItem) => `${item.address} ${item.kind === 'certificate' ? 'ssl' : 'name'}`;
const isCredited = (topup: { state: string }) => topup.state === 'succeeded' || topup.state === 'reversed';

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}
