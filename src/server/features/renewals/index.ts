/** All that others may use of renewals. */
export { renewalAttention } from './attention.repo.ts';
export { eraseFromRenewals } from './privacy.repo.ts';
export { renewalRoutes } from './renewals.routes.ts';
export { createRenewals, type RenewalsApi } from './renewals.service.ts';
