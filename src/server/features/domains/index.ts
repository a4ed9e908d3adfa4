/** All that other features may use of domains. */
export { findDomain } from './domains.repo.ts';
export { domainRoutes } from './domains.routes.ts';
export { createDomains } from './domains.service.ts';
export {
  recordRegistration,
  recordRenewal,
  recordTransferEnd,
  recordTransferFailure,
  recordTransferStart,
} from './portfolio.ts';
export { createDomainPricing, type DomainPricing } from './pricing.ts';
