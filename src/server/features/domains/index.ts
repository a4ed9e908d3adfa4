/** All that other features may use of domains. */

export { registrantAttention, restoreAttention, transferAttention } from './attention.repo.ts';
export { isManaged } from './details.ts';
export { domainRoutes } from './domains.routes.ts';
export { createDomains, type DomainsApi } from './domains.service.ts';
export { concluded, fromRegistrar, underLease } from './outcome.ts';
export {
  endMissing,
  holderOf,
  NotListed,
  recordGiven,
  recordRegistration,
  recordRenewal,
  recordRestoration,
  recordTransferEnd,
  recordTransferFailure,
  recordTransferStart,
} from './portfolio.repo.ts';
export { probeName } from './pricing.rules.ts';
export { createDomainPricing, type DomainPrice, type DomainPricing, type KnownPrices } from './pricing.ts';
export { eraseFromDomains } from './privacy.repo.ts';
export { restorableUntil } from './redemption.rules.ts';
export { sealedDomains } from './sealed.repo.ts';
export type { SettingsNow } from './setting-changes.ts';
export {
  type DomainRecord,
  findDomain,
  hasDomain,
  noteRestorableUntil,
  recordSettings,
} from './settings.repo.ts';
export { requireDomain, requireHere, requireSettings } from './settings.service.ts';
export { requireMovable } from './signed.ts';
export { enqueueSyncElsewhere, isOrderedElsewhere } from './sync.repo.ts';
export { enqueueSync } from './sync-job.ts';
export { isStuck, stepsOf, type TransferTimes } from './transfer-steps.rules.ts';
export { closeTransfer, openTransfer } from './transfers.repo.ts';
export { notedIfUnknown, strikesWithinMs } from './unknown-outcome.ts';
