import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bugOf } from '../../tools/mutants/bug.ts';
import { plants } from '../../tools/mutants/plants.ts';
import { unlistedOf } from '../../tools/mutants/survivors.ts';

const root = join(import.meta.dirname, '../..');

test('every bug of the table can still be planted: its text is found once, and its test exists', () => {
  const mislaid = plants.flatMap((plant) => {
    if (!existsSync(join(root, plant.test))) return [`no such test: ${plant.test}`];
    try {
      bugOf(plant);
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
  expect(mislaid).toEqual([]);
});

test('a listed survivor stands for one place: a second one of the same text in its file is told', () => {
  const first = { line: 1, text: 'a -> b' };
  const second = { line: 2, text: 'a -> b' };
  const other = { line: 3, text: 'c -> d' };
  const listed = [{ file: 'one.ts', mutation: 'a -> b' }];
  expect(unlistedOf('one.ts', [first], listed)).toEqual([]);
  expect(unlistedOf('one.ts', [first, second, other], listed)).toEqual([first, second, other]);
  expect(unlistedOf('one.ts', [first, second, other], [...listed, ...listed])).toEqual([other]);
  expect(unlistedOf('two.ts', [first], listed)).toEqual([first]);
});
