import type { ZoneRequest } from './changes.ts';
import type { HealthKind } from './health.ts';

/**
 * Findings that a change of the zone mends without knowing more of the domain. It is looked at as every change is: where it
 * would not help, there is nothing to change.
 */
const fixes: { readonly [K in HealthKind]?: ZoneRequest } = {
  'dmarc-missing': { kind: 'set-dmarc', text: 'v=DMARC1; p=quarantine', where: 'missing' },
  'dmarc-none': { kind: 'replace-value', find: 'p=none', replacement: 'p=quarantine', part: true },
  'spf-open': { kind: 'replace-value', find: '+all', replacement: '~all', part: true },
};

/** What to ask for, to mend it; null: it takes a person who knows what is meant. */
export function fixOf(kind: HealthKind): ZoneRequest | null {
  return fixes[kind] ?? null;
}
