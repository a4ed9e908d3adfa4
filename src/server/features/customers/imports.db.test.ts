import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf, createPeople, owner, type People } from '../../../../tests/support/people.ts';
import type { RowKind } from '../../../contracts/operations/customer-import.ts';
import { csvColumns, csvLimits } from '../../../contracts/values/customer-csv.ts';
import { noMarkups } from '../../../contracts/values/money.ts';
import { createLocalStorage, type LocalStorage } from '../../adapters/local-storage/index.ts';
import { verifyAuditChain } from '../../kernel/audit.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { createExport, createImports } from './index.ts';

let database: TestDatabase;
let people: People;
let storage: LocalStorage;
let imports: ReturnType<typeof createImports>;
let exporting: ReturnType<typeof createExport>;
let admin: Scope;
const directory = mkdtempSync(join(tmpdir(), 'nameward-csv-'));

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  const { clock } = people;
  storage = createLocalStorage({
    directory,
    signingKey: 'a key for tests only',
    publicUrl: 'https://portal.test',
    clock,
  });
  imports = createImports({ ...database, storage, clock, newId });
  exporting = createExport({ db: database.db, clock });
});
afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  admin = (await people.organisation()).scope;
});

const columns = csvColumns.filter((name) =>
  /^contacts_owner_(?!address[23])|^billing_(bill|allow)/.test(name),
);
const good: Record<string, string> = {
  contacts_owner_organization: 'Blue Fig Ltd',
  contacts_owner_firstName: 'Ann',
  contacts_owner_lastName: 'Smith',
  contacts_owner_address1: '1 Main Street',
  contacts_owner_city: 'New York',
  contacts_owner_state: 'NY',
  contacts_owner_postalCode: '10001',
  contacts_owner_country: 'US',
  contacts_owner_email: 'ann@bluefig.example',
  contacts_owner_phone: '+1 2125550100',
  billing_billDirectly: 'false',
  billing_allowChangeBilling: 'false',
};
type Row = Record<string, string>;
const named = (name: string, more: Row = {}): Row => ({
  ...good,
  contacts_owner_organization: name,
  ...more,
});
function file(rows: readonly Row[], names: readonly string[] = columns, separator = ','): string {
  const line = (cells: readonly string[]) =>
    cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator);
  return [line(names), ...rows.map((row) => line(names.map((name) => row[name] ?? '')))].join('\r\n');
}

/** Puts bytes where the grant says, as the browser's PUT ends up. */
async function put(scope: Scope, contents: string | Buffer): Promise<string> {
  const { keyName } = await imports.grant(scope);
  await storage.write(keyName, Buffer.from(contents), 'text/csv');
  return keyName;
}
async function preview(scope: Scope, contents: string | Buffer) {
  return imports.finish(scope, { key: await put(scope, contents), preview: true, fileName: 'a.csv' });
}
async function importAll(scope: Scope, contents: string | Buffer) {
  return imports.finish(scope, { key: await put(scope, contents), preview: false });
}
const rowsOf = async (scope: Scope, id: string, kind?: RowKind) =>
  (await imports.rows(scope, id, { kind, pageSize: 50 })).rows;
const namesOf = async (scope: Scope) =>
  (await people.customers.list(scope, { pageSize: 50 })).rows.map((row) => row.contacts.owner.organization);
const run = (scope: Scope, importId: string) =>
  imports.tasks['customers.import']({ organisationId: scope.organisationId, importId });

test('the three calls of the specification import a file, with one contact in all three places', async () => {
  const done = await importAll(admin, file([good]));
  expect(done).toMatchObject({ state: 'done', rows: { new: 1, changed: 0, same: 0, faulty: 0 } });
  const { rows } = await people.customers.list(admin, { pageSize: 50 });
  const contact = {
    ...{ organization: 'Blue Fig Ltd', firstName: 'Ann', lastName: 'Smith', address1: '1 Main Street' },
    ...{ city: 'New York', state: 'NY', postalCode: '10001', country: 'US', email: 'ann@bluefig.example' },
    phone: '+1.2125550100',
  };
  expect(rows).toMatchObject([
    {
      contacts: { owner: contact, admin: contact, billing: contact },
      billing: { billDirectly: false, allowChangeBilling: false },
      markups: noMarkups,
      version: 1,
    },
  ]);
});

