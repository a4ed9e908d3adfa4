import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ZoneRequest } from '#contracts/values/changes.ts';
import { type DnsRecord, recordData, recordKey } from '#contracts/values/dns-records.ts';
import { applyChanges } from '#contracts/values/zone-changes.ts';
import { recordOf, zonesOf } from '../../../../tests/support/zones.ts';
import { isSamePlan, planZone, stepsOf } from './zone-plan.rules.ts';

const a = (subdomain: string, ip_address: string) => recordOf({ type: 'A', subdomain, ip_address });
const mx = (priority: number, hostname: string, subdomain = '') =>
  recordOf({ type: 'MX', subdomain, priority, hostname });
const txt = (subdomain: string, text: string) => recordOf({ type: 'TXT', subdomain, text });
const cname = (subdomain: string, hostname: string) => recordOf({ type: 'CNAME', subdomain, hostname });

const others = [a('', '192.0.2.1'), a('www', '192.0.2.1'), a('ftp', '192.0.2.9'), txt('', 'google=1')];

/** The zone after the change, as texts; or why there is none. */
function made(
  request: Parameters<typeof planZone>[0],
  zone: readonly DnsRecord[],
  domain = 'acme.com',
): string[] {
  const verdict = planZone(request, domain, zone);
  if (verdict.kind !== 'change') return [verdict.kind, verdict.note];
  const keys = verdict.plan.after.map(recordKey);
  expect(keys, 'each once').toEqual([...new Set(keys)]);
  const result = applyChanges(domain, zone, stepsOf(verdict.plan));
  expect(result.problems).toEqual([]);
  return result.records
    .map((record) => `${record.subdomain || '@'} ${record.type} ${recordData(record)}`)
    .sort();
}
const texts = (zone: readonly DnsRecord[]) =>
  zone.map((record) => `${record.subdomain || '@'} ${record.type} ${recordData(record)}`).sort();

describe('replacing a value', () => {
  const replace = (find: string, replacement: string, part = false): ZoneRequest => ({
    ...{ kind: 'replace-value', find, replacement, part },
  });

  test('changes what has it, however it is written, and keeps the rest of the record', () => {
    const zone = [...others, mx(10, 'mx1.old.example'), mx(20, 'mx2.old.example')];
    expect(made(replace('MX1.Old.Example.', 'in.new.example'), zone)).toEqual(
      texts([...others, mx(10, 'in.new.example'), mx(20, 'mx2.old.example')]),
    );
  });

  test('two records that become the same are one', () => {
    const zone = [...others, mx(10, 'mx1.old.example'), mx(10, 'in.new.example')];
    expect(made(replace('mx1.old.example', 'in.new.example'), zone)).toEqual(
      texts([...others, mx(10, 'in.new.example')]),
    );
    const both = [txt('', 'x old.example'), txt('', 'x OLD.example')];
    expect(made(replace('old.example', 'new.example', true), both)).toEqual(['@ TXT x new.example']);
  });

  test('finds addresses by what they mean', () => {
    const six = (ipv6_address: string) => recordOf({ type: 'AAAA', subdomain: '', ipv6_address });
    const zone = [...others, six('2001:db8::1'), six('2001:db8::3')];
    expect(made(replace(' 2001:0db8:0:0::0001 ', '2001:db8::2'), zone)).toEqual(
      texts([...others, six('2001:db8::2'), six('2001:db8::3')]),
    );
  });

  test('a part is replaced where it stands as a whole name, in every type', () => {
    const zone = [
      ...others,
      mx(10, 'mx1.old.example'),
      txt('', 'v=spf1 include:old.example include:veryold.example include:old.example.org -all'),
      cname('web', 'old.example'),
    ];
    expect(made(replace('old.example', 'new.example', true), zone)).toEqual(
      texts([
        ...others,
        mx(10, 'mx1.new.example'),
        txt('', 'v=spf1 include:new.example include:veryold.example include:old.example.org -all'),
        cname('web', 'new.example'),
      ]),
    );
  });

  test.each([
    ['192.0.2.1', '192.0.2.10'],
    ['old', 'bold'],
    ['old', 'old-1'],
  ])('%s is no part of %s', (find, value) => {
    expect(made(replace(find, 'x.example', true), [txt('', value)])).toEqual(['same', '']);
  });

  test.each([
    ['key=', 'token=', 'key=1 monkey=2', 'token=1 monkey=2'],
    ['=old', '=new', 'key=old key=older', 'key=new key=older'],
    [';;', '|', 'a;;;b', 'a|;b'],
  ])('signs around a word are no part of it: %s becomes %s', (find, replacement, value, after) => {
    expect(made(replace(find, replacement, true), [txt('', value)])).toEqual([`@ TXT ${after}`]);
  });

  test('what would be no record bars the zone, with the reason', () => {
    expect(made(replace('192.0.2.9', 'nowhere.example'), others)).toEqual([
      ...['barred', 'A 192.0.2.9: Please enter an IPv4 address, such as 192.0.2.1'],
    ]);
  });
});

