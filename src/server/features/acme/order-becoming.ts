import { usdToCents } from '#contracts/values/money.ts';
import { audit } from '#kernel/audit.ts';
import { inReading } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { lineOf, requestOf } from '../orders/index.ts';
import { mayBuy } from './access.rules.ts';
import { type EndingTerm, lookAgainMs, refusalToBuy } from './finalize.rules.ts';
import type { FinalizeDeps } from './finalize.ts';
import { machineScope } from './machine-scope.ts';
import { addressOf } from './order.rules.ts';
import { Moved, type OrderDecision, Overtaken, type Started } from './order-decision.ts';
import { type OrderEnds, problemOf } from './order-ends.ts';
import {
  becomePurchase,
  becomeReissue,
  boughtThisMonth,
  lookAgainAt,
  type OrderPlace,
  spentThisMonth,
} from './orders.repo.ts';
import { wasNotRenewed } from './standing.repo.ts';

const nothing = async () => undefined;

/** Makes an order a reissue or a purchase, with its intent or its hold in the same transaction. */
export function createOrderBecoming(
  deps: FinalizeDeps,
  { locked, decisionOf }: OrderDecision,
  { later, end }: OrderEnds,
) {
  const { db, clock, certificates, orders } = deps;

  async function reissue(place: OrderPlace, started: Started, certificateId: string): Promise<null> {
    const { order } = started;
    const scope = machineScope(place.organisationId);
    try {
      await certificates.reissue(
        { organisationId: place.organisationId, certificateId },
        {
          ...{ csr: order.csr ?? '', accessId: order.access_id },
          intended: async (tx, reissueId) => {
            await locked(tx, started, nothing);
            await becomeReissue(tx, order.id, { reissueId, certificateId });
            await lookAgainAt(tx, order.id, new Date(clock.now().getTime() + lookAgainMs(0)));
            await audit(tx, scope, {
              ...{ at: clock.now(), action: 'certificates.reissue', objectKind: 'certificate' },
              ...{ object: addressOf(order.names), customerId: order.customer_id },
              after: { reissue: reissueId, acmeOrder: order.id },
            });
          },
        },
      );
    } catch (error) {
      if (error instanceof Overtaken) return later(place, order);
      if (error instanceof Moved) return null;
      const problem = problemOf(order, error);
      if (!problem) return later(place, order);
      await end(place, order, problem, false);
    }
    failpoint('acme.reissued');
    return null;
  }

  /**
   * The order engine's purchase, with the access's limits judged where the money is held. A term that is about to end is
   * renewed, so that what is left of it is not lost, unless the registrar has refused to.
   */
  async function buy(place: OrderPlace, started: Started, ending: EndingTerm | null): Promise<string | null> {
    const { order, product } = started;
    const scope = machineScope(place.organisationId);
    const { names } = order;
    const renewsOrderId = ending && (await renewable(place, ending.registrarOrderId));
    const line = lineOf({
      ...{ kind: 'certificate' as const, address: addressOf(names), customerId: order.customer_id },
      certificate: {
        ...{ provider: product.provider, productType: product.productType, csr: order.csr ?? '' },
        ...{ validation: 'DNS' as const, approverEmail: null, acmeAccessId: order.access_id },
        ...(renewsOrderId === null
          ? { regType: 'new' as const }
          : { regType: 'renew' as const, renewsOrderId }),
      },
    });
    const placed = await orders.place(
      scope,
      requestOf([line], usdToCents(product.price)),
      `acme:${order.id}`,
      {
        source: 'acme',
        also: async (tx, { itemIds, totalCents }) => {
          const [itemId] = itemIds;
          if (itemId === undefined) throw new Overtaken();
          const [access, [decision, bought]] = await locked(tx, started, () =>
            Promise.all([
              decisionOf(tx, order, product.productType, itemId),
              boughtThisMonth(tx, order.access_id, clock.now()),
            ]),
          );
          // While prices were asked, another order may have been bought, and issued, for the same name.
          if (decision.kind !== 'buy') throw new Overtaken();
          // Only where the limits are reached it counts what was declined or paid back.
          const fits = mayBuy(access, totalCents, bought) === 'may';
          const spent = fits ? bought : await spentThisMonth(tx, order.access_id, clock.now());
          const refusal = refusalToBuy(mayBuy(access, totalCents, spent), names);
          if (refusal) throw refusal;
          await becomePurchase(tx, order.id, { itemId, cents: totalCents, now: clock.now() });
        },
      },
    );
    failpoint('acme.bought');
    const [itemId = null] = placed.itemIds;
    if (itemId !== null) await orders.engine.begin(place.organisationId, itemId);
    return itemId;
  }

  async function renewable(place: OrderPlace, registrarOrderId: string): Promise<string | null> {
    const refused = await inReading(db, place, (tx) => wasNotRenewed(tx, place, registrarOrderId));
    return refused ? null : registrarOrderId;
  }

  return { reissue, buy };
}
