import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contracts/operations.ts';
import { behaviourViolations, statementsIn } from './rules/behaviour.ts';
import { untold } from './rules/operations.ts';
import { untoldOperations } from './untold-operations.ts';

const root = join(import.meta.dirname, '../..');
const pagesDir = join(root, 'docs/behaviour');
const pages = readdirSync(pagesDir).filter((file) => /^part-\d\.md$/.test(file));
const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null);

describe('docs/behaviour', () => {
  test.each(pages)('%s: every statement names tests that exist and that have its texts', (file) => {
    expect(behaviourViolations(readFileSync(join(pagesDir, file), 'utf8'), read)).toEqual([]);
  });

  test('there are statements', () => {
    expect(pages.length).toBeGreaterThan(0);
    expect(statementsIn(readFileSync(join(pagesDir, 'part-1.md'), 'utf8')).length).toBeGreaterThan(100);
  });

  test('a new operation is named by a row', () => {
    const all = pages.map((file) => readFileSync(join(pagesDir, file), 'utf8')).join('\n');
    expect(untold(operations, all, untoldOperations)).toEqual([]);
  });

  test('an operation without a row is caught, and so is an excuse that is not needed any more', () => {
    const [made, old] = [{ id: 'notes.make' }, { id: 'notes.list' }];
    expect(untold([made, old], '', { notes: 'list' })).toEqual([
      expect.stringContaining('notes.make: add a row to docs/behaviour'),
    ]);
    expect(untold([made], '| It notes | `notes.make` | |', {})).toEqual([]);
    expect(untold([old], '| It lists | `notes.list` | |', { notes: 'list gone' })).toEqual([
      expect.stringContaining('notes.list is told'),
      expect.stringContaining('notes.gone is told'),
    ]);
  });

  const head = '| What the product does or says | Where | Shown by |\n|---|---|---|\n';
  const spec = `test('the chip: three states', () => { expect('Can\\'t  delete {x}'); text(/Sent to \\w+\\. Bye/); });`;
  const planted = (text: string, shown: string) =>
    behaviourViolations(`${head}| ${text} | /here | ${shown} |`, (path) =>
      path === 'a.spec.ts' ? spec : null,
    );

  test('what is right passes', () => {
    expect(planted(`"can't delete {name}"; "Sent to {x}. Bye"`, '`a.spec.ts › the chip`')).toEqual([]);
  });

  test.each([
    ['no test', 'It blinks', 'nobody'],
    ['no file', 'It blinks', '`b.spec.ts › the chip`'],
    ['no test of a.spec.ts', 'It blinks', '`a.spec.ts › the chop`'],
    // The words are in the file, but no title of it.
    ['no test of a.spec.ts', 'It blinks', "`a.spec.ts › can't`"],
    ['has the text', 'It says "Cannot delete"', '`a.spec.ts › the chip`'],
    ['has the text', 'It says "Sent to {x}. Goodbye"', '`a.spec.ts › the chip`'],
  ])('%s is caught: %s', (complaint, text, shown) => {
    expect(planted(text, shown)).toEqual([expect.stringContaining(complaint)]);
  });
});
