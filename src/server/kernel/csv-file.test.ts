import { expect, test } from 'vitest';
import { csvFile } from './csv-file.ts';

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
