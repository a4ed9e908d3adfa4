import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { csvFormat } from './csv-cell.ts';
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

/** The same for what is read a page at a time: however long the file is, two pages are in memory. */
export function csvStream<T>(
  header: readonly Cell[],
  pages: AsyncIterable<readonly T[]>,
  lineOf: (item: T) => readonly Cell[],
): Readable {
  async function* pieces() {
    yield stringify([header], { ...csvFormat, bom: true });
    for await (const page of readAhead(pages)) {
      for (let at = 0; at < page.length; at += stepLines) {
        yield stringify(page.slice(at, at + stepLines).map(lineOf), csvFormat);
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
