import { expect, test } from 'vitest';
import { letterLeavesAt, mostWaitMs, quietMs } from './notices.rules.ts';

const first = new Date('2026-11-21T12:00:00Z');
const after = (ms: number) => new Date(first.getTime() + ms);

test('news wait a quiet minute for more, and never longer than ten minutes after the first', () => {
  expect(letterLeavesAt(first, first)).toEqual(after(quietMs));
  expect(letterLeavesAt(first, after(30_000))).toEqual(after(30_000 + quietMs));
  expect(letterLeavesAt(first, after(mostWaitMs - quietMs))).toEqual(after(mostWaitMs));
  expect(letterLeavesAt(first, after(mostWaitMs - quietMs + 1))).toEqual(after(mostWaitMs));
  expect(letterLeavesAt(first, after(mostWaitMs + 1))).toEqual(after(mostWaitMs));
});
