import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { AppError } from '#contracts/errors.ts';
import { csvColumns, csvLimits, problemColumn, requiredColumns } from '#contracts/values/customer-csv.ts';
import { plainCell } from '#kernel/csv-cell.ts';

export interface CsvRecord {
  /** As a spreadsheet counts: the header is row 1. */
  number: number;
  cells: string[];
}

export interface CsvFile {
  columns: string[];
  records: CsvRecord[];
}

const advice = 'Please choose a CSV file, for example one that was saved from a spreadsheet as "CSV".';
/** Text is handed on in pieces, so that others get their turn in between. */
const pieceChars = 65_536;
const yieldEvery = 250;

/**
 * Reads an uploaded file: UTF-8 with or without a mark, UTF-16, or what older Excel writes; commas, semicolons or
 * tabs. Stops at the first sign that it is none, having read no more than the limit.
 */
export async function readCsv(stream: NodeJS.ReadableStream): Promise<CsvFile> {
  const text = decode(await bytesOf(stream));
  if (text.trim() === '') throw refusal('The file is empty.', 'empty file');
  // Excel's own first line, saying what separates.
  const told = /^sep=(.)\r?\n/i.exec(text);
  const body = told ? text.slice(told[0].length) : text;
  const delimiter = told?.[1] ?? delimiterOf(body);
  refuseWideLines(body, delimiter);
  const records = await recordsOf(body, delimiter, told ? 2 : 1);
  const [header, ...rest] = records;
  if (!header) throw refusal('The file is empty.', 'empty file');
  return { columns: columnsOf(header.cells), records: rest };
}

/** A refusal of the whole file: what a person reads, and a short technical text (P1 §4). */
function refusal(message: string, error: string): AppError {
  return new AppError('unprocessable', { message, error });
}

