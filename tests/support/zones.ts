import fc from 'fast-check';
import { type DnsRecord, readRecord } from '../../src/contracts/values/dns-records.ts';
import { applyChanges } from '../../src/contracts/values/zone-changes.ts';

/** A record in its normal form; throws when it is none. */
export function recordOf(given: Record<string, unknown>): DnsRecord {
  const read = readRecord(given);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.record;
}

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
const name = fc.oneof(
  fc.constant(''),
  label,
  fc.tuple(label, label).map((labels) => labels.join('.')),
  label.map((text) => `*.${text}`),
  label.map((text) => `_${text}`),
);
const host = fc.tuple(label, label, fc.constantFrom('com', 'net')).map((labels) => labels.join('.'));
const port = fc.nat(65_535);
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 400 })
  .filter(
    (value) => value.isWellFormed() && !/[\p{Cc}\p{Cs}]/u.test(value) && Buffer.byteLength(value) <= 4096,
  );

const anyRecord: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fc.record({ type: fc.constant('A'), subdomain: name, ip_address: fc.ipV4() }),
  fc.record({ type: fc.constant('AAAA'), subdomain: name, ipv6_address: fc.ipV6() }),
  fc.record({ type: fc.constant('CNAME'), subdomain: label, hostname: host }),
  fc.record({ type: fc.constant('MX'), subdomain: name, hostname: host, priority: port }),
  fc.record({ type: fc.constant('TXT'), subdomain: name, text }),
  fc.record({
    type: fc.constant('SRV'),
    subdomain: label.map((each) => `_${each}._tcp`),
    ...{ hostname: host, priority: port, weight: port, port },
  }),
);

/** Zones that may stand: whatever would clash with what is there already is left out. */
export function zonesOf(domain: string): fc.Arbitrary<DnsRecord[]> {
  return fc.array(anyRecord, { maxLength: 30 }).map((given) => {
    let zone: DnsRecord[] = [];
    for (const each of given) {
      const read = readRecord(each);
      if (!read.ok) continue;
      const next = applyChanges(domain, zone, [{ action: 'add', record: read.record }]);
      if (next.problems.length === 0) zone = next.records;
    }
    return zone;
  });
}
