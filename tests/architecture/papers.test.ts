import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deadPaths, decisionsNamed, pathsIn } from './rules/papers.ts';

const root = join(import.meta.dirname, '../..');
const files = [
  ...readdirSync(root),
  ...['src', 'tests', 'tools', 'docs', 'migrations', 'content', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path.replaceAll('\\', '/')}`,
    ),
  ),
];

const guides = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'));
const papers = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md', ...guides.map((file) => `docs/${file}`)];

test.each(papers)('%s names no file, folder or decision that is not there', (paper) => {
  const text = readFileSync(join(root, paper), 'utf8');
  expect(deadPaths(text, files)).toEqual([]);
  const decisions = files
    .filter((file) => file.startsWith('docs/decisions/'))
    .map((file) => file.slice(15, 19));
  expect(decisionsNamed(text).filter((number) => !decisions.includes(number))).toEqual([]);
});

test('decisions are found by their numbers, in lists too', () => {
  const paper =
    'See docs/decisions/0023, 0091, decisions 21, 70 and 5, decision 251; 0050 to 0054 is none, nor is docs/decisions.';
  expect(decisionsNamed(paper)).toEqual(['0023', '0091', '0021', '0070', '0005', '0251']);
});

test('a file that has moved is caught; a pattern, a word and a command are none', () => {
  const paper =
    'See `orders/checkout.ts`, `src/server/http/`, `x.repo.ts`, `docs/NNNN-*.md`, `npm start`, `orders.refund`, `src/server/ebgine.ts`.';
  expect(pathsIn(paper)).toContain('orders/checkout.ts');
  expect(deadPaths(paper, ['src/server/features/orders/checkout.ts', 'src/server/http/mount.ts'])).toEqual([
    'src/server/ebgine.ts',
  ]);
});
