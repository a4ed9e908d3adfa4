import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { logged } from '../../../../tests/support/audit-log.ts';
import { csvFile, namedRow } from '../../../../tests/support/customer-file.ts';
import { type ImportStand, openImportStand } from '../../../../tests/support/import-stand.ts';
import { takeJobs, timesOf } from '../../../../tests/support/jobs.ts';
import { limits } from '../../../contracts/values/limits.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { otherRights } from './imports.rules.ts';

/** Whose judgement of a checked file is written, and in whose name. */

let stand: ImportStand;
let owner: Scope;
let employee: Scope;
beforeAll(async () => {
  stand = await openImportStand();
});
afterAll(() => stand.close());
beforeEach(async () => {
  owner = (await stand.people.organisation()).scope;
  employee = (await stand.people.join(owner, { type: 'MSP_EMPLOYEE' })).scope;
});

const billed = (name: string) => namedRow(name, { billing_billDirectly: 'true' });
/** The owner's script. */
const script = (): Scope => ({
  ...{ ...owner, email: `${owner.email} (CRM sync)`, tokenId: newId() },
  rights: { kind: 'named', permissions: ['customers.create', 'customers.edit'] },
});

test('who starts a file starts the rows that they were shown: judged again meanwhile, it is shown again first', async () => {
  const contents = csvFile([namedRow('One'), namedRow('Two', { contacts_owner_firstName: 'Ann-Marie' })]);
  const seen = await stand.preview(employee, contents);
  expect(seen).toMatchObject({ judged: 1, rows: { new: 1, faulty: 1 } });
  const mended = await stand.imports.applySuggestions(employee, seen.importId, null);
  expect(mended).toMatchObject({ judged: 2, rows: { new: 2, faulty: 0 } });
  const again = 'This file was checked again after you opened it.';
  const start = ({ judged }: { judged: number }) =>
    stand.imports.start(employee, seen.importId, { mode: 'good', judged });
  await expect(start(seen)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(again),
    data: mended,
  });
  await stand.run(employee, seen.importId);
  expect(await stand.namesOf(owner)).toEqual([]);
  expect((await start(mended)).state).toBe('importing');
  await stand.run(employee, seen.importId);
  expect(await stand.namesOf(owner)).toEqual(['One', 'Two']);
});

test('a manager imports what an employee’s file may only by a manager, after they were shown it as theirs', async () => {
  const { importId } = await stand.preview(employee, csvFile([namedRow('One'), billed('Two')]));
  const start = (mode: 'all' | 'good') => stand.imports.start(owner, importId, { mode });
  const message =
    'This file was checked again with your permissions, and some rows have another result. Please review it again before you import it.';
  await expect(start('good')).rejects.toMatchObject({
    ...{ code: 'conflict', message },
    data: { state: 'ready', notice: message, rows: { new: 2, faulty: 0 }, judged: 2 },
  });
  await start('all');
  await stand.run(owner, importId);
  expect(await stand.namesOf(owner)).toEqual(['One', 'Two']);
});

test('a manager who finishes an employee’s upload is shown it as theirs, and then imports it', async () => {
  const key = await stand.put(employee, csvFile([billed('Two')]));
  await stand.imports.finish(employee, { key, preview: true });
  const finish = () => stand.imports.finish(owner, { key, preview: false });
  await expect(finish()).rejects.toMatchObject({ code: 'conflict', message: otherRights });
  expect(await finish()).toMatchObject({ state: 'done', rows: { new: 1 } });
});

test('what a manager’s look made good, the employee whose file it is does not write', async () => {
  const { importId } = await stand.preview(employee, csvFile([billed('One')]));
  const judged = await stand.imports.applySuggestions(owner, importId, null);
  expect(judged.rows).toMatchObject({ new: 1, faulty: 0 });
  const start = stand.imports.start(employee, importId, { mode: 'good', judged: judged.judged });
  await expect(start).rejects.toMatchObject({ code: 'conflict', data: { rows: { new: 0, faulty: 1 } } });
  await stand.run(employee, importId);
  expect(await stand.namesOf(owner)).toEqual([]);
});

