import { expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { reapplied } from './zone-repair.rules.ts';

const a = (address: string, subdomain = 'www'): DnsRecord => ({
  ...{ type: 'A', subdomain, ip_address: address },
});
const [one, two, late] = [a('192.0.2.1'), a('192.0.2.2'), a('192.0.2.99', 'late')];
const again = (now: readonly DnsRecord[], ...since: [before: DnsRecord[], after: DnsRecord[]][]) =>
  reapplied(
    'example.com',
    now,
    since.map(([before, after]) => ({ before, after })),
  );

test('what others were told is in force is applied again on top of what struck late', () => {
  expect(again([late], [[], [one]])).toEqual([late, one]);
  expect(again([one, late], [[one], []])).toEqual([late]);
});

test('several acknowledged changes are applied in their order', () => {
  expect(again([late], [[], [one]], [[one], [one, two]], [[one, two], [two]])).toEqual([late, two]);
});

test('what is there already, or gone already, stays as it is', () => {
  expect(again([one, late], [[], [one]])).toEqual([one, late]);
  expect(again([late], [[one], []])).toEqual([late]);
});

test('without acknowledged changes the late write stays as it struck', () => {
  expect(again([late])).toEqual([late]);
});

test('where both cannot be, what others were told counts alone, to their last change', () => {
  const alias: DnsRecord = { type: 'CNAME', subdomain: 'late', hostname: 'elsewhere.test' };
  expect(again([late], [[], [alias]], [[alias], [alias, one]])).toEqual([alias, one]);
  expect(again([late], [[], [alias]])).toEqual([alias]);
});
