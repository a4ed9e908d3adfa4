import { expect, it } from 'vitest';
import { ApiError } from '../../lib/api-error.ts';
import { problemOf, remarksOf } from './purchase-problems.ts';

const refusal = (code: string, data: unknown) =>
  new ApiError('Refused', { code, status: 409, data } as never);

it('a price that changed is told at its line, with what it was and is; one that stayed is not', () => {
  const items = [
    { kind: 'domain', address: 'a.com', oldPrice: 9.5, newPrice: 12.31 },
    { kind: 'renewal', address: 'b.com', oldPrice: 12.31, newPrice: 12.31 },
  ];
  expect(remarksOf(refusal('price_changed', { items }))).toEqual([
    {
      ...{ type: 'domain', address: 'a.com', refused: false },
      message: 'It was $9.50 and is $12.31 now. Finalize again to accept it.',
    },
  ]);
});

it('what cannot be bought is told at its line; what is about the whole order, or no answer, at none', () => {
  const items = [{ kind: 'domain', address: 'a.com', message: 'a.com is taken' }];
  expect(remarksOf(refusal('conflict', { items }))).toEqual([
    { type: 'domain', address: 'a.com', message: 'a.com is taken', refused: true },
  ]);
  expect(remarksOf(refusal('insufficient_funds', undefined))).toEqual([]);
  expect(remarksOf(new Error('no answer'))).toEqual([]);
});

it('what was renewed meanwhile leaves the cart; a restoration was never in it', () => {
  const line = (kind: string, address: string) => ({
    kind,
    address,
    message: `${address} was renewed`,
    renewed: true,
  });
  const items = [line('renewal', 'a.com'), line('redemption', 'b.com')];
  const problem = problemOf(refusal('unprocessable', { items }));
  expect(problem).toMatchObject({ done: [{ type: 'renewal', address: 'a.com' }] });
  expect(problem).toMatchObject({
    details: [expect.stringMatching(/removed from your cart/), expect.any(String)],
  });
});

it('a short balance offers a top-up; one line is said once, in place of the words about the order', () => {
  expect(problemOf(refusal('insufficient_funds', undefined))).toMatchObject({ topUp: true });
  const items = [{ kind: 'domain', address: 'a.com', message: 'a.com is taken' }];
  expect(problemOf(refusal('conflict', { items }))).toEqual({
    ...{ kind: 'problem', title: expect.any(String), message: 'a.com is taken' },
  });
});

it('what was not sent says why, and that nothing was charged', () => {
  for (const message of ['You are offline.', 'Your sign-in could not be renewed.']) {
    expect(problemOf(new ApiError(message, { code: 'offline', status: 0 }))).toMatchObject({
      message,
      details: [expect.stringContaining('nothing was charged')],
    });
  }
});
