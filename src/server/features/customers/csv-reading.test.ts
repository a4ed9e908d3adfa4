import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { csvFile, namedRow } from '../../../../tests/support/customer-file.ts';
import type { Charset } from '../../../contracts/values/charsets.ts';
import { csvLimits, requiredColumns } from '../../../contracts/values/customer-csv.ts';
import { knownColumns, readCsv, requireColumns } from './csv-reading.ts';
import { checkRows } from './import-check.ts';

const read = (bytes: Buffer, charset: Charset | null = null) => readCsv(Readable.from([bytes]), charset);
const text = csvFile([namedRow('Müller AG', { contacts_owner_city: 'Zürich' })]);
const cellsOf = async (bytes: Buffer, charset: Charset | null = null) => {
  const file = await read(bytes, charset);
  return 'records' in file
    ? file.records.flatMap(({ cells }) => cells)
    : file.choices.map((choice) => choice.charset);
};

test.each([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
  ['UTF-16 with a mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16 without a mark', Buffer.from(text, 'utf16le')],
])('%s is read without a question', async (_name, bytes) => {
  expect(await cellsOf(bytes)).toContain('Müller AG');
});

test.each<[string, Buffer]>([
  ['Windows-1252', Buffer.from(text, 'latin1')],
  [
    'one damaged byte in UTF-8',
    Buffer.concat([Buffer.from(text), Buffer.from('\r\n"M'), Buffer.of(0xfc), Buffer.from('"')]),
  ],
])('%s is asked about, never guessed', async (_name, bytes) => {
  expect(await read(bytes)).toEqual({ choices: expect.any(Array) });
  expect(await cellsOf(bytes)).toContain('utf-8');
  expect(await cellsOf(bytes)).toContain('windows-1252');
});

test('a file is read as the person says, and what cannot be read even so is marked, not invented', async () => {
  expect(await cellsOf(Buffer.from(text, 'latin1'), 'windows-1252')).toContain('Zürich');
  expect(await cellsOf(Buffer.from(text, 'latin1'), 'utf-8')).toContain('Z\ufffdrich');
  // A mark at the start of the file is surer than a person.
  expect(await cellsOf(Buffer.from(`\ufeff${text}`), 'windows-1252')).toContain('Zürich');
  expect(
    await cellsOf(Buffer.concat([Buffer.from(`\ufeff${text}\r\n"M`), Buffer.of(0xfc), Buffer.from('"')])),
  ).toContain('M\ufffd');
});

const numbersOf = async (contents: string) => {
  const file = await read(Buffer.from(contents));
  return 'records' in file ? file.records.map(({ number, cells }) => [number, ...cells]) : [];
};

test.each([
  ['a plain file', 'a,b\n1,2\n\n,\n3,4', 2],
  ['a file that says what separates', 'sep=;\r\na;b\r\n1;2\r\n\r\n;\r\n3;4', 3],
])('rows are counted as a spreadsheet counts them, empty ones too: %s', async (_name, contents, first) => {
  // An empty line is no record of the reader's; a line of empty cells is a row.
  const found = await numbersOf(contents);
  expect(found.map(([, ...cells]) => cells)).toEqual([
    ['1', '2'],
    ['3', '4'],
  ]);
  expect(found[0]?.[0]).toBe(first);
  expect(found[1]?.[0]).toBe(first + 3);
});

test.each([
  [',', 'a,b;c,d'],
  [';', 'a;b,c;d'],
  ['\t', 'a\tb,c\td'],
  // As many of each: the comma.
  [',', 'a,b;c'],
])('what separates is what the first line has most of: %j in %j', async (delimiter, header) => {
  const file = await read(Buffer.from(`${header}\n1;2;3;4;5,6`));
  expect('columns' in file && file.columns).toEqual(header.split(delimiter));
});

test('spaces around a cell are none of it, and lines may end in any way', async () => {
  for (const end of ['\n', '\r\n', '\r']) {
    expect(await numbersOf(['a,b', ' 1 ,"2 "', ''].join(end))).toEqual([[2, '1', '2 ']]);
  }
});

const refusalOf = (contents: string | Buffer) =>
  read(Buffer.from(contents)).then(
    () => null,
    ({ message, error }) => [message, error],
  );

