/** All that other features may use of direct billing. */
export { chargeAttention, refundAttention } from './attention.repo.ts';
export { directBillingRoutes } from './direct-billing.routes.ts';
export { createDirectBilling, type DirectBillingApi } from './direct-billing.service.ts';
export { eraseFromDirectBilling } from './privacy.repo.ts';
