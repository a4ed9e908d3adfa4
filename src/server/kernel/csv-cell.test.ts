import fc from 'fast-check';
import { expect, test } from 'vitest';
import { harmlessCell, plainCell } from './csv-cell.ts';

const begin = ['=', '+', '-', '@', '\t', '\r', '\n', '\0', "'", "''", '＝', '＋', '－', '＠', '', ' '];
const cells = fc
  .tuple(fc.constantFrom(...begin), fc.string({ unit: 'binary' }))
  .map((parts) => parts.join(''));

test('no cell begins like a formula, and reading it again gives what was written', () => {
  fc.assert(
    fc.property(cells, (cell) => {
      expect(harmlessCell(cell)).not.toMatch(/^[=+\-@＝＋－＠\t\r\n\0]/);
      expect(plainCell(harmlessCell(cell))).toBe(cell);
    }),
    { numRuns: 2_000 },
  );
  expect(harmlessCell('+1 2125550100')).toBe("'+1 2125550100");
  expect(harmlessCell('12 - 3')).toBe('12 - 3');
});