test('a file has 500 columns and no more, 10,000 rows and no more', async () => {
  const columns = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`).join(',');
  const rows = (count: number) => `a${'\n1'.repeat(count)}`;
  expect([await refusalOf(columns(500)), await refusalOf(rows(10_000))]).toEqual([null, null]);
  expect(await refusalOf(columns(501))).toEqual([expect.stringContaining('too many columns'), '501 columns']);
  expect(await refusalOf(rows(10_001))).toEqual([
    'The file has more than 10,000 rows. Please split it into several files.',
    'more than 10000 rows',
  ]);
  // Far too many cells in one line are refused before anything is made of them.
  const wide = (count: number) => `a\n${','.repeat(count)}\n${','.repeat(count)}`;
  expect(await refusalOf(wide(5_000))).toBeNull();
  expect((await refusalOf(wide(5_001)))?.[1]).toBe('more than 5000 columns');
});

test('a file has five megabytes and no more', async () => {
  const line = `${'x'.repeat(9_999)}\n`;
  const ofSize = (bytes: number) => Buffer.from(line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes));
  expect(await refusalOf(ofSize(csvLimits.bytes))).toBeNull();
  expect(await refusalOf(ofSize(csvLimits.bytes + 1))).toEqual([
    'The file is larger than 5 MB. Please split it into several files.',
    'more than 5000000 bytes',
  ]);
});

test.each([
  ['89504e47', 'a picture', 'PNG'],
  ['ffd8ffe0', 'a picture', 'JPEG'],
  ['47494638', 'a picture', 'GIF'],
  ['52494646', 'a picture', 'RIFF'],
  ['25504446', 'a PDF document', 'PDF'],
  ['504b0304', 'an Excel workbook or an archive', 'ZIP'],
  ['d0cf11e0', 'an Excel workbook', 'OLE'],
  ['1f8b0800', 'an archive', 'gzip'],
])('what begins with %s is said to be %s', async (start, what, kind) => {
  const bytes = Buffer.concat([Buffer.from(start, 'hex'), Buffer.from('a,b\n1,2')]);
  expect(await refusalOf(bytes)).toEqual([
    `This is ${what}, not a CSV file. Please choose a CSV file, for example one that was saved from a spreadsheet as "CSV".`,
    `contents are ${kind}`,
  ]);
});

test('a file of nothing but space is empty, and of one that is damaged the row is named', async () => {
  expect(await refusalOf(' \n\t\n')).toEqual(['The file is empty.', 'empty file']);
  expect(await refusalOf('sep=;\na;b\n1;2\n3;"4')).toEqual([
    ...['Row 4 cannot be read. Is there a missing or extra quotation mark?', expect.stringMatching(/^CSV_/)],
  ]);
  expect(await refusalOf(`a,b\n1,2\n${'x'.repeat(17_000)},3\n4,5`)).toEqual([
    ...['Row 3 is too long. Is a quotation mark missing?', 'row 3 is longer than 16000 bytes'],
  ]);
});

test('our columns are known in any case, and each is there once', () => {
  expect(knownColumns(['CUSTOMERID', 'Import_Problem', 'Motto'])).toEqual([
    ...['customerId', 'import_problem', 'Motto'],
  ]);
  const refusal = (columns: string[]) => {
    try {
      requireColumns(columns);
      return null;
    } catch (error) {
      return (error as { error: string }).error;
    }
  };
  expect(refusal([...requiredColumns])).toBeNull();
  // One that is not ours may be there twice.
  expect(refusal([...requiredColumns, 'Motto', 'Motto'])).toBeNull();
  expect(refusal([...requiredColumns, 'billing_email', 'billing_email'])).toBe('twice: billing_email');
  expect(refusal(requiredColumns.slice(2))).toBe(`missing: ${requiredColumns.slice(0, 2).join(', ')}`);
});

test('while 10,000 rows are read and checked, a tick of others keeps running', async () => {
  const bytes = Buffer.from(csvFile(Array.from({ length: 10_000 }, (_, n) => namedRow(`Müller ${n}`))));
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 1);
  const file = await read(bytes);
  if (!('records' in file)) throw new Error('a question');
  const rows = await checkRows({
    ...file,
    assumed: [],
    find: async () => [],
    newId: () => 'x',
    refuse: () => [],
  });
  clearInterval(timer);
  expect(rows.filter(({ kind }) => kind === 'new')).toHaveLength(10_000);
  expect(ticks).toBeGreaterThan(5);
});
