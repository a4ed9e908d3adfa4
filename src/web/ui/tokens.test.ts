import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const web = new URL('../', import.meta.url).pathname;
const files = globSync('**/*.{css,ts,tsx}', { cwd: web }).filter(
  (file) => !file.endsWith('tokens.css') && !file.includes('.test.'),
);

/** Values that belong into `tokens.css`, and where they may be written nevertheless. */
const literals = [
  {
    what: 'a colour',
    pattern:
      /(?<![\w&'"/-])#[0-9a-fA-F]{3,8}\b(?!['"/])|['" ]#[0-9a-fA-F]{3,8}['";]|\b(?:rgba?|hsla?|oklch)\(/,
  },
  { what: 'a size of type', pattern: /font-size:\s*[\d.]|fontSize: ['"]?[\d.]/ },
  { what: 'a radius', pattern: /border-radius:\s*[1-9.]|borderRadius: ['"]?[1-9.]/ },
];

function literalsIn(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      literals
        .filter(({ pattern }) => pattern.test(line))
        .map(({ what }) => `line ${index + 1}: ${what}: ${line.trim()}`),
    );
}

test('colours, sizes of type and radii are written in tokens.css alone', () => {
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((file) =>
    literalsIn(readFileSync(`${web}${file}`, 'utf8')).map((line) => `${file} ${line}`),
  );
  expect(found).toEqual([]);
});

test.each([
  'color: #fff;',
  "c: '#12ab34'",
  'background: rgb(1 2 3);',
  'font-size: 14px;',
  'border-radius: 4px;',
])('the search for literals finds %s', (line) => expect(literalsIn(line)).toHaveLength(1));
