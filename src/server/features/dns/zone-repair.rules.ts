import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { applyChanges, changesBetween } from '#contracts/values/zone-changes.ts';
import type { AcknowledgedVersion } from './versions.repo.ts';

/** The records with what was acknowledged on top. Where the two cannot both be, what was acknowledged counts alone. */
export function reapplied(
  address: string,
  now: readonly DnsRecord[],
  since: readonly AcknowledgedVersion[],
): DnsRecord[] {
  const last = since.at(-1)?.after ?? now;
  let records = [...now];
  for (const { before, after } of since) {
    for (const change of changesBetween(before, after)) {
      // What is there already, or gone already, is no problem and stays as it is.
      const { problems, records: changed } = applyChanges(address, records, [change]);
      if (problems.length > 0) return [...last];
      records = changed;
    }
  }
  return records;
}
