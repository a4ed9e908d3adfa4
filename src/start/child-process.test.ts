import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shortenLog } from './child-process.ts';

test('a log that has grown too long is put aside while it is written, and goes on at its beginning', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nameward-log-'));
  const file = join(folder, 'portal.log');
  // As the child has it open for as long as it lives.
  const open = openSync(file, 'a');
  writeSync(open, 'first\n');
  shortenLog(file, 6);
  expect(readFileSync(file, 'utf8')).toBe('first\n');
  writeSync(open, 'second\n');
  shortenLog(file, 6);
  writeSync(open, 'third\n');
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('first\nsecond\n');
  expect(readFileSync(file, 'utf8')).toBe('third\n');
  closeSync(open);
  shortenLog(join(folder, 'none.log'), 6);
  rmSync(folder, { recursive: true });
});
