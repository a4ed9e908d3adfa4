import { expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';
import { collectedWith } from './collected-changes.ts';

const record = (ip: string): DnsRecord => ({ type: 'A', subdomain: 'www', ip_address: ip }) as DnsRecord;
const [first, second, third, other] = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.9'].map(record);
if (!first || !second || !third || !other) throw new Error('no records');
const elsewhere: ZoneChange = { action: 'add', record: other };

test('a change of a record that has none yet comes last', () => {
  const update: ZoneChange = { action: 'update', record: second, old: first };
  expect(collectedWith([elsewhere], first, update)).toEqual([elsewhere, update]);
  const added: ZoneChange = { action: 'add', record: first };
  expect(collectedWith([elsewhere], null, added)).toEqual([elsewhere, added]);
});

test('a second change of a record is one change of what is in force', () => {
  const collected: ZoneChange[] = [{ action: 'update', record: second, old: first }, elsewhere];
  expect(collectedWith(collected, second, { action: 'update', record: third, old: second })).toEqual([
    elsewhere,
    { action: 'update', record: third, old: first },
  ]);
});

test('a record that is only collected is added as it was changed', () => {
  const collected: ZoneChange[] = [{ action: 'add', record: first }, elsewhere];
  expect(collectedWith(collected, first, { action: 'update', record: second, old: first })).toEqual([
    elsewhere,
    { action: 'add', record: second },
  ]);
});