test('a look writes nothing and says how many rows are new, changed, the same and faulty', async () => {
  await importAll(admin, file([named('Old'), named('Same')]));
  const found = await preview(
    admin,
    file([
      named('Old', { contacts_owner_city: 'Boston' }),
      named('Same'),
      named('New'),
      named('Bad', { contacts_owner_firstName: 'Ann-Marie', contacts_owner_phone: '(212) 555-0100' }),
    ]),
  );
  expect(found).toMatchObject({ state: 'ready', rows: { new: 1, changed: 1, same: 1, faulty: 1 } });
  expect(await namesOf(admin)).toEqual(['Old', 'Same']);
  const [changed] = await rowsOf(admin, found.importId, 'changed');
  expect(changed).toMatchObject({ row: 2, organization: 'Old' });
  expect(changed?.changes).toContainEqual({
    field: 'contacts.owner.city',
    before: 'New York',
    after: 'Boston',
  });
  const [bad] = await rowsOf(admin, found.importId, 'faulty');
  expect(bad).toMatchObject({ row: 5, organization: 'Bad' });
  expect(bad?.faults).toEqual([
    {
      column: 'contacts_owner_firstName',
      value: 'Ann-Marie',
      reason: 'Only letters and spaces are allowed',
      suggestion: 'Ann Marie',
    },
    {
      column: 'contacts_owner_phone',
      value: '(212) 555-0100',
      reason: 'Phone number must have between 4 and 14 numbers',
      suggestion: '+1 2125550100',
    },
  ]);
});

test('one bad row keeps all out, with what is wrong in the reply; the good rows come on request', async () => {
  const contents = file([named('One'), named('Two', { contacts_owner_postalCode: '' }), named('Three')]);
  await expect(importAll(admin, contents)).rejects.toMatchObject({
    code: 'unprocessable',
    message: '1 row cannot be imported. Nothing was written.',
    error: 'rows.3.contacts_owner_postalCode: This field is required',
    details: [{ path: 'rows.3.contacts_owner_postalCode', message: 'This field is required' }],
  });
  expect(await namesOf(admin)).toEqual([]);
  const { importId } = await preview(admin, contents);
  await expect(imports.start(admin, importId, 'all')).rejects.toMatchObject({ code: 'unprocessable' });
  await imports.start(admin, importId, 'good');
  await run(admin, importId);
  expect(await namesOf(admin)).toEqual(['One', 'Three']);
  expect(await imports.get(admin, importId)).toMatchObject({
    state: 'done',
    progress: { done: 2, total: 2 },
  });
  const rejects = (await imports.rejects(admin, importId)).toString();
  expect(rejects.split('\r\n')).toHaveLength(3);
  expect(rejects).toContain('contacts_owner_postalCode: This field is required');
  // Corrected, it is taken as it is.
  const mended = rejects.replace('2125550100,,', '2125550100,10002,');
  expect(await importAll(admin, mended)).toMatchObject({ state: 'done', rows: { new: 1 } });
  expect(await namesOf(admin)).toEqual(['One', 'Three', 'Two']);
});

test('the same file again creates nothing, and so does the same upload finished again', async () => {
  const contents = file([named('One'), named('Two')]);
  const key = await put(admin, contents);
  const first = await imports.finish(admin, { key, preview: false });
  expect(await imports.finish(admin, { key, preview: false })).toEqual(first);
  expect(await importAll(admin, contents)).toMatchObject({ state: 'done', rows: { new: 0, same: 2 } });
  expect(await namesOf(admin)).toEqual(['One', 'Two']);
});

test('two looks at the same file, both started: one makes the customers, the other asks again', async () => {
  const contents = file([named('One'), named('Two')]);
  const looks = [await preview(admin, contents), await preview(admin, contents)];
  for (const { importId } of looks) await imports.start(admin, importId, 'all');
  await Promise.all(looks.map(({ importId }) => run(admin, importId)));
  expect(await namesOf(admin)).toEqual(['One', 'Two']);
  const after = await Promise.all(looks.map(({ importId }) => imports.get(admin, importId)));
  expect(after.map(({ state }) => state).sort()).toEqual(['done', 'ready']);
  expect(after.find(({ state }) => state === 'ready')).toMatchObject({
    rows: { new: 0, same: 2 },
    notice: expect.stringContaining('changed since this file was checked'),
  });
});

