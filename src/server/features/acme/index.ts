/** All that other features, the edge and the jobs may use of certificates by ACME. */

export { createAccessService } from './access.service.ts';
export { createAcmeAccesses } from './access.ts';
export { acmeRoutes } from './acme.routes.ts';
export { createAcme } from './acme.service.ts';
export { acmeAttention } from './attention.repo.ts';
export { spentByAccess } from './orders.repo.ts';
export { eraseFromAcme } from './privacy.repo.ts';
export { sealedAccessKeys } from './sealed.repo.ts';
