import { expect, test } from 'vitest';
import type { DnsRecord } from './dns-records.ts';
import { differenceOf, putBack, summaryOf, summaryRecords } from './zone-difference.ts';

const a = (subdomain: string, ip_address: string): DnsRecord => ({ type: 'A', subdomain, ip_address });
const txt = (subdomain: string, text: string): DnsRecord => ({ type: 'TXT', subdomain, text });

test('a record that went and one that came with the same type and name are one that changed', () => {
  const from = [a('www', '192.0.2.1'), a('old', '192.0.2.2'), txt('www', 'x'), a('same', '192.0.2.9')];
  const to = [a('www', '192.0.2.5'), a('new', '192.0.2.2'), txt('www', 'x'), a('same', '192.0.2.9')];
  expect(differenceOf(from, to)).toEqual([
    { action: 'remove', record: a('old', '192.0.2.2'), old: null },
    { action: 'update', record: a('www', '192.0.2.5'), old: a('www', '192.0.2.1') },
    { action: 'add', record: a('new', '192.0.2.2'), old: null },
  ]);
  expect(differenceOf(from, from)).toEqual([]);
});

test('of several with one name each is paired once; what is left over was added or removed', () => {
  const two = [txt('', 'one'), txt('', 'two')];
  expect(differenceOf(two, [txt('', 'three')]).map(({ action }) => action)).toEqual(['remove', 'update']);
  expect(differenceOf([txt('', 'three')], two).map(({ action }) => action)).toEqual(['update', 'add']);
  expect(differenceOf([txt('', 'same'), txt('', 'same')], [txt('', 'same')])).toHaveLength(1);
});

test('the summary counts all of them and names the first', () => {
  const many = Array.from({ length: summaryRecords + 1 }, (_none, index) => a(`h${index}`, '192.0.2.1'));
  const summary = summaryOf(differenceOf([a('gone', '192.0.2.1')], many));
  expect(summary).toMatchObject({ added: summaryRecords + 1, changed: 0, removed: 1 });
  expect(summary.first).toHaveLength(summaryRecords);
});

test('putting back undoes exactly this, over what the zone is now', () => {
  const added = { action: 'add' as const, record: a('www', '192.0.2.5'), old: null };
  expect(putBack(added, [a('www', '192.0.2.5')])).toEqual({
    action: 'remove',
    record: a('www', '192.0.2.5'),
  });
  expect(putBack(added, [])).toBe(null);
  const removed = { action: 'remove' as const, record: a('www', '192.0.2.5'), old: null };
  expect(putBack(removed, [])).toEqual({ action: 'add', record: a('www', '192.0.2.5') });
  expect(putBack(removed, [a('www', '192.0.2.5')])).toBe(null);
  const changed = { action: 'update' as const, record: a('www', '192.0.2.5'), old: a('www', '192.0.2.1') };
  expect(putBack(changed, [a('www', '192.0.2.5')])).toEqual({
    action: 'update',
    record: a('www', '192.0.2.1'),
    old: a('www', '192.0.2.5'),
  });
  // Somebody changed or deleted it since: the earlier one comes beside what is there now.
  expect(putBack(changed, [a('www', '192.0.2.7')])).toEqual({ action: 'add', record: a('www', '192.0.2.1') });
  expect(putBack(changed, [a('www', '192.0.2.1')])).toBe(null);
  expect(putBack(changed, [a('www', '192.0.2.1'), a('www', '192.0.2.5')])).toEqual({
    action: 'remove',
    record: a('www', '192.0.2.5'),
  });
});
