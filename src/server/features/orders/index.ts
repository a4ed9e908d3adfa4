/** All that other features may use of orders. */

export type { LostOrder } from './adopt.ts';
export { orderAttention } from './attention.repo.ts';
export { dailyLimitCents } from './checkout.repo.ts';
export { secretsContext } from './item.ts';
export { lineOf, type OrderRequest, requestOf } from './lines.ts';
export { orderRoutes } from './orders.routes.ts';
export { createOrders, type OrdersApi } from './orders.service.ts';
export { eraseFromOrders } from './privacy.repo.ts';
export { sealedOrderItems } from './sealed.repo.ts';
