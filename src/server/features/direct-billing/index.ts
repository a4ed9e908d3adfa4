/** All that other features may use of direct billing. */
export { directBillingRoutes } from './direct-billing.routes.ts';
export { createDirectBilling, type DirectBillingApi } from './direct-billing.service.ts';
export { eraseFromDirectBilling } from './privacy.repo.ts';