async function bytesOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const parts: Buffer[] = [];
  let total = 0;
  for await (const part of stream) {
    const bytes = Buffer.from(part);
    if (total === 0) refuseForeign(bytes);
    total += bytes.length;
    if (total > csvLimits.bytes) throw tooLarge();
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

export function tooLarge(): AppError {
  const megabytes = csvLimits.bytes / 1_000_000;
  return refusal(
    `The file is larger than ${megabytes} MB. Please split it into several files.`,
    `more than ${csvLimits.bytes} bytes`,
  );
}

/** First bytes of files that people rename or choose by mistake. */
const foreign: readonly (readonly [string, string, string])[] = [
  ['89504e47', 'a picture', 'PNG'],
  ['ffd8ff', 'a picture', 'JPEG'],
  ['47494638', 'a picture', 'GIF'],
  ['52494646', 'a picture', 'RIFF'],
  ['25504446', 'a PDF document', 'PDF'],
  ['504b0304', 'an Excel workbook or an archive', 'ZIP'],
  ['d0cf11e0', 'an Excel workbook', 'OLE'],
  ['1f8b', 'an archive', 'gzip'],
];

function refuseForeign(bytes: Buffer): void {
  const start = bytes.subarray(0, 4).toString('hex');
  const found = foreign.find(([magic]) => start.startsWith(magic));
  if (found) throw refusal(`This is ${found[1]}, not a CSV file. ${advice}`, `contents are ${found[2]}`);
  if (encodingOf(bytes) === 'utf-8' && bytes.includes(0)) throw noText('NUL bytes');
}

function noText(what: string): AppError {
  return refusal(`This is not a text file. ${advice}`, `the file contains ${what}`);
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

function encodingOf(bytes: Buffer): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // Without a mark: the header's letters are Latin, so every other byte is zero.
  const sample = bytes.subarray(0, 64);
  const zeros = (offset: number) =>
    sample.length >= 8 && sample.every((byte, index) => (index % 2 === offset ? byte === 0 : byte !== 0));
  if (zeros(1)) return 'utf-16le';
  return zeros(0) ? 'utf-16be' : 'utf-8';
}

function decode(bytes: Buffer): string {
  const encoding = encodingOf(bytes);
  const text = encoding === 'utf-8' ? utf8OrOlder(bytes) : new TextDecoder(encoding).decode(bytes);
  if (text.includes('\0')) throw noText('NUL characters');
  return text;
}

/** Excel's plain "CSV" is in the system's old character set; in the West that is Windows-1252. */
function utf8OrOlder(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const delimiters = [',', ';', '\t'] as const;

function delimiterOf(text: string): string {
  const end = text.search(/[\r\n]/);
  const line = (end < 0 ? text : text.slice(0, end)).slice(0, csvLimits.recordBytes);
  const count = (delimiter: string) => line.split(delimiter).length;
  return delimiters.reduce((best, next) => (count(next) > count(best) ? next : best));
}

/** A line of a hundred thousand columns is refused before anything is made of it. */
function refuseWideLines(text: string, delimiter: string): void {
  const separator = delimiter.charCodeAt(0);
  const mostInLine = csvLimits.columns * 10;
  let inLine = 0;
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charCodeAt(index);
    if (char === 10 || char === 13) inLine = 0;
    else if (char === separator) {
      inLine += 1;
      if (inLine > mostInLine) {
        throw refusal(
          'The file has too many columns. Please use the columns of the sample file.',
          `more than ${mostInLine} columns`,
        );
      }
    }
  }
}

async function recordsOf(text: string, delimiter: string, firstRow: number): Promise<CsvRecord[]> {
  const parser = parse({
    delimiter,
    relax_column_count: true,
    max_record_size: csvLimits.recordBytes,
    trim: true,
  });
  const source = Readable.from(piecesOf(text));
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  const records: CsvRecord[] = [];
  let number = firstRow - 1;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      number += 1;
      if (number % yieldEvery === 0) await setImmediate();
      // A line left empty counts, as it does in a spreadsheet, and says nothing.
      if (cells.every((cell) => cell === '')) continue;
      records.push({ number, cells: cells.map(plainCell) });
      if (records.length > csvLimits.rows + 1) {
        throw refusal(
          `The file has more than ${csvLimits.rows.toLocaleString('en-US')} rows. Please split it into several files.`,
          `more than ${csvLimits.rows} rows`,
        );
      }
    }
  } catch (error) {
    if (error instanceof CsvError) throw malformed(error, firstRow + parsedBefore(error));
    throw error;
  } finally {
    source.destroy();
  }
  return records;
}

function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += pieceChars) yield text.slice(start, start + pieceChars);
}

/** Records that were read whole before the one that failed; those still on their way to us are lost with it. */
function parsedBefore(error: CsvError): number {
  return typeof error.records === 'number' ? error.records : 0;
}

function malformed(error: CsvError, row: number): AppError {
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return refusal(
      `Row ${row} is longer than a customer can be. Is a quotation mark missing?`,
      `row ${row} is longer than ${csvLimits.recordBytes} bytes`,
    );
  }
  return refusal(`Row ${row} cannot be read. Is a quotation mark missing or too many?`, error.code);
}

/** The known columns that the header names, whatever their case. */
function columnsOf(header: readonly string[]): string[] {
  const known = new Map([...csvColumns, problemColumn].map((name) => [name.toLowerCase(), name]));
  if (header.length > csvLimits.columns) {
    throw refusal(
      'The file has too many columns. Please use the columns of the sample file.',
      `${header.length} columns`,
    );
  }
  const columns = header.map((name) => known.get(name.toLowerCase()) ?? name);
  const missing = requiredColumns.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw refusal('Required columns are missing from the first row.', `missing: ${missing.join(', ')}`);
  }
  const unknown = columns.filter((name) => !known.has(name.toLowerCase()));
  if (unknown.length > 0) {
    const named = unknown.map((name) => (name === '' ? '(no name)' : name.slice(0, 60))).join(', ');
    throw refusal('The first row has columns that are not known.', `unknown: ${named}`);
  }
  const twice = columns.filter((name, index) => columns.indexOf(name) !== index);
  if (twice.length > 0)
    throw refusal('A column stands in the first row twice.', `twice: ${twice.join(', ')}`);
  return columns;
}
