import { type DomainSettings, isSameSetting } from '#contracts/values/domain-settings.ts';

/**
 * What is to be done about a setting that a person wants changed, by what it is now. `again`: an earlier try of the same may have
 * struck.
 * `send`: it is as the person saw it. `note`: the earlier try has struck, which is written down. `same`: somebody else has done
 * it. `moved`: somebody has done something else, which stays.
 */
export function nextStep(
  now: DomainSettings,
  seen: { before: DomainSettings; after: DomainSettings },
  again: boolean,
): 'send' | 'note' | 'same' | 'moved' {
  if (isSameSetting(now, seen.after)) return again ? 'note' : 'same';
  return isSameSetting(now, seen.before) ? 'send' : 'moved';
}
