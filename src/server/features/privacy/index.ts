/** All that others may use of privacy. */
export { privacyRoutes } from './privacy.routes.ts';
export { createPrivacy } from './privacy.service.ts';
export { sealedHolds } from './sealed.repo.ts';
