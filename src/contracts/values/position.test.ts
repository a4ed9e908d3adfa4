import { expect, test } from 'vitest';
import { laterPosition, positionText, readPosition } from './position.ts';

const at = (timeline: number, lsn: number) =>
  positionText({ timeline: timeline.toString(16).toUpperCase().padStart(8, '0'), lsn });

test('a position is read as it was written, up to the largest', () => {
  for (const lsn of [0, 1, 0xffff_ffff, Number.MAX_SAFE_INTEGER]) {
    expect(readPosition(at(10, lsn))).toEqual({ timeline: '0000000A', lsn });
  }
});

test('what is no position is none', () => {
  for (const text of [
    null,
    '',
    '0',
    'x'.repeat(23),
    at(1, 1).slice(1),
    `${at(1, 1)}0`,
    '00000001-ffffffffffffff',
  ])
    expect(readPosition(text)).toBe(null);
});

test('the later of two: by the timeline, then by the place; rubbish counts for nothing', () => {
  expect(laterPosition(at(1, 9), at(1, 10))).toBe(at(1, 10));
  expect(laterPosition(at(1, 0x100), at(1, 0xff))).toBe(at(1, 0x100));
  expect(laterPosition(at(9, 900), at(10, 1))).toBe(at(10, 1));
  expect(laterPosition(null, at(1, 1))).toBe(at(1, 1));
  expect(laterPosition(at(1, 1), null)).toBe(at(1, 1));
  expect(laterPosition(at(1, 1), 'zzz')).toBe(at(1, 1));
  expect(laterPosition('zzz', at(1, 1))).toBe(at(1, 1));
  expect(laterPosition(null, 'zzz')).toBe(null);
});
