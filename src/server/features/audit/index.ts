/** All that others may use of the audit log. */
export { auditRoutes } from './audit.routes.ts';
export { createAudit } from './audit.service.ts';
export { sealedHeads } from './sealed.repo.ts';
