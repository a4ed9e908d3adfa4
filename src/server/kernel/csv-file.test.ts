import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { csvFile, csvStream } from './csv-file.ts';

test('a file is written in steps of 50 lines, and is the same as in one piece', async () => {
  let steps = 0;
  const numbers = Array.from({ length: 1_001 }, (_, n) => n);
  const lineOf = (n: number) => [n, `a "quoted", cell ${n}`];
  const file = await csvFile(['Number', 'Text'], numbers, lineOf, () => {
    steps += 1;
    return undefined;
  });
  expect(steps).toBe(20);
  const rows = file.toString('utf8').split('\r\n');
  expect(rows.slice(0, 2)).toEqual(['\ufeffNumber,Text', '0,"a ""quoted"", cell 0"']);
  expect(rows).toHaveLength(1_003);
  expect(rows.at(-2)).toBe('1000,"a ""quoted"", cell 1000"');
});

test('a file without lines has its header', async () => {
  expect((await csvFile(['Number'], [], () => [])).toString('utf8')).toBe('\ufeffNumber\r\n');
});

/** Pages of numbers, and what becomes of those who read them. */
function pagesOf(pages: readonly (readonly number[])[], failsAt = Number.POSITIVE_INFINITY) {
  const seen = { asked: 0, ended: false };
  async function* read() {
    try {
      for (const page of pages) {
        seen.asked += 1;
        if (seen.asked === failsAt) throw new Error('the database is gone');
        yield page;
      }
    } finally {
      seen.ended = true;
    }
  }
  return { pages: read(), seen };
}
const line = (n: number) => [n];

test('a stream has each line of each page once and in order, also of pages without any', async () => {
  const long = Array.from({ length: 101 }, (_, n) => n + 10);
  const { pages, seen } = pagesOf([[1], [], [2, 3], long]);
  const rows = (await text(csvStream(['Number'], pages, line))).split('\r\n');
  expect(rows).toEqual(['\ufeffNumber', ...[1, 2, 3, ...long].map(String), '']);
  expect(seen).toEqual({ asked: 4, ended: true });
});

/** Of so many lines that a page is written in several steps. */
const wide = Array.from({ length: 4 }, (_, page) => Array.from({ length: 400 }, (_, n) => page * 400 + n));

test('the next page is read while one is written, and none beyond it', async () => {
  const { pages, seen } = pagesOf(wide);
  const pieces = csvStream(['Number'], pages, line)[Symbol.asyncIterator]();
  await pieces.next();
  expect(String((await pieces.next()).value)).toMatch(/^0\r\n/);
  await expect.poll(() => seen.asked).toBe(2);
  await pieces.return?.();
});

test('a page that cannot be read ends the stream with its error, behind all pages before it', async () => {
  const { pages, seen } = pagesOf([[1], [2], [3]], 3);
  const got: string[] = [];
  const read = async () => {
    for await (const piece of csvStream(['Number'], pages, line)) got.push(String(piece));
  };
  await expect(read()).rejects.toThrow('the database is gone');
  expect(got.join('')).toBe('\ufeffNumber\r\n1\r\n2\r\n');
  expect(seen.ended).toBe(true);
});

test('who goes away in the middle ends the reading, also when the page that was read ahead failed', async () => {
  for (const failsAt of [2, 4]) {
    const { pages, seen } = pagesOf(wide, failsAt);
    const stream = csvStream(['Number'], pages, line);
    for await (const piece of stream) if (String(piece).startsWith('0')) break;
    await expect.poll(() => seen.ended).toBe(true);
  }
});
