import { stringify } from 'csv-stringify/sync';
import { csvFormat, harmlessCell } from '#kernel/csv-cell.ts';
import type { Section } from './privacy.repo.ts';

/** One line a value: what it belongs to, which of them, what it is called, what it is. */
export function personalCsv(sections: readonly Section[]): Buffer {
  const lines = sections.flatMap(({ title, rows }) =>
    rows.flatMap((row, index) =>
      leaves(row).map(([field, value]) => [title, index + 1, harmlessCell(field), harmlessCell(value)]),
    ),
  );
  const header = ['Section', 'Record', 'Field', 'Value'];
  return Buffer.from(stringify([header, ...lines], { ...csvFormat, bom: true }));
}

function leaves(value: unknown, path = ''): [string, string][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`));
}
