import { expect, test } from 'vitest';
import { accessHost, buyLimits, coversName, eventTitle } from './acme-access.ts';

test('an access without hosts covers every name, one with hosts those names and what their wildcards answer for', () => {
  expect(coversName(null, 'anything.example.com')).toBe(true);
  const hosts = ['example.com', '*.example.com', 'shop.example.net'];
  const covered = ['example.com', 'www.example.com', '*.example.com', 'shop.example.net'];
  expect(covered.filter((name) => !coversName(hosts, name))).toEqual([]);
  const foreign = ['a.b.example.com', '*.www.example.com', 'example.net', '*.example.net', 'badexample.com'];
  expect(foreign.filter((name) => coversName(hosts, name))).toEqual([]);
  // A name alone opens nothing beside it.
  expect(coversName(['example.com'], 'www.example.com')).toBe(false);
  expect(coversName(['example.com'], '*.example.com')).toBe(false);
  expect(coversName(['www.example.com'], '*.example.com')).toBe(false);
});

test.each([
  ['WWW.Example.com ', 'www.example.com'],
  ['*.example.com', '*.example.com'],
])('a host is tidied: %s', (typed, host) => {
  expect(accessHost.parse(typed)).toBe(host);
});

test.each([
  '',
  '*',
  '*.',
  '*.*.example.com',
  'www.*.example.com',
  'localhost',
  'a b.example.com',
  '192.0.2.1',
])('what is no host is refused: %s', (typed) => {
  expect(accessHost.safeParse(typed).success).toBe(false);
});

test('limits are at least one certificate and one cent', () => {
  const least = { ordersPerMonth: 1, centsPerMonth: 1 };
  expect(buyLimits.safeParse(least).success).toBe(true);
  expect(buyLimits.safeParse({ ...least, ordersPerMonth: 0 }).success).toBe(false);
  expect(buyLimits.safeParse({ ...least, centsPerMonth: 0 }).success).toBe(false);
  expect(buyLimits.safeParse({ ...least, centsPerMonth: 1.5 }).success).toBe(false);
});

test('an event has its words, and one that this version does not know its name', () => {
  expect([eventTitle('order'), eventTitle('later')]).toEqual(['Asked for a certificate', 'later']);
});
