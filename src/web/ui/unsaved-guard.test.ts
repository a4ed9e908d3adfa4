import { expect, test } from 'vitest';
import { isLeft } from './unsaved-guard.tsx';

const place = (address: string) => {
  const { pathname, searchParams } = new URL(address, 'https://portal.example');
  return { pathname, search: Object.fromEntries(searchParams) };
};

test.each([
  ['another screen', '/domain/a.com', '/domain/list'],
  ['another thing on the same screen', '/domain/a.com', '/domain/b.com'],
  ['a tab that has a path', '/domain/a.com', '/domain/a.com/dns'],
  ['a tab behind the question mark', '/domain/a.com', '/domain/a.com?tab=advanced'],
  ['another such tab', '/domain/a.com?tab=advanced', '/domain/a.com?tab=health'],
  ['the first tab', '/domain/a.com?tab=health', '/domain/a.com'],
])('what was typed is asked about before it is left for %s: %s, %s', (_what, from, to) => {
  expect(isLeft(place(from), place(to))).toBe(true);
});

test.each([
  ['another filter', '/domain/moves', '/domain/moves?kind=refused&page=2'],
  ['another order', '/operator/prices?sort=name', '/operator/prices?sort=-name'],
  ['another filter of the same tab', '/domain/a.com?tab=dns', '/domain/a.com?search=www&tab=dns'],
  ['the same place', '/domain/a.com', '/domain/a.com'],
])('%s leaves nothing, and asks nothing: %s, %s', (_what, from, to) => {
  expect(isLeft(place(from), place(to))).toBe(false);
});
