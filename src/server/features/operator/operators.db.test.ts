import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { AppError } from '../../../contracts/errors.ts';
import { operatorName } from '../../../contracts/operations/operators.ts';
import { limits } from '../../../contracts/values/limits.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { createOperators } from './operators.service.ts';

/** Whose key opens what, and the log of what each operator did. */

let database: TestDatabase;
let people: People;
let lines: string[];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  people = createPeople(database);
  lines = [];
});

const service = () => {
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  return createOperators({ systemDb: database.systemDb, clock: people.clock, logger, newId });
};

test('a key is a person’s: found by its hash alone, out with its end, and one to a name', async () => {
  const operators = service();
  const name = `Cleo ${newId()}`;
  const { id, key } = await operators.make(name);
  expect(key).toMatch(/^nwo_\S{30,}$/);
  expect(await operators.load(key)).toEqual({ id, name });
  expect(await operators.load(`${key}x`)).toBeNull();
  await expect(operators.make(name.toUpperCase())).rejects.toMatchObject({
    code: 'already_exists',
    details: [{ path: 'name', message: `${name.toUpperCase()} already has a key. Please end it first.` }],
  });
  const stored = await database.systemDb.selectFrom('operators').selectAll().where('id', '=', id).execute();
  expect(JSON.stringify(stored)).not.toContain(key);
  expect(await operators.end(id)).toEqual({ name });
  expect(await operators.load(key)).toBeNull();
  for (const gone of [id, newId()]) {
    await expect(operators.end(gone)).rejects.toMatchObject({ code: 'not_found' });
  }
  const again = await operators.make(name);
  expect(await operators.load(again.key)).toEqual({ id: again.id, name });
});

test('the list has each key, ended ones too, with when it was made, last used and ended; use is noted once a minute', async () => {
  const operators = service();
  const first = await operators.make(`Dora ${newId()}`);
  const madeAt = people.clock.now();
  people.clock.forward(1);
  const second = await operators.make(`Emil ${newId()}`);
  const at = (ms: number) => new Date(madeAt.getTime() + ms).toISOString();
  const used = async () => (await operators.list()).filter(({ id }) => id === first.id || id === second.id);
  const row = { id: first.id, name: first.name, madeAt: at(0), endedAt: null };
  const other = { id: second.id, name: second.name, madeAt: at(1), endedAt: null, lastUsedAt: null };
  expect(await used()).toEqual([{ ...row, lastUsedAt: null }, other]);
  const steps: [number, number][] = [
    [1, 1],
    [60_001, 1],
    [60_002, 60_002],
  ];
  for (const [now, noted] of steps) {
    people.clock.forward(madeAt.getTime() + now - people.clock.now().getTime());
    await operators.load(first.key);
    expect((await used())[0]).toEqual({ ...row, lastUsedAt: at(noted) });
  }
  await operators.end(first.id);
  expect(await used()).toEqual([{ ...row, lastUsedAt: at(60_002), endedAt: at(60_002) }, other]);
});

test('every act is written down before it is begun, with who, from where and with what, and its end after it, also when it fails', async () => {
  const operators = service();
  const name = `Cleo ${newId()}`;
  const { id } = await operators.make(name);
  const cleo = { id, name, ip: '192.0.2.8', requestId: 'r' };
  const own = async () =>
    (await operators.acts())
      .filter(({ operator }) => operator === name)
      .map(({ operation, address, input, outcome }) => [operation, address, input, outcome]);
  const prices = { operation: 'operator.setPrices', input: { note: 'x' } };
  const result = await operators.record(cleo, prices, async () => {
    expect(await own()).toEqual([['operator.setPrices', '192.0.2.8', { note: 'x' }, null]]);
    return 'what it came to';
  });
  expect(result).toBe('what it came to');
  for (const [operation, error, code] of [
    ['operator.reseal', new AppError('unprocessable'), 'unprocessable'],
    ['operator.retry', new Error('a mistake'), 'internal'],
  ] as const) {
    people.clock.forward(1);
    const failing = operators.record(cleo, { operation, input: {} }, () => Promise.reject(error));
    await expect(failing).rejects.toBe(error);
    expect((await own())[0]).toEqual([operation, '192.0.2.8', {}, code]);
  }
  // The newest first.
  expect((await own()).map(([operation]) => operation)).toEqual([
    ...['operator.retry', 'operator.reseal', 'operator.setPrices'],
  ]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { operator: name, address: '192.0.2.8', operation: 'operator.setPrices', outcome: 'done' },
    { operator: name, operation: 'operator.reseal', outcome: 'unprocessable' },
    { operator: name, operation: 'operator.retry', outcome: 'internal' },
  ]);
});

test('what cannot be written down is not done; what is done stays done though its end cannot be', async () => {
  const operators = service();
  const nobody = { id: newId(), name: 'Nobody', ip: null, requestId: 'r' };
  let done = 0;
  const act = async () => {
    done += 1;
    return done;
  };
  // No such operator: the row refers to none.
  await expect(operators.record(nobody, { operation: 'x', input: {} }, act)).rejects.toThrow();
  expect(done).toBe(0);
  const { id, name } = await operators.make(`Finn ${newId()}`);
  const losing = async () => {
    // The clock fails between the act and its end.
    people.clock.now = () => {
      throw new Error('no time');
    };
    return act();
  };
  const finn = { id, name, ip: null, requestId: 'r' };
  expect(await operators.record(finn, { operation: 'x', input: {} }, losing)).toBe(1);
  const [row] = (await operators.acts()).filter(({ operator }) => operator === name);
  expect(row?.outcome).toBeNull();
});

test('there are as many keys as the limit says, and ended ones leave room', async () => {
  const operators = service();
  const { most, message } = limits.operatorKeys;
  await sql`UPDATE operators SET ended_at = now() WHERE ended_at IS NULL`.execute(database.systemDb);
  await sql`INSERT INTO operators (id, name, key_hash, made_at)
    SELECT gen_random_uuid(), 'Limit ' || n, sha256(('limit ' || n)::bytea), now()
    FROM generate_series(1, ${most - 1}::int) n`.execute(database.systemDb);
  const last = await operators.make('The last one');
  await expect(operators.make('One too many')).rejects.toMatchObject({ code: 'unprocessable', message });
  await operators.end(last.id);
  await operators.make('One more');
});

test.each([
  ['Jo', true],
  ['J', false],
  ['x'.repeat(80), true],
  ['x'.repeat(81), false],
  ['Zoë O’Neil-Smith, Jr. 2', true],
  ['<b>Ada</b>', false],
])('an operator may be named %s: %s', (name, taken) => {
  expect(operatorName.safeParse(name).success).toBe(taken);
});
