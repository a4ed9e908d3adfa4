import { describe, expect, test } from 'vitest';
import type { Zone } from '#contracts/operations/dns.ts';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import {
  changesBetween,
  flatRecords,
  groupRecords,
  type ZoneChange,
} from '#contracts/values/zone-changes.ts';
import {
  changeKey,
  chosenOf,
  collected,
  mineAfter,
  pendingZone,
  rebased,
  rowsOf,
  stillCollected,
  takenBack,
  theirsAfter,
  withIndex,
} from './record-rows.ts';

const a = (subdomain: string, ip_address: string): DnsRecord => ({ type: 'A', subdomain, ip_address });
const one = a('www', '192.0.2.1');
const two = a('www', '192.0.2.2');
const three = a('www', '192.0.2.3');
const four = a('www', '192.0.2.4');
const add = (record: DnsRecord): ZoneChange => ({ action: 'add', record });
const remove = (record: DnsRecord): ZoneChange => ({ action: 'remove', record });
const update = (old: DnsRecord, record: DnsRecord): ZoneChange => ({ action: 'update', old, record });
const served: Zone = { records: groupRecords([]), nameservers_ok: 1, version: 'v1', staged: false };

describe('collected changes', () => {
  test.each([
    ['a change of a change is one change', [update(one, two)], update(two, three), [update(one, three)]],
    ['a change that is taken back is none', [update(one, two)], update(two, one), []],
    ['what was added and deleted is nothing', [add(two)], remove(two), []],
    ['what was added and changed is added so', [add(two)], update(two, three), [add(three)]],
    ['what was changed and deleted is deleted', [update(one, two)], remove(two), [remove(one)]],
    ['others stay', [remove(one)], add(two), [remove(one), add(two)]],
    ['what was deleted and added stays', [remove(one), add(two)], add(one), [add(two)]],
    ['what is added twice comes once', [add(one)], add(one), [add(one)]],
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

  test('that are left out stay so, wherever another edit of the others puts them', () => {
    const [b, c] = [a('b', '192.0.2.7'), a('c', '192.0.2.8')];
    const leftOut = new Set([changeKey(add(c))]);
    const edited = collected([add(one), add(b), add(c)], update(one, two));
    expect(chosenOf(edited, leftOut).map((index) => edited[index])).toEqual([add(b), add(two)]);
  });

  test('stay collected when others are saved', () => {
    const changes = [update(one, two), remove(three), add(a('b', '192.0.2.7'))];
    expect(stillCollected(changes, [update(one, two), add(a('b', '192.0.2.7'))])).toEqual([remove(three)]);
    // Edited again while it was being saved.
    expect(stillCollected([update(one, three)], [update(one, two)])).toEqual([update(one, three)]);
  });

  test('are part of the zone that an earlier one is compared with', () => {
    const base = { ...served, records: groupRecords([one, three]) };
    const changes = [update(one, two), remove(three)];
    const pending = pendingZone('a.com', base, changes);
    expect(flatRecords(pending.records)).toEqual([two]);
    // Restoring the records that there are now leaves nothing to be saved.
    const back = changesBetween(flatRecords(pending.records), flatRecords(base.records));
    expect(back.reduce<readonly ZoneChange[]>(collected, changes)).toEqual([]);
    expect(pendingZone('a.com', base, [])).toBe(base);
  });
});

describe('my changes over theirs', () => {
  test.each([
    ['replace what they put in its place', [update(one, two)], [three], [update(three, two)]],
    ['put back what they took away', [update(one, two)], [], [add(two)]],
    [
      'come beside theirs where it is not known which replaced it',
      [update(one, two)],
      [three, four],
      [add(two)],
    ],
    ['leave out what is gone already', [remove(one)], [], []],
    ['leave out what is there already', [add(one)], [one], []],
    ['stand as they are where nothing happened', [update(one, two)], [one, three], [update(one, two)]],
  ])('%s', (_title, mine, theirs, after) => {
    expect(rebased(mine, theirs)).toEqual(after);
  });
});

describe('after a conflict', () => {
  const [b, c] = [add(a('b', '192.0.2.7')), remove(a('c', '192.0.2.8'))];
  const meant = [update(one, two), b, c];
  const sent = [...meant];
  const at = (...indexes: number[]) => indexes.map((index) => ({ index }));

  test('"Save mine" saves what is still chosen, and nothing that was left out since', () => {
    const theirs = [three, a('c', '192.0.2.8')];
    expect(mineAfter({ meant, sent, wanted: meant }, theirs)).toEqual({
      send: [update(three, two), b, c],
      meant,
    });
    expect(mineAfter({ meant, sent, wanted: [b, c] }, theirs)).toEqual({ send: [b, c], meant: [b, c] });
    expect(mineAfter({ meant, sent, wanted: [] }, theirs)).toEqual({ send: [], meant: [] });
    // Edited again since: what was sent is no longer wanted, and the edit was not looked at beside theirs.
    const edited = { meant, sent, wanted: [update(one, a('www', '192.0.2.4')), b, c] };
    expect(mineAfter(edited, theirs)).toEqual({ send: [b, c], meant: [b, c] });
  });

  test('the same holds for what an earlier conflict made of the changes', () => {
    const again = { meant, sent: [update(three, two), b], wanted: [meant[0] as ZoneChange, c] };
    expect(mineAfter(again, [])).toEqual({ send: [add(two)], meant: [meant[0], c] });
    expect(mineAfter({ ...again, wanted: [b, c] }, [])).toEqual({ send: [b], meant: [b, c] });
  });

  test('to add a record and to delete the same one are two things', () => {
    const both = { meant: [remove(one), add(two)], sent: [remove(one), add(two)], wanted: [add(one)] };
    expect(mineAfter(both, [one])).toEqual({ send: [], meant: [] });
  });

  test('"Take theirs" gives up what the conflict is about and keeps the others', () => {
    expect(theirsAfter({ meant, sent, wanted: meant }, at(0))).toEqual({ dropped: [meant[0]], kept: [b, c] });
    expect(theirsAfter({ meant, sent, wanted: [meant[0] as ZoneChange, c] }, at(0))).toEqual({
      dropped: [meant[0]],
      kept: [c],
    });
    const again = { meant, sent: [add(two), c], wanted: meant };
    expect(theirsAfter(again, at(0))).toEqual({ dropped: [meant[0]], kept: [b, c] });
    expect(theirsAfter({ meant, sent, wanted: meant }, at(0, 1, 2))).toEqual({ dropped: meant, kept: [] });
  });
});

describe('undoing a saved change', () => {
  const theirs = a('theirs', '192.0.2.9');
  test.each([
    ['deletes what it added', [add(two)], [one], [one, theirs, two], [remove(two)]],
    ['changes back what it changed', [update(one, two)], [one], [theirs, two], [remove(two), add(one)]],
    ['adds what it deleted', [remove(one)], [one, three], [three, theirs], [add(one)]],
    ['does nothing where it did nothing', [add(one), remove(two)], [one], [one, theirs], []],
  ])('%s; what others did meanwhile stays', (_title, sent, before, after, back) => {
    expect(takenBack(sent, before, after)).toEqual(back);
  });
});

test('a row that is kept in the page stands at its place among those in sight', () => {
  expect(withIndex([4, 5, 6], 2)).toEqual([2, 4, 5, 6]);
  expect(withIndex([4, 5, 6], 90)).toEqual([4, 5, 6, 90]);
  expect(withIndex([4, 5, 6], 5)).toEqual([4, 5, 6]);
  expect(withIndex([4, 5, 6], -1)).toEqual([4, 5, 6]);
});