test('what a script was refused, its person imports by hand', async () => {
  const { importId, rows } = await stand.preview(script(), csvFile([billed('One')]));
  expect(rows).toMatchObject({ new: 0, faulty: 1 });
  const start = () => stand.imports.start(owner, importId, { mode: 'all' });
  await expect(start()).rejects.toMatchObject({ code: 'conflict', message: otherRights });
  expect((await start()).state).toBe('importing');
});

test('the log names the script that imported a file, and the person who did it by hand', async () => {
  const sync = script();
  await stand.importAll(sync, csvFile([namedRow('One'), namedRow('Two')]));
  await stand.importAll(owner, csvFile([namedRow('Three')]));
  // Uploaded by a script, and imported by hand.
  const { importId } = await stand.preview(sync, csvFile([namedRow('Four')]));
  await stand.imports.start(owner, importId, { mode: 'all' });
  await stand.run(owner, importId);
  const log = await stand.database.systemDb
    .selectFrom('audit_log')
    .select(['actor_id', 'actor'])
    .where('organisation_id', '=', owner.organisationId)
    .where('action', '=', 'customers.create')
    .orderBy('sequence')
    .execute();
  const by = (actor: string) => ({ actor_id: owner.userId, actor });
  expect(log).toEqual([by(`token:${sync.tokenId}`), by(`token:${sync.tokenId}`), by(''), by('')]);
});

test('an upload that nobody finishes goes after a day, and one that is finished goes at once', async () => {
  await takeJobs(stand.database.url);
  const { keyName } = await stand.imports.grant(owner);
  expect(keyName).toMatch(new RegExp(`^csv-uploads/${owner.organisationId}/.{20}`));
  const inADay = new Date(stand.people.clock.now().getTime() + 24 * 3_600_000);
  expect(await timesOf(stand.database.url, 'customers.drop-upload')).toEqual([inADay]);
  expect(await takeJobs(stand.database.url)).toEqual([
    { task: 'customers.drop-upload', payload: { key: keyName } },
  ]);
  const isThere = async (key: string) => (await stand.storage.read(key)) !== null;
  // One that could not be read waits for an answer.
  const refused = await stand.put(owner, csvFile([{ Company: 'Blue' }], ['Company']));
  await expect(stand.imports.finish(owner, { key: refused, preview: true })).rejects.toMatchObject({
    code: 'unprocessable',
  });
  const key = await stand.put(owner, csvFile([namedRow('One')]));
  expect([await isThere(refused), await isThere(key)]).toEqual([true, true]);
  await stand.imports.finish(owner, { key, preview: true });
  expect([await isThere(refused), await isThere(key)]).toEqual([true, false]);
});

test('a start has its job at once; a finish that writes by itself has one for when it is cut off', async () => {
  const { organisationId } = owner;
  const taken = async () =>
    (await takeJobs(stand.database.url)).filter(({ task }) => task === 'customers.import');
  const { importId } = await stand.preview(owner, csvFile([namedRow('One')]));
  await taken();
  await stand.imports.start(owner, importId, { mode: 'all' });
  await stand.imports.start(owner, importId, { mode: 'all' });
  expect(await taken()).toEqual([{ task: 'customers.import', payload: { organisationId, importId } }]);
  const done = await stand.importAll(owner, csvFile([namedRow('Two')]));
  expect(done).toMatchObject({ state: 'done', mode: 'all', fileName: 'customers.csv' });
  const inAMinute = new Date(stand.people.clock.now().getTime() + 60_000);
  expect(await timesOf(stand.database.url, 'customers.import')).toEqual([inAMinute]);
});

