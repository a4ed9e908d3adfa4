import fastify from 'fastify';
import { expect, test, vi } from 'vitest';
import { serveHealth } from './readiness.ts';

test('a database that never answers: /readyz says 503 within 2 s, asks it once for all who want to know, and /healthz says 200', async () => {
  let asked = 0;
  const answers: (() => void)[] = [];
  const app = fastify();
  serveHealth(app, () => {
    asked += 1;
    return new Promise((resolve) => answers.push(resolve));
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const asking = Promise.all([1, 2, 3].map(() => app.inject('/readyz')));
  while (asked === 0) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(1_999);
  vi.useRealTimers();
  expect((await asking).map(({ statusCode }) => statusCode)).toEqual([503, 503, 503]);
  expect(asked).toBe(1);
  expect((await app.inject('/healthz')).statusCode).toBe(200);

  for (const answer of answers) answer();
  const later = app.inject('/readyz');
  // That the first question was answered late says nothing about now: it is asked again.
  while (asked < 2) await new Promise((resolve) => setImmediate(resolve));
  for (const answer of answers) answer();
  expect((await later).statusCode).toBe(200);
});
