/** All that other features may use of recovery. */
export { settleOtherNames, settleUnknownName } from './recovery.repo.ts';
export { recoveryRoutes } from './recovery.routes.ts';
export { createRecovery, heldSeconds } from './recovery.service.ts';
