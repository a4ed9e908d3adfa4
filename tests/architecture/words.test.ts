import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wordViolations } from './rules/words.ts';

const root = join(import.meta.dirname, '../..');
const files = globSync(
  ['*.md', 'content/*.md', 'docs/**/*.md', 'src/**/*.{ts,tsx}', 'tests/**/*.ts', 'tools/**/*.ts'],
  { cwd: root },
).map((file) => file.replaceAll('\\', '/'));

describe('texts, comments and documents', () => {
  test('use plain words, and "they" for people', () => {
    expect(files.length).toBeGreaterThan(1_000);
    expect(files.flatMap((file) => wordViolations(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });

  test.each([
    ['Make it anew with SHA-256.', ['anew']],
    ['Whoever asks gets his own answer.', ['Whoever', 'his']],
    ['Nobody erases himself.', ['himself']],
  ])('a sentence with such a word is caught: %s', (text, words) => {
    expect(wordViolations('docs/planted.md', `Fine.\n${text}`)).toEqual(
      words.map((word) => expect.stringContaining(`docs/planted.md:2: "${word}"`)),
    );
  });

  test('parts of other words are not', () => {
    expect(wordViolations('docs/planted.md', 'This history renews; the header is theirs.')).toEqual([]);
  });
});