test('a file that is being imported, or has been, is neither mended nor thrown away', async () => {
  const { importId } = await stand.preview(owner, csvFile([namedRow('One')]));
  await stand.imports.start(owner, importId, { mode: 'all' });
  const message = 'This file is being imported or has already been imported.';
  const refusal = { code: 'conflict', message };
  for (const state of ['importing', 'done']) {
    expect((await stand.imports.get(owner, importId)).state).toBe(state);
    await expect(stand.imports.discard(owner, importId)).rejects.toMatchObject(refusal);
    await expect(stand.imports.applySuggestions(owner, importId, null)).rejects.toMatchObject(refusal);
    await stand.run(owner, importId);
  }
  expect(await stand.namesOf(owner)).toEqual(['One']);
});

test('an import is taken up again when it was begun more than three seconds ago, and not before', async () => {
  const { imports, people } = stand;
  people.clock.forward(10_000);
  // What other tests have left.
  await imports.sweep();
  const { importId } = await stand.preview(owner, csvFile([namedRow('One')]));
  await imports.start(owner, importId, { mode: 'all' });
  people.clock.forward(3_000);
  expect([await imports.sweep(), (await imports.get(owner, importId)).state]).toEqual([0, 'importing']);
  people.clock.forward(1);
  expect([await imports.sweep(), (await imports.get(owner, importId)).state]).toEqual([1, 'done']);
  expect(await imports.sweep()).toBe(0);
});

test('an import that cannot be written keeps no other one waiting that a crash left, and its failure is told', async () => {
  const { imports, people, database } = stand;
  const scopes = [owner, (await people.organisation()).scope, (await people.organisation()).scope];
  const ids = await Promise.all(
    scopes.map(async (scope) => {
      const { importId } = await stand.preview(scope, csvFile([namedRow('One')]));
      await imports.start(scope, importId, { mode: 'all' });
      return importId;
    }),
  );
  const [broken = ''] = ids;
  await database.systemDb
    .updateTable('import_rows')
    .set({ state: '{}' })
    .where('import_id', '=', broken)
    .execute();
  people.clock.forward(3_001);
  await expect(imports.sweep()).rejects.toMatchObject({ code: '23502' });
  const states = await Promise.all(
    scopes.map(async (scope, at) => (await imports.get(scope, ids[at] ?? '')).state),
  );
  expect(states).toEqual(['importing', 'done', 'done']);
  await database.systemDb
    .updateTable('imports')
    .set({ state: 'discarded', ended_at: people.clock.now() })
    .where('id', '=', broken)
    .execute();
});

test('a file with more new customers than there is room for is not started; one that fits is', async () => {
  await sql`INSERT INTO kept_counts (organisation_id, customers) VALUES (${owner.organisationId}, ${limits.customers.most - 1})`.execute(
    stand.database.systemDb,
  );
  const start = async (names: string[]) => {
    const { importId } = await stand.preview(owner, csvFile(names.map((name) => namedRow(name))));
    return stand.imports.start(owner, importId, { mode: 'all' });
  };
  await expect(start(['One', 'Two'])).rejects.toMatchObject({
    code: 'unprocessable',
    message: limits.customers.message,
  });
  expect((await start(['One'])).state).toBe('importing');
});

test('the log has of each customer of a file what was and what is, and which file that was', async () => {
  const { importId: first } = await stand.importAll(owner, csvFile([namedRow('One')]));
  const boston = csvFile([namedRow('One', { contacts_owner_city: 'Boston' })]);
  const { importId: second } = await stand.importAll(owner, boston);
  const [made] = await logged(stand.database.db, owner, 'customers.create');
  expect(made).toMatchObject({ kind: 'customer', before: null, after: { import: first } });
  expect(made?.after).toMatchObject({
    contacts: { owner: { city: 'New York' } },
    allowDomainSettings: false,
  });
  expect(await logged(stand.database.db, owner, 'customers.update')).toMatchObject([
    {
      object: made?.object,
      before: { contacts: { owner: { city: 'New York' } } },
      after: { contacts: { owner: { city: 'Boston' } }, import: second },
    },
  ]);
});
