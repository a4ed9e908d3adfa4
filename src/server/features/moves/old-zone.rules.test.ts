import { describe, expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import type { Difference, LineZone } from './line.ts';
import {
  type Answer,
  acceptedOf,
  asRead,
  changedText,
  changesOf,
  differencesOf,
  foundAt,
  isOtherThanShown,
  oldZoneOf,
} from './old-zone.rules.ts';

const a = (subdomain: string, ip_address: string): DnsRecord => ({ type: 'A', subdomain, ip_address });
const zone: LineZone = { how: 'whole', records: [a('', '192.0.2.1'), a('www', '192.0.2.1')], leftOut: [] };
const answer = (name: string, now: string[] | null): Answer => ({
  ...{ name, type: 'A', before: ['192.0.2.1'], now },
});
const [same, other] = [answer('acme.com', ['192.0.2.1']), answer('www.acme.com', ['192.0.2.9'])];
const change: Difference = { name: 'www.acme.com', type: 'A', before: ['192.0.2.1'], now: ['192.0.2.9'] };

test('after the move no answer is a difference; the order of records is none', () => {
  expect(differencesOf([same, other, answer('a.acme.com', null)])).toEqual([
    change,
    { ...change, name: 'a.acme.com', now: [] },
  ]);
  expect(differencesOf([{ ...same, before: ['a', 'b'], now: ['b', 'a', 'a'] }])).toEqual([]);
});

describe('what old servers say', () => {
  test('otherwise than before is a change, also that a record is gone', () => {
    const gone = answer('www.acme.com', []);
    expect(changesOf([same, other])).toEqual([change]);
    expect(changesOf([same, gone])).toEqual([{ ...change, now: [] }]);
    expect(changesOf([same])).toEqual([]);
  });

  test('by silence is nothing, and by having nothing of the zone any more neither', () => {
    expect(changesOf([same, answer('www.acme.com', null)])).toEqual([]);
    expect(changesOf([answer('acme.com', null), answer('www.acme.com', null)])).toBeNull();
    expect(changesOf([answer('acme.com', []), answer('www.acme.com', null)])).toBeNull();
    expect(changesOf([])).toBeNull();
  });
});

describe('a domain may lead here', () => {
  const line = { address: 'acme.com', accepted: null };
  const look = (
    answers: readonly Answer[],
    { served = zone.records, accepted = null }: { served?: DnsRecord[]; accepted?: Difference[] | null } = {},
  ) => oldZoneOf({ ...line, accepted }, zone, { answers, changes: changesOf(answers) ?? [], served });

  test('for certain where its old servers say all of it as it is here', () => {
    expect(look([same])).toEqual({ open: [], zone, isSure: true });
  });

  test('not while something has changed there and is not so here', () => {
    expect(look([same, other])).toEqual({ open: [change], zone, isSure: false });
  });

  test('once a person has changed it here as well: that is what is to be answered then', () => {
    const served = [a('', '192.0.2.1'), a('www', '192.0.2.9')];
    expect(look([same, other], { served })).toEqual({
      ...{ open: [], isSure: true },
      zone: { ...zone, records: served },
    });
  });

  test('once what is gone there is gone here, and what is an alias there is one here', () => {
    const [root] = zone.records as [DnsRecord];
    expect(look([same, answer('www.acme.com', [])], { served: [root] }).zone.records).toEqual([root]);
    const alias: DnsRecord = { type: 'CNAME', subdomain: 'www', hostname: 'shop.host.net' };
    const aliased = look([same, answer('www.acme.com', ['shop.host.net'])], { served: [root, alias] });
    expect(aliased).toMatchObject({ open: [], zone: { records: [root, alias] } });
  });

  test('where a person knows of the change, though nobody is sure then; not where it has changed once more', () => {
    expect(look([same, other], { accepted: [change] })).toEqual({ open: [], zone, isSure: false });
    const before = { ...change, now: ['192.0.2.8'] };
    expect(look([same, other], { accepted: [before] }).open).toEqual([change]);
    expect(look([same, other], { accepted: [{ ...change, type: 'AAAA' }] }).open).toEqual([change]);
    expect(look([same, other], { accepted: [{ ...change, name: 'acme.com' }] }).open).toEqual([change]);
  });

  test('where they are silent, without being sure; not where a change was known before', () => {
    const silent = [answer('acme.com', null), answer('www.acme.com', [])];
    expect(look(silent)).toEqual({ open: [], zone, isSure: false });
    expect(look([]).isSure).toBe(false);
    expect(look([answer('acme.com', []), answer('www.acme.com', [])]).isSure).toBe(false);
    expect(look([same, answer('www.acme.com', null)]).isSure).toBe(false);
    const known = oldZoneOf(line, zone, { answers: silent, changes: [change], served: zone.records });
    expect(known.open).toEqual([change]);
  });

  test('what could not be held here and has changed is no longer expected', () => {
    const out = { name: 'www.acme.com', type: 'CNAME', data: 'x.host.net', reason: '' };
    const before: Answer = {
      name: 'www.acme.com',
      type: 'CNAME',
      before: ['x.host.net'],
      now: ['y.host.net'],
    };
    const served: DnsRecord[] = [{ type: 'CNAME', subdomain: 'www', hostname: 'y.host.net' }];
    const changes = changesOf([before]) ?? [];
    const leftOut = [out, { ...out, name: 'shop.acme.com' }];
    const looked = oldZoneOf(line, { ...zone, leftOut }, { answers: [before], changes, served });
    expect(looked).toMatchObject({ open: [], zone: { leftOut: leftOut.slice(1) } });
    expect(looked.zone.records).toEqual([...zone.records, ...served]);
  });
});

describe('a line that is held by changes', () => {
  const day = new Date('2026-11-03T12:00:00Z');
  const found = new Date('2026-11-20T12:00:00Z');
  const line = {
    ...{ id: 'l', differences: [change], accepted: null, checkedAt: day, comparedAt: found },
    held: changedText([change], day),
  };

  test('is served as it is for what was found, where a person says so; one that is held by something else is not', () => {
    expect(acceptedOf([line, { ...line, held: 'It is signed.' }], 'bring')).toEqual([
      { id: 'l', differences: [change] },
    ]);
    // What they took upon themselves before stays so.
    const earlier = { ...change, name: 'mail.acme.com' };
    expect(acceptedOf([{ ...line, accepted: [earlier] }], 'bring')).toEqual([
      { id: 'l', differences: [earlier, change] },
    ]);
    expect(acceptedOf([line], 'keep')).toEqual([]);
    expect(acceptedOf([line], undefined)).toEqual([]);
  });

  test('is not served for what was shown before its old DNS changed once more', () => {
    expect(isOtherThanShown(line, found.toISOString())).toBe(false);
    expect(isOtherThanShown(line, undefined)).toBe(false);
    expect(isOtherThanShown(line, day.toISOString())).toBe(true);
    expect(isOtherThanShown(line, null)).toBe(true);
    expect(isOtherThanShown({ ...line, comparedAt: null }, null)).toBe(false);
    expect(isOtherThanShown({ ...line, held: 'It is signed.' }, null)).toBe(false);
    expect(isOtherThanShown({ ...line, held: 'It is signed.', differences: null }, null)).toBe(false);
  });

  test('says since when its old DNS says that: another look that finds the same is no news', () => {
    const now = new Date('2026-11-21T12:00:00Z');
    const second = { ...change, name: 'a.acme.com' };
    expect(foundAt(line, [change], now)).toEqual(found);
    expect(foundAt({ ...line, differences: [change, second] }, [second, change], now)).toEqual(found);
    expect(foundAt(line, [change, second], now)).toEqual(now);
    expect(foundAt(line, [second], now)).toEqual(now);
    expect(foundAt({ ...line, differences: [change, second] }, [change], now)).toEqual(now);
    const third = { ...change, name: 'b.acme.com' };
    expect(foundAt({ ...line, differences: [change, second] }, [change, third], now)).toEqual(now);
    expect(foundAt(line, [{ ...change, now: ['192.0.2.8'] }], now)).toEqual(now);
    expect(foundAt({ differences: null, comparedAt: found }, [change], now)).toEqual(now);
    expect(foundAt({ differences: [change], comparedAt: null }, [change], now)).toEqual(now);
  });
});

test('records of a registrar are compared as DNS has them', () => {
  expect(asRead([{ type: 'AAAA', subdomain: 'WWW', ipv6_address: '2001:DB8:0::1' }])).toEqual([
    { type: 'AAAA', subdomain: 'www', ipv6_address: '2001:db8::1' },
  ]);
  const odd: DnsRecord = { type: 'A', subdomain: 'www', ip_address: 'nonsense' };
  expect(asRead([odd])).toEqual([odd]);
});

test('the names that changed are said, the first of them where there are many', () => {
  const day = new Date('2026-11-03T12:00:00Z');
  const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ ...change, name: `${name}.acme.com` }));
  expect(changedText(many.slice(0, 4), day)).toContain(
    'since Nov 3, 2026: a.acme.com (A), b.acme.com (A), c.acme.com (A), d.acme.com (A). Correct',
  );
  expect(changedText(many, null)).toContain('since its records were read: a.acme.com (A), ');
  expect(changedText(many, null)).toContain('d.acme.com (A) and 2 more. Correct');
});
