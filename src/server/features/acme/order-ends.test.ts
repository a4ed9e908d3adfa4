import { expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import { problemOf } from './order-ends.ts';
import type { OrderRecord } from './orders.repo.ts';
import { AcmeProblem } from './problems.rules.ts';

/** What an error in the middle of an order means for it: its end, another look later, or a mistake of ours. */

const order = { names: ['a.com', 'www.a.com'] } as OrderRecord;

test('a refusal of the protocol ends the order as it is', () => {
  const problem = new AcmeProblem('userActionRequired', 'No.');
  expect(problemOf(order, problem)).toBe(problem);
});

test('a balance that is too small is told without a figure', () => {
  const problem = problemOf(order, new AppError('insufficient_funds', { message: 'You need $12.00 more.' }));
  expect(problem).toMatchObject({
    type: 'userActionRequired',
    message: expect.stringContaining('a.com, www.a.com was not ordered, because the prepaid balance'),
  });
  expect(problem?.message).not.toContain('$');
});

test.each([
  'in_progress',
  'upstream_unavailable',
  'outcome_unknown',
  'unavailable',
  'price_changed',
] as const)('%s leaves it open: it is looked at again', (code) => {
  expect(problemOf(order, new AppError(code))).toBeNull();
});

test.each(['unprocessable', 'registrar_refused', 'validation_failed', 'forbidden', 'not_found'] as const)(
  '%s ends it, and says why in its own words',
  (code) => {
    expect(problemOf(order, new AppError(code, { message: 'Not this one.' }))).toMatchObject({
      ...{ type: 'userActionRequired', status: 403 },
      message: 'The certificate for a.com, www.a.com was not ordered: Not this one.',
    });
  },
);

test('a mistake of ours ends nothing', () => {
  for (const error of [new AppError('internal'), new Error('mistake')]) {
    expect(() => problemOf(order, error)).toThrow(error);
  }
});
