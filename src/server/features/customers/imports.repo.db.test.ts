import type { Insertable } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Tx } from '#kernel/db/database.ts';
import type { Database } from '#kernel/db/schema.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, organisationRow, within } from '../../../../tests/support/rows.ts';
import { importAttention } from './attention.repo.ts';
import { abandonedSince, forgetBefore, recordProgress } from './import-runs.repo.ts';
import * as repo from './imports.repo.ts';

/** Each condition of the statements about customer files, beside a file or a row that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let other: string;
let scope: Scope;
const now = new Date('2026-11-22T12:00:00Z');
const inMs = (ms: number) => new Date(now.getTime() + ms);
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  [organisationId, other] = [await organisationRow(database), await organisationRow(database)];
  const by = { userId: newId(), email: 'eve@msp.test', ip: '192.0.2.9', role: 'MSP_OWNER' };
  scope = { organisationId, ...by } as unknown as Scope;
});

const tenant = <T>(run: (tx: Tx) => Promise<T>) => within(database, organisationId, run);
const system = <T>(run: (tx: Tx) => Promise<T>) => across(database, run);

type FileRow = Insertable<Database['imports']>;
async function file(change: Partial<FileRow> = {}): Promise<string> {
  const id = newId();
  await system((tx) =>
    tx
      .insertInto('imports')
      .values({
        ...{ id, organisation_id: organisationId, upload_key: id, file_name: 'ours.csv', columns: ['a'] },
        ...{ state: 'ready', mode: null, new_rows: 3, changed_rows: 4, same_rows: 5, faulty_rows: 0 },
        ...{ actor_id: newId(), actor: 'Ann', actor_ip: null, actor_role: 'MSP_ADMIN', token_id: null },
        ...{ created_at: now, started_at: null, ended_at: null, ...change },
      })
      .execute(),
  );
  return id;
}
async function rowOf(
  importId: string,
  number: number,
  change: Partial<Insertable<Database['import_rows']>> = {},
  of = organisationId,
) {
  const row = {
    ...{ import_id: importId, organisation_id: of, number, cells: [`cell ${number}`], kind: 'new' as const },
    ...{ organization: `Firm ${number}`, customer_id: null, version: null, match_key: '', state: null },
    ...{ notes: '[]', ...change },
  };
  await system((tx) => tx.insertInto('import_rows').values(row).execute());
}
const stateOf = (id: string) =>
  system((tx) => tx.selectFrom('imports').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
const rowsLeft = async (id: string) =>
  (await system((tx) => tx.selectFrom('import_rows').select('number').where('import_id', '=', id).execute()))
    .length;

describe('the list of files', () => {
  test('begins with those that wait, however old, then has the latest, and none that was discarded or is another’s', async () => {
    const old = await file({ created_at: inMs(-9_000) });
    const [third, second, first] = [
      await file({ state: 'done', created_at: inMs(-2) }),
      await file({ state: 'importing', created_at: inMs(-1) }),
      await file({ state: 'done', created_at: now }),
    ];
    await file({ state: 'discarded', created_at: inMs(5) });
    await file({ organisation_id: other });
    const listed = async (limit: number) =>
      (await tenant((tx) => repo.latestImports(tx, scope, limit))).map(({ id }) => id);
    expect(await listed(9)).toEqual([old, first, second, third]);
    expect(await listed(3)).toEqual([old, first, second]);
    const beside = [await file({ created_at: inMs(-9_000) }), old].toSorted().reverse();
    expect(await listed(2)).toEqual(beside);
  });

  test('says of each what it is, how far it is and when it was', async () => {
    const id = await file({
      ...{
        columns: ['contacts_owner_city', 'Motto', ''],
        state: 'done',
        mode: 'good',
        notice: 'Look again.',
      },
      ...{ faulty_rows: 6, suggested_rows: 2, rows_done: 7, judged: 4, ended_at: inMs(5) },
    });
    const found = await tenant((tx) => repo.findImport(tx, scope, { id }));
    expect(found && repo.toImport(found)).toEqual({
      ...{
        importId: id,
        fileName: 'ours.csv',
        state: 'done',
        mode: 'good',
        notice: 'Look again.',
        judged: 4,
      },
      ...{ rows: { new: 3, changed: 4, same: 5, faulty: 6 }, suggested: 2, unread: ['Motto'] },
      ...{ progress: { done: 7, total: 7 }, createdAt: now.toISOString(), endedAt: inMs(5).toISOString() },
    });
    const waits = await stateOf(await file());
    expect(repo.toImport(waits)).toMatchObject({
      mode: null,
      endedAt: null,
      progress: { done: 0, total: 7 },
    });
  });
});

test('a file is found by its id and by its upload, until it is discarded, in its own organization', async () => {
  const [id, gone, theirs] = [
    await file({ upload_key: 'k/one' }),
    await file({ state: 'discarded', upload_key: 'k/gone' }),
    await file({ organisation_id: other, upload_key: 'k/theirs' }),
  ];
  const find = async (by: Parameters<typeof repo.findImport>[2]) =>
    (await system((tx) => repo.findImport(tx, scope, by)))?.id;
  expect([await find({ id }), await find({ uploadKey: 'k/one' })]).toEqual([id, id]);
  for (const by of [{ id: gone }, { uploadKey: 'k/gone' }, { id: theirs }, { uploadKey: 'k/theirs' }]) {
    expect(await find(by)).toBeUndefined();
  }
  await file({ state: 'done' });
  expect(await system((tx) => repo.countReady(tx, scope))).toBe(1);
});

describe('the rows of a file', () => {
  type Query = Partial<Parameters<typeof repo.importRows>[3]>;
  let id: string;
  const suggested = JSON.stringify([
    { column: 'a', value: '', reason: 'Bad', suggestion: null },
    { column: 'b', value: '', reason: 'Bad', suggestion: '' },
  ]);
  const hopeless = JSON.stringify([{ column: 'a', value: '', reason: 'Bad', suggestion: null }]);
  const customerId = newId();
  beforeEach(async () => {
    id = await file();
    await rowOf(id, 10, { kind: 'faulty', notes: hopeless });
    await rowOf(id, 9, { kind: 'faulty', notes: suggested });
    await rowOf(id, 2, { kind: 'new', organization: '50% Öl_AG', customer_id: customerId });
    await rowOf(id, 3, { kind: 'changed', customer_id: customerId, notes: '[{"suggestion": "x"}]' });
    await rowOf(id, 4, { kind: 'same', customer_id: customerId });
    await rowOf(await file(), 5, { kind: 'faulty', notes: suggested });
  });
  const read = async (query: Query = {}) => {
    const { rows, total } = await tenant((tx) => repo.importRows(tx, scope, id, { pageSize: 2, ...query }));
    return [total, ...rows.map(({ row }) => row)];
  };

  test('are read in the order of the file or the other way, page by page, with how many there are', async () => {
    expect(await read()).toEqual([5, 2, 3, 4, 9, 10]);
    expect(await read({ sort: '-row' })).toEqual([5, 10, 9, 4, 3, 2]);
    expect(await read({ page: 1 })).toEqual([5, 2, 3]);
    expect(await read({ page: 3 })).toEqual([5, 10]);
    expect(await read({ page: 4 })).toEqual([5]);
    expect(await read({ sort: '-row', page: 2 })).toEqual([5, 4, 3]);
  });

  test('are read by kind, by what is suggested for them, and by a part of the name as it stands', async () => {
    expect(await read({ kind: 'faulty' })).toEqual([2, 9, 10]);
    expect(await read({ suggested: 'true' })).toEqual([1, 9]);
    expect(await read({ search: ' FIRM 1' })).toEqual([1, 10]);
    expect(await read({ search: '0% öl_' })).toEqual([1, 2]);
    expect(await read({ search: '%' })).toEqual([1, 2]);
    expect(await read({ kind: 'same', search: '10' })).toEqual([0]);
  });

  test('tell of a new one no customer, and faults or changes as their kind has them', async () => {
    const { rows } = await tenant((tx) => repo.importRows(tx, scope, id, { pageSize: 9 }));
    expect(
      rows.map(({ kind, ...row }) => [kind, row.customerId, row.faults.length, row.changes.length]),
    ).toEqual([
      ['new', null, 0, 0],
      ['changed', customerId, 0, 1],
      ['same', customerId, 0, 0],
      ['faulty', null, 2, 0],
      ['faulty', null, 1, 0],
    ]);
    const asRead = async (kind?: 'faulty') =>
      (await tenant((tx) => repo.rowsAsRead(tx, scope, id, kind))).map(({ number, cells }) => [
        number,
        ...cells,
      ]);
    expect((await asRead()).map(([number]) => number)).toEqual([2, 3, 4, 9, 10]);
    expect(await asRead('faulty')).toEqual([
      [9, 'cell 9'],
      [10, 'cell 10'],
    ]);
  });
});

describe('a start', () => {
  const start = (id: string, mode: 'all' | 'good' = 'all') =>
    tenant((tx) => repo.startImport(tx, scope, { id, mode, now }));

  test('is of a file that waits, once, and writes down who started it and how', async () => {
    const [id, beside] = [
      await file({ notice: 'Look again.', rows_done: 9, token_id: newId() }),
      await file(),
    ];
    expect([await start(id), await start(id)]).toEqual([true, false]);
    expect(await stateOf(id)).toMatchObject({
      ...{ state: 'importing', mode: 'all', notice: '', rows_done: 0, started_at: now, ended_at: null },
      ...{ actor_id: scope.userId, actor: 'eve@msp.test', actor_ip: '192.0.2.9' },
      ...{ actor_role: 'MSP_OWNER', token_id: null },
    });
    expect(await stateOf(beside)).toMatchObject({ state: 'ready', started_at: null, actor: 'Ann' });
    for (const state of ['importing', 'done', 'discarded'] as const) {
      expect(await start(await file({ state }))).toBe(false);
    }
    expect(await start(await file({ organisation_id: other }))).toBe(false);
  });

  test('of a file with faulty rows is of the good ones alone', async () => {
    const id = await file({ faulty_rows: 1 });
    expect([await start(id, 'all'), await start(id, 'good')]).toEqual([false, true]);
  });

  test('waits for a person only while the file does', async () => {
    const lock = async (id: string) => (await tenant((tx) => repo.lockReady(tx, scope, id)))?.id;
    const id = await file();
    expect(await lock(id)).toBe(id);
    for (const state of ['importing', 'done', 'discarded'] as const) {
      expect(await lock(await file({ state }))).toBeUndefined();
    }
  });
});

test('an end is of a file that is being written, with how many it wrote', async () => {
  const [id, beside] = [await file({ state: 'importing' }), await file({ state: 'importing' })];
  const end = (ended: string, done: number) => tenant((tx) => repo.endImport(tx, scope, ended, done, now));
  await tenant((tx) => recordProgress(tx, { organisationId, importId: id }, 5));
  expect(await stateOf(id)).toMatchObject({ state: 'importing', rows_done: 5 });
  await end(id, 7);
  await end(id, 9);
  await tenant((tx) => recordProgress(tx, { organisationId, importId: id }, 5));
  expect(await stateOf(id)).toMatchObject({ state: 'done', rows_done: 7, ended_at: now });
  expect(await stateOf(beside)).toMatchObject({ state: 'importing', rows_done: 0, ended_at: null });
});

test('a discarded file loses its rows, and no other file does; what is not waiting is not discarded', async () => {
  const [id, beside, running] = [await file(), await file(), await file({ state: 'importing' })];
  for (const of of [id, beside, running]) await rowOf(of, 2);
  const discard = (of: string) => tenant((tx) => repo.discardImport(tx, scope, of, now));
  expect([await discard(id), await discard(id), await discard(running)]).toEqual([true, false, false]);
  expect(await stateOf(id)).toMatchObject({ state: 'discarded', ended_at: now });
  expect([await rowsLeft(id), await rowsLeft(beside), await rowsLeft(running)]).toEqual([0, 1, 1]);
});

test('a file that was judged again has the new rows alone, waits for a person, and says by whose rights', async () => {
  const [id, beside] = [
    await file({ state: 'importing', mode: 'all', rows_done: 3, token_id: newId() }),
    await file(),
  ];
  for (const of of [id, beside]) await rowOf(of, 2);
  const checked = {
    ...{ number: 7, cells: ['x'], kind: 'faulty' as const, organization: 'Firm', customerId: null },
    ...{ version: null, matchKey: 'k', state: null },
    notes: [{ column: 'a', value: '', reason: 'Bad', suggestion: '' }],
  };
  await tenant((tx) => repo.replaceRows(tx, scope, id, [checked], 'Look again.'));
  expect(await stateOf(id)).toMatchObject({
    ...{ state: 'ready', mode: null, notice: 'Look again.', rows_done: 0, judged: 2 },
    ...{ new_rows: 0, changed_rows: 0, same_rows: 0, faulty_rows: 1, suggested_rows: 1 },
    ...{ actor_role: 'MSP_OWNER', token_id: null },
    // Whose file it is does not change.
    actor: 'Ann',
  });
  expect((await tenant((tx) => repo.rowsAsRead(tx, scope, id))).map(({ number }) => number)).toEqual([7]);
  expect([await rowsLeft(beside), (await stateOf(beside)).judged]).toEqual([1, 1]);
});

test('an import that nobody writes is one that was started before a moment and has not ended', async () => {
  const old = await file({ state: 'importing', started_at: inMs(-1) });
  await file({ state: 'importing', started_at: now });
  await file({ state: 'done', started_at: inMs(-1) });
  const found = await system((tx) => abandonedSince(tx, now));
  expect(found.filter((one) => one.organisationId === organisationId)).toEqual([
    { importId: old, organisationId },
  ]);
});

test('what nobody started is discarded, and rows of what ended are dropped, once that is before a moment', async () => {
  const files = {
    waiting: await file({ created_at: inMs(-1) }),
    young: await file({ created_at: now }),
    ended: await file({ state: 'done', created_at: inMs(-9), ended_at: inMs(-1) }),
    endedNow: await file({ state: 'done', created_at: inMs(-9), ended_at: now }),
    running: await file({ state: 'importing', created_at: inMs(-9), ended_at: inMs(-1) }),
  };
  for (const id of Object.values(files)) await rowOf(id, 2);
  await system((tx) => forgetBefore(tx, now, inMs(5)));
  expect(await stateOf(files.waiting)).toMatchObject({ state: 'discarded', ended_at: inMs(5) });
  expect((await stateOf(files.young)).state).toBe('ready');
  expect((await stateOf(files.running)).state).toBe('importing');
  const left = Object.entries(files).map(async ([name, id]) => [name, await rowsLeft(id)]);
  expect(Object.fromEntries(await Promise.all(left))).toEqual({
    ...{ waiting: 1, young: 1, ended: 0, endedNow: 1, running: 1 },
  });
});

test('checked files are stated that nobody has imported or thrown away, without their names', async () => {
  const object = await file({ faulty_rows: 6 });
  for (const state of ['importing', 'done', 'discarded'] as const) await file({ state });
  await file({ organisation_id: other });
  const question = { organisationIds: [organisationId], now };
  expect(await system((tx) => importAttention.present(tx, question))).toEqual([
    {
      ...{ organisationId, object, customerId: null, address: null, deadline: null },
      facts: { importId: object, good: 7, faulty: 6, at: now.toISOString() },
    },
  ]);
});
