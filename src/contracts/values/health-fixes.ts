import { mostAliasHosts, type SettingRequest, type ZoneRequest } from './changes.ts';
import type { HealthKind } from './health.ts';

type FixRequest = ZoneRequest | SettingRequest;

/**
 * Findings that a change of the zone or of the settings mends without knowing more of the domain. It is looked at as every
 * change is: where it would not help, there is nothing to change.
 */
const fixes: { readonly [K in HealthKind]?: FixRequest | ((detail: string) => FixRequest | null) } = {
  'dmarc-missing': { kind: 'set-dmarc', text: 'v=DMARC1; p=quarantine', where: 'missing' },
  'dmarc-none': { kind: 'replace-value', find: 'p=none', replacement: 'p=quarantine', part: true },
  'dmarc-two': { kind: 'keep-dmarc' },
  'spf-open': { kind: 'replace-value', find: '+all', replacement: '~all', part: true },
  'web-dangling': (detail) => {
    const hosts = danglingHosts(detail);
    return hosts.length === 0 ? null : { kind: 'remove-aliases', hosts };
  },
  unlocked: { kind: 'lock', locked: true },
};

/** What to ask for, to mend it; null: it takes a person who knows what is meant. `detail`: the evidence. */
export function fixOf(kind: HealthKind, detail: string): FixRequest | null {
  const fix = fixes[kind];
  return typeof fix === 'function' ? fix(detail) : (fix ?? null);
}

/** An alias that leads to nothing, as evidence; several with commas between them. */
export const danglingText = ({ name, target }: { name: string; target: string }) => `${name} to ${target}`;

function danglingHosts(detail: string): string[] {
  const hosts = detail.split(', ').flatMap((text) => text.split(' to ')[1] ?? []);
  return [...new Set(hosts)].slice(0, mostAliasHosts);
}

interface Fix {
  kind: string;
}

/** One request that does both, for several domains; null: that is more than one may ask for. */
export function joinedFix(one: Fix, other: Fix): (Fix & { hosts?: string[] }) | null {
  const [mine, others] = [one as FixRequest, other as FixRequest];
  if (mine.kind !== 'remove-aliases' || others.kind !== 'remove-aliases') return one;
  const hosts = [...new Set([...mine.hosts, ...others.hosts])];
  return hosts.length > mostAliasHosts ? null : { ...mine, hosts };
}
