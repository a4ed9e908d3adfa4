import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import { sql } from '#kernel/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { createSharedLimiter, type RateLimiter } from './rate-limits.ts';

let database: TestDatabase;
let limiters: RateLimiter[];
beforeAll(async () => {
  database = await createTestDatabase();
  // Two processes on one database.
  limiters = [createSharedLimiter(database.db), createSharedLimiter(database.db)];
});
afterAll(() => database.close());

async function waitOf(work: unknown): Promise<number> {
  try {
    await work;
    return 0;
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return error.retryAfterSeconds ?? -1;
    throw error;
  }
}

/** Slow enough that the test's own duration does not matter: one hit an hour, ten at once. */
const slow = { hits: 10, periodSeconds: 36_000 };
const aboutSeconds = (seconds: number) =>
  expect.toSatisfy((wait: number) => wait > seconds - 60 && wait <= seconds);

/** Moves the key's time back, as if so much had passed. */
async function pass(key: string, seconds: number): Promise<void> {
  await sql`UPDATE rate_windows SET window_start = window_start - make_interval(secs => ${seconds}) WHERE key = ${key}`.execute(
    database.systemDb,
  );
}

test('of 40 hits at once through two processes exactly the limit passes', async () => {
  const hits = Array.from({ length: 40 }, (_, index) => waitOf(limiters[index % 2]?.hit('a', slow)));
  const waits = await Promise.all(hits);
  expect(waits.filter((wait) => wait === 0)).toHaveLength(10);
  for (const wait of waits.filter((seconds) => seconds > 0)) expect(wait).toEqual(aboutSeconds(3_600));
});

test('when the wait is over one hit passes, and not before', async () => {
  const hit = () => waitOf(limiters[0]?.hit('b', slow));
  for (let count = 0; count < 10; count += 1) expect(await hit()).toBe(0);
  expect(await hit()).toEqual(aboutSeconds(3_600));
  await pass('b', 3_000);
  expect(await hit()).toEqual(aboutSeconds(600));
  await pass('b', 600);
  expect(await hit()).toBe(0);
  expect(await hit()).toEqual(aboutSeconds(3_600));
});

test('keys do not count for each other', async () => {
  const once = { hits: 1, periodSeconds: 3_600 };
  expect(await waitOf(limiters[0]?.hit('c', once))).toBe(0);
  expect(await waitOf(limiters[0]?.hit('d', once))).toBe(0);
  expect(await waitOf(limiters[1]?.hit('c', once))).toEqual(aboutSeconds(3_600));
});

test('a hit that is given back was never counted, and its giver gets no more than the limit', async () => {
  const hit = () => waitOf(limiters[0]?.hit('e', slow));
  for (let count = 0; count < 10; count += 1) {
    expect(await hit()).toBe(0);
    await limiters[1]?.giveBack('e', slow);
  }
  for (let count = 0; count < 10; count += 1) expect(await hit()).toBe(0);
  expect(await hit()).toEqual(aboutSeconds(3_600));
});

test('a hit says how many are left, and until when all are there again', async () => {
  const left = [];
  for (let count = 0; count < 3; count += 1) left.push(await limiters[0]?.hit('f', slow));
  expect(left.map((one) => one?.hits)).toEqual([9, 8, 7]);
  expect(left.map((one) => one?.resetSeconds)).toEqual([3_600, 7_200, 10_800].map(aboutSeconds));
});
