/** All that others may use of renewals. */
export { eraseFromRenewals } from './privacy.repo.ts';
export { renewalRoutes } from './renewals.routes.ts';
export { createRenewals, type RenewalsApi } from './renewals.service.ts';
