import { describe, expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';
import { collected, rebased, rowsOf } from './record-rows.ts';

const a = (subdomain: string, ip_address: string): DnsRecord => ({ type: 'A', subdomain, ip_address });
const one = a('www', '192.0.2.1');
const two = a('www', '192.0.2.2');
const three = a('www', '192.0.2.3');
const add = (record: DnsRecord): ZoneChange => ({ action: 'add', record });
const remove = (record: DnsRecord): ZoneChange => ({ action: 'remove', record });
const update = (old: DnsRecord, record: DnsRecord): ZoneChange => ({ action: 'update', old, record });

describe('collected changes', () => {
  test.each([
    ['a change of a change is one change', [update(one, two)], update(two, three), [update(one, three)]],
    ['a change that is taken back is none', [update(one, two)], update(two, one), []],
    ['what was added and deleted is nothing', [add(two)], remove(two), []],
    ['what was added and changed is added so', [add(two)], update(two, three), [add(three)]],
    ['what was changed and deleted is deleted', [update(one, two)], remove(two), [remove(one)]],
    ['others stay', [remove(one)], add(two), [remove(one), add(two)]],
  ])('%s', (_title, before, next, after) => {
    expect(collected(before, next)).toEqual(after);
  });

  test('show on their rows', () => {
    const rows = rowsOf(
      [one, a('', '192.0.2.9'), a('x', '192.0.2.8')],
      [update(one, two), add(a('b', '192.0.2.7')), remove(a('x', '192.0.2.8'))],
    );
    expect(rows.map(({ record, mark }) => [record.subdomain, mark])).toEqual([
      ['', null],
      ['b', 'new'],
      ['www', 'changed'],
      ['x', 'deleted'],
    ]);
  });
});

describe('my changes over theirs', () => {
  test.each([
    ['replace what they put in its place', [update(one, two)], [three], [update(three, two)]],
    ['put back what they took away', [update(one, two)], [], [add(two)]],
    ['leave out what is gone already', [remove(one)], [], []],
    ['leave out what is there already', [add(one)], [one], []],
    ['stand as they are where nothing happened', [update(one, two)], [one, three], [update(one, two)]],
  ])('%s', (_title, mine, theirs, after) => {
    expect(rebased(mine, theirs)).toEqual(after);
  });
});
