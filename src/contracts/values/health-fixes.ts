import type { SettingRequest, ZoneRequest } from './changes.ts';
import type { HealthKind } from './health.ts';

type FixRequest = ZoneRequest | SettingRequest;

/**
 * Findings that a change of the zone or of the settings mends without knowing more of the domain. It is looked at as every
 * change is: where it would not help, there is nothing to change.
 */
const fixes: { readonly [K in HealthKind]?: FixRequest } = {
  'dmarc-missing': { kind: 'set-dmarc', text: 'v=DMARC1; p=quarantine', where: 'missing' },
  'dmarc-none': { kind: 'replace-value', find: 'p=none', replacement: 'p=quarantine', part: true },
  'spf-open': { kind: 'replace-value', find: '+all', replacement: '~all', part: true },
  unlocked: { kind: 'lock', locked: true },
};

/** What to ask for, to mend it; null: it takes a person who knows what is meant. */
export function fixOf(kind: HealthKind): FixRequest | null {
  return fixes[kind] ?? null;
}
