import { AppError } from '#contracts/errors.ts';
import { type Charset, type CharsetChoice, charsetChoices } from '#contracts/values/charsets.ts';
import { csvLimits } from '#contracts/values/customer-csv.ts';
import type { Slices } from '#kernel/give-way.ts';

/** From the bytes of an uploaded file to its text, or to the question in which character set they are. */

export const advice = 'Please choose a CSV file, for example one that was saved from a spreadsheet as "CSV".';

/** A refusal of the whole file: what a person reads, and a short technical text (P1 §4). */
export function refusal(message: string, error: string): AppError {
  return new AppError('unprocessable', { message, error });
}

export function tooLarge(): AppError {
  const megabytes = csvLimits.bytes / 1_000_000;
  return refusal(
    `The file is larger than ${megabytes} MB. Please split it into several files.`,
    `more than ${csvLimits.bytes} bytes`,
  );
}

/** Stops at the first sign that it is no text, having read no more than the limit. */
export async function bytesOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
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
  if (!evident(bytes) && bytes.includes(0)) throw noText('NUL bytes');
}

function noText(what: string): AppError {
  return refusal(`This is not a text file. ${advice}`, `the file contains ${what}`);
}

/** What a file says itself: a mark at its start, or the zeros of UTF-16 beside the Latin letters of its header. */
function evident(bytes: Buffer): Charset | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  const sample = bytes.subarray(0, 64);
  const zeros = (offset: number) =>
    sample.length >= 8 && sample.every((byte, index) => (index % 2 === offset ? byte === 0 : byte !== 0));
  if (zeros(1)) return 'utf-16le';
  return zeros(0) ? 'utf-16be' : null;
}

export type Decoded = { text: string } | { choices: CharsetChoice[] };

/**
 * The text, where the bytes leave no doubt or a person said how to read them. Otherwise the ways to read them: a guess
 * would be stored as somebody's name. What cannot be read even so becomes U+FFFD, which the rules of each field refuse.
 */
export async function decode(bytes: Buffer, said: Charset | null, giveWay: Slices): Promise<Decoded> {
  const sure = evident(bytes);
  const charset = sure ?? said;
  const text = await read(bytes, charset ?? 'utf-8', { fatal: charset === null, giveWay });
  if (text === null) return { choices: charsetChoices(await foreignCells(bytes, giveWay)) };
  if (text.includes('\0')) throw noText('NUL characters');
  return { text };
}

/** Bytes are read in pieces, so that others get their turn in between. */
const pieceBytes = 131_072;

async function read(
  bytes: Buffer,
  charset: Charset,
  { fatal, giveWay }: { fatal: boolean; giveWay: Slices },
): Promise<string | null> {
  const decoder = new TextDecoder(charset, { fatal });
  const pieces: string[] = [];
  try {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      pieces.push(decoder.decode(bytes.subarray(start, start + pieceBytes), { stream: true }));
      await giveWay();
    }
    pieces.push(decoder.decode());
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
  return pieces.join('');
}

/** Enough to compare by; a file of another alphabet has little else. */
const mostCells = 2_000;
const longestCell = 200;
const separators = new Set([...'\r\n,;\t"'].map((char) => char.charCodeAt(0)));

/** The different cells that are no ASCII, as bytes; those that are no UTF-8 first. Separators are alike in all sets. */
async function foreignCells(bytes: Buffer, giveWay: Slices): Promise<Uint8Array[]> {
  const found = new Map<string, Buffer>();
  let start = 0;
  let ascii = true;
  for (let index = 0; index <= bytes.length && found.size < mostCells; index += 1) {
    const byte = bytes[index] ?? 10;
    if (byte > 127) ascii = false;
    if (!separators.has(byte)) continue;
    if (!ascii && index - start <= longestCell) {
      const cell = bytes.subarray(start, index);
      found.set(cell.toString('latin1'), cell);
    }
    start = index + 1;
    ascii = true;
    if (index % 64 === 0) await giveWay();
  }
  const damaged = (cell: Buffer) => cell.toString('utf8').includes('\ufffd');
  const cells = [...found.values()];
  return [...cells.filter(damaged), ...cells.filter((cell) => !damaged(cell))];
}
