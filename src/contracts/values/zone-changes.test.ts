import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordOf, zonesOf } from '../../../tests/support/zones.ts';
import { type DnsRecord, recordKey } from './dns-records.ts';
import {
  applyChanges,
  changesBetween,
  changing,
  flatRecords,
  groupRecords,
  touchedChanges,
  type ZoneChange,
} from './zone-changes.ts';

const domain = 'example.com';
const a = (subdomain: string, ip_address = '192.0.2.1') => recordOf({ type: 'A', subdomain, ip_address });
const alias = (subdomain: string, hostname: string) => recordOf({ type: 'CNAME', subdomain, hostname });
const mx = (hostname: string, priority = 10) => recordOf({ type: 'MX', subdomain: '', hostname, priority });
const srv = (hostname: string) =>
  recordOf({ type: 'SRV', subdomain: '_sip._tcp', hostname, priority: 1, weight: 1, port: 5060 });
/** A subdomain with which the whole name has so many characters. */
const longName = (length: number) => `${'a'.repeat(60)}.`.repeat(4).slice(0, length - `.${domain}`.length);
const messagesOf = (...given: Parameters<typeof applyChanges>) =>
  applyChanges(...given).problems.map(({ index, kind }) => `${index} ${kind}`);
const keysOf = (records: Parameters<typeof recordKey>[0][]) => records.map(recordKey).sort();