describe('records', () => {
  test('one is added beside others of its name, once', () => {
    const record = txt('', 'site={domain}');
    expect(made({ kind: 'add-record', record }, others)).toEqual(
      texts([...others, txt('', 'site=acme.com')]),
    );
    expect(made({ kind: 'add-record', record }, [...others, txt('', 'site=acme.com')])).toEqual(['same', '']);
  });

  test('one that may not stand beside what is there bars the zone', () => {
    const [kind, note] = made({ kind: 'add-record', record: cname('www', 'x.example') }, others);
    expect([kind, note]).toEqual(['barred', expect.stringContaining('must be the only record of its name')]);
  });

  test('a set becomes one record; with a value only that one; without one nothing comes', () => {
    const zone = [...others, mx(10, 'a.example'), mx(20, 'b.example')];
    const record = mx(5, 'c.example');
    expect(made({ kind: 'change-record', record, value: null }, zone)).toEqual(texts([...others, record]));
    expect(made({ kind: 'change-record', record, value: '20 B.example.' }, zone)).toEqual(
      texts([...others, mx(10, 'a.example'), record]),
    );
    expect(made({ kind: 'change-record', record, value: null }, others)).toEqual(['same', '']);
  });

  test('removing takes the set, or the one with the value', () => {
    const zone = [...others, mx(10, 'a.example'), mx(20, 'b.example')];
    const remove = (value: string | null): ZoneRequest => ({
      kind: 'remove-record',
      type: 'MX',
      subdomain: '',
      value,
    });
    expect(made(remove(null), zone)).toEqual(texts(others));
    expect(made(remove('10 a.example'), zone)).toEqual(texts([...others, mx(20, 'b.example')]));
    expect(made(remove('30 a.example'), zone)).toEqual(['same', '']);
  });

  test('a host goes with all its records; with what is below it only when asked', () => {
    const zone = [
      ...others,
      a('old', '192.0.2.3'),
      txt('old', 'x'),
      a('x.old', '192.0.2.4'),
      a('told', '192.0.2.5'),
    ];
    const host = (below: boolean): ZoneRequest => ({ kind: 'delete-host', subdomain: 'old', below });
    expect(made(host(false), zone)).toEqual(
      texts([...others, a('x.old', '192.0.2.4'), a('told', '192.0.2.5')]),
    );
    expect(made(host(true), zone)).toEqual(texts([...others, a('told', '192.0.2.5')]));
  });
});

test('a template brings its records, and those of it from before go', () => {
  const [former, next] = [txt('', 'site=1'), txt('', 'site=2')];
  const roll = (wanted: DnsRecord[]) =>
    made({ kind: 'template', wanted, owned: [former] }, [...others, former]);
  expect(roll([next])).toEqual(texts([...others, next]));
  expect(roll([former])).toEqual(['same', '']);
});

describe('SPF and DMARC', () => {
  const spf = (where: 'missing' | 'everywhere'): ZoneRequest => ({
    kind: 'set-spf',
    text: 'v=spf1 -all',
    where,
  });
  const dmarc = (where: 'missing' | 'everywhere'): ZoneRequest => ({
    ...{ kind: 'set-dmarc', text: 'v=DMARC1; p=quarantine; rua=mailto:d@{domain}', where },
  });

  test('come where they are missing, and leave other texts alone', () => {
    expect(made(spf('missing'), others)).toEqual(texts([...others, txt('', 'v=spf1 -all')]));
    const zone = [...others, txt('', 'v=spf1 ~all'), txt('_dmarc', 'v=DMARC1; p=none')];
    expect(made(spf('missing'), zone)).toEqual(['same', '']);
    expect(made(dmarc('missing'), zone)).toEqual(['same', '']);
    expect(made(dmarc('missing'), others)).toEqual(
      texts([...others, txt('_dmarc', 'v=DMARC1; p=quarantine; rua=mailto:d@acme.com')]),
    );
  });

  test('take the place of all there are, everywhere', () => {
    const zone = [...others, txt('', 'v=spf1 ~all'), txt('', 'v=spf1 mx -all')];
    expect(made(spf('everywhere'), zone)).toEqual(texts([...others, txt('', 'v=spf1 -all')]));
    expect(made(spf('everywhere'), [...others, txt('', 'v=spf1 -all')])).toEqual(['same', '']);
  });

  test('a delegated policy bars the zone', () => {
    expect(made(dmarc('missing'), [cname('_dmarc', 'd.provider.example')])[0]).toBe('barred');
  });
});

