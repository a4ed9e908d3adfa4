/** All that other features may use of recovery. */
export { recoveryRoutes } from './recovery.routes.ts';
export { createRecovery, heldSeconds } from './recovery.service.ts';
