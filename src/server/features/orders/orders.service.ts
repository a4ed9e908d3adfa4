import { AppError } from '#contracts/errors.ts';
import type { ReplyOf } from '#contracts/operation.ts';
import type { Order, PurchaseBody, PurchaseResult, purchaseOutcome } from '#contracts/operations/orders.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { isOpenItem } from '#contracts/values/order-states.ts';
import { pause } from '#kernel/clock.ts';
import type { Db } from '#kernel/db/database.ts';
import { inReading } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { storeReply } from '#kernel/idempotency.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import type { RegistrarCertificates, RegistrarNames, RegistrarOrders } from '../../ports/registrar.ts';
import { certificateAct } from './acts/certificate.ts';
import { redemptionAct } from './acts/redemption.ts';
import { registrationAct } from './acts/registration.ts';
import { renewalAct } from './acts/renewal.ts';
import { transferAct } from './acts/transfer.ts';
import { createAdoption } from './adopt.ts';
import { type PriceRequest, pricesOf } from './cart-prices.ts';
import { type CheckoutDeps, createCheckout } from './checkout.ts';
import type { EngineTimes } from './engine.rules.ts';
import { Engine } from './engine.ts';
import { lineOf, type OrderRequest, requestOf, requestOfBody } from './lines.ts';
import { itemsOfOrder, listOrders, type OrderListQuery, placedUnder } from './orders.repo.ts';
import { quoteKinds } from './quote.ts';
import { createRefund } from './refund.ts';
import { purchaseResultOf } from './result.ts';

export interface OrdersDeps extends CheckoutDeps {
  systemDb: Db;
  registrar: RegistrarNames & RegistrarOrders & RegistrarCertificates;
  logger: Logger;
  times: EngineTimes;
  /** Items of all orders that are being sent at once. */
  parallelItems: number;
  /** The reply to a purchase waits at most this long for its items. */
  replyWaitMs: number;
}

export type OrdersApi = ReturnType<typeof createOrders>;

/** While a repeat of a running request waits, its order is looked at this often. */
const followEveryMs = 250;

export function createOrders(deps: OrdersDeps) {
  const { db, registrar, logger, pricing } = deps;
  const engine = new Engine({ ...deps, acts: actsOf(registrar) });
  const place = createCheckout(deps);

  /** Buys what is in the body; charged for what succeeds, nothing else. */
  function purchase(
    scope: Scope,
    body: PurchaseBody,
    idempotencyKey: string | null,
  ): Promise<PurchaseResult> {
    return buy(scope, requestOfBody(body), idempotencyKey);
  }

  async function buy(
    scope: Scope,
    request: OrderRequest,
    idempotencyKey: string | null,
  ): Promise<PurchaseResult> {
    const placed = await place(scope, request, idempotencyKey);
    if (placed.replay) return placed.replay as PurchaseResult;
    const deadline = AbortSignal.timeout(deps.replyWaitMs);
    // The engine goes on after the reply: what is still open then is followed by the jobs.
    const running = begin(scope.organisationId, placed.itemIds);
    await Promise.race([running, pause(deps.replyWaitMs, deadline)]);
    if (placed.itemIds.length === 0) await follow(scope, placed.orderId, deadline);
    failpoint('purchase.items-done');
    const items = await inReading(db, scope, (tx) => itemsOfOrder(tx, scope, placed.orderId));
    const reply = await storeReply(db, scope, placed.orderId, purchaseResultOf(placed.orderId, items));
    failpoint('purchase.reply-stored');
    return reply;
  }

  /** Asked by somebody whose answer was lost. It orders nothing, whatever has become of the request. */
  function outcome(scope: Scope, key: string): Promise<ReplyOf<typeof purchaseOutcome>> {
    return inReading(db, scope, async (tx) => {
      const placed = await placedUnder(tx, scope, key);
      if (!placed) return { state: 'absent', result: null, progress: null };
      const done = (result: PurchaseResult) => ({ state: 'done', result, progress: null }) as const;
      if (placed.reply) return done(placed.reply as PurchaseResult);
      const items = await itemsOfOrder(tx, scope, placed.orderId);
      const left = items.filter(({ state }) => state === 'queued' || state === 'sending').length;
      if (left === 0) return done(purchaseResultOf(placed.orderId, items));
      return { state: 'running', result: null, progress: { done: items.length - left, of: items.length } };
    });
  }

  /** One transfer at its present price: the caller saw none. */
  async function transfer(
    scope: Scope,
    wanted: { domain: string; customerId: string; authInfo: string },
    idempotencyKey: string | null,
  ): Promise<PurchaseResult> {
    const { domain: address, customerId, authInfo: authCode } = wanted;
    const price = await withFairnessKey(scope.organisationId, () =>
      pricing.domains.price(address, quoteKinds.transfer, 1),
    );
    const line = lineOf({ kind: 'transfer', address, customerId, authCode });
    return buy(scope, requestOf([line], price.priceCents), idempotencyKey);
  }

  /** One deleted domain, for the price that its page showed. */
  function restore(
    scope: Scope,
    wanted: { domain: string; price: number },
    idempotencyKey: string | null,
  ): Promise<PurchaseResult> {
    const seenCents = usdToCents(wanted.price);
    const line = lineOf({ kind: 'redemption', address: wanted.domain, seenCents });
    return buy(scope, requestOf([line], seenCents), idempotencyKey);
  }

  /** Sends items of an order that was placed elsewhere. What is not sent by its end, the jobs take up. */
  async function begin(organisationId: string, itemIds: readonly string[]): Promise<void> {
    await Promise.all(itemIds.map((id) => sendLogged(organisationId, id)));
  }

  async function sendLogged(organisationId: string, itemId: string): Promise<void> {
    try {
      await engine.begin(organisationId, itemId);
    } catch (error) {
      logger.error({ err: error, itemId }, 'an item could not be advanced; the sweep will take it up');
    }
  }

  /** A repeat of a running request, or a cart of which everything is being bought already. */
  async function follow(scope: Scope, orderId: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const items = await inReading(db, scope, (tx) => itemsOfOrder(tx, scope, orderId));
      if (items.every((item) => item.state !== 'queued' && item.state !== 'sending')) return;
      if (items.every((item) => !isOpenItem(item.state))) return;
      await pause(followEveryMs, signal);
    }
  }

  return {
    engine,
    adopt: createAdoption(deps),
    /** Jobs of this feature beside those that the engine plans. */
    tasks: { 'orders.refund-certificate': createRefund(deps) },
    ...{ place, begin, purchase, outcome, transfer, restore },
    prices: (scope: Scope, requests: readonly PriceRequest[]) =>
      withFairnessKey(scope.organisationId, () => pricesOf(pricing, requests)),
    list: (scope: Scope, query: OrderListQuery) => inReading(db, scope, (tx) => listOrders(tx, scope, query)),
    get: async (scope: Scope, orderId: string): Promise<Order> => {
      const found = await inReading(db, scope, (tx) => listOrders(tx, scope, { pageSize: 1, id: orderId }));
      const [order] = found.rows;
      if (!order) throw new AppError('not_found');
      return order;
    },
  };
}

function actsOf(registrar: OrdersDeps['registrar']) {
  return {
    domain: registrationAct(registrar),
    renewal: renewalAct(registrar),
    transfer: transferAct(registrar),
    certificate: certificateAct(registrar),
    redemption: redemptionAct(registrar),
  };
}
