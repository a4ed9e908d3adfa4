import { harmlessCell } from '#kernel/csv-cell.ts';
import { csvFile } from '#kernel/csv-file.ts';
import type { Section } from './privacy.repo.ts';

/** One line a value: what it belongs to, which of them, what it is called, what it is. */
export function personalCsv(sections: readonly Section[]): Promise<Buffer> {
  const header = ['Section', 'Record', 'Field', 'Value'];
  return csvFile(header, linesOf(sections), (line) => line);
}

function* linesOf(sections: readonly Section[]) {
  for (const { title, rows } of sections) {
    for (const [index, row] of rows.entries()) {
      for (const [field, value] of leaves(row)) {
        yield [title, index + 1, harmlessCell(field), harmlessCell(value)];
      }
    }
  }
}

function leaves(value: unknown, path = ''): [string, string][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`));
}
