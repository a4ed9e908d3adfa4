import type { DnsRecord } from '#contracts/values/dns-records.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';

/**
 * The collected changes with one more; an earlier one of the same record gives way to it. `edited`: the record as it was shown,
 * which may be what an earlier change has made of it.
 */
export function collectedWith(
  collected: readonly ZoneChange[],
  edited: DnsRecord | null,
  next: ZoneChange,
): readonly ZoneChange[] {
  const own = edited ? collected.find(({ record }) => record === edited) : undefined;
  if (!own) return [...collected, next];
  const rest = collected.filter((change) => change !== own);
  if (own.action === 'update') return [...rest, { ...next, action: 'update', old: own.old }];
  return [...rest, { action: 'add', record: next.record }];
}
