import { z } from 'zod';
import { crmProfiles, headerName, usualNames } from './crm-profiles.ts';
import { csvColumns, requiredColumns, wholeName } from './customer-csv.ts';

/** Which column of a file is which of ours, and the values for columns that the file does not have. */
const target = z.enum([wholeName, ...csvColumns]);
export const columnMapping = z.object({
  /** Our column: the file's. */
  columns: z.partialRecord(target, z.string().max(200)).default({}),
  /** Our column: the same for all rows. It is for new customers; those that exist keep what they have. */
  values: z.partialRecord(target, z.string().max(200)).default({}),
});
export type ColumnMapping = z.output<typeof columnMapping>;

/** A mapping that is known by a name: of a program whose exports look like that, or of one's own. */
export interface NamedMapping {
  /** Null for those of programs. */
  id: string | null;
  name: string;
  mapping: ColumnMapping;
}

/** What a file without these columns says of its new customers: nobody is billed directly unasked. */
const defaults: Readonly<Record<string, string>> = {
  billing_billDirectly: 'false',
  billing_allowChangeBilling: 'false',
};

/** Required columns that the mapping does not fill. A whole name is a first and a last one. */
export function missingColumns({ columns, values }: ColumnMapping): string[] {
  const filled = (name: string) => columns[name] !== undefined || (values[name] ?? '') !== '';
  return requiredColumns.filter(
    (name) => !filled(name) && !(/_owner_(first|last)Name$/.test(name) && filled(wholeName)),
  );
}

/** Columns that the file does not have: one value is given for all of its new customers. */
export function assumedColumns({ columns, values }: ColumnMapping): string[] {
  return Object.keys(values).filter((name) => columns[name] === undefined);
}

/** How a file is read that is not of the specified form: by an own mapping, a known program, or the names of columns. */
export function proposedMapping(
  header: readonly string[],
  own: readonly NamedMapping[],
): { name: string | null; id: string | null; mapping: ColumnMapping } {
  const isRead = (name: string | undefined) => header.includes(name ?? '');
  const kept = own
    .filter(({ mapping }) => Object.values(mapping.columns).every(isRead))
    // One that reads no column fits every file, and says nothing of this one.
    .filter(({ mapping }) => Object.values(mapping.columns).some((name) => name))
    .sort((a, b) => Object.keys(b.mapping.columns).length - Object.keys(a.mapping.columns).length)[0];
  if (kept) return kept;
  const known = new Set(header.map(headerName));
  const profile = crmProfiles.find(({ marks }) =>
    marks.every((names) => names.some((name) => known.has(headerName(name)))),
  );
  const mapping = mappingBy(header, profile?.columns ?? {});
  return { id: null, name: profile?.name ?? null, mapping };
}

function mappingBy(
  header: readonly string[],
  ofProgram: Readonly<Record<string, readonly string[]>>,
): ColumnMapping {
  const columns: Record<string, string> = {};
  const free = new Map(
    header
      .filter((name) => name !== '')
      .map((name) => [headerName(name), name])
      .reverse() as [string, string][],
  );
  const take = (ours: string, names: readonly string[]) => {
    const found = names.map(headerName).find((name) => free.has(name));
    if (found === undefined || columns[ours]) return;
    columns[ours] = free.get(found) ?? '';
    free.delete(found);
  };
  for (const ours of csvColumns) take(ours, [ours]);
  for (const [ours, names] of Object.entries(ofProgram)) take(ours, names);
  for (const [ours, names] of Object.entries(usualNames)) {
    if (ours === wholeName && columns.contacts_owner_lastName) continue;
    take(ours, names);
  }
  const values = Object.fromEntries(Object.entries(defaults).filter(([ours]) => !columns[ours]));
  return { columns, values };
}

/** A row of the file in our columns; those of the file that are not read follow, so that none is lost. */
export function mapped(header: readonly string[], { columns, values }: ColumnMapping) {
  const from = new Map(Object.entries(columns).map(([ours, name]) => [ours, header.indexOf(name ?? '')]));
  const used = new Set(from.values());
  const whole = from.get(wholeName) ?? -1;
  const filled = new Set([...from.keys(), ...Object.keys(values)]);
  if (whole >= 0) for (const part of ['firstName', 'lastName']) filled.add(`contacts_owner_${part}`);
  const ours = csvColumns.filter((name) => filled.has(name));
  const unread = header.flatMap((name, index) =>
    used.has(index) || csvColumns.includes(name) ? [] : [index],
  );
  const cellOf = (row: readonly string[], name: string): string => {
    const index = from.get(name);
    if (index !== undefined) return row[index] ?? '';
    const parts = whole < 0 ? null : partsOf(row[whole] ?? '');
    if (parts && name === 'contacts_owner_firstName') return parts.first;
    if (parts && name === 'contacts_owner_lastName') return parts.last;
    return values[name] ?? '';
  };
  return {
    columns: [...ours, ...unread.map((index) => header[index] ?? '')],
    row: (row: readonly string[]) => [
      ...ours.map((name) => cellOf(row, name)),
      ...unread.map((index) => row[index] ?? ''),
      ...row.slice(header.length),
    ],
  };
}

/** "Ann Marie Smith" and "Smith, Ann Marie". */
function partsOf(name: string): { first: string; last: string } {
  const [before = '', after] = name.split(',', 2).map((part) => part.trim());
  if (after) return { first: after, last: before };
  const end = before.lastIndexOf(' ');
  return end < 0 ? { first: before, last: '' } : { first: before.slice(0, end), last: before.slice(end + 1) };
}
