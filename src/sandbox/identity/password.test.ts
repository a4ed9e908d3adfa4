import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './password.ts';

test('a stored password opens by itself and by no other', async () => {
  const stored = await hashPassword('correct horse battery');
  expect(await verifyPassword('correct horse battery', stored)).toBe(true);
  expect(await verifyPassword('correct horse batterY', stored)).toBe(false);
  expect(await verifyPassword('correct horse battery', null)).toBe(false);
});

test('a password that was stored without its cost still opens', async () => {
  const stored = 'scrypt$BwcHBwcHBwcHBwcHBwcHBw$atEer1SXQm9l4gIL9_DfqigV1gk0OIwPJAqX2OuZKjw';
  expect(await verifyPassword('correct horse battery', stored)).toBe(true);
  expect(await verifyPassword('another horse battery', stored)).toBe(false);
});
