import type { FieldError } from '#contracts/errors.ts';
import type { ImportRow } from '#contracts/operations/customer-import.ts';
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

/** Whether a person who acts may at least what the person with this role might who had a file checked. */
export function mayAsMuch({ rights, role }: Pick<Scope, 'rights' | 'role'>, checkedBy: Role): boolean {
  return rights.kind === 'role' && role === checkedBy;
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
