import { expect, test } from 'vitest';
import * as contract from '#contracts/operations.ts';
import { actNames } from './acts-tab.tsx';

test('every act of an operator is listed in words, not by the name that a program has for it', () => {
  const acts = contract.operations.filter(
    ({ access, method }) => (access === 'operator' || access === 'bootstrap') && method !== 'GET',
  );
  expect(acts.length).toBeGreaterThan(8);
  expect(acts.filter(({ id }) => !actNames[id]).map(({ id }) => id)).toEqual([]);
});
