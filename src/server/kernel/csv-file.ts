import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { csvFormat } from './csv-cell.ts';
import { type Slices, slices } from './give-way.ts';

type Cell = string | number;
/** Written in one step. */
const stepLines = 50;

/** A file for spreadsheets, with a mark for those that guess the character set; a log of a million lines keeps nobody waiting. */
export async function csvFile<T>(
  header: readonly Cell[],
  items: Iterable<T>,
  lineOf: (item: T) => readonly Cell[],
  giveWay: Slices = slices(),
): Promise<Buffer> {
  const parts = [stringify([header], { ...csvFormat, bom: true })];
  let step: (readonly Cell[])[] = [];
  const write = () => {
    parts.push(stringify(step, csvFormat));
    step = [];
  };
  for (const item of items) {
    if (step.push(lineOf(item)) < stepLines) continue;
    write();
    const wait = giveWay();
    if (wait !== undefined) await wait;
  }
  if (step.length > 0) write();
  return Buffer.from(parts.join(''));
}

/** The same for what is read a page at a time: however long the file is, one page is in memory. */
export function csvStream<T>(
  header: readonly Cell[],
  pages: AsyncIterable<readonly T[]>,
  lineOf: (item: T) => readonly Cell[],
): Readable {
  async function* pieces() {
    yield stringify([header], { ...csvFormat, bom: true });
    for await (const page of pages) yield stringify(page.map(lineOf), csvFormat);
  }
  return Readable.from(pieces());
}
