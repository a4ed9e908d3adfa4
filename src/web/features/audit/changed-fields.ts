import { capitalised } from '#contracts/values/format.ts';
import { inPlainWords } from '#contracts/values/kept-words.ts';

/** One field of a log entry that is not the same before and after; null: it was not there. */
export interface ChangedField {
  field: string;
  before: string | null;
  after: string | null;
}

/** What an entry changed, field by field, in the order of the fields. Pure rules. */
export function changedFields(before: unknown, after: unknown): ChangedField[] {
  const [old, now] = [leavesOf(inPlainWords(before)), leavesOf(inPlainWords(after))];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((path) => {
    const [was, is] = [old.get(path) ?? null, now.get(path) ?? null];
    return was === is ? [] : [{ field: fieldName(path), before: was, after: is }];
  });
}

/** "Auto renew", "Auto renew and 2 more" */
export function changeSummary(fields: readonly ChangedField[]): string {
  const [first, ...more] = fields;
  if (!first) return '';
  return more.length === 0 ? first.field : `${first.field} and ${more.length} more`;
}

/** Every value with the way to it; an empty list or object is a value too. */
function leavesOf(value: unknown, path: readonly string[] = []): Map<string, string> {
  const entries = entriesOf(value);
  if (entries === null) return new Map(value === null ? [] : [[path.join('.'), textOf(value)]]);
  return new Map(entries.flatMap(([key, part]) => [...leavesOf(part, [...path, key])]));
}

/** The parts of an object, or of a list of objects. Lists of plain values are read as one. */
function entriesOf(value: unknown): [string, unknown][] | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return Object.entries(value);
  if (value.every((part) => typeof part !== 'object' || part === null)) return null;
  return value.map((part, at) => [String(at + 1), part]);
}

function textOf(value: unknown): string {
  if (value === undefined || value === '') return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** `contacts.owner.firstName` reads "Contacts, owner, first name". */
function fieldName(path: string): string {
  const words = path
    .split('.')
    .map((part) =>
      part
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .replaceAll('_', ' ')
        .toLowerCase(),
    )
    .join(', ');
  return words === '' ? 'Value' : capitalised(words);
}
