import { describe, expect, test } from 'vitest';
import { fieldOf, pageInstead, withSeen } from './table-state.ts';

describe('a page without rows', () => {
  test.each([
    // The one customer of page 2 was deleted.
    [2, 50, 1],
    [9, 60, 2],
    // All that fitted the filters is gone.
    [3, 0, 1],
    // A total that is out of date leads back, never to the same page again.
    [2, 500, 1],
    [4, 500, 3],
  ])('page %i of %i rows in all leads to page %i', (page, total, instead) =>
    expect(pageInstead({ page, pageSize: 50 }, total)).toBe(instead),
  );

  test('the first page stays: there is nothing', () =>
    expect(pageInstead({ page: 1, pageSize: 50 }, 0)).toBeNull());
});

describe('the search field', () => {
  const asking = (text: string, ...asked: string[]) => ({ text, seen: '', asked });

  test('takes over what the list searches for by a link, Back or a saved view', () => {
    expect(withSeen(fieldOf('acme'), '')).toEqual(fieldOf(''));
    expect(withSeen(asking('ac', 'ac'), 'blue')).toEqual(fieldOf('blue'));
  });

  test('keeps what is typed while the list follows, one step after the other', () => {
    const typing = asking('acme', 'a', 'acm');
    const first = withSeen(typing, 'a');
    expect(first).toEqual({ text: 'acme', seen: 'a', asked: ['acm'] });
    expect(withSeen(first, 'acm')).toEqual({ text: 'acme', seen: 'acm', asked: [] });
    // A step that was left out is no news either.
    expect(withSeen(typing, 'acm')).toEqual({ text: 'acme', seen: 'acm', asked: [] });
    expect(withSeen(typing, '')).toBe(typing);
  });

  test('what was asked for earlier is news when it comes back later', () => {
    const settled = withSeen(asking('acme', 'a', 'acme'), 'acme');
    expect(withSeen(settled, 'a')).toEqual(fieldOf('a'));
  });
});
