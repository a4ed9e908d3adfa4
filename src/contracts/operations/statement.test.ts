import { expect, test } from 'vitest';
import { mostAddressLines } from '../values/text-limits.ts';
import { getEarnings, setBillingAddress } from './earnings.ts';
import { getStatement, getStatementCsv, monthParams } from './statement.ts';

test('the file takes every filter of the list, and the search', () => {
  const ofPages = ['page', 'pageSize', 'sort'];
  const ofTheList = Object.keys(getStatement.query.shape).filter((name) => !ofPages.includes(name));
  expect(Object.keys(getStatementCsv.query.shape).toSorted()).toEqual(ofTheList.toSorted());
  expect(ofTheList).toContain('search');
});

test.each([
  ['2026-01', true],
  ['2026-12', true],
  ['2026-00', false],
  ['2026-13', false],
  ['2026-1', false],
  ['1999-12', false],
  ['2026-011', false],
])('a statement is of a month: %s is one: %s', (month, taken) => {
  expect(monthParams.safeParse({ month }).success).toBe(taken);
});

test('earnings are by month unless something else is asked for, and by nothing that is not known', () => {
  expect(getEarnings.query.parse({})).toEqual({ by: 'month' });
  expect(getEarnings.query.safeParse({ by: 'customer' }).success).toBe(true);
  expect(getEarnings.query.safeParse({ by: 'year' }).success).toBe(false);
  expect(getEarnings.query.safeParse({ from: '2026-02-30' }).success).toBe(false);
});

test('the recipient of papers may be empty, and has as many lines as fit an envelope', () => {
  const lines = (count: number) => ({ name: '', address: Array(count).fill('line'), taxId: '' });
  const taken = [0, mostAddressLines, mostAddressLines + 1].map(
    (count) => setBillingAddress.body.safeParse(lines(count)).success,
  );
  expect(taken).toEqual([true, true, false]);
});
