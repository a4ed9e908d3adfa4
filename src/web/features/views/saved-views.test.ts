import { expect, test } from 'vitest';
import { queryOf } from './saved-views.tsx';

test.each([
  ['?sort=expireDate&page=3&kind=manual', 'sort=expireDate&kind=manual'],
  ['?search=a+b%26c', 'search=a+b%26c'],
  ['', ''],
  ['?page=2', ''],
])('a view keeps of "%s" all but the page: "%s"', (address, kept) => expect(queryOf(address)).toBe(kept));
