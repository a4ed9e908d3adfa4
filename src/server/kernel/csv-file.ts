import { Readable } from 'node:stream';
import { byteOrderMark, csvLine } from './csv-cell.ts';
import { type Slices, slices } from './give-way.ts';

type Cell = string | number;
/** Written in one step: what a step has made is garbage before the collector looks at it a second time. */
const stepLines = 50;

/** A file for spreadsheets, with a mark for those that guess the character set; a log of a million lines keeps nobody waiting. */
export async function csvFile<T>(
  header: readonly Cell[],
  items: Iterable<T>,
  lineOf: (item: T) => readonly Cell[],
  giveWay: Slices = slices(),
): Promise<Buffer> {
  const lines = [byteOrderMark, csvLine(header)];
  let written = 0;
  for (const item of items) {
    lines.push(csvLine(lineOf(item)));
    written += 1;
    if (written % stepLines > 0) continue;
    const wait = giveWay();
    if (wait !== undefined) await wait;
  }
  return Buffer.from(lines.join(''));
}

/** The same for what is read a page at a time: however long the file is, two pages are in memory. */
export function csvStream<T>(
  header: readonly Cell[],
  pages: AsyncIterable<readonly T[]>,
  lineOf: (item: T) => readonly Cell[],
): Readable {
  async function* pieces() {
    yield `${byteOrderMark}${csvLine(header)}`;
    for await (const page of readAhead(pages)) {
      for (let at = 0; at < page.length; at += stepLines) {
        let step = '';
        for (const item of page.slice(at, at + stepLines)) step += csvLine(lineOf(item));
        yield step;
      }
    }
  }
  return Readable.from(pieces());
}

/** The next one is read while the one before is written. */
async function* readAhead<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  const reading = pages[Symbol.asyncIterator]();
  try {
    for (let next = reading.next(); ; ) {
      const { done, value } = await next;
      if (done) return;
      next = reading.next();
      // Should it fail, it does so when its turn comes, or nobody wants it any more.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await reading.return?.();
  }
}
