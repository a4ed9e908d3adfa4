import { expect, test } from 'vitest';
import { logoProblem, readInChunks } from './api.ts';

const megabyte = 1024 * 1024;
const file = (name: string, type: string, bytes = 10) => new File([new Uint8Array(bytes)], name, { type });

test.each([
  ['logo.gif', 'image/gif', 10, 'Invalid file type. Only .png, and .jpg files are allowed.'],
  ['logo.png', 'application/pdf', 10, 'File is invalid'],
  ['logo.png', 'image/png', 2 * megabyte + 1, 'Max file size is 2MB'],
  ['LOGO.PNG', 'image/png', 2 * megabyte, null],
  ['logo.jpg', 'image/jpeg', 10, null],
] as const)('%s of type %s with %i bytes: %s', (name, type, bytes, message) => {
  expect(logoProblem([file(name, type, bytes)])).toBe(message);
});

test('exactly one file: none and two are refused', () => {
  const good = file('logo.png', 'image/png');
  expect([logoProblem([]), logoProblem([good, good])]).toEqual(['File is invalid', 'File is invalid']);
});

test('the file is read in 1 MB chunks, whole and in order', async () => {
  const bytes = Uint8Array.from({ length: 1.5 * megabyte }, (_, at) => at % 251);
  const shares: number[] = [];
  const read = await readInChunks(new File([bytes], 'logo.png'), (share) => shares.push(share));
  expect(shares).toEqual([2 / 3, 1]);
  expect(Buffer.from(await read.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
});
