import { expect, test } from 'vitest';
import { mostAliasHosts } from './changes.ts';
import { danglingText, fixOf, joinedFix } from './health-fixes.ts';

test('aliases to nothing are mended by their evidence, each host once', () => {
  const aliases = ['gone.example', 'lost.example', 'gone.example'].map((target) => ({
    name: 'shop',
    target,
  }));
  expect(fixOf('web-dangling', aliases.map(danglingText).join(', '))).toEqual({
    ...{ kind: 'remove-aliases', hosts: ['gone.example', 'lost.example'] },
  });
  const many = Array.from({ length: mostAliasHosts + 1 }, (_, n) => ({
    name: 'shop',
    target: `h${n}.example`,
  }));
  expect(fixOf('web-dangling', many.map(danglingText).join(', '))).toMatchObject({
    hosts: many.slice(0, mostAliasHosts).map(({ target }) => target),
  });
  expect(fixOf('web-dangling', 'unreadable')).toBeNull();
  expect(fixOf('spf-two', '2 records')).toBeNull();
});

test('for many domains the aliases of all are one request, as long as one may ask for them', () => {
  const of = (...hosts: string[]) => ({ kind: 'remove-aliases' as const, hosts });
  expect(joinedFix(of('a.example', 'b.example'), of('b.example', 'c.example'))).toEqual(
    of('a.example', 'b.example', 'c.example'),
  );
  const many = Array.from({ length: mostAliasHosts }, (_, n) => `h${n}.example`);
  expect(joinedFix(of(...many.slice(1)), of('one.example'))).not.toBeNull();
  expect(joinedFix(of(...many), of('one.example'))).toBeNull();
  expect(joinedFix({ kind: 'keep-dmarc' }, { kind: 'keep-dmarc' })).toEqual({ kind: 'keep-dmarc' });
  // Of two kinds it stays the first.
  expect(joinedFix({ kind: 'keep-dmarc' }, of('a.example'))).toEqual({ kind: 'keep-dmarc' });
  expect(joinedFix(of('a.example'), { kind: 'keep-dmarc' })).toEqual(of('a.example'));
});
