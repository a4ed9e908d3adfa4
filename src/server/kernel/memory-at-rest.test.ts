import { expect, test } from 'vitest';
import { isWorthCollecting } from './memory-at-rest.ts';

const grownAndIdle = { busyShare: 0.049, residentMb: 154, restMb: 130 };

test('a process that rests and has grown by 24 MB collects', () => {
  expect(isWorthCollecting(grownAndIdle)).toBe(true);
});

test('a process that is busy does not stop for it', () => {
  expect(isWorthCollecting({ ...grownAndIdle, busyShare: 0.05 })).toBe(false);
});

test('what has hardly grown since the last collection is left alone, so that a process at rest does not collect again and again', () => {
  expect(isWorthCollecting({ ...grownAndIdle, residentMb: 153.9 })).toBe(false);
  expect(isWorthCollecting({ ...grownAndIdle, residentMb: 100 })).toBe(false);
});
