import { describe, expect, test } from 'vitest';
import {
  longFiles,
  longFilesIn,
  longFunctions,
  longFunctionsIn,
  mostFileLines,
  mostFunctionLines,
  sizeFaults,
} from './rules/size.ts';
import { parseSource, readSources } from './source.ts';

const sources = readSources();

describe('size', () => {
  test('a function fits two screens, but for those that did not when the rule came', () => {
    expect(sizeFaults(longFunctionsIn(sources), longFunctions, mostFunctionLines)).toEqual([]);
  });

  test('a file holds 400 lines at most, but for those that held more when the rule came', () => {
    expect(sizeFaults(longFilesIn(sources), longFiles, mostFileLines)).toEqual([]);
  });

  const body = (lines: number) => '\n  x();'.repeat(lines - 2);
  test.each([
    ['a function', `export function made() {${body(121)}\n}`, 1],
    ['an arrow', `export const made = () => {${body(121)}\n};`, 1],
    ['a method', `export const all = {\n  made() {${body(121)}\n  } };`, 1],
    ['one that fits', `export function made() {${body(120)}\n}`, 0],
  ])('%s that is too long is caught', (_what, text, count) => {
    const found = longFunctionsIn([parseSource('server/features/notes/notes.service.ts', text)]);
    expect(found.map(({ name }) => name)).toEqual(
      Array.from({ length: count }, () => 'server/features/notes/notes.service.ts made'),
    );
    expect(sizeFaults(found, {}, mostFunctionLines)).toHaveLength(count);
  });

  test('a file of 401 lines is caught, and so are one that has grown and a name that is not needed', () => {
    const source = parseSource('web/a.ts', 'x();\n'.repeat(401));
    expect(sizeFaults(longFilesIn([source]), {}, mostFileLines)).toEqual([
      expect.stringContaining('web/a.ts: 401 lines, at most 400'),
    ]);
    const found = [
      { name: 'a', lines: 130 },
      { name: 'folder/c', lines: 140 },
    ];
    expect(sizeFaults(found, { a: 125, b: 140, 'folder/': 140 }, mostFunctionLines)).toEqual([
      'a has grown to 130 lines, and may have 125',
      'b fits by now, or is gone: take it off the list',
    ]);
  });
});