describe('changes', () => {
  test('leave what they do not name as it is, in its order', () => {
    const zone = [a('a'), a('b'), a('c')];
    const changed = applyChanges(domain, zone, [
      { action: 'update', record: a('b', '192.0.2.9'), old: a('b') },
      { action: 'add', record: a('d') },
    ]);
    expect(changed.problems).toEqual([]);
    expect(changed.records).toEqual([a('a'), a('b', '192.0.2.9'), a('c'), a('d')]);
  });

  test('from one zone to any other lead there', () => {
    fc.assert(
      fc.property(zonesOf(domain), zonesOf(domain), (from, to) => {
        const changed = applyChanges(domain, from, changesBetween(from, to));
        expect(keysOf(changed.records)).toEqual(keysOf(to));
        expect(changed.problems).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test('to a zone that is the same are none', () => {
    fc.assert(fc.property(zonesOf(domain), (zone) => changesBetween(zone, [...zone].reverse()).length === 0));
  });

  test('that two people make to different names both hold, in either order', () => {
    fc.assert(
      fc.property(zonesOf(domain), (zone) => {
        const mine = [{ action: 'add' as const, record: a('mine-only') }];
        const theirs = [{ action: 'add' as const, record: a('theirs-only') }];
        const first = applyChanges(domain, applyChanges(domain, zone, mine).records, theirs);
        const second = applyChanges(domain, applyChanges(domain, zone, theirs).records, mine);
        expect(keysOf(first.records)).toEqual(keysOf(second.records));
      }),
    );
  });

  test.each([
    ['a mail server beside "no mail"', [mx('.', 0)], mx('mail.example.net'), '0 clash'],
    ['"no mail" beside a mail server', [mx('mail.example.net')], mx('.', 0), '0 clash'],
    ['an alias beside other records', [a('a')], alias('a', 'x.example.net'), '0 clash'],
    ['other records beside an alias', [alias('a', 'x.example.net')], a('a'), '0 clash'],
    ['mail to an alias', [alias('mail', 'x.example.net')], mx('mail.example.com'), '0 clash'],
    ['an alias where mail goes', [mx('mail.example.com')], alias('mail', 'x.example.net'), '0 clash'],
    ['a service at an alias', [alias('sip', 'x.example.net')], srv('sip.example.com'), '0 clash'],
    ['an alias where a service goes', [srv('sip.example.com')], alias('sip', 'x.example.net'), '0 clash'],
    ['a name that repeats the domain', [], a('www.example.com'), '0 name'],
    ['a name that is the domain', [], a('example.com'), '0 name'],
    ['a name of 254 characters', [], a(longName(254)), '0 name'],
  ])('that would make %s are told', (_what, zone, record, problem) => {
    expect(messagesOf(domain, zone, [{ action: 'add', record }])).toEqual([problem]);
  });

  test.each([
    ['a second mail server', [mx('mail.example.net')], mx('mail2.example.net')],
    ['"no mail" alone', [], mx('.', 0)],
    [
      '"no mail" at one name and a mail server at another',
      [mx('.', 0)],
      { ...mx('m.example.net'), subdomain: 'b' },
    ],
    ['"no mail" beside other records', [a('')], mx('.', 0)],
    [
      'a service beside mail servers that clash already',
      [mx('.', 0), mx('m.example.net')],
      { ...srv('s.example.net'), subdomain: '' },
    ],
    ['an alias of an alias', [alias('www', 'shop.example.com')], alias('shop', 'x.example.net')],
    ['an alias beside mail that goes elsewhere', [mx('mail.example.net')], alias('mail', 'x.example.net')],
    ['a name that ends like the domain', [], a('notexample.com')],
    ['a name of 253 characters', [], a(longName(253))],
    ['a service beside an alias of another name', [alias('www', 'x.example.net')], srv('sip.example.com')],
  ])('that make %s are no problem', (_what, zone, record) => {
    expect(messagesOf(domain, zone, [{ action: 'add', record }])).toEqual([]);
  });

  test('are not blamed for a clash that was there before them', () => {
    const zone = [a('a'), alias('a', 'x.example.net')];
    expect(messagesOf(domain, zone, [{ action: 'add', record: a('b') }])).toEqual([]);
  });

  test('say what clashes, by its full name', () => {
    const told = (zone: DnsRecord[], record: DnsRecord) =>
      applyChanges(domain, zone, [{ action: 'add', record }]).problems.map(({ message }) => message);
    expect(told([srv('sip.example.com')], alias('sip', 'x.example.net'))).toEqual([
      'The SRV record of _sip._tcp.example.com points to sip.example.com, which therefore cannot be an alias (CNAME).',
    ]);
    expect(told([alias('sip', 'x.example.net')], srv('sip.example.com'))).toEqual([
      'sip.example.com is an alias (CNAME); SRV needs a name with an address.',
    ]);
  });

  test('name the one record of a type and name that there is without saying what it was', () => {
    const zone = [a('a', '192.0.2.1'), a('b')];
    const update: ZoneChange = { action: 'update', record: a('a', '192.0.2.3'), old: null };
    expect(applyChanges(domain, zone, [update])).toMatchObject({
      records: [a('a', '192.0.2.3'), a('b')],
      problems: [],
    });
  });

  test('follow each other: what one put there, the next one finds', () => {
    const changes: ZoneChange[] = [
      { action: 'add', record: a('a', '192.0.2.1') },
      { action: 'add', record: a('c') },
      { action: 'update', record: a('a', '192.0.2.2'), old: a('a', '192.0.2.1') },
      { action: 'update', record: a('a', '192.0.2.3'), old: null },
      { action: 'update', record: a('b'), old: a('a', '192.0.2.1') },
    ];
    expect(applyChanges(domain, [a('z')], changes)).toMatchObject({
      records: [a('z'), a('a', '192.0.2.3'), a('c')],
      problems: [{ index: 4, kind: 'missing' }],
    });
  });

  test('that are made already change nothing, and are named', () => {
    const again = applyChanges(
      domain,
      [a('a')],
      [
        { action: 'add', record: a('a') },
        { action: 'add', record: a('b') },
        { action: 'add', record: a('b') },
      ],
    );
    expect(again).toEqual({ records: [a('a'), a('b')], problems: [], present: [0, 2], absent: [] });
  });

  test('that make a record into one that is there are told', () => {
    const zone = [a('a', '192.0.2.1'), a('a', '192.0.2.2')];
    const update: ZoneChange = { action: 'update', record: a('a', '192.0.2.1'), old: a('a', '192.0.2.2') };
    expect(messagesOf(domain, zone, [update])).toEqual(['0 duplicate']);
  });

  test('removing a record that is gone already is done, and changes nothing', () => {
    const zone = [a('a', '192.0.2.1'), a('a', '192.0.2.2')];
    const gone: ZoneChange = { action: 'remove', record: a('b') };
    expect(applyChanges(domain, zone, [gone])).toEqual({
      records: zone,
      problems: [],
      present: [],
      absent: [0],
    });
    // Twice in one request is no more than once.
    const twice: ZoneChange[] = [1, 2].map(() => ({ action: 'remove', record: a('a', '192.0.2.1') }));
    expect(applyChanges(domain, zone, twice)).toMatchObject({
      ...{ records: [a('a', '192.0.2.2')], problems: [], absent: [1] },
    });
  });

  test('of a record that is gone, or that is one of several, are told', () => {
    const zone = [a('a', '192.0.2.1'), a('a', '192.0.2.2')];
    const changed: ZoneChange = { action: 'update', record: a('b'), old: a('b', '192.0.2.9') };
    expect(messagesOf(domain, zone, [changed])).toEqual(['0 missing']);
    expect(messagesOf(domain, zone, [{ action: 'update', record: a('a', '192.0.2.3'), old: null }])).toEqual([
      '0 ambiguous',
    ]);
  });

  test('in one go may take away what would clash', () => {
    const changed = applyChanges(
      domain,
      [a('a')],
      [
        { action: 'remove', record: a('a') },
        { action: 'add', record: alias('a', 'x.example.net') },
      ],
    );
    expect(changed).toEqual({
      records: [alias('a', 'x.example.net')],
      problems: [],
      present: [],
      absent: [],
    });
  });
});

test('a change is touched by others when the records of its name and type are', () => {
  const [base, now] = [
    [a('a'), a('b')],
    [a('a', '192.0.2.7'), a('b')],
  ];
  const changes = [a('a', '192.0.2.8'), a('b', '192.0.2.8')].map((record) => ({
    action: 'add' as const,
    record,
  }));
  expect(touchedChanges(base, now, changes)).toEqual([0]);
});

test('records in another order are the same: nothing is touched', () => {
  const base = [a('a', '192.0.2.1'), a('a', '192.0.2.2')];
  expect(touchedChanges(base, base.toReversed(), [{ action: 'remove', record: a('a') }])).toEqual([]);
});

test('a record that is there twice, and wanted once, goes once', () => {
  expect(changesBetween([a('a'), a('a')], [a('a')])).toEqual([{ action: 'remove', record: a('a') }]);
  expect(changesBetween([a('a')], [a('a'), a('a')])).toEqual([{ action: 'add', record: a('a') }]);
});

test('records by type are the same records', () => {
  const records = [a('a'), alias('b', 'x.example.net'), mx('mail.example.net'), srv('sip.example.net')];
  expect(groupRecords([a('a')])).toEqual({
    ...{ A: [{ subdomain: 'a', ip_address: '192.0.2.1' }], AAAA: [], CNAME: [], MX: [], TXT: [], SRV: [] },
  });
  expect(flatRecords(groupRecords(records))).toEqual(records);
});

test('thousands of changes are made in steps, one at least for each record and change, also where all have one name', () => {
  const records = Array.from({ length: 5_000 }, (_, index) => ({
    ...{ type: 'TXT' as const, subdomain: 'www', text: `text ${index}` },
  }));
  let looks = 0;
  // Every look at a record's name would count: each change looks at its own record, never at all that are there.
  const counting = records.map((record) => ({
    ...record,
    get subdomain() {
      looks += 1;
      return 'www';
    },
  }));
  const work = changing(
    domain,
    counting,
    counting.map((record) => ({ action: 'remove' as const, record })),
  );
  let steps = 0;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) {
      expect(step.value).toMatchObject({ records: [], problems: [] });
      break;
    }
    steps += 1;
  }
  expect(steps).toBeGreaterThanOrEqual(10_000);
  expect(looks).toBeLessThan(20 * records.length);
});
