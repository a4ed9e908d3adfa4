import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine, harmlessCell, plainCell } from './csv-cell.ts';

const begin = ['=', '+', '-', '@', '\t', '\r', '\n', '\0', "'", "''", '＝', '＋', '－', '＠', '', ' '];
const pieces = [...begin, ';', '|', '"', ',', '  ', 'a'];
const cells = fc
  .tuple(
    fc.constantFrom(...begin),
    fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary' })), { maxLength: 12 }),
  )
  .map(([first, more]) => [first, ...more].join(''));

test('no cell begins like a formula, and reading it again gives what was written', () => {
  fc.assert(
    fc.property(cells, (cell) => {
      expect(harmlessCell(cell)).not.toMatch(/^[=+\-@＝＋－＠\t\r\n\0]/);
      // As a spreadsheet reads it whose cells are set apart by another sign than ours.
      for (const part of harmlessCell(cell)
        .split(/[;|\t\r\n]/)
        .slice(1)) {
        expect(part).not.toMatch(/^[ "]*[=+\-@＝＋－＠]/);
      }
      expect(plainCell(harmlessCell(cell))).toBe(cell);
    }),
    { numRuns: 2_000 },
  );
  expect(harmlessCell('+1 2125550100')).toBe("'+1 2125550100");
  expect(harmlessCell('12 - 3')).toBe('12 - 3');
  expect(harmlessCell('Acme;=HYPERLINK("x")')).toBe(`Acme;'=HYPERLINK("x")`);
  expect(harmlessCell('{"amount":-5, "note":"a, -b"}')).toBe('{"amount":-5, "note":"a, -b"}');
});

test('lines hold what was written, whatever is in their cells, and have quotes only where they need them', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(cells, cells), { minLength: 1, maxLength: 4 }), (rows) => {
      expect(parse(rows.map(csvLine).join(''), { record_delimiter: '\r\n' })).toEqual(rows);
    }),
    { numRuns: 2_000 },
  );
  expect(csvLine(['', ' a b ', "'", ';\t', 'é', -1.5])).toBe(", a b ,',;\t,é,-1.5\r\n");
  expect(csvLine(['a,b', '"', 'a\nb', 'a\rb', ''])).toBe('"a,b","""","a\nb","a\rb",\r\n');
});
