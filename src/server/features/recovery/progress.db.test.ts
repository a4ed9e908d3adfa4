import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { systemTransaction } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/logger.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
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
const neverGivenUp = () => Promise.reject(new Error('given up'));
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
    neverGivenUp,
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
    neverGivenUp,
    [],
  );
  await expect(ended).rejects.toThrow('The registrar is away.');
  const before = asked.length;
  expect(before).toBeLessThan(20);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toHaveLength(before);
});

describe('what the registrar refuses to answer each time', () => {
  const refusal = new UpstreamRefused('other', '465', 'This name is blocked.');
  /** Which names are refused, and by what; what was given up, and how often each of them was asked about. */
  async function asking(refused: readonly string[], error: Error = refusal, list = names) {
    const [asked, givenUp]: [string[], [string, Error][]] = [[], []];
    const work = progress.each(
      list,
      async (name) => {
        asked.push(name);
        if (refused.includes(name)) throw error;
      },
      async (name, why) => void givenUp.push([name, why]),
      [1],
    );
    const outcome = await work.then(
      () => 'ended',
      (failure: Error) => failure.message,
    );
    return { outcome, givenUp, timesOf: (name: string) => asked.filter((one) => one === name).length };
  }

  test.each([
    ['said by itself', refusal],
    ['put into words', new AppError('registrar_refused', { cause: refusal })],
  ])('is given up after it was asked again, and everything else is compared: %s', async (_how, error) => {
    const { outcome, givenUp, timesOf } = await asking(['name-3.example', 'name-39.example'], error);
    expect(outcome).toBe('ended');
    expect(givenUp).toEqual([
      ['name-3.example', refusal],
      ['name-39.example', refusal],
    ]);
    expect([timesOf('name-3.example'), timesOf('name-4.example')]).toEqual([2, 1]);
    await progress.end();
    expect(await noted()).toMatchObject({ hindrance: null });
  });

  test('is no matter of its own where everything is refused, or more than twenty: the step ends, and begins again', async () => {
    for (const refused of [names, names.slice(0, 21)]) {
      expect(await asking(refused)).toMatchObject({ outcome: refusal.message, givenUp: [] });
    }
    const few = names.slice(0, 3);
    expect(await asking(few, refusal, few)).toMatchObject({ outcome: refusal.message, givenUp: [] });
    const some = await asking(names.slice(0, 20));
    expect([some.outcome, some.givenUp.length]).toEqual(['ended', 20]);
  });

  test('is not what it gave no answer to', async () => {
    for (const error of [
      new UpstreamUnavailable('no answer'),
      new AppError('upstream_unavailable', { cause: new UpstreamUnavailable('no answer') }),
    ]) {
      expect(await asking(['name-3.example'], error)).toMatchObject({ outcome: error.message, givenUp: [] });
    }
  });
});

test('what hinders it is shown while it asks again, through the next try of the step, until an answer comes', async () => {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  let hasFailed = false;
  const work = progress.each(
    ['name.example'],
    async () => {
      if (hasFailed) return mayAnswer;
      hasFailed = true;
      throw new Error('The registrar is away.');
    },
    neverGivenUp,
    [1],
  );
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
