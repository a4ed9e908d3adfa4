import { expect, test } from 'vitest';
import type { AcmeAccess } from './access.ts';
import { problemsOfNames } from './names-check.ts';

/** Which names an access can have: by its own list, by whose domain they lie in, and by whose DNS that has. */

const nameservers = ['ns1.portal.net', 'ns2.portal.net'];
const problems = (
  places: Record<string, string[]>,
  { names = ['www.a.com'], hosts = null as string[] | null } = {},
) =>
  problemsOfNames(names, {
    ...{ access: { hosts } as AcmeAccess, nameservers },
    places: new Map(
      Object.entries(places).map(([name, own]) => [name, { domain: 'a.com', nameservers: own }]),
    ),
  }).map(({ identifier, detail }) => [identifier.value, detail]);
const says = (name: string, words: string) => [[name, expect.stringContaining(words)]];

test('a name in a domain whose DNS the portal manages is no problem', () => {
  expect(problems({ 'www.a.com': nameservers })).toEqual([]);
  expect(problems({ 'www.a.com': nameservers }, { hosts: ['www.a.com'] })).toEqual([]);
});

test('a name in no domain of the customer, or not on the list of the access, is refused', () => {
  expect(problems({})).toEqual(says('www.a.com', 'is not among the names of this access'));
  expect(problems({ 'www.a.com': nameservers }, { hosts: ['shop.a.com'] })).toEqual(
    says('www.a.com', 'is not among the names of this access'),
  );
});

test('a domain whose DNS is elsewhere, or whose delegation was not read yet, is told apart', () => {
  expect(problems({ 'www.a.com': ['ns.other.net'] })).toEqual(
    says('www.a.com', 'The DNS of a.com is not managed by this portal'),
  );
  expect(problems({ 'www.a.com': [] })).toEqual(
    says('www.a.com', 'It is not known yet where the DNS of a.com'),
  );
});

test('each name has its own answer', () => {
  const names = ['a.com', 'www.a.com', 'x.com'];
  expect(problems({ 'a.com': nameservers, 'www.a.com': ['ns.other.net'] }, { names })).toEqual([
    ...says('www.a.com', 'is not managed'),
    ...says('x.com', 'is not among'),
  ]);
});
