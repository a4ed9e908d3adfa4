import { expect, test } from 'vitest';
import { requestsSent } from '../../../../tests/support/request-keys.tsx';
import { useStartTopUp } from './api.ts';

test.each(['done', 'refused'] as const)(
  'a second top-up of the same amount as one that was answered is another one: %s',
  async (first) => {
    expect(await requestsSent(useStartTopUp, [[50, first] as const, [50, 'done'] as const])).toEqual([1, 2]);
  },
);

test('while nobody knows whether a top-up was begun the next try begins no second one, and another amount does', async () => {
  const unknown = ['silence', 'broken'] as const;
  const tries = [50, 60].flatMap((amount) => unknown.map((answer) => [amount, answer] as const));
  expect(await requestsSent(useStartTopUp, tries)).toEqual([1, 1, 2, 2]);
});
