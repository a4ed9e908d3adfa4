import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { csvFile, namedRow } from '../../../../tests/support/customer-file.ts';
import { type ImportStand, openImportStand } from '../../../../tests/support/import-stand.ts';
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
