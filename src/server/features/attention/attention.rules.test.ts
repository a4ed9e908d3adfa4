import { expect, test } from 'vitest';
import { roles } from '#contracts/permissions.ts';
import {
  countsOf,
  differenceOf,
  heedsPutOff,
  type KeptItem,
  openCount,
  putOffUntil,
  rankOf,
  type StatedItem,
  severityOf,
  statedItem,
} from './attention.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const stated = (object: string, change: Partial<StatedItem> = {}): StatedItem => ({
  ...{ organisationId: 'a', object, rank: 1, customerId: 'c', address: 'a.com' },
  ...{ deadline: now, facts: { one: 1, two: 'x' } },
  ...change,
});
const kept = (object: string, change: Partial<KeptItem> = {}): KeptItem => ({
  ...{ id: `id of ${object}`, ...stated(object) },
  ...change,
});

test('what is stated and not kept is written, what is kept and not stated is closed, the rest is left alone', () => {
  const difference = differenceOf([kept('same'), kept('over')], [stated('same'), stated('new')]);
  expect(difference).toEqual({ write: [stated('new')], close: ['id of over'] });
  expect(differenceOf([], [])).toEqual({ write: [], close: [] });
});

test.each<[string, Partial<StatedItem>]>([
  ['rank', { rank: 0 }],
  ['customer', { customerId: null }],
  ['name', { address: 'b.com' }],
  ['deadline', { deadline: null }],
  ['later deadline', { deadline: new Date(now.getTime() + 1) }],
  ['facts', { facts: { one: 1, two: 'y' } }],
])('an item whose %s differs is written afresh', (_what, change) => {
  const wanted = stated('same', change);
  expect(differenceOf([kept('same')], [wanted])).toEqual({ write: [wanted], close: [] });
});

test('an item without a deadline stays as it is until it has one', () => {
  const endless = kept('same', { deadline: null });
  expect(differenceOf([endless], [stated('same', { deadline: null })]).write).toEqual([]);
  expect(differenceOf([endless], [stated('same')]).write).toEqual([stated('same')]);
});

test('facts come back from the database with their keys in another order', () => {
  expect(differenceOf([kept('same', { facts: { two: 'x', one: 1 } })], [stated('same')]).write).toEqual([]);
});

test('the same object of two organizations is two items; what is stated twice is one', () => {
  const other = stated('same', { organisationId: 'b' });
  expect(differenceOf([kept('same')], [stated('same'), other])).toEqual({ write: [other], close: [] });
  expect(differenceOf([], [stated('same'), stated('same')]).write).toHaveLength(1);
});

test('the rule of the cause gives the severity, which is kept as a number in its order', () => {
  const deadline = new Date(now.getTime() + 5 * 86_400_000);
  const facts = { suspended: false, bounced: false };
  const statement = {
    ...{ organisationId: 'a', object: 'o', customerId: null, address: null, deadline, facts },
  };
  expect(statedItem('registrant', statement, now)).toEqual({ ...statement, rank: 0 });
  const later = { ...statement, deadline: new Date(deadline.getTime() + 1) };
  expect(statedItem('registrant', later, now).rank).toBe(1);
  expect([rankOf('now'), rankOf('soon'), severityOf(0), severityOf(1)]).toEqual([0, 1, 'now', 'soon']);
});

test('an item is put off until its deadline at most; one whose deadline has passed as long as is wanted', () => {
  const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
  expect(putOffUntil(inDays(7), inDays(3), now)).toEqual(inDays(3));
  expect(putOffUntil(inDays(2), inDays(3), now)).toEqual(inDays(2));
  expect(putOffUntil(inDays(7), inDays(-1), now)).toEqual(inDays(7));
  expect(putOffUntil(inDays(7), now, now)).toEqual(inDays(7));
  expect(putOffUntil(inDays(7), null, now)).toEqual(inDays(7));
});

test('what is put off is so for staff, who put it off, and not for a customer’s own users', () => {
  expect(roles.filter(heedsPutOff)).toEqual(['MSP_OWNER', 'MSP_ADMIN', 'MSP_EMPLOYEE']);
});

test('what is put off is counted by itself alone, and a cause of which nothing waits is left out', () => {
  const row = (
    cause: 'order' | 'renewal' | 'transfer',
    rank: number,
    count: number,
    mine = false,
    snoozed = false,
  ) => ({
    ...{ cause, rank, count, mine, snoozed },
  });
  const rows = [
    ...[row('order', 0, 1), row('order', 1, 2, true), row('order', 0, 4, true, true)],
    ...[row('renewal', 1, 8), row('renewal', 0, 16, true), row('transfer', 0, 32, false, true)],
  ];
  expect(countsOf(rows, ['transfer', 'renewal', 'order'])).toEqual({
    ...{ now: 17, soon: 10, snoozed: 36, mine: 18 },
    causes: [
      { cause: 'renewal', count: 24 },
      { cause: 'order', count: 3 },
    ],
  });
  expect(openCount(rows)).toBe(27);
  expect(openCount([])).toBe(0);
});
