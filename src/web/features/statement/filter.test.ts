import { expect, test } from 'vitest';
import { statementFilter } from './filter.ts';

const nothing = { kind: undefined, from: undefined, to: undefined, customer: undefined, search: '' };

test('the list and its file have the same filters, the search among them', () => {
  const address = {
    kind: 'refund',
    from: '2026-11-01',
    to: '2026-11-30',
    customer: 'c-1',
    search: 'one.com',
  };
  expect(statementFilter(address)).toEqual(address);
});

test('what is not asked for, or is no kind, filters nothing', () => {
  expect(Object.values(statementFilter(nothing)).some(Boolean)).toBe(false);
  for (const kind of ['hold', 'constructor']) {
    expect(statementFilter({ ...nothing, kind }).kind).toBeUndefined();
  }
});
