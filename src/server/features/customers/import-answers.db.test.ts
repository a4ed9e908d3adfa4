import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { csvFile, csvHeader, goodRow, namedRow } from '../../../../tests/support/customer-file.ts';
import { type ImportStand, openImportStand } from '../../../../tests/support/import-stand.ts';
import { limits } from '../../../contracts/values/limits.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';

let stand: ImportStand;
let admin: Scope;

beforeAll(async () => {
  stand = await openImportStand();
});
afterAll(() => stand.close());
beforeEach(async () => {
  admin = (await stand.people.organisation()).scope;
});

const western = Buffer.from(csvFile([namedRow('Müller AG', { contacts_owner_city: 'Zürich' })]), 'latin1');

test('a file that is not in UTF-8 is not guessed: the call says what to give, and takes the answer for the same upload', async () => {
  const key = await stand.put(admin, western);
  await expect(stand.imports.finish(admin, { key, preview: false })).rejects.toMatchObject({
    code: 'unprocessable',
    message: 'This file is not in UTF-8. Please choose its character set.',
    error: expect.stringContaining('windows-1252'),
    details: [{ path: 'charset', message: expect.any(String) }],
  });
  const { charsets } = await stand.imports.look(admin, { key });
  expect(charsets[0]).toEqual({
    charset: 'windows-1252',
    label: 'Western Europe (Windows-1252)',
    cells: expect.arrayContaining(['Müller AG', 'Zürich']),
  });
  await stand.imports.finish(admin, { key, preview: false, charset: 'windows-1252' });
  expect(await stand.namesOf(admin)).toEqual(['Müller AG']);
});

test('a character that is lost is a fault of its row, never part of a name', async () => {
  const key = await stand.put(admin, western);
  const { importId } = await stand.imports.finish(admin, { key, preview: true, charset: 'utf-8' });
  const [row] = await stand.rowsOf(admin, importId, 'faulty');
  expect(row?.faults.map(({ column }) => column).sort()).toEqual([
    'contacts_owner_city',
    'contacts_owner_organization',
  ]);
});

test('columns that are not known, and empty ones, refuse no file; the result names them', async () => {
  const columns = [...csvHeader, 'shoe_size', '', ''];
  const found = await stand.preview(admin, csvFile([{ ...goodRow, shoe_size: '38' }], columns));
  expect(found).toMatchObject({ rows: { new: 1, faulty: 0 }, unread: ['shoe_size'] });
});

const faulty = csvFile([
  namedRow('One', { contacts_owner_firstName: 'Ann-Marie', contacts_owner_phone: '(212) 555-0100' }),
  namedRow('Two', { contacts_owner_address1: '12 High St.' }),
  namedRow('Three', { contacts_owner_city: '' }),
]);

const canadian = {
  ...{ contacts_owner_state: 'QC', contacts_owner_postalCode: 'H2X1Y4', contacts_owner_city: 'Montréal' },
  contacts_owner_phone: '+1 5145550123',
};

test('suggestions are applied in one row or in all, and the file is checked again', async () => {
  const { importId, suggested } = await stand.preview(admin, faulty);
  expect(suggested).toBe(2);
  expect(
    (await stand.imports.rows(admin, importId, { suggested: 'true', page: 1, pageSize: 50 })).total,
  ).toBe(2);
  const one = await stand.imports.applySuggestions(admin, importId, [3]);
  expect(one).toMatchObject({ rows: { new: 1, faulty: 2 }, suggested: 1, state: 'ready' });
  const all = await stand.imports.applySuggestions(admin, importId, null);
  expect(all).toMatchObject({ rows: { new: 2, faulty: 1 }, suggested: 0 });
  expect(await stand.rowsOf(admin, importId, 'faulty')).toMatchObject([
    { organization: 'Three', faults: [{ column: 'contacts_owner_city', reason: 'This field is required' }] },
  ]);
  await stand.imports.start(admin, importId, { mode: 'good' });
  await stand.run(admin, importId);
  const stored = await stand.listed(admin);
  expect(
    stored.map(({ contacts }) => [contacts.owner.firstName, contacts.owner.address1, contacts.owner.phone]),
  ).toEqual([
    ['Ann Marie', '1 Main Street', '+1.2125550100'],
    ['Ann', '12 High St', '+1.2125550100'],
  ]);
  await expect(stand.imports.applySuggestions(admin, importId, null)).rejects.toMatchObject({
    code: 'conflict',
  });
});

