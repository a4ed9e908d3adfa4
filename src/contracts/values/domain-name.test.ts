import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  hostName,
  isHostName,
  isOfferedHere,
  parseSearch,
  registrableName,
  withoutWww,
} from './domain-name.ts';

const found = (text: string) => {
  const result = parseSearch(text);
  return result.ok ? result.domain : null;
};
const refusal = (text: string) => {
  const result = parseSearch(text);
  return result.ok ? null : result.message;
};

describe('what is typed in the search box (P1 §5)', () => {
  test('without a dot ".com" is appended, and letters become small', () => {
    expect(found('ACME')).toBe('acme.com');
    expect(found('Acme.COM')).toBe('acme.com');
  });

  test('an address from the browser, blanks and a dot at the end are tidied', () => {
    expect(found(' https://www.acme.com/shop?x=1 ')).toBe('acme.com');
    expect(found('acme.com.')).toBe('acme.com');
    // A name of its own, and no address of another one.
    for (const typed of ['www.com', 'www.com.', 'https://www.com/', 'www. com .'])
      expect(found(typed)).toBe('www.com');
    expect(found('www.com.com')).toBe('com.com');
    expect(found('blue fig')).toBe('bluefig.com');
  });

  test('with a dot the first label stays and the rest is the suffix: only .com is offered', () => {
    expect(refusal('acme.net')).toBe('Only .com domains are supported at the moment.');
    expect(refusal('shop.acme.com')).toBe('Only .com domains are supported at the moment.');
    expect(refusal('acme.co.uk')).toBe('Only .com domains are supported at the moment.');
  });

  test('what cannot be a name gets its own message', () => {
    expect(refusal('')).toBe('Please enter a domain name');
    expect(refusal('müller')).toBe('Only letters a to z, digits and hyphens are supported at the moment');
    expect(refusal('-acme')).toContain('no hyphen at the beginning or end');
    expect(refusal('ac_me')).toContain('Only letters, digits and hyphens');
    expect(refusal('a'.repeat(64))).toBe('The part before .com has at most 63 characters');
    expect(refusal(`${'a'.repeat(250)}.com`)).toBe('A domain name has at most 253 characters');
    expect(refusal(`${'a'.repeat(249)}.com`)).toBe('The part before .com has at most 63 characters');
    expect(found('a'.repeat(63))).toBe(`${'a'.repeat(63)}.com`);
  });

  test('whatever is typed, the answer is a registrable name or a message', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (text) => {
        const result = parseSearch(text);
        return result.ok ? registrableName.safeParse(result.domain).success : result.message.length > 0;
      }),
    );
  });
});

test.each([
  ['www.acme.com', 'acme.com'],
  ['www.acme.co.uk', 'acme.co.uk'],
  ['www.shop.acme.com', 'shop.acme.com'],
  ['www.uk.com', 'uk.com'],
  ['www.www.com', 'www.com'],
  ['acme.com', 'acme.com'],
  ['wwww.acme.com', 'wwww.acme.com'],
  ['www.com', 'www.com'],
  ['www.co.uk', 'www.co.uk'],
  ['www.com.au', 'www.com.au'],
  ['www.or.at', 'www.or.at'],
  ['www', 'www'],
])('%s stands for %s: directly below a suffix, www is a name', (typed, name) => {
  expect(withoutWww(typed)).toBe(name);
});

describe('host names', () => {
  test('labels of up to 63, 253 in all, letters, digits and inner hyphens', () => {
    expect(['a.com', 'xn--mller-kva.com', 'a-b.example.com'].every(isHostName)).toBe(true);
    expect(['com', '-a.com', 'a-.com', 'a..com', 'a.1', `${'a'.repeat(64)}.com`, ''].some(isHostName)).toBe(
      false,
    );
    const longest = `${'a'.repeat(61)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}`;
    expect(longest).toHaveLength(253);
    expect(isHostName(longest)).toBe(true);
    expect(isHostName(`a${longest}`)).toBe(false);
    expect(hostName.parse(longest)).toBe(longest);
    expect(hostName.safeParse(`a${longest}`).error?.issues.map(({ message }) => message)).toEqual([
      'A domain name has at most 253 characters',
    ]);
  });

  test('upper case is made small, blanks around are dropped', () => {
    expect(hostName.parse(' Acme.COM ')).toBe('acme.com');
  });

  test('only a name directly under .com can be registered', () => {
    expect(registrableName.safeParse('www.acme.com').success).toBe(false);
    expect(registrableName.safeParse('acme.org').success).toBe(false);
    expect(registrableName.safeParse('acme.com').success).toBe(true);
  });
});

test.each([
  ['a.com', true],
  ['a.net', false],
  ['www.a.com', false],
  ['acom', false],
  ['com', false],
])('%s can come here: %s', (name, can) => {
  expect(isOfferedHere(name)).toBe(can);
});
