import { expect, test } from 'vitest';
import { mostReadingsWaiting, readingsToPlan } from './sync.rules.ts';

test('readings are planned until so many wait, and no more while they do', () => {
  const planned = [0, 1, mostReadingsWaiting - 1, mostReadingsWaiting, mostReadingsWaiting + 1];
  expect(planned.map(readingsToPlan)).toEqual([mostReadingsWaiting, mostReadingsWaiting - 1, 1, 0, 0]);
});