test('the plan says what stays, what is likely wrong, and asks where more than 30 % go', () => {
  const ten = Array.from({ length: 10 }, (_unused, index) => a(`h${index}`, `192.0.2.${index + 1}`));
  const without = (count: number) => {
    const zone = ten.map((record, index) => (index < count ? { ...record, subdomain: 'gone' } : record));
    const verdict = planZone({ kind: 'delete-host', subdomain: 'gone', below: false }, 'acme.com', zone);
    return verdict.kind === 'change' ? verdict.plan : null;
  };
  expect(without(3)).toMatchObject({ removed: 3, others: 7, needsTick: false, warnings: [] });
  expect(without(4)).toMatchObject({ removed: 4, others: 6, needsTick: true });
  const inner = planZone({ kind: 'add-record', record: a('lan', '10.0.0.1') }, 'acme.com', ten);
  expect(inner).toMatchObject({
    plan: { warnings: ['This is a private address. It cannot be reached from the internet.'] },
  });
});

describe('undoing', () => {
  const anyRequest: fc.Arbitrary<ZoneRequest> = fc.oneof(
    fc.constant<ZoneRequest>({ kind: 'add-record', record: txt('', 'added') }),
    fc.constant<ZoneRequest>({ kind: 'set-spf', text: 'v=spf1 -all', where: 'everywhere' }),
    fc
      .constantFrom('A', 'MX', 'TXT', 'SRV')
      .map((type): ZoneRequest => ({ kind: 'remove-record', type: type as 'A', subdomain: '', value: null })),
  );
  const keys = (zone: readonly DnsRecord[]) => zone.map(recordKey).sort();

  test('brings back every record, whatever was done to whatever zone', () => {
    fc.assert(
      fc.property(zonesOf('acme.com'), anyRequest, (zone, request) => {
        const verdict = planZone(request, 'acme.com', zone);
        if (verdict.kind !== 'change') return;
        const changed = applyChanges('acme.com', zone, stepsOf(verdict.plan)).records;
        const back = planZone({ kind: 'undo', done: verdict.plan }, 'acme.com', changed);
        if (back.kind !== 'change') throw new Error(back.note);
        expect(keys(applyChanges('acme.com', changed, stepsOf(back.plan)).records)).toEqual(keys(zone));
        // And what is done twice is done once.
        expect(keys(applyChanges('acme.com', changed, stepsOf(verdict.plan)).records)).toEqual(keys(changed));
      }),
    );
  });

  test('leaves alone what somebody changed since, and says so', () => {
    const done = {
      before: [mx(10, 'old.example'), txt('', 'v=spf1 include:old.example -all')],
      after: [mx(10, 'new.example'), txt('', 'v=spf1 include:new.example -all')],
    };
    const edited = [a('', '192.0.2.1'), mx(10, 'new.example'), txt('', 'v=spf1 include:other.example -all')];
    expect(made({ kind: 'undo', done }, edited)).toEqual(texts([edited[0]!, done.before[0]!, edited[2]!]));
    expect(planZone({ kind: 'undo', done }, 'acme.com', edited)).toMatchObject({
      plan: { warnings: ['Some of its records were changed later and stay as they are.'] },
    });
    expect(planZone({ kind: 'undo', done }, 'acme.com', done.after)).toMatchObject({
      plan: { warnings: [] },
    });
    expect(made({ kind: 'undo', done }, [a('', '192.0.2.1')])).toEqual([
      ...['same', 'Its records were changed later and stay as they are.'],
    ]);
  });
});

