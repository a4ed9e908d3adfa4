import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFence } from './fence.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Both clocks run. */
const pass = (ms: number) => vi.advanceTimersByTime(ms);

test('what is left of its time bounds the call', async () => {
  const fence = createFence({ limitMs: 1_000, leftMs: async () => 300 });
  pass(600);
  expect(await fence.holdsForMs()).toBe(400);
  pass(400);
  expect(await fence.holdsForMs()).toBe(0);
});

test('a row that somebody else has taken ends it at once', async () => {
  const fence = createFence({ limitMs: 1_000, leftMs: async () => 0 });
  expect(await fence.holdsForMs()).toBe(0);
});

test('past its limit the database is not even asked', async () => {
  const leftMs = vi.fn(async () => 5_000);
  const fence = createFence({ limitMs: 1_000, leftMs });
  pass(1_000);
  expect(await fence.holdsForMs()).toBe(0);
  expect(leftMs).not.toHaveBeenCalled();
});

test('the time until the answer came counts: the answer is about the moment of the question', async () => {
  const fence = createFence({
    limitMs: 10_000,
    leftMs: async () => {
      pass(1_500);
      return 1_500;
    },
  });
  expect(await fence.holdsForMs()).toBe(0);
});

test('a machine that slept has passed its time, although its monotonic clock stood', async () => {
  const fence = createFence({ limitMs: 1_000, leftMs: async () => Number.POSITIVE_INFINITY });
  vi.setSystemTime(Date.now() + 60_000);
  expect(await fence.holdsForMs()).toBe(0);
});

test('an unanswered question is no yes', async () => {
  const fence = createFence({
    limitMs: 1_000,
    leftMs: async () => {
      throw new Error('the database is gone');
    },
  });
  await expect(fence.holdsForMs()).rejects.toThrow('gone');
});

test('an answer stands as long as the row was said to be mine, from the question on', async () => {
  const fence = createFence({
    limitMs: 60_000,
    leftMs: async () => {
      pass(100);
      return 300;
    },
  });
  expect(fence.stands?.()).toBe(false);
  expect(await fence.holdsForMs()).toBeGreaterThan(0);
  pass(199);
  expect(fence.stands?.()).toBe(true);
  pass(1);
  expect(fence.stands?.()).toBe(false);
  await fence.holdsForMs();
  expect(fence.stands?.()).toBe(true);
});

test('an answer of before does not stand while another one is waited for that says no', async () => {
  const answers = [5_000, 0];
  const fence = createFence({ limitMs: 60_000, leftMs: async () => answers.shift() ?? 0 });
  await fence.holdsForMs();
  expect(fence.stands?.()).toBe(true);
  expect(await fence.holdsForMs()).toBe(0);
  expect(fence.stands?.()).toBe(false);
});
