import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Logger } from '#kernel/logger.ts';
import type { CertificatePricing, MachineCertificates } from '../certificates/index.ts';
import type { OrdersApi } from '../orders/index.ts';
import type { AcmeAccess, AcmeAccesses } from './access.ts';
import { type Decision, notSold, waitedTooLong } from './finalize.rules.ts';
import { createOrderBecoming } from './order-becoming.ts';
import { createOrderDecision, endedAccess, Moved, Overtaken, type Started } from './order-decision.ts';
import { createOrderEnds, problemOf } from './order-ends.ts';
import { createOrderFollowing } from './order-following.ts';
import { findAcmeOrder, type OrderPlace, type OrderRecord } from './orders.repo.ts';
import type { Refusals } from './refusals.ts';

export interface FinalizeDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  logger: Logger;
  accesses: AcmeAccesses;
  certificates: MachineCertificates;
  pricing: CertificatePricing;
  orders: Pick<OrdersApi, 'place' | 'engine'>;
  refusals: Refusals;
  /** Hosts of the managed DNS. */
  nameservers: readonly string[];
}

/**
 * Takes orders that have their signing request to their end: a reissue inside a paid term, a purchase, or a refusal that
 * a person hears of. Each step is one conditional statement, so that any process may take it at any time, and twice.
 */
export function createFinalize(deps: FinalizeDeps) {
  const { db, clock, accesses } = deps;
  const ends = createOrderEnds(deps);
  const { later, end } = ends;
  const deciding = createOrderDecision(deps);
  const { productOf, placesOf, decisionOf, hindranceOf } = deciding;
  const { reissue, buy } = createOrderBecoming(deps, deciding, ends);
  const follow = createOrderFollowing(deps, ends);

  /** Takes an order as far as it goes now. Throws the problem with which it has ended, if it ends by this. */
  async function advance(place: OrderPlace): Promise<void> {
    const order = await inReading(db, place, (tx) => findAcmeOrder(tx, place.orderId));
    if (order?.state === 'processing') await proceed(place, order, null);
  }

  /**
   * The same of an order that was read a moment ago, with its access if that was read, too: what is done asks for both again.
   * Returns the order when it has its certificate by this.
   */
  async function proceed(
    place: OrderPlace,
    order: OrderRecord,
    known: AcmeAccess | null,
  ): Promise<OrderRecord | null> {
    const became = order.reissue_id !== null || order.order_item_id !== null;
    if (became) return follow(place, order);
    const itemId = await start(place, order, known);
    // An authority that takes no time has issued it by now, and one that waits for a proof can have it.
    return itemId === null ? null : follow(place, { ...order, order_item_id: itemId });
  }

  /** Returns the item of the order engine that it has become by this; null: none. */
  async function start(
    place: OrderPlace,
    order: OrderRecord,
    known: AcmeAccess | null,
  ): Promise<string | null> {
    const access = known ?? (await accesses.findById(order.access_id));
    if (access?.state !== 'active') return end(place, order, endedAccess(), false);
    const { productId } = access;
    const [product, places, decision] = await inReading(db, place, (tx) =>
      Promise.all([productOf(tx, productId), placesOf(tx, order), decisionOf(tx, order, productId)]),
    );
    if (!product) return end(place, order, notSold(), false);
    const hindrance = hindranceOf({ order, access, product }, places);
    if (hindrance) return end(place, order, hindrance, false);
    failpoint('acme.decided');
    return carryOut(place, { order, access, product, decision });
  }

  async function carryOut(
    place: OrderPlace,
    { order, access, product, decision }: Started & { decision: Decision },
  ): Promise<string | null> {
    if (decision.kind === 'wait') return wait(place, order, decision.on);
    if (decision.kind === 'reissue')
      return reissue(place, { order, access, product }, decision.certificateId);
    try {
      return await buy(place, { order, access, product }, decision.ending);
    } catch (error) {
      if (error instanceof Overtaken) return later(place, order);
      if (error instanceof Moved) return null;
      const problem = problemOf(order, error);
      if (!problem) return later(place, order);
      // What is left of the paid term is better than nothing, and the person hears of the refusal all the same.
      const { ending } = decision;
      if (!ending?.lengthens) return end(place, order, problem, false);
      await inTransaction(db, place, (tx) => deps.refusals.tell(tx, order, problem));
      return reissue(place, { order, access, product }, ending.certificateId);
    }
  }

  function wait(place: OrderPlace, order: OrderRecord, on: 'machine' | 'person'): Promise<null> {
    const { names, finalized_at: finalizedAt, created_at: createdAt } = order;
    const problem = waitedTooLong({ names, since: finalizedAt ?? createdAt }, on, clock.now());
    return problem ? end(place, order, problem, false) : later(place, order);
  }

  return { advance, proceed };
}
