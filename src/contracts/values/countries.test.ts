import { expect, test } from 'vitest';
import { countries, countryName } from './countries.ts';

test('about 240 countries, each with a name, a dial code and an ISO code of its own', () => {
  expect(countries.length).toBeGreaterThan(230);
  expect(countries.length).toBeLessThan(255);
  for (const { name, code, dialCode } of countries) {
    expect(name).not.toBe('');
    expect(code).toMatch(/^[A-Z]{2}$/);
    expect(dialCode).toMatch(/^\+\d{1,4}$/);
  }
  expect(new Set(countries.map(({ code }) => code)).size).toBe(countries.length);
});

test('a code that nobody knows is shown as it is', () => {
  expect([countryName('de'), countryName('XX')]).toEqual(['Germany', 'XX']);
});

test('they are in the order in which people look for them: marks and capitals are nothing of their own', () => {
  const names = countries.map(({ name }) => name);
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')));
});
