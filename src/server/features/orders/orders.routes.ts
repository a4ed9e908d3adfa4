import {
  cartPrices,
  getOrder,
  listOrders,
  purchase,
  purchaseOutcome,
  restoreDomain,
} from '#contracts/operations/orders.ts';
import { requestTransfer } from '#contracts/operations/transfers.ts';
import { type Binding, bind, paged } from '#kernel/binding.ts';
import type { OrdersApi } from './orders.service.ts';

export function orderRoutes(orders: OrdersApi): Binding[] {
  return [
    bind(cartPrices, ({ scope, body }) => orders.prices(scope, body)),
    bind(purchase, ({ scope, body, headers }) => orders.purchase(scope, body, headers.idempotencyKey)),
    bind(purchaseOutcome, ({ scope, params }) => orders.outcome(scope, params.key)),
    bind(requestTransfer, ({ scope, body, headers }) => orders.transfer(scope, body, headers.idempotencyKey)),
    bind(restoreDomain, ({ scope, body, headers }) => orders.restore(scope, body, headers.idempotencyKey)),
    bind(getOrder, ({ scope, params }) => orders.get(scope, params.id)),
    bind(listOrders, async ({ scope, query }) => {
      const page = { ...query, page: query.page ?? 1 };
      const open = query.open === undefined ? undefined : query.open === 'true';
      const found = await orders.list(scope, { ...page, open });
      return paged(found.rows, found.total, page);
    }),
  ];
}
