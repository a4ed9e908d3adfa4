import { expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { applyChanges, type ZoneChange } from '#contracts/values/zone-changes.ts';
import { conflictMessages, mergeVerdict, type SeenZone } from './zone-merge.rules.ts';

const a = (address: string, subdomain = 'www'): DnsRecord => ({
  ...{ type: 'A', subdomain, ip_address: address },
});
const add = (record: DnsRecord): ZoneChange => ({ action: 'add', record });
const remove = (record: DnsRecord): ZoneChange => ({ action: 'remove', record });
const update = (old: DnsRecord, record: DnsRecord): ZoneChange => ({ action: 'update', old, record });

const problemsOf = (zone: readonly DnsRecord[], changes: readonly ZoneChange[]) =>
  applyChanges('example.com', zone, changes).problems;

/** The verdict on changes that were made on one zone, which is another by now. */
function over(base: readonly DnsRecord[] | null, now: readonly DnsRecord[], changes: readonly ZoneChange[]) {
  const seen: SeenZone | null = base && { records: base, problems: problemsOf(base, changes) };
  return mergeVerdict({ seen, now, changes, problems: problemsOf(now, changes) });
}

function upToDate(now: readonly DnsRecord[], changes: readonly ZoneChange[]) {
  return mergeVerdict({ seen: 'as it is', now, changes, problems: problemsOf(now, changes) });
}

const one = a('192.0.2.1');
const two = a('192.0.2.2');
const mail = a('192.0.2.3', 'mail');
const alias: DnsRecord = { type: 'CNAME', subdomain: 'www', hostname: 'elsewhere.test' };

test('changes to the zone as it is are made, or refused for what is wrong with them', () => {
  expect(upToDate([one], [add(two)])).toEqual({ kind: 'merge' });
  expect(upToDate([one], [add(alias)])).toMatchObject({ kind: 'invalid', problems: [{ index: 0 }] });
});

test('changes to other records than those that somebody else changed are made', () => {
  expect(over([one], [one, mail], [add(two)])).toEqual({ kind: 'merge' });
  expect(over([one, mail], [one], [remove(one)])).toEqual({ kind: 'merge' });
});

test('changes of records that somebody else changed are not made, even where they could be', () => {
  expect(problemsOf([one, two], [remove(one)])).toEqual([]);
  expect(over([one], [one, two], [remove(one)])).toEqual({ kind: 'zone changed', touched: [0] });
  expect(over([one, two], [one], [remove(two)])).toEqual({ kind: 'zone changed', touched: [0] });
  expect(over([], [one], [add(two)])).toEqual({ kind: 'zone changed', touched: [0] });
});

test('one touched change stops all of them, and it alone is named', () => {
  const verdict = over([one], [one, two], [add(mail), update(one, a('192.0.2.9'))]);
  expect(verdict).toEqual({ kind: 'zone changed', touched: [1] });
});

test('an untouched change that cannot stand beside what somebody else made is not made either', () => {
  const verdict = over([], [one], [add(alias)]);
  expect(verdict).toEqual({ kind: 'zone changed', touched: [] });
});

test('changes that were wrong on the zone they were made on are refused as such, whatever happened since', () => {
  expect(over([one], [], [add(alias)])).toMatchObject({ kind: 'invalid' });
});

test('on a zone that nobody knows any more every change counts as touched', () => {
  expect(over(null, [one], [add(mail), add(two)])).toEqual({ kind: 'zone changed', touched: [0, 1] });
});

test('each change in the way has one message: what is wrong with it goes before that its records were changed', () => {
  const changes = [add(two), remove(mail), add(alias)];
  const problems = [{ index: 2, kind: 'clash', message: 'Not beside an alias' } as const];
  expect(conflictMessages('example.com', changes, [2, 1], problems)).toEqual([
    { index: 1, message: 'The A records of mail.example.com were changed.' },
    { index: 2, message: 'Not beside an alias' },
  ]);
  expect(conflictMessages('example.com', changes, [], [])).toEqual([]);
  // A number beyond the changes is none of them.
  expect(conflictMessages('example.com', changes, [3], [])).toEqual([]);
});
