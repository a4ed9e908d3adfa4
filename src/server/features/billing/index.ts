/** All that other features may use of billing. */
export { paymentAttention } from './attention.repo.ts';
export { billingRoutes } from './billing.routes.ts';
export { type BillingApi, createBilling } from './billing.service.ts';
export { endAutoBalance } from './end-auto-balance.ts';
