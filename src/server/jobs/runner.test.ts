import { expect, test, vi } from 'vitest';
import { createLogger } from '#kernel/logger.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { cronItemsOf, keepRunning, type OneRunner, periodMsOf } from './runner.ts';

const logger = createLogger({ level: 'silent' });

/** A runner of the library that ends when it is asked to, or when the test says so. */
function runner() {
  const ended = Promise.withResolvers<void>();
  const stop = vi.fn(async () => ended.resolve());
  return { ended: ended.promise, stop, endByItself: ended.resolve } satisfies OneRunner & {
    endByItself: () => void;
  };
}

function keep(start: () => Promise<OneRunner>) {
  const first = runner();
  const onEnd = vi.fn();
  const stopping = new AbortController();
  const kept = keepRunning(first, start, { logger, onEnd, stopping, pauseMs: 0 });
  return { first, onEnd, kept };
}

test('a runner that ended by itself is followed by another, and the last one is stopped', async () => {
  const second = runner();
  const start = vi.fn(async () => second);
  const { first, onEnd, kept } = keep(start);
  first.endByItself();
  await eventually(() => expect(start).toHaveBeenCalledOnce());
  expect(first.stop).toHaveBeenCalledOnce();
  await kept.stop();
  expect(second.stop).toHaveBeenCalledOnce();
  expect(start).toHaveBeenCalledOnce();
  expect(onEnd).not.toHaveBeenCalled();
});

test('when none can be started any more the process is told to end: it must not look as if it did its jobs', async () => {
  const { first, onEnd } = keep(async () => {
    throw new Error('the tables of the jobs are of a later version');
  });
  first.endByItself();
  await eventually(() => expect(onEnd).toHaveBeenCalledOnce());
});

test('a runner that was asked to stop is followed by none', async () => {
  const start = vi.fn(async () => runner());
  const { onEnd, kept } = keep(start);
  await kept.stop();
  expect(start).not.toHaveBeenCalled();
  expect(onEnd).not.toHaveBeenCalled();
});

test.each([
  ['* * * * *', 1],
  ['*/5 * * * *', 5],
  ['17 * * * *', 60],
  ['9 8 * * *', 24 * 60],
])('what an outage missed of "%s" is made up for within its period of %i minutes', (match, minutes) => {
  expect(periodMsOf(match)).toBe(minutes * 60_000);
});

test.each(['0 8 * * 1', '0 8 1 * *', '0 */6 * * *'])('"%s" has no period that is known', (match) => {
  expect(() => periodMsOf(match)).toThrow(match);
});

test.each([
  ['* * * * *', 4],
  ['*/20 * * * *', 7],
  ['17 * * * *', 8],
  ['9 8 * * *', 13],
])(
  'what fails of "%s" is tried as often as there is time for before it comes again: %i times',
  (match, tries) => {
    const [item] = cronItemsOf([{ task: 'registrar.poll-events', match }]);
    expect(item?.options).toMatchObject({
      maxAttempts: tries,
      backfillPeriod: periodMsOf(match),
      priority: 1,
    });
  },
);
