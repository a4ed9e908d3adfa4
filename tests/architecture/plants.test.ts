import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bugOf } from '../../tools/mutants/bug.ts';
import { plants } from '../../tools/mutants/plants.ts';

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
