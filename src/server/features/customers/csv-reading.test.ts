import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { csvFile, namedRow } from '../../../../tests/support/customer-file.ts';
import type { Charset } from '../../../contracts/values/charsets.ts';
import { readCsv } from './csv-reading.ts';
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
