import { expect, test } from 'vitest';
import { startPassage } from './passage.ts';

test.each([
  ['both clocks run', 700, 700, 700],
  ['the machine sleeps: only the wall clock runs', 60_000, 5, 60_000],
  ['the wall clock is set back: the monotonic one runs', -3_600_000, 900, 900],
  ['the wall clock is set forward: too much counts, never too little', 3_600_000, 900, 3_600_000],
  ['both stand', 0, 0, 0],
])('time passes by the faster of two clocks: %s', (_name, wallMs, monotonicMs, passed) => {
  let [wall, monotonic] = [1_000_000, 50];
  const passage = startPassage({ wallMs: () => wall, monotonicMs: () => monotonic });
  wall += wallMs;
  monotonic += monotonicMs;
  expect(passage()).toBe(passed);
});
