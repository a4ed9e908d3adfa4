import { describe, expect, test } from 'vitest';
import { authCodeMost, authCodeProblem, independentDns, readMoveLines } from './move-lines.ts';

const of = (text: string) => readMoveLines(text).map(({ address, code }) => [address, code]);

describe('a pasted list', () => {
  test.each([
    ['comma', 'acme.com,Abc-123'],
    ['comma and blank', 'acme.com, Abc-123'],
    ['semicolon', 'acme.com;Abc-123'],
    ['tab', 'acme.com\tAbc-123'],
    ['blanks', '  acme.com   Abc-123 '],
    ['quotes', '"acme.com","Abc-123"'],
    ['blanks within quotes', '" acme.com", "Abc-123 "'],
    ['an address', 'https://www.acme.com/, Abc-123'],
    ['capitals', 'ACME.COM, Abc-123'],
  ])('is read when divided by or written with %s', (_, line) => {
    expect(of(line)).toEqual([['acme.com', 'Abc-123']]);
  });

  test('a code keeps every character it has, also those that divide', () => {
    expect(of('acme.com, a,b;c"d')).toEqual([['acme.com', 'a,b;c"d']]);
    expect(of('acme.com,"a,""b"')).toEqual([['acme.com', 'a,"b']]);
  });

  test('a heading in the first line and empty lines are left out; lines are counted as an editor does', () => {
    const lines = readMoveLines('Domain name;Code\r\n\r\nacme.com;Abc-123\rblue.com;Abc-124\n');
    expect(lines.map(({ number, address }) => [number, address])).toEqual([
      [3, 'acme.com'],
      [4, 'blue.com'],
    ]);
    expect(of('acme.com, x\ndomain, y')).toHaveLength(2);
  });

  test('a name without a code stays, for its code to be asked for', () => {
    expect(of('acme.com')).toEqual([['acme.com', '']]);
  });

  test('a name that comes again says the line in which it was first; of a long text the beginning stays', () => {
    const problems = readMoveLines('a.com, x\na.com, y\na.com, z').map(({ problem }) => problem);
    expect(problems).toEqual([null, 'Line 1 has this name already', 'Line 1 has this name already']);
    expect(of('x'.repeat(301))).toEqual([['x'.repeat(300), '']]);
  });

  test('what cannot be read stays, with what is wrong', () => {
    const problems = readMoveLines('acme, a\nacme.org, b\n, c\nshop.acme.com, d\nacme.com, e\nACME.com, f');
    expect(problems.map(({ address, problem }) => [address, problem])).toEqual([
      ['acme', 'Please enter the name with its extension, such as example.com'],
      ['acme.org', 'Only .com domains are supported at the moment.'],
      ['', 'There is no name before the code'],
      ['shop.acme.com', 'Please enter a name directly under .com'],
      ['acme.com', null],
      ['acme.com', 'Line 5 has this name already'],
    ]);
  });
});

test.each([
  ['', 'Please enter the AuthInfo / EPP code'],
  ['abcde', 'This code is too short. Codes have at least 6 characters.'],
  ['abc def', 'A code has no spaces. Please check where it begins and ends.'],
  ['abcdéf', 'A code contains only letters, digits and keyboard symbols'],
  ['x'.repeat(authCodeMost + 1), 'This code is too long. Codes have at most 64 characters.'],
  ['abcdef', null],
  ['x'.repeat(authCodeMost), null],
  ['a!"#$%&/()=?~', null],
])('of the form of the code %j it says %j', (code, problem) => {
  expect(authCodeProblem(code)).toBe(problem);
});

test('a provider is known by all of its nameservers, and by nothing less', () => {
  expect(independentDns(['ada.ns.cloudflare.com', 'BOB.ns.cloudflare.com'])).toBe('Cloudflare');
  expect(independentDns(['ns-1.awsdns-01.com', 'ns-2.awsdns-02.co.uk'])).toBe('Amazon Route 53');
  expect(independentDns(['ada.ns.cloudflare.com', 'ns1.old.net'])).toBeNull();
  expect(independentDns(['ada.ns.cloudflare.com.evil.net'])).toBeNull();
  expect(independentDns([])).toBeNull();
});
