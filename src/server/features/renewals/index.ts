/** All that others may use of renewals. */
export { renewalRoutes } from './renewals.routes.ts';
export { createRenewals } from './renewals.service.ts';
