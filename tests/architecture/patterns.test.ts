import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtPatterns, patternProblem, patternProblems, patternsIn } from './rules/patterns.ts';
import { parseSource, readSources } from './source.ts';

/** Nobody holds up the portal by a text: each pattern takes as many steps as the text has characters, or so. */

const sources = readSources();

describe('patterns', () => {
  test('all are linear', () => {
    const patterns = patternsIn(sources);
    expect(patterns.length).toBeGreaterThan(150);
    expect(patternProblems(patterns)).toEqual([]);
  });

  test('those that the schema library brings are linear too', () => {
    const document = readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8');
    const found = new Set<string>();
    JSON.parse(document, (key, value: unknown) => {
      if (key === 'pattern' && typeof value === 'string') found.add(value);
      return value;
    });
    expect(found.size).toBeGreaterThan(10);
    const patterns = [...found].map((source) => ({ source, flags: 'u', place: 'docs/openapi.json' }));
    expect(patternProblems(patterns)).toEqual([]);
  });

  test.each([
    ['exponential', 'const time = /^(\\d+[smhdw]?)+$/i;'],
    ['exponential', 'const quoted = /^"(?:\\\\.|[^"])*"$/;'],
    ['polynomial', 'const tidy = (text: string) => text.replace(/\\s+$/, "");'],
    ['polynomial', 'const mail = z.string().regex(/^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$/);'],
    ['cannot be checked', 'const twice = /^(a+)\\1$/;'],
  ])('one that is %s is caught: %s', (complaint, text) => {
    const planted = patternsIn([parseSource('web/lib/planted.tsx', text)]);
    expect(patternProblems(planted)).toEqual([expect.stringContaining(complaint)]);
  });

  /** The sandbox looks for its own words in names: a word, then digits. */
  test('none is put together when the code runs, but for words of the sandbox', () => {
    const files = builtPatterns(sources).map((place) => place.split(':')[0]);
    expect(files).toEqual(['sandbox/registrar/faults.ts', 'sandbox/registrar/names.ts']);
    expect(patternProblem({ source: '-(always-)?timeout-after\\d*-', flags: '' })).toBeNull();
    expect(patternProblem({ source: '(^|-)taken-late\\d*(-|$)', flags: '' })).toBeNull();
    const planted = `const a = new RegExp('a' + b); const c = RegExp(d); const e = new globalThis.RegExp(f);`;
    expect(builtPatterns([parseSource('server/http/planted.ts', planted)])).toHaveLength(3);
  });
});
