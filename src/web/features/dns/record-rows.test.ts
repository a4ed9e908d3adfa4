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
  tableItems,
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

  test('tell of each row which of them it is, and what it was', () => {
    const changes = [add(a('b', '192.0.2.7')), update(one, two), remove(three)];
    const rows = rowsOf([three, one, four], changes);
    expect(rows.map(({ key: _key, ...row }) => row)).toEqual([
      { record: a('b', '192.0.2.7'), mark: 'new', change: 0, before: null },
      { record: two, mark: 'changed', change: 1, before: one },
      { record: three, mark: 'deleted', change: 2, before: null },
      { record: four, mark: null, change: null, before: null },
    ]);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(4);
    // The row of a changed record is the row that it was, so that nothing jumps.
    expect(rowsOf([one], [update(one, two)])[0]?.key).toBe(rowsOf([one], [])[0]?.key);
  });

  test('a record that is added marks none that is there, even the same one', () => {
    expect(rowsOf([one], [add(one)]).map(({ mark }) => mark)).toEqual([null, 'new']);
    expect(rowsOf([one], [{ action: 'update', record: one, old: null }])).toMatchObject([{ mark: null }]);
  });

  test('rows stand by name as people count, then by type, then by what they say', () => {
    const text: DnsRecord = { type: 'TXT', subdomain: 'h2', text: 'a' };
    const six: DnsRecord = { type: 'AAAA', subdomain: 'h2', ipv6_address: '2001:db8::1' };
    const records = [
      ...[a('h10', '192.0.2.1'), text, a('h2', '192.0.2.10'), six, a('h2', '192.0.2.9'), a('', '192.0.2.1')],
    ];
    expect(rowsOf(records, []).map(({ record }) => record)).toEqual([
      ...[a('', '192.0.2.1'), a('h2', '192.0.2.9'), a('h2', '192.0.2.10'), six, text, a('h10', '192.0.2.1')],
    ]);
  });

  test('only the same record counts as there already: name, type and value', () => {
    const six: DnsRecord = { type: 'AAAA', subdomain: 'www', ipv6_address: '2001:db8::1' };
    for (const other of [a('w', '192.0.2.1'), two, six]) {
      expect(collected([add(one)], add(other))).toEqual([add(one), add(other)]);
      expect(collected([remove(one)], add(other))).toEqual([remove(one), add(other)]);
    }
    expect(collected([add(six)], add(six))).toEqual([add(six)]);
  });

  test('only the change of the same record is replaced', () => {
    expect(collected([update(one, two), add(four)], remove(three))).toEqual([
      ...[update(one, two), add(four), remove(three)],
    ]);
    expect(collected([add(four), update(one, two)], update(two, three))).toEqual([
      ...[add(four), update(one, three)],
    ]);
    // A deleted record is not there to be changed; the same one may be what another has become.
    expect(collected([remove(one), update(two, one)], remove(one))).toEqual([remove(one), remove(two)]);
    expect(collected([remove(one)], remove(one))).toEqual([remove(one), remove(one)]);
    expect(collected([], update(one, two))).toEqual([update(one, two)]);
    expect(collected([add(one)], { action: 'update', record: one, old: null })).toEqual([add(one)]);
    const bare: ZoneChange = { action: 'update', record: one, old: null };
    expect(collected([bare], remove(one))).toEqual([bare, remove(one)]);
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

test('changes have names of their own', () => {
  const changes = [add(one), remove(one), update(one, two), update(two, one), update(three, two)];
  expect(new Set(changes.map(changeKey)).size).toBe(changes.length);
  // Taken apart and put together, no two of them say the same.
  expect(changeKey({ action: 'update', record: two, old: null })).not.toBe(changeKey(update(one, two)));
});

describe('the table', () => {
  const mx: DnsRecord = { type: 'MX', subdomain: '', hostname: 'post.acme.com', priority: 10 };
  const note: DnsRecord = { type: 'TXT', subdomain: 'note', text: 'hello' };
  const records = [note, one, mx, a('post', '192.0.2.5'), a('', '192.0.2.1')];
  const shown = (rows: ReturnType<typeof rowsOf>) =>
    tableItems('acme.com', rows, records).map((item) =>
      item.kind === 'group' ? `${item.purpose}: ${item.verdict.text}` : item.row.record.subdomain,
    );

  test('has each purpose with its verdict, and below it its rows', () => {
    expect(shown(rowsOf(records, []))).toEqual([
      'web: The domain and www lead to an address',
      ...['', 'www'],
      'mail: Mail can be forged: SPF, DKIM and DMARC are missing',
      ...['', 'post'],
      'other: One more record',
      'note',
    ]);
  });

  test('judges all records of a purpose, shown or not, and has no head above nothing', () => {
    expect(shown(rowsOf([one], []))).toEqual(['web: The domain and www lead to an address', 'www']);
    expect(shown([])).toEqual([]);
  });

  test('judges the rows that are shown where the zone has none of the purpose yet', () => {
    const items = tableItems('acme.com', rowsOf([], [add(a('', '192.0.2.1'))]), []);
    expect(items).toMatchObject([{ verdict: { text: 'www has no address' } }, { kind: 'row' }]);
  });

  test('has a key for each line', () => {
    const rows = rowsOf(records, []);
    const items = tableItems('acme.com', rows, records);
    expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
    expect(items.flatMap((item) => (item.kind === 'row' ? [item.key] : [])).sort()).toEqual(
      rows.map(({ key }) => key).sort(),
    );
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
    ['take away what is there', [remove(one)], [one], [remove(one)]],
    ['add what is not there', [add(one)], [two], [add(one)]],
    ['leave out what is so already', [update(one, two)], [two], []],
    [
      'come beside records of another name or type',
      [update(one, two)],
      [a('w', '192.0.2.3'), { type: 'TXT', subdomain: 'www', text: 'a' }],
      [add(two)],
    ],
  ] satisfies [string, ZoneChange[], DnsRecord[], ZoneChange[]][])('%s', (_title, mine, theirs, after) => {
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
    // It names none of what was sent.
    expect(theirsAfter({ meant, sent, wanted: meant }, at(3))).toEqual({ dropped: [], kept: meant });
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

test('what was changed by hand and not by these changes is not taken back', () => {
  const kept: ZoneChange = { action: 'update', record: two, old: null };
  expect(takenBack([kept], [one], [two])).toEqual([remove(two)]);
});

test('a row that is kept in the page stands at its place among those in sight', () => {
  expect(withIndex([4, 5, 6], 2)).toEqual([2, 4, 5, 6]);
  expect(withIndex([4, 5, 6], 90)).toEqual([4, 5, 6, 90]);
  expect(withIndex([4, 5, 6], 5)).toEqual([4, 5, 6]);
  expect(withIndex([4, 5, 6], -1)).toEqual([4, 5, 6]);
  expect(withIndex([4, 5, 6], 0)).toEqual([0, 4, 5, 6]);
});
