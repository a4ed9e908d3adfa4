import { expect, test } from 'vitest';
import { drawnMonths, earningsSums } from './earnings.ts';

const row = (key: string, received: number, cost: number) => ({
  ...{ key, label: key, items: 1, received, cost, otherCost: 7, earned: received - cost },
});

test('the figures on top are the sum of the rows', () => {
  expect(earningsSums([row('2026-11', 1_320, 1_200), row('2026-10', 0, 1_000)])).toEqual({
    ...{ received: 1_320, cost: 2_200, earned: -880, otherCost: 14 },
  });
  expect(earningsSums([])).toEqual({ received: 0, cost: 0, earned: 0, otherCost: 0 });
});

test('the picture has the newest twelve months, oldest first, and leaves no gap where nothing was booked', () => {
  const found = drawnMonths([row('2026-02', 5, 1), row('2025-11', 9, 2)]);
  expect(found.map(({ key, received }) => [key, received])).toEqual([
    ['2025-11', 9],
    ['2025-12', 0],
    ['2026-01', 0],
    ['2026-02', 5],
  ]);
  const many = drawnMonths([row('2026-11', 1, 1), row('2024-01', 1, 1)]).map(({ key }) => key);
  expect([many[0], many.at(-1), many.length]).toEqual(['2025-12', '2026-11', 12]);
  expect(drawnMonths([])).toEqual([]);
});
