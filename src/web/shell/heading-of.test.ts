import { expect, test } from 'vitest';
import { headings } from '../lib/headings.ts';
import { headingOf } from './heading-of.ts';

test.each(Object.entries(headings))('the heading of %s is its screen’s own: %s', (path, text) => {
  expect(headingOf(path, true)).toEqual({ text, place: 'screen' });
});

test.each([
  [true, 'Search for domains'],
  [false, 'Your domains and certificates'],
])('where somebody may buy: %s, the start is headed "%s", above every screen', (mayBuy, text) => {
  expect(headingOf('/', mayBuy)).toEqual({ text, place: 'shell' });
});

test.each([
  ['/domain/example.com', 'example.com'],
  ['/domain/Example.COM/dns', 'example.com'],
  ['/domain/a-b.co.uk', 'a-b.co.uk'],
])('%s is headed by the name, below the way to it', (path, text) => {
  expect(headingOf(path, true)).toEqual({ text, place: 'trail' });
});

test.each([
  // Shown in its own letters.
  '/domain/xn--bcher-kva.com',
  '/domain/shop.xn--p1ai',
  '/domain/transfer',
  '/domain/moves',
  '/domain/example.com/dns/more',
  '/domain/exa%6Dple.com',
  '/domain/<b>.com',
  '/domain/example..com',
  '/customers/0190',
  '/orders/1',
  '/no/such/page',
])('%s has none that its address decides', (path) => {
  expect(headingOf(path, true)).toBeNull();
});
