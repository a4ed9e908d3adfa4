import { expect, test } from 'vitest';
import { headerOf } from './header-title.ts';

test.each([
  ['/', { title: 'Search for domains', search: true }],
  ['/domains', { title: 'Search for domains', search: true }],
  // Screens with a heading of their own.
  ['/domains/list', { title: null, search: true }],
  ['/cart', { title: null, search: true }],
  ['/terms-and-conditions', { title: 'Terms and Conditions', search: false }],
  ['/privacy-policy', { title: 'Privacy policy', search: false }],
  // Nobody searches on the way into the portal.
  ['/onboarding/2', { title: null, search: false }],
  ['/invite/1', { title: null, search: false }],
  ['/payment-setup/1', { title: null, search: false }],
])('the header of %s for somebody who buys is %j', (pathname, header) => {
  expect(headerOf(pathname, false, true)).toEqual(header);
});

test('the header of who does not buy says what they have, and searches that', () => {
  const header = { title: 'Your domains and certificates', search: true };
  expect([headerOf('/', false, false), headerOf('/domains', false, false)]).toEqual([header, header]);
});

test('a visitor has no search, and the landing page has the start to itself; documents keep their title', () => {
  expect(headerOf('/', true, true)).toEqual({ title: null, search: false });
  expect(headerOf('/customers', true, false)).toEqual({ title: null, search: false });
  expect(headerOf('/privacy-policy', true, false).title).toBe('Privacy policy');
});