test('a row that a suggestion makes the same customer as another is told so', async () => {
  const twice = { contacts_owner_email: '<ann@bluefig.example>' };
  const { importId } = await stand.preview(admin, csvFile([namedRow('One'), namedRow('One', twice)]));
  const after = await stand.imports.applySuggestions(admin, importId, null);
  expect(after.rows).toMatchObject({ new: 1, faulty: 1 });
  const [row] = await stand.rowsOf(admin, importId, 'faulty');
  expect(row?.faults[0]?.reason).toBe('Row 2 is for the same customer');
});

test('the file of rejected rows holds the suggestions, and imports as it is; with them in place it has no fault left', async () => {
  const { importId } = await stand.preview(admin, faulty);
  const asTheyWere = await stand.imports.rejects(admin, importId);
  expect(asTheyWere.toString()).toContain(
    'contacts_owner_firstName: Ann Marie; contacts_owner_phone: +1 2125550100',
  );
  const again = await stand.preview(admin, asTheyWere);
  expect(again).toMatchObject({ rows: { faulty: 3 }, suggested: 2, unread: [] });
  // What was said of it before is said once.
  expect(await stand.imports.rejects(admin, again.importId)).toEqual(asTheyWere);
  const mended = await stand.imports.rejects(admin, importId, true);
  expect(await stand.preview(admin, mended)).toMatchObject({ rows: { new: 2, faulty: 1 } });
});

test('a mapping is kept under a name, replaced under the same one, used for the next file, and seen by nobody else', async () => {
  const mapping = {
    columns: Object.fromEntries(csvHeader.map((name, n) => [name, `Column ${n}`])),
    values: {},
  };
  const former = { columns: { contacts_owner_city: 'Town' }, values: { contacts_owner_country: 'NO' } };
  const { id } = await stand.imports.keepMapping(admin, { name: 'Old CRM', mapping: former });
  expect(await stand.imports.mappings(admin)).toEqual([{ id, name: 'Old CRM', mapping: former }]);
  expect((await stand.imports.keepMapping(admin, { name: 'old crm', mapping })).id).toBe(id);
  const header = csvHeader.map((_, n) => `Column ${n}`);
  const row = Object.fromEntries(csvHeader.map((name, n) => [`Column ${n}`, goodRow[name] ?? '']));
  const key = await stand.put(admin, csvFile([row], header));
  const look = await stand.imports.look(admin, { key });
  expect(look).toMatchObject({ source: 'old crm', specified: false, mapping });
  expect(await stand.imports.finish(admin, { key, preview: true, mapping: look.mapping })).toMatchObject({
    rows: { new: 1 },
  });
  const stranger = (await stand.people.organisation('Others')).scope;
  expect(await stand.imports.mappings(stranger)).toEqual([]);
  await expect(stand.imports.dropMapping(stranger, id)).rejects.toMatchObject({ code: 'not_found' });
  for (const name of ['Zeta', 'alpha']) await stand.imports.keepMapping(admin, { name, mapping });
  const named = async () => (await stand.imports.mappings(admin)).map(({ name }) => name);
  expect(await named()).toEqual(['alpha', 'old crm', 'Zeta']);
  await stand.imports.dropMapping(admin, id);
  expect(await named()).toEqual(['alpha', 'Zeta']);
  const log = await stand.database.systemDb
    .selectFrom('audit_log')
    .select(['action', 'object'])
    .where('organisation_id', '=', admin.organisationId)
    .where('object_kind', '=', 'importMapping')
    .where('object', 'not in', ['Zeta', 'alpha'])
    .orderBy('sequence')
    .execute();
  expect(log).toEqual([
    { action: 'customers.keepImportMapping', object: 'Old CRM' },
    { action: 'customers.keepImportMapping', object: 'old crm' },
    { action: 'customers.dropImportMapping', object: 'old crm' },
  ]);
});

