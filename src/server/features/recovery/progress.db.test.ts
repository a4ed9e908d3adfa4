import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { systemTransaction } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/logger.ts';
import { createProgress, type Progress } from './progress.ts';
import { beginAsked, newestRecovery, noteHindrance, takeRecovery } from './recovery.repo.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const id = newId();
const holder = newId();
const logger = createLogger({ level: 'silent' });
let progress: Progress;
beforeEach(async () => {
  await systemTransaction(database.systemDb, async (tx) => {
    await beginAsked(tx, { id, since: new Date() });
    await takeRecovery(tx, holder, 60);
  });
  const { systemDb } = database;
  progress = createProgress({ systemDb, logger, heldSeconds: 60 }, { id, holder, step: 'zones' });
});
afterEach(() => progress.stop());

const noted = async () => {
  const row = await newestRecovery(database.systemDb);
  return { done: row?.done, total: row?.total, hindrance: row?.hindrance };
};
const names = Array.from({ length: 40 }, (_, at) => `name-${at}.example`);

test('a question that fails once is asked again, and the step goes on where it was', async () => {
  const asked: string[] = [];
  await progress.each(
    names,
    async (name) => {
      asked.push(name);
      if (name === 'name-20.example' && asked.filter((one) => one === name).length < 3)
        throw new Error('400');
    },
    [1, 1],
  );
  await progress.end();
  expect(asked).toHaveLength(42);
  expect(new Set(asked)).toEqual(new Set(names));
  expect(await noted()).toEqual({ done: 40, total: 40, hindrance: null });
});

test('when one fails for good the step ends, and what it had not begun is not asked beside its next try', async () => {
  const asked: string[] = [];
  const ended = progress.each(
    names,
    async (name) => {
      asked.push(name);
      await Promise.resolve();
      if (name === 'name-3.example') throw new Error('The registrar is away.');
    },
    [],
  );
  await expect(ended).rejects.toThrow('The registrar is away.');
  const before = asked.length;
  expect(before).toBeLessThan(20);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toHaveLength(before);
});

test('what hinders it is shown while it asks again, through the next try of the step, until an answer comes', async () => {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  let hasFailed = false;
  const work = progress.each(['name.example'], async () => {
    if (hasFailed) return mayAnswer;
    hasFailed = true;
    throw new Error('The registrar is away.');
  }, [1]);
  await expect
    .poll(noted, { timeout: 5_000 })
    .toMatchObject({ done: 0, hindrance: 'The registrar is away.' });
  answer();
  await work;
  await expect.poll(noted, { timeout: 5_000 }).toMatchObject({ done: 1, hindrance: null });

  await systemTransaction(database.systemDb, (tx) => noteHindrance(tx, id, 'The registrar is away again.'));
  const { systemDb } = database;
  const next = createProgress({ systemDb, logger, heldSeconds: 60 }, { id, holder, step: 'zones' });
  progress.stop();
  progress = next;
  await next.begin();
  expect(await noted()).toMatchObject({ hindrance: 'The registrar is away again.' });
});
