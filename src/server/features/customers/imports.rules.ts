import type { FieldError } from '#contracts/errors.ts';
import type { ImportRow, RowKind } from '#contracts/operations/customer-import.ts';
import type { Role } from '#contracts/permissions.ts';
import { holds, type Scope } from '#kernel/scope.ts';

/** Whose an uploaded file is, what it is called, and why its rows are refused: pure. */

/** Where uploads of an organisation begin. */
export const uploadsOf = ({ organisationId }: Pick<Scope, 'organisationId'>) =>
  `csv-uploads/${organisationId}/`;

/** A key of another organisation is one that does not exist; one that leads elsewhere is none. */
export function isOwnUpload(scope: Pick<Scope, 'organisationId'>, key: string): boolean {
  return key.startsWith(uploadsOf(scope)) && /^[\w/-]+$/.test(key);
}

const longestName = 255;

/** What the person called the file, without control characters; the end of a long name has its kind. */
export function keptFileName(name: string | undefined): string {
  return (name ?? '').replace(/\p{Cc}/gu, '').slice(-longestName) || 'customers.csv';
}

/** Of a refused file; the rest is on the screen. */
export const mostNamedFaults = 100;

/** P1 §4: the dialog shows the message and the error; each faulty cell is named. `count`: of faulty rows, named or not. */
export function refusalOfRows(
  count: number,
  rows: readonly Pick<ImportRow, 'row' | 'faults'>[],
): { message: string; error: string; details: FieldError[] } {
  const details = rows.flatMap(({ row, faults }) =>
    faults.map(({ column, reason }) => ({ path: `rows.${row}.${column}`, message: reason })),
  );
  const [first] = details;
  return {
    message: `${count} ${count === 1 ? 'row' : 'rows'} cannot be imported. Nothing was written.`,
    error: first ? `${first.path}: ${first.message}` : '',
    details: details.slice(0, mostNamedFaults),
  };
}

/** Whether a person who acts has the rights by which a file was judged last. */
export function mayTheSame(
  { rights, role }: Pick<Scope, 'rights' | 'role'>,
  judgedBy: { role: Role; tokenId: string | null },
): boolean {
  return rights.kind === 'role' && judgedBy.tokenId === null && role === judgedBy.role;
}

/** What the person who starts a file may not write in it. */
export const fewerRights =
  'You are not allowed to make some of the changes in this file. Please review it again before you import it.';
/** Where they may write what the person before them might not, or for other reasons not. */
export const otherRights =
  'This file was checked again with your permissions, and some rows have another result. Please review it again before you import it.';
/** Others have had it judged again since it was shown. */
export const judgedAgain =
  'This file was checked again after you opened it. Please review it again before you import it.';

interface Judgement {
  number: number;
  kind: RowKind;
  notes: unknown;
}

/** Why a file is to be looked at again, by its rows as shown and as judged now; null while the same rows are refused for the same reasons. */
export function whyLookAgain(shown: readonly Judgement[], now: readonly Judgement[]): string | null {
  const before = new Map(shown.map((row) => [row.number, refusalsOf(row)]));
  const others = now.filter((row) => refusalsOf(row) !== before.get(row.number));
  if (others.some(({ number }) => !before.get(number))) return fewerRights;
  return others.length > 0 ? otherRights : null;
}

function refusalsOf({ kind, notes }: Judgement): string {
  if (kind !== 'faulty') return '';
  return JSON.stringify((notes as ImportRow['faults']).map(({ column, reason }) => [column, reason]));
}

export type FileAct = 'import' | 'change' | 'discard';

/**
 * Why a person may not act on a file; null when they may. Another person's file is theirs, and the managers': what a
 * manager's file may set, an employee's start must not.
 */
export function refusalOfFile(scope: Scope, uploadedBy: string | null, act: FileAct): string | null {
  if (uploadedBy === scope.userId || holds(scope, 'customers.billing')) return null;
  return `Only the person who uploaded this file, or a manager, can ${act} it.`;
}
