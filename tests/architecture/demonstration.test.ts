import { expect, test } from 'vitest';
import type { DnsRecord } from '../../src/contracts/values/dns-records.ts';
import { recordWarnings } from '../../src/contracts/values/zone-warnings.ts';
import { demoCompanies, demoDomains } from '../../tools/seed/companies.ts';
import { changed, edits } from '../../tools/seed/edits.ts';
import { zoneOf } from '../../tools/seed/zones.ts';

const warningsIn = (address: string, zone: readonly DnsRecord[]) =>
  new Set(zone.flatMap(recordWarnings(address, zone)));

test('no edit of the demonstration data puts a fault into a zone that had none', () => {
  const zones = new Map<string, DnsRecord[]>();
  let made = 0;
  for (const { company, kind } of edits) {
    const address = `${demoCompanies[company]?.word}.com`;
    const domain = demoDomains.find((each) => each.address === address);
    if (!domain) throw new Error(`${address} is not bought`);
    const zone = zones.get(address) ?? zoneOf(domain);
    const change = kind.change(zone, company);
    if (!change) continue;
    const after = changed(zone, change);
    const before = warningsIn(address, zone);
    const added = [...warningsIn(address, after)].filter((warning) => !before.has(warning));
    expect([address, kind.reason, ...added]).toEqual([address, kind.reason]);
    zones.set(address, after);
    made += 1;
  }
  expect(made).toBeGreaterThan(20);
});
