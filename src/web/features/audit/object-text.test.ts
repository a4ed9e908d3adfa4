import { expect, test } from 'vitest';
import { objectText } from './object-text.ts';

const id = '01a207bc-cd67-7780-9b03-322784b4873f';

test.each([
  ['domain', 'acme.com', 'acme.com'],
  ['customer', id, 'Customer'],
  ['top-up', id, 'Top-up'],
  ['direct-charge', id, 'Direct charge'],
  ['organisation', id, 'Organization'],
  ['acme access', '', 'ACME access'],
  ['payment-account', 'acct_ETtMiwx1u5QLvBnY', 'Payment account'],
])('%s %s is shown as %s', (objectKind, object, text) => {
  expect(objectText({ objectKind, object })).toBe(text);
});
