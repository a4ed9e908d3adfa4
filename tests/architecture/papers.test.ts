import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deadPaths, pathsIn } from './rules/papers.ts';

const root = join(import.meta.dirname, '../..');
const files = [
  ...readdirSync(root),
  ...['src', 'tests', 'tools', 'docs', 'migrations', 'content', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path.replaceAll('\\', '/')}`,
    ),
  ),
];

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md', 'docs/glossary.md'])(
  '%s names no file or folder that is not there',
  (paper) => {
    expect(deadPaths(readFileSync(join(root, paper), 'utf8'), files)).toEqual([]);
  },
);

test('a file that has moved is caught; a pattern, a word and a command are none', () => {
  const paper =
    'See `orders/checkout.ts`, `src/server/http/`, `x.repo.ts`, `docs/NNNN-*.md`, `npm start`, `orders.refund`, `src/server/ebgine.ts`.';
  expect(pathsIn(paper)).toContain('orders/checkout.ts');
  expect(deadPaths(paper, ['src/server/features/orders/checkout.ts', 'src/server/http/mount.ts'])).toEqual([
    'src/server/ebgine.ts',
  ]);
});
