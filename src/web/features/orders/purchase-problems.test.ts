import { expect, it } from 'vitest';
import { ApiError } from '../../lib/api-error.ts';
import { newPricesText, problemOf, remarkOfPrice, remarksOf } from './purchase-problems.ts';

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

it('the same is said where it is seen before the order, of one by its name and of several by their sum', () => {
  const change = (address: string, oldPrice: number, price: number) => ({
    ...{ oldPrice, present: { type: 'domain' as const, address, of: '1', price } },
  });
  const [first, second] = [change('a.com', 9.5, 12.31), change('b.com', 0.1, 0.2)];
  expect(remarkOfPrice(first)).toEqual({
    ...{ type: 'domain', address: 'a.com', refused: false, message: 'It was $9.50 and is $12.31 now.' },
  });
  expect(newPricesText([first])).toBe('The price of a.com was $9.50 and is $12.31 now.');
  expect(newPricesText([first, second])).toBe(
    '2 prices have changed. Together they were $9.60 and are $12.51 now.',
  );
});

it('prices that changed are no failure: nothing was charged, each that is another one is told, and the sum of several', () => {
  const items = [
    { kind: 'domain', address: 'a.com', oldPrice: 9.5, newPrice: 12.31 },
    { kind: 'renewal', address: 'b.com', oldPrice: 12.31, newPrice: 12.31 },
  ];
  const told = (of: typeof items, oldTotal: number, newTotal: number) =>
    problemOf(refusal('price_changed', { items: of, oldTotal, newTotal }));
  expect(told(items, 21.81, 24.62)).toEqual({
    kind: 'problem',
    title: 'Prices have changed',
    message:
      'Nothing was ordered, and nothing was charged. Press "Finalize Purchase" again to buy at the new prices.',
    details: ['a.com: $9.50 is now $12.31', 'Total: $21.81 is now $24.62'],
    prices: [
      { type: 'domain', address: 'a.com', price: 12.31 },
      { type: 'renewal', address: 'b.com', price: 12.31 },
    ],
  });
  expect(told(items.slice(0, 1), 9.5, 12.31)).toMatchObject({ details: ['a.com: $9.50 is now $12.31'] });
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
