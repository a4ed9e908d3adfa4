import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { AppError } from '#contracts/errors.ts';
import type { Charset, CharsetChoice } from '#contracts/values/charsets.ts';
import {
  csvColumns,
  csvLimits,
  problemColumn,
  requiredColumns,
  suggestionColumn,
} from '#contracts/values/customer-csv.ts';
import { countText } from '#contracts/values/format.ts';
import { plainCell } from '#kernel/csv-cell.ts';
import { type Slices, slices } from '#kernel/give-way.ts';
import { bytesOf, decode, refusal } from './csv-text.ts';

export interface CsvRecord {
  /** As a spreadsheet counts: the header is row 1. */
  number: number;
  cells: string[];
}

export interface CsvFile {
  columns: string[];
  records: CsvRecord[];
}

/** Text is handed on in pieces, so that others get their turn in between. */
const pieceChars = 16_384;

/**
 * Reads an uploaded file with commas, semicolons or tabs. It is UTF-8 or UTF-16, or in the character set that a person
 * says; without their word, in what sets it may be.
 */
export async function readCsv(
  stream: NodeJS.ReadableStream,
  charset: Charset | null,
): Promise<CsvFile | { choices: CharsetChoice[] }> {
  const giveWay = slices();
  const decoded = await decode(await bytesOf(stream), charset, giveWay);
  if ('choices' in decoded) return decoded;
  const { text } = decoded;
  if (text.trim() === '') throw refusal('The file is empty.', 'empty file');
  // Excel's own first line, saying what separates.
  const told = /^sep=(.)\r?\n/i.exec(text);
  const body = told ? text.slice(told[0].length) : text;
  const delimiter = told?.[1] ?? delimiterOf(body);
  await refuseWideLines(body, delimiter, giveWay);
  const [header, ...records] = await recordsOf(body, { delimiter, firstRow: told ? 2 : 1, giveWay });
  if (!header) throw refusal('The file is empty.', 'empty file');
  if (header.cells.length > csvLimits.columns) {
    throw refusal(
      'The file has too many columns. Please use the columns of the sample file.',
      `${header.cells.length} columns`,
    );
  }
  return { columns: header.cells, records };
}

const delimiters = [',', ';', '\t'] as const;

function delimiterOf(text: string): string {
  const end = text.search(/[\r\n]/);
  const line = (end < 0 ? text : text.slice(0, end)).slice(0, csvLimits.recordBytes);
  const count = (delimiter: string) => line.split(delimiter).length;
  return delimiters.reduce((best, next) => (count(next) > count(best) ? next : best));
}

/** A line of a hundred thousand columns is refused before anything is made of it. */
async function refuseWideLines(text: string, delimiter: string, giveWay: Slices): Promise<void> {
  const separator = delimiter.charCodeAt(0);
  const mostInLine = csvLimits.columns * 10;
  let inLine = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (index % pieceChars === 0) await giveWay();
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

async function recordsOf(
  text: string,
  { delimiter, firstRow, giveWay }: { delimiter: string; firstRow: number; giveWay: Slices },
): Promise<CsvRecord[]> {
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
      await giveWay();
      // A line left empty counts, as it does in a spreadsheet, and says nothing.
      if (cells.every((cell) => cell === '')) continue;
      records.push({ number, cells: cells.map(plainCell) });
      if (records.length > csvLimits.rows + 1) {
        throw refusal(
          `The file has more than ${countText(csvLimits.rows)} rows. Please split it into several files.`,
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
      `Row ${row} is too long. Is a quotation mark missing?`,
      `row ${row} is longer than ${csvLimits.recordBytes} bytes`,
    );
  }
  return refusal(`Row ${row} cannot be read. Is there a missing or extra quotation mark?`, error.code);
}

/** Our columns that a header names, whatever their case; others stay as they are named, and are not read. */
export function knownColumns(header: readonly string[]): string[] {
  const known = new Map(
    [...csvColumns, problemColumn, suggestionColumn].map((name) => [name.toLowerCase(), name]),
  );
  return header.map((name) => known.get(name.toLowerCase()) ?? name);
}

/** Refuses a file of the specified form that lacks a required column, or names one of ours twice. */
export function requireColumns(columns: readonly string[]): void {
  const missing = requiredColumns.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw refusal('Required columns are missing from the first row.', `missing: ${missing.join(', ')}`);
  }
  const twice = csvColumns.filter((name) => columns.indexOf(name) !== columns.lastIndexOf(name));
  if (twice.length > 0)
    throw refusal('A column appears twice in the first row.', `twice: ${twice.join(', ')}`);
}
