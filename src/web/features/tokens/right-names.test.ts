import { expect, it } from 'vitest';
import { grantable } from '#contracts/operations/tokens.ts';
import { rightName, rightsText } from './right-names.ts';

it('every permission that a token may have is told in words', () => {
  for (const permission of grantable) {
    const asked = `${permission}: say in right-names.ts what it means to the author of a script`;
    expect(rightName(permission), asked).not.toContain('.');
  }
});

it('the first permission stands for several, with how many more there are', () => {
  expect(rightsText([])).toBe('Nothing');
  expect(rightsText(['customers.read'])).toBe('See customers');
  expect(rightsText(['customers.read', 'dns.write', 'orders.read'])).toBe('See customers and 2 more');
});