test('a customer that somebody edits after the look is not overwritten unseen', async () => {
  await importAll(admin, file([named('One')]));
  const look = await preview(admin, file([named('One', { contacts_owner_city: 'Boston' })]));
  const [{ customerId = '' } = {}] = (await people.customers.list(admin, { pageSize: 50 })).rows;
  const theirs = contactsOf({ organization: 'One', email: 'ann@bluefig.example', city: 'Oslo' });
  await people.customers.update(admin, customerId, { contacts: theirs });
  await imports.start(admin, look.importId, 'all');
  await run(admin, look.importId);
  expect((await people.customers.get(admin, customerId)).contacts.owner.city).toBe('Oslo');
  expect(await imports.get(admin, look.importId)).toMatchObject({ state: 'ready', rows: { changed: 1 } });
  await imports.start(admin, look.importId, 'all');
  await run(admin, look.importId);
  expect((await people.customers.get(admin, customerId)).contacts.owner.city).toBe('Boston');
});

test('an export of all customers imports again unchanged, formulas, marks and odd contacts included', async () => {
  const odd = { lastName: '=cmd|A1', city: '-1+1', state: "'=x", address2: 'Floor "3", left' };
  await people.customers.create(
    admin,
    {
      contacts: { ...contactsOf(odd), admin: { ...owner, firstName: 'Żółć', phone: '+48.221234567x12' } },
      billing: { billDirectly: true, email: 'pay@example.com', allowChangeBilling: true },
      markups: {
        domain: { purchase: { type: 'fixed', value: 2.5 }, renewal: { type: 'percentage', value: 12.25 } },
        certificate: noMarkups.certificate,
      },
    },
    null,
  );
  await people.customers.create(
    admin,
    {
      contacts: contactsOf({ organization: 'Zwei' }),
      billing: { billDirectly: false, email: '', allowChangeBilling: false },
    },
    null,
  );
  const before = await people.customers.list(admin, { pageSize: 50 });
  const bytes = await buffer(await exporting.all(admin));
  const cells = bytes
    .toString()
    .split(/[,\r\n]+/)
    .map((cell) => cell.replace(/^\ufeff?"?/, ''));
  expect(cells.filter((cell) => /^[=+\-@\t\0]/.test(cell))).toEqual([]);
  expect(await importAll(admin, bytes)).toMatchObject({
    state: 'done',
    rows: { new: 0, changed: 0, same: 2, faulty: 0 },
  });
  expect(await people.customers.list(admin, { pageSize: 50 })).toEqual(before);
});

test('one odd row in the database breaks neither the list, nor the other rows of the export, nor a new import', async () => {
  const make = (organization: string) =>
    people.customers.create(
      admin,
      {
        contacts: contactsOf({ organization }),
        billing: { billDirectly: false, email: '', allowChangeBilling: false },
      },
      null,
    );
  for (const name of ['Before', 'Odd', 'After']) await make(name);
  await sql`UPDATE customers SET admin = '{"phone": 7}',
      markups = '{"domain": {"purchase": {"type": "fixed", "value": 3}, "renewal": {"type": "often", "value": "x"}}}'
    WHERE organization = 'Odd'`.execute(database.systemDb);
  const { rows } = await people.customers.list(admin, { pageSize: 50, search: 'Odd' });
  const fixed = { type: 'fixed', value: 3 };
  expect(rows[0]?.markups).toEqual({
    ...noMarkups,
    domain: { ...noMarkups.domain, purchase: fixed },
  });
  const bytes = await buffer(await exporting.all(admin));
  const lines = bytes.toString().trimEnd().split('\r\n');
  expect(lines.slice(1).map((line) => /(Before|Odd|After)/.exec(line)?.[0])).toEqual(
    expect.arrayContaining(['Before', 'Odd', 'After']),
  );
  expect(lines.find((line) => line.includes('Odd'))).toContain('fixed,3,percentage,0');
  expect(await importAll(admin, bytes)).toMatchObject({ state: 'done', rows: { new: 0, faulty: 0 } });
});

test.each([
  ['UTF-8 with a mark', (text: string) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16 as Excel writes it', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16 without a mark', (text: string) => Buffer.from(text, 'utf16le')],
  ['UTF-16, big end first', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ['Windows-1252', (text: string) => Buffer.from(text, 'latin1')],
])('%s is understood', async (_name, encode) => {
  await importAll(admin, encode(file([named('Müller AG', { contacts_owner_city: 'Zürich' })])));
  const { rows } = await people.customers.list(admin, { pageSize: 50 });
  expect(rows[0]?.contacts.owner).toMatchObject({ organization: 'Müller AG', city: 'Zürich' });
});

test('semicolons, tabs, a "sep=" line, empty lines, quoted line ends and other cases of letters are understood', async () => {
  const upper = (text: string) => text.replace(/^[^\r\n]+/, (header) => header.toUpperCase());
  await importAll(admin, file([named('Semicolon')], columns, ';'));
  await importAll(admin, `sep=\t\r\n${file([named('Tab')], columns, '\t')}`);
  await importAll(admin, upper(`${file([named('Case')])}\r\n\r\n`).replaceAll('\r\n', '\n'));
  expect(await namesOf(admin)).toEqual(['Case', 'Semicolon', 'Tab']);
  const rows = file([named('Fine'), named('Bad', { contacts_owner_city: 'New\r\nYork' })]);
  const { importId } = await preview(admin, rows.replace('\r\n', '\r\n\r\n'));
  expect(await rowsOf(admin, importId, 'faulty')).toMatchObject([
    { row: 4, faults: [{ column: 'contacts_owner_city' }] },
  ]);
});

test('empty cells of Admin and Billing are copied from the owner, one by one; missing columns leave what is there', async () => {
  const withAdmin = [...columns, 'contacts_admin_firstName', 'contacts_admin_email'];
  await importAll(admin, file([named('One', { contacts_admin_firstName: 'Zoe' })], withAdmin));
  const [made] = (await people.customers.list(admin, { pageSize: 50 })).rows;
  expect(made?.contacts.admin).toEqual({ ...made?.contacts.owner, firstName: 'Zoe' });
  expect(made?.contacts.billing).toEqual(made?.contacts.owner);
  await importAll(admin, file([named('One', { contacts_owner_city: 'Boston' })]));
  const [after] = (await people.customers.list(admin, { pageSize: 50 })).rows;
  expect(after?.contacts.owner.city).toBe('Boston');
  expect(after?.contacts.admin).toEqual(made?.contacts.admin);
});

test.each<[string, () => string | Buffer, string]>([
  ['nothing', () => '', 'The file is empty.'],
  ['a PNG', () => Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'This is a picture'],
  ['an Excel workbook', () => Buffer.from('504b030414000600', 'hex'), 'This is an Excel workbook'],
  ['NUL bytes', () => `${file([good])}\0\0`, 'This is not a text file.'],
  ['100,000 columns', () => Array.from({ length: 100_000 }, (_, n) => `c${n}`).join(','), 'too many columns'],
  ['101 columns', () => Array.from({ length: 101 }, (_, n) => `c${n}`).join(','), 'too many columns'],
  ['a record of 17 KB', () => file([named('x'.repeat(17_000))]), 'Row 2 is longer'],
  ['a quote left open', () => `${file([good])}\r\n"oops`, 'Row 3 cannot be read'],
  ['a missing column', () => file([good], columns.slice(1)), 'Required columns are missing'],
  ['an unknown column', () => file([good], [...columns, 'shoe_size']), 'columns that are not known'],
  ['a column twice', () => file([good], [...columns, columns[0] ?? '']), 'twice'],
  [
    '10,001 rows',
    () => `${file([])}${'\r\na'.repeat(csvLimits.rows + 1)}`,
    'The file has more than 10,000 rows',
  ],
])('%s is refused as a whole, in words', async (_name, contents, message) => {
  await expect(preview(admin, contents())).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining(message),
    error: expect.any(String),
  });
  expect(await imports.list(admin)).toEqual([]);
});

test('of a file that is too large no more than the limit is read', async () => {
  let read = 0;
  const endless = new Readable({
    read() {
      read += 65_536;
      this.push(Buffer.alloc(65_536, 'a,'));
    },
  });
  const { keyName } = await imports.grant(admin);
  const bucket = createImports({
    ...database,
    clock: people.clock,
    newId,
    storage: { ...storage, read: async () => ({ stream: endless, bytes: 1, contentType: 'text/csv' }) },
  });
  await expect(bucket.finish(admin, { key: keyName, preview: true })).rejects.toMatchObject({
    message: expect.stringContaining('larger than 5 MB'),
  });
  expect(read).toBeLessThan(csvLimits.bytes + 3 * 65_536);
  expect(endless.destroyed).toBe(true);
});

test('rows for one customer, ids of nobody and of others, and rows that two customers fit are rejected', async () => {
  const stranger = (await people.organisation('Others')).scope;
  const foreign = await people.customers.create(
    stranger,
    { contacts: contactsOf(), billing: { billDirectly: false, email: '', allowChangeBilling: false } },
    null,
  );
  for (const city of ['Oslo', 'Rome']) {
    const contacts = contactsOf({ organization: 'Twins', email: 'ann@bluefig.example', city });
    await people.customers.create(
      admin,
      { contacts, billing: { billDirectly: false, email: '', allowChangeBilling: false } },
      null,
    );
  }
  const { importId, rows } = await preview(
    admin,
    file(
      [
        named('One'),
        named('ONE', { contacts_owner_city: 'Boston' }),
        named('Two', { customerId: foreign.customerId }),
        named('Three', { customerId: newId() }),
        named('Four', { customerId: 'x' }),
        named('Twins'),
      ],
      ['customerId', ...columns],
    ),
  );
  expect(rows).toEqual({ new: 1, changed: 0, same: 0, faulty: 5 });
  const reasons = (await rowsOf(admin, importId, 'faulty')).map(({ row, faults }) => [
    row,
    faults[0]?.reason,
  ]);
  const nobody = 'There is no customer with this id. Leave the cell empty to create a new customer';
  expect(reasons).toEqual([
    [3, 'The same customer stands in row 2'],
    [4, nobody],
    [5, nobody],
    [6, nobody],
    [7, expect.stringContaining('Several customers have this organization and email')],
  ]);
});

test('an employee imports contacts, but neither direct billing nor the file of a manager', async () => {
  const { scope: employee } = await people.join(admin, { type: 'MSP_EMPLOYEE' });
  const { importId, rows } = await preview(
    employee,
    file([named('One'), named('Two', { billing_billDirectly: 'yes' })]),
  );
  expect(rows).toMatchObject({ new: 1, faulty: 1 });
  expect(await rowsOf(employee, importId, 'faulty')).toMatchObject([
    {
      faults: [{ column: 'billing_billDirectly', reason: expect.stringContaining('Only owners and admin') }],
    },
  ]);
  const managers = await preview(admin, file([named('Three', { billing_billDirectly: 'true' })]));
  await expect(imports.start(employee, managers.importId, 'all')).rejects.toMatchObject({
    code: 'forbidden',
  });
});

test('uploads and imports of another organisation do not exist', async () => {
  const stranger = (await people.organisation('Others')).scope;
  const key = await put(admin, file([good]));
  await expect(imports.finish(stranger, { key, preview: true })).rejects.toMatchObject({ code: 'not_found' });
  const { importId } = await imports.finish(admin, { key, preview: true });
  for (const ask of [
    () => imports.get(stranger, importId),
    () => imports.rows(stranger, importId, { pageSize: 50 }),
    () => imports.rejects(stranger, importId),
    () => imports.start(stranger, importId, 'all'),
    () => imports.discard(stranger, importId),
  ]) {
    await expect(ask()).rejects.toMatchObject({ code: 'not_found' });
  }
  expect(await imports.list(stranger)).toEqual([]);
});

test('a thrown away file is gone and can be neither started nor looked at', async () => {
  const { importId } = await preview(admin, file([good]));
  await imports.discard(admin, importId);
  await expect(imports.start(admin, importId, 'all')).rejects.toMatchObject({ code: 'not_found' });
  expect(await imports.list(admin)).toEqual([]);
  expect(await namesOf(admin)).toEqual([]);
});

test('what a crash left is taken up by the sweep, and every customer is in the audit log', async () => {
  const { importId } = await preview(admin, file([named('One'), named('Two')]));
  await imports.start(admin, importId, 'all');
  people.clock.forward(10_000);
  await imports.sweep();
  expect(await imports.get(admin, importId)).toMatchObject({ state: 'done' });
  const log = await database.systemDb
    .selectFrom('audit_log')
    .select(['action', 'actor_id'])
    .where('organisation_id', '=', admin.organisationId)
    .where('action', '=', 'customers.create')
    .execute();
  expect(log).toEqual(Array(2).fill({ action: 'customers.create', actor_id: admin.userId }));
  expect((await verifyAuditChain(database.systemDb, admin.organisationId)).broken).toBeNull();
});

test('the sample imports as it is', async () => {
  expect(await importAll(admin, exporting.sample())).toMatchObject({
    state: 'done',
    rows: { new: 2, faulty: 0 },
  });
});
