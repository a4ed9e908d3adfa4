import { expect, test } from 'vitest';
import type { Move } from '#contracts/operations/moves.ts';
import { hasGoneOn, servedAsShown } from './api.ts';

const of = (...lines: [orderId: string | null, stage: string][]) =>
  ({ lines: lines.map(([orderId, stage], index) => ({ id: String(index), orderId, stage })) }) as Move;

test('a list has gone on when lines are ordered, or an ordered one is elsewhere', () => {
  const before = of([null, 'ready'], ['o1', 'release']);
  expect(hasGoneOn(before, before)).toBe(false);
  expect(hasGoneOn(before, of([null, 'left-out'], ['o1', 'release']))).toBe(false);
  expect(hasGoneOn(before, of(['o2', 'ordered'], ['o1', 'release']))).toBe(true);
  expect(hasGoneOn(before, of([null, 'ready'], ['o1', 'arriving']))).toBe(true);
});

test('records are served in spite of the changes that were shown, and of no later ones', () => {
  const comparedAt = '2026-11-20T12:00:00.000Z';
  expect(servedAsShown({ id: 'l' }, { comparedAt })).toEqual({ lineIds: ['l'], dns: 'bring', comparedAt });
});
