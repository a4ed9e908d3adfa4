import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { isWorthCollecting } from './memory-at-rest.ts';

const grownAndIdle = { busyShare: 0.049, residentMb: 154, restMb: 130 };

test('a process that rests and has grown by 24 MB collects', () => {
  expect(isWorthCollecting(grownAndIdle)).toBe(true);
});

test('a process that is busy does not stop for it', () => {
  expect(isWorthCollecting({ ...grownAndIdle, busyShare: 0.05 })).toBe(false);
});

test('what has hardly grown since the last collection is left alone, so that a process at rest does not collect again and again', () => {
  expect(isWorthCollecting({ ...grownAndIdle, residentMb: 153.9 })).toBe(false);
  expect(isWorthCollecting({ ...grownAndIdle, residentMb: 100 })).toBe(false);
});

test('the engine still knows the setting by which it collects less often: it says nothing of one that it does not know', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(known).toContain('--heap-growing-percent ');
});
