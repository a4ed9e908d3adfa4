import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contracts/operations.ts';
import { dataMap } from '../../src/server/features/privacy/data-map.ts';
import { openApiOf } from '../../src/server/http/openapi.ts';
import { notHandedOut, personalColumns } from './personal-columns.ts';
import { columnFaults, unerasedColumns, unexportedTables, wordyColumns } from './rules/columns.ts';
import { unlistedFiles } from './rules/operations.ts';
import { parseSource, readSources } from './source.ts';

/** What the recipes of CONTRIBUTING.md ask for, and what somebody who adds a column or an operation may forget. */

const root = join(import.meta.dirname, '../..');
const sources = readSources();

describe('personal data', () => {
  const schemaDir = join(root, 'src/server/kernel/db');
  const schema = ['schema.ts', ...readdirSync(join(schemaDir, 'schema')).map((file) => `schema/${file}`)].map(
    (path) => ({ path, text: readFileSync(join(schemaDir, path), 'utf8') }),
  );

  test('each column that may hold it says what erasing does with it', () => {
    expect(columnFaults(wordyColumns(schema), personalColumns)).toEqual([]);
  });

  test('what is to be erased is erased by a function, and is handed out to the person', () => {
    expect(unerasedColumns(sources, personalColumns)).toEqual([]);
    expect(unexportedTables(dataMap, personalColumns, notHandedOut)).toEqual([]);
  });

  test.each([
    [
      'no function',
      `export async function eraseNotes(tx: Tx) { await tx.deleteFrom('note_files').execute(); }`,
      1,
    ],
    [
      'another column',
      `export async function eraseNotes(tx: Tx) { await tx.updateTable('notes').set({ title: '' }); }`,
      1,
    ],
    [
      'no erasing function',
      `export async function dropNotes(tx: Tx) { await tx.deleteFrom('notes').execute(); }`,
      1,
    ],
    ['its rows', `export async function eraseNotes(tx: Tx) { await tx.deleteFrom('notes').execute(); }`, 0],
    [
      'its rows in SQL',
      'export async function forgetNotes(tx: Tx) { await sql`DELETE FROM notes WHERE id = 1`; }',
      0,
    ],
    [
      'the column',
      `export async function eraseNotes(tx: Tx) { await sql\`UPDATE notes SET text = ''\`; }`,
      0,
    ],
  ])('a column that is said to be erased: by %s', (_what, text, faults) => {
    const found = unerasedColumns([inFile('notes/privacy.repo.ts', text), erasure], notesAreErased);
    expect(found).toHaveLength(faults);
    for (const fault of found) expect(fault).toContain('notes.text is to be erased, and no function does it');
  });

  const notesAreErased = { notes: { text: 'erased', kind: 'kept: a word of ours' } };
  const inFile = (path: string, text: string) => parseSource(`server/features/${path}`, text);
  const erasure = inFile('privacy/erasure.ts', 'eraseNotes(tx); forgetNotes(tx); destroyAll(tx);');

  test('a column that is said to be erased: by a function that nothing calls, or that another one calls', () => {
    const own = inFile(
      'notes/privacy.repo.ts',
      `export async function eraseWords(tx: Tx) { await tx.deleteFrom('notes').execute(); }`,
    );
    expect(unerasedColumns([own, erasure], notesAreErased)).toEqual([
      'notes.text is to be erased, and nothing calls eraseWords: call it in features/privacy/erasure.ts',
    ]);
    const through = inFile(
      'notes/index.ts',
      'export async function destroyAll(tx: Tx) { await eraseWords(tx); }',
    );
    expect(unerasedColumns([own, through, erasure], notesAreErased)).toEqual([]);
  });

  test('a table with personal data that nobody is handed is caught', () => {
    const fates = { notes: { text: 'erased' } };
    expect(unexportedTables({ notes: 'words of the MSP' }, fates, {})).toEqual([
      expect.stringContaining('say in features/privacy/data-map.ts whose its rows are'),
    ]);
    expect(unexportedTables({ notes: { title: 'Notes' } }, fates, {})).toEqual([]);
    expect(unexportedTables({ notes: 'keys' }, fates, { notes: 'keys' })).toEqual([]);
  });

  const planted = (column: string) =>
    columnFaults(
      wordyColumns([
        {
          path: 'schema.ts',
          text: `interface Database { domains: DomainsTable }
            interface DomainsTable { organisation_id: string; address: string; ${column} }`,
        },
      ]),
      { domains: { address: 'erased' } },
    );

  test.each([
    'note: string | null;',
    'note: Generated<string>;',
    'note: Json<{ text: string }>;',
    'note: Buffer;',
    'note: string[];',
  ])('a new column that nobody thought of is caught: %s', (column) => {
    expect(planted(column)).toEqual([
      expect.stringContaining('domains.note may hold personal data: say in '),
    ]);
  });

  test('a column that a table inherits is no exception', () => {
    const text = `interface Database { domains: DomainsTable }
      interface Noted { note: string }
      interface DomainsTable extends Noted { organisation_id: string }`;
    expect(wordyColumns([{ path: 'schema.ts', text }])).toEqual([{ table: 'domains', column: 'note' }]);
  });

  test.each([
    'noted_at: Date;',
    'count: number;',
    "kind: 'a' | 'b';",
    'user_id: string;',
    'word: Computed<string>;',
  ])('one that holds no words needs none: %s', (column) => {
    expect(planted(column)).toEqual([]);
  });

  test('a column that is gone is not spoken of any more', () => {
    expect(columnFaults([], { domains: { address: 'erased' } })).toEqual([
      'domains.address is no such column any more',
    ]);
  });
});

describe('generated files', () => {
  // Compared as values: the order in which a module's exports come differs between Node and the test runner.
  const inWords = (described: typeof operations) =>
    JSON.parse(JSON.stringify(openApiOf(described))) as object;
  const stored = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as object;

  test('docs/openapi.json is what "npm run gen" makes of the contract', () => {
    expect(
      isDeepStrictEqual(stored, inWords(operations)),
      'it is not: run "npm run gen" and commit the file',
    ).toBe(true);
  });

  test('a changed contract makes it stale', () => {
    const [first, ...others] = operations;
    const changed = first ? [{ ...first, summary: 'changed' }, ...others] : [];
    expect(isDeepStrictEqual(stored, inWords(changed))).toBe(false);
  });
});

describe('lists of operations', () => {
  const folder = join(root, 'src/contracts/operations');
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const lists = Object.fromEntries(
    ['src/contracts/operations.ts', 'src/web/lib/operations.ts'].map((path) => [
      path,
      readFileSync(join(root, path), 'utf8'),
    ]),
  );

  test('the server and the web app know every file of operations', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(unlistedFiles(files, lists)).toEqual([]);
  });

  test('a file that one of the two does not know is caught', () => {
    expect(unlistedFiles(['notes.ts'], lists)).toEqual([
      expect.stringContaining('src/contracts/operations/notes.ts is not in src/contracts/operations.ts'),
      expect.stringContaining('src/contracts/operations/notes.ts is not in src/web/lib/operations.ts'),
    ]);
  });
});
