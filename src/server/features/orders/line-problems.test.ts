import { expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import { collect, refuseProblems } from './line-problems.ts';
import { lineOf } from './lines.ts';

const lines = ['a.com', 'b.com', 'c.com'].map((address) => lineOf({ kind: 'renewal', address }));
const problem = (address: string, change: object = {}) => ({
  ...{ kind: 'renewal' as const, address, message: `${address} is wrong`, renewed: false },
  ...change,
});
const refusalOf = (...problems: Parameters<typeof refuseProblems>[0]) => {
  try {
    refuseProblems(problems);
  } catch (error) {
    const { code, message, details, data } = error as AppError;
    return { code, message, details, data };
  }
  return null;
};

test('each line is tried; what is wrong is told line by line in the order of the cart, whichever ends first', async () => {
  const slow = Promise.withResolvers<void>();
  const ended = collect(lines, async ({ address }) => {
    if (address === 'a.com') {
      await slow.promise;
      throw new AppError('not_found', { message: 'a.com is wrong' });
    }
    if (address === 'c.com') {
      slow.resolve();
      throw new AppError('unprocessable', { message: 'c.com is wrong', data: { renewed: true } });
    }
    return `did ${address}`;
  });
  expect(await ended).toEqual({
    good: ['did b.com'],
    problems: [
      { code: 'not_found', problem: problem('a.com') },
      { code: 'unprocessable', problem: problem('c.com', { renewed: true }) },
    ],
  });
});

test('a mistake of ours is no problem of a line', async () => {
  const broken = collect(lines, () => Promise.reject(new TypeError('a mistake')));
  await expect(broken).rejects.toThrow(TypeError);
});

test('nothing wrong refuses nothing; one thing is told in its own words, several by their number and each at its line', () => {
  expect(refusalOf()).toBeNull();
  const one = problem('a.com');
  expect(refusalOf({ code: 'not_found', problem: one })).toEqual({
    ...{ code: 'not_found', message: 'a.com is wrong', data: { items: [one] } },
    details: [{ path: 'renewal a.com', message: 'a.com is wrong' }],
  });
  const other = problem('b.com', { renewed: true });
  expect(refusalOf({ code: 'not_found', problem: one }, { code: 'not_found', problem: other })).toEqual({
    ...{ code: 'not_found', message: '2 items cannot be bought in their current form.' },
    data: { items: [one, other] },
    details: [
      { path: 'renewal a.com', message: 'a.com is wrong' },
      { path: 'renewal b.com', message: 'b.com is wrong' },
    ],
  });
  // Of two kinds, the order is wrong in neither's way.
  expect(refusalOf({ code: 'not_found', problem: one }, { code: 'forbidden', problem: other })).toMatchObject(
    {
      code: 'unprocessable',
    },
  );
});