test('what a change has added is taken away by its undo without a word for each zone, however small that is', () => {
  const zone = [a('', '192.0.2.1'), a('www', '192.0.2.1')];
  const added = planZone({ kind: 'add-record', record: txt('', 'added') }, 'acme.com', zone);
  if (added.kind !== 'change') throw new Error('nothing was added');
  const changed = applyChanges('acme.com', zone, stepsOf(added.plan)).records;
  expect(planZone({ kind: 'undo', done: added.plan }, 'acme.com', changed)).toMatchObject({
    plan: { removed: 1, others: 2, needsTick: false },
  });
  // The same by another change is asked about.
  const request: ZoneRequest = { kind: 'remove-record', type: 'TXT', subdomain: '', value: null };
  expect(planZone(request, 'acme.com', changed)).toMatchObject({ plan: { removed: 1, needsTick: true } });
});

test('plans are the same when they lead from the same to the same', () => {
  const [one, other] = [
    { before: [mx(1, 'a.example')], after: [mx(2, 'a.example')] },
    { before: [], after: [] },
  ];
  expect(isSamePlan(one, { before: [mx(1, 'A.example')], after: [mx(2, 'a.example')] })).toBe(true);
  expect(isSamePlan(one, other)).toBe(false);
  expect(isSamePlan(one, { before: one.after, after: one.before })).toBe(false);
});

describe('a value', () => {
  const aaaa = (ipv6_address: string) => recordOf({ type: 'AAAA', subdomain: '', ipv6_address });
  const removed = (type: DnsRecord['type'], value: string, ...zone: DnsRecord[]) =>
    made({ kind: 'remove-record', type, subdomain: '', value }, zone);

  test('of an address or a host is meant however it is written; of a text only as it is', () => {
    const six = [aaaa('2001:db8::1'), aaaa('2001:db8::2')];
    expect(removed('AAAA', ' 2001:0DB8:0::0001 ', ...six)).toEqual(['@ AAAA 2001:db8::2']);
    expect(removed('MX', '10 A.Example. ', mx(10, 'a.example'), mx(20, 'a.example'))).toEqual([
      '@ MX 20 a.example',
    ]);
    const two = [txt('', 'Site=1'), txt('', 'site=1')];
    expect(removed('TXT', 'site=1', ...two)).toEqual(['@ TXT Site=1']);
    expect(removed('TXT', 'site=1 ', ...two)).toEqual(['same', '']);
  });

  test('that a record is changed to and that stands there already comes once', () => {
    const zone = [a('', '192.0.2.1'), a('', '192.0.2.2'), a('x', '192.0.2.1')];
    const record = a('', '192.0.2.2');
    const change = (value: string | null) => made({ kind: 'change-record', record, value }, zone);
    const left = texts([record, a('x', '192.0.2.1')]);
    expect([change('192.0.2.1'), change(null)]).toEqual([left, left]);
    expect(change('192.0.2.9')).toEqual(['same', '']);
  });

  test('within others is replaced at every place where it stands alone, in any case', () => {
    const within = (text: string) =>
      made({ kind: 'replace-value', find: 'a.example', replacement: 'b.example', part: true }, [
        txt('', text),
      ]);
    expect(within('A.example a.example,a.example.')).toEqual(['@ TXT b.example b.example,b.example.']);
    expect(within('x-a.example')).toEqual(['same', '']);
    expect(within('v=spf1 include:a.example ~all')).toEqual(['@ TXT v=spf1 include:b.example ~all']);
    const whole: ZoneRequest = { kind: 'replace-value', find: 'a.example', replacement: 'b', part: false };
    expect(made(whole, [txt('', 'A.example'), txt('', 'a.example b')])).toEqual(['same', '']);
    expect(made(whole, [txt('', 'a.example')])).toEqual(['@ TXT b']);
  });

  test('a policy of another name is none of the domain’s', () => {
    const zone = [txt('sub', 'v=spf1 mx -all'), txt('_dmarc.sub', 'v=DMARC1; p=none')];
    expect(made({ kind: 'set-spf', text: 'v=spf1 -all', where: 'everywhere' }, zone)).toEqual(
      texts([...zone, txt('', 'v=spf1 -all')]),
    );
    expect(made({ kind: 'set-dmarc', text: 'v=DMARC1; p=reject', where: 'missing' }, zone)).toEqual(
      texts([...zone, txt('_dmarc', 'v=DMARC1; p=reject')]),
    );
  });

  test('the domain itself goes as a host without what is below it', () => {
    const zone = [a('', '192.0.2.1'), a('www', '192.0.2.1')];
    expect(made({ kind: 'delete-host', subdomain: '', below: false }, zone)).toEqual(['www A 192.0.2.1']);
  });
});
