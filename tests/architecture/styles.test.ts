import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/@mantine/core/styles');

/** The component library's parts that a screen imports; each has a stylesheet of its name or none. */
function partsIn(source: string): string[] {
  return [...source.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)]
    .flatMap((match) => (match[1] ?? '').split(','))
    .map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*/, ''),
    )
    .filter((name) => existsSync(join(folder, `${name}.css`)));
}

function unstyled(sources: string[], loaded: string): string[] {
  const parts = new Set(sources.flatMap(partsIn));
  return [...parts].filter((part) => !loaded.includes(`'@mantine/core/styles/${part}.css'`));
}

const sources = globSync('src/web/**/*.tsx', { cwd: root }).map((path) =>
  readFileSync(join(root, path), 'utf8'),
);
const loaded = readFileSync(join(root, 'src/web/ui/styles.ts'), 'utf8');

test('every part of the component library that a screen uses has its stylesheet loaded', () => {
  expect(sources.flatMap(partsIn)).toContain('Button');
  expect(unstyled(sources, loaded)).toEqual([]);
});

test('a part whose stylesheet is left out is found', () => {
  expect(
    unstyled([`import { Button, Text } from '@mantine/core';`], `'@mantine/core/styles/Text.css'`),
  ).toEqual(['Button']);
});
