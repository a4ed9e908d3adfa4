import { expect, test } from 'vitest';
import { saveView } from './views.ts';

const isTaken = (query: string) =>
  saveView.body.safeParse({ screen: 'domains', name: 'Mine', query, shared: false }).success;

test('whatever a list is searched with can be kept: each sign, as the address of the list has it', () => {
  const signs = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
  const asAddress = (search: string) => new URLSearchParams({ search, sort: 'expireDate' }).toString();
  expect(signs.filter((sign) => !isTaken(asAddress(sign)))).toEqual([]);
  expect(isTaken(asAddress('*.example.com'))).toBe(true);
  expect(isTaken(asAddress('münchen 北京'))).toBe(true);
});

test.each(['<b>', 'a b', 'search="', 'a\nb', '#top', 'a?b', '/domains'])(
  '"%s" is the query of no address',
  (text) => expect(isTaken(text)).toBe(false),
);
