import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { csvFile, csvHeader, goodRow, namedRow } from '../../../../tests/support/customer-file.ts';
import { type ImportStand, openImportStand } from '../../../../tests/support/import-stand.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import { csvLimits, requiredColumns } from '../../../contracts/values/customer-csv.ts';
import { noMarkups } from '../../../contracts/values/money.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { createImports } from './index.ts';

let stand: ImportStand;
let admin: Scope;

beforeAll(async () => {
  stand = await openImportStand();
});
afterAll(() => stand.close());
beforeEach(async () => {
  admin = (await stand.people.organisation()).scope;
});

test.each([
  ['UTF-8 with a mark', (text: string) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16 as Excel writes it', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16 without a mark', (text: string) => Buffer.from(text, 'utf16le')],
  ['UTF-16, big end first', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
])('%s is understood', async (_name, encode) => {
  await stand.importAll(admin, encode(csvFile([namedRow('Müller AG', { contacts_owner_city: 'Zürich' })])));
  const rows = await stand.listed(admin);
  expect(rows[0]?.contacts.owner).toMatchObject({ organization: 'Müller AG', city: 'Zürich' });
});

test('semicolons, tabs, a "sep=" line, empty lines, quoted line ends and other cases of letters are understood', async () => {
  const upper = (text: string) => text.replace(/^[^\r\n]+/, (header) => header.toUpperCase());
  await stand.importAll(admin, csvFile([namedRow('Semicolon')], csvHeader, ';'));
  await stand.importAll(admin, `sep=\t\r\n${csvFile([namedRow('Tab')], csvHeader, '\t')}`);
  await stand.importAll(admin, upper(`${csvFile([namedRow('Case')])}\r\n\r\n`).replaceAll('\r\n', '\n'));
  expect(await stand.namesOf(admin)).toEqual(['Case', 'Semicolon', 'Tab']);
  const rows = csvFile([namedRow('Fine'), namedRow('Bad', { contacts_owner_city: 'New\r\nYork' })]);
  const { importId } = await stand.preview(admin, rows.replace('\r\n', '\r\n\r\n'));
  expect(await stand.rowsOf(admin, importId, 'faulty')).toMatchObject([
    { row: 4, faults: [{ column: 'contacts_owner_city' }] },
  ]);
});

test('a row with more cells than there are columns is faulty; empty ones at its end are none', async () => {
  const file = `${csvFile([namedRow('Fine')])},"",""\r\n${csvFile([namedRow('Shifted')]).split('\r\n')[1]},"more"`;
  const { importId, rows } = await stand.preview(admin, file);
  expect(rows).toMatchObject({ new: 1, faulty: 1 });
  expect(await stand.rowsOf(admin, importId, 'faulty')).toMatchObject([
    { organization: 'Shifted', faults: [{ reason: 'The row has more cells than there are columns' }] },
  ]);
});

test('empty cells of Admin and Billing are copied from the owner, one by one; missing columns leave what is there', async () => {
  const withAdmin = [...csvHeader, 'contacts_admin_firstName', 'contacts_admin_email'];
  await stand.importAll(admin, csvFile([namedRow('One', { contacts_admin_firstName: 'Zoe' })], withAdmin));
  const [made] = await stand.listed(admin);
  expect(made?.contacts.admin).toEqual({ ...made?.contacts.owner, firstName: 'Zoe' });
  expect(made?.contacts.billing).toEqual(made?.contacts.owner);
  await stand.importAll(admin, csvFile([namedRow('One', { contacts_owner_city: 'Boston' })]));
  const [after] = await stand.listed(admin);
  expect(after?.contacts.owner.city).toBe('Boston');
  expect(after?.contacts.admin).toEqual(made?.contacts.admin);
  // Neither has the file columns for these.
  const markup = { type: 'percentage' as const, value: 10 };
  const markups = { ...noMarkups, domain: { purchase: markup, renewal: markup } };
  await stand.people.customers.update(admin, after?.customerId ?? '', {
    ...{ markups, contacts: contactsOf({ ...after?.contacts.owner, address2: 'Floor 3' }) },
  });
  await stand.importAll(admin, csvFile([namedRow('One', { contacts_owner_city: 'Chicago' })]));
  const [last] = await stand.listed(admin);
  expect(last).toMatchObject({ markups, contacts: { owner: { city: 'Chicago', address2: 'Floor 3' } } });
});

test.each<[string, () => string | Buffer, string]>([
  ['nothing', () => '', 'The file is empty.'],
  ['a PNG', () => Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'This is a picture'],
  ['an Excel workbook', () => Buffer.from('504b030414000600', 'hex'), 'This is an Excel workbook'],
  ['NUL bytes', () => `${csvFile([goodRow])}\0\0`, 'This is not a text file.'],
  ['100,000 columns', () => Array.from({ length: 100_000 }, (_, n) => `c${n}`).join(','), 'too many columns'],
  ['501 columns', () => Array.from({ length: 501 }, (_, n) => `c${n}`).join(','), 'too many columns'],
  ['a record of 17 KB', () => csvFile([namedRow('x'.repeat(17_000))]), 'Row 2 is too long'],
  ['a quote left open', () => `${csvFile([goodRow])}\r\n"oops`, 'Row 3 cannot be read'],
  ['a missing column', () => csvFile([goodRow], csvHeader.slice(1)), 'Required columns are missing'],
  ['a column twice', () => csvFile([goodRow], [...csvHeader, csvHeader[0] ?? '']), 'twice'],
  [
    '10,001 rows',
    () => `${csvFile([])}${'\r\na'.repeat(csvLimits.rows + 1)}`,
    'The file has more than 10,000 rows',
  ],
])('%s is refused as a whole, in words', async (_name, contents, message) => {
  await expect(stand.preview(admin, contents())).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining(message),
    error: expect.any(String),
  });
  expect(await stand.imports.list(admin)).toEqual([]);
});

test('of a file that is too large no more than the limit is read', async () => {
  let read = 0;
  const endless = new Readable({
    read() {
      read += 65_536;
      this.push(Buffer.alloc(65_536, 'a,'));
    },
  });
  const { keyName } = await stand.imports.grant(admin);
  const bucket = createImports({
    ...stand.database,
    clock: stand.people.clock,
    newId,
    storage: { ...stand.storage, read: async () => ({ stream: endless, bytes: 1, contentType: 'text/csv' }) },
  });
  await expect(bucket.finish(admin, { key: keyName, preview: true })).rejects.toMatchObject({
    message: expect.stringContaining('larger than 5 MB'),
  });
  expect(read).toBeLessThan(csvLimits.bytes + 3 * 65_536);
  expect(endless.destroyed).toBe(true);
});

test('each of the required columns is named when it is missing', async () => {
  expect([...requiredColumns].sort()).toEqual([...csvHeader].sort());
  for (const missing of requiredColumns) {
    const others = csvHeader.filter((name) => name !== missing);
    await expect(stand.preview(admin, csvFile([goodRow], others)), missing).rejects.toMatchObject({
      message: expect.stringContaining('Required columns are missing'),
      error: expect.stringContaining(missing),
    });
  }
});
