import { expect, test } from 'vitest';
import { readWatchedNames } from './watched-names.ts';

const read = (text: string) => readWatchedNames(text).map(({ domain, problem }) => domain ?? problem);

test('names are read however they are pasted, each once, in any suffix', () => {
  expect(
    read('Domain\nAcme.COM\n"beta.co.uk"; https://www.gamma.de/shop?a=1, acme.com.\tbücher.example'),
  ).toEqual([...['acme.com', 'beta.co.uk', 'gamma.de', 'xn--bcher-kva.example']]);
  expect(read('domains')).toEqual([]);
  expect(read('a.com\ndomain')).toEqual(['a.com', expect.stringContaining('with its extension')]);
  const longest = `${'a.'.repeat(125)}com`;
  expect([longest.length, read(longest)]).toEqual([253, [longest]]);
  expect(read('www.com www.co.uk www.acme.co.uk')).toEqual(['www.com', 'www.co.uk', 'acme.co.uk']);
  expect(read(' \n ;, ')).toEqual([]);
});

test.each([
  ['acme', 'Please enter the name with its extension, such as example.com'],
  ['-a.com', 'This is not a valid domain name'],
  ['a..com', 'This is not a valid domain name'],
  ['192.0.2.1', 'This is not a valid domain name'],
  ['a_b.com', 'This is not a valid domain name'],
  [`${'a'.repeat(64)}.com`, 'This is not a valid domain name'],
  [`${'a.'.repeat(130)}com`, 'A domain name has at most 253 characters'],
])('%s is no name, and why is said', (typed, problem) => {
  expect(read(typed)).toEqual([problem]);
});

test.each(['db.internal', 'printer.local', 'nas.home.arpa', '1.0.168.192.in-addr.arpa', 'x.onion', 'a.corp'])(
  '%s is of an inner network, and not asked for',
  (typed) => {
    expect(read(typed)).toEqual(['Names of inner networks are not watched']);
    expect(read(`${typed}.com`)).toEqual([`${typed}.com`]);
  },
);
