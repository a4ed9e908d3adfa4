import type { DomainDetails } from '#contracts/operations/domain-settings.ts';

/** P2 §5: not equal to 0 means locked, and on. */
export function flagsOf(details: DomainDetails): { locked: boolean; autoRenew: boolean } {
  const flags = details.ext_results[0]?.[details.domain];
  return { locked: (flags?.lock_state ?? 0) !== 0, autoRenew: (flags?.auto_renew ?? 0) !== 0 };
}