test('what a file does not have, and is given for all rows, is for new customers: the others keep what they have', async () => {
  const billed = {
    billing_billDirectly: 'true',
    billing_email: 'pay@one.example',
    contacts_owner_country: 'CA',
  };
  await stand.importAll(admin, csvFile([namedRow('One', { ...billed, ...canadian })]));
  const given = {
    billing_billDirectly: 'false',
    billing_allowChangeBilling: 'false',
    contacts_owner_country: 'US',
  };
  const header = csvHeader.filter((name) => !(name in given));
  const mapping = { columns: Object.fromEntries(header.map((name) => [name, name])), values: given };
  const rows = [namedRow('One', { ...canadian, contacts_owner_city: 'Laval' }), namedRow('Two')];
  const key = await stand.put(admin, csvFile(rows, header));
  const { importId } = await stand.imports.finish(admin, { key, preview: true, mapping });
  const looked = async () =>
    (await stand.rowsOf(admin, importId, 'changed')).flatMap(({ changes }) => changes);
  const city = [{ field: 'contacts.owner.city', before: canadian.contacts_owner_city, after: 'Laval' }];
  expect(await looked()).toEqual(city);
  // Judged again, it is the same.
  await stand.imports.applySuggestions(admin, importId, null);
  expect(await looked()).toEqual(city);
  await stand.imports.start(admin, importId, { mode: 'all' });
  await stand.run(admin, importId);
  const stored = await stand.listed(admin);
  expect(stored.map(({ contacts, billing }) => [contacts.owner.country, billing.billDirectly])).toEqual([
    ['CA', true],
    ['US', false],
  ]);
});

test('a look has the first five rows, long cells cut, and says how many there are', async () => {
  const rows = Array.from({ length: 7 }, (_, n) => ({ ...namedRow(`Firm ${n}`), motto: 'x'.repeat(201) }));
  const key = await stand.put(admin, csvFile(rows, [...csvHeader, 'motto']));
  const look = await stand.imports.look(admin, { key });
  expect(look).toMatchObject({ specified: true, rowCount: 7, charsets: [], source: null });
  expect(look.columns).toEqual([...csvHeader, 'motto']);
  const at = csvHeader.indexOf('contacts_owner_organization');
  expect(look.rows.map((cells) => cells[at])).toEqual([0, 1, 2, 3, 4].map((n) => `Firm ${n}`));
  expect(look.rows.map((cells) => cells.at(-1))).toEqual(Array(5).fill('x'.repeat(200)));
});

test('so many mappings are kept and no more', async () => {
  const keep = (n: number) =>
    stand.imports.keepMapping(admin, { name: `M ${n}`, mapping: { columns: {}, values: {} } });
  for (let n = 0; n < limits.columnMappings.most; n += 1) await keep(n);
  await expect(keep(99)).rejects.toMatchObject({ code: 'unprocessable' });
  expect(await stand.imports.mappings(admin)).toHaveLength(limits.columnMappings.most);
  // One that is there already can still be changed.
  await keep(3);
});

test('a mapping that leaves out what is required, or names columns that are not there, is refused with their names', async () => {
  const key = await stand.put(admin, csvFile([{ Company: 'Blue' }], ['Company']));
  const finish = (columns: Record<string, string>) =>
    stand.imports.finish(admin, { key, preview: true, mapping: { columns, values: {} } });
  await expect(finish({ contacts_owner_organization: 'Company' })).rejects.toMatchObject({
    message: 'Required columns are missing from the mapping.',
    error: expect.stringContaining('contacts_owner_firstName'),
  });
  await expect(finish({ contacts_owner_organization: 'Firm' })).rejects.toMatchObject({
    message: 'The file does not have these columns.',
    error: 'not in the file: Firm',
  });
});

test('an upload of another organisation cannot be looked at, and one that nobody finishes does not stay', async () => {
  const stranger = (await stand.people.organisation('Others')).scope;
  const key = await stand.put(admin, western);
  await expect(stand.imports.look(stranger, { key })).rejects.toMatchObject({ code: 'not_found' });
  await stand.imports.tasks['customers.drop-upload']({ key });
  await expect(stand.imports.look(admin, { key })).rejects.toMatchObject({ code: 'not_found' });
  await expect(stand.imports.look(admin, { key: newId() })).rejects.toMatchObject({ code: 'not_found' });
});
