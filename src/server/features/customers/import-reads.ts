import { AppError } from '#contracts/errors.ts';
import type { CustomerImport, ImportRow } from '#contracts/operations/customer-import.ts';
import { type Db, inReading, type Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { rejectsCsv } from './csv-writing.ts';
import * as repo from './imports.repo.ts';
import { visibleRow } from './rights.rules.ts';

const shownImports = 20;

/** Checked files as people look at them. Nothing here changes one. */
export function createImportReads({ db }: { db: Db }) {
  function get(scope: Scope, id: string): Promise<CustomerImport> {
    return inReading(db, scope, async (tx) => repo.toImport(await requireImport(tx, scope, id)));
  }

  function list(scope: Scope): Promise<CustomerImport[]> {
    return inReading(db, scope, async (tx) =>
      (await repo.latestImports(tx, scope, shownImports)).map(repo.toImport),
    );
  }

  function rows(
    scope: Scope,
    id: string,
    query: Parameters<typeof repo.importRows>[3],
  ): Promise<{ rows: ImportRow[]; total: number }> {
    return inReading(db, scope, async (tx) => {
      const [, found] = await Promise.all([
        requireImport(tx, scope, id),
        repo.importRows(tx, scope, id, query),
      ]);
      return { ...found, rows: found.rows.map((row) => visibleRow(scope, row)) };
    });
  }

  async function rejects(scope: Scope, id: string, withSuggestions = false): Promise<Buffer> {
    const [{ columns }, found] = await inReading(db, scope, (tx) =>
      Promise.all([requireImport(tx, scope, id), repo.rowsAsRead(tx, scope, id, 'faulty')]),
    );
    const rows = found.map(({ cells, notes }) => ({ cells, faults: notes as ImportRow['faults'] }));
    return rejectsCsv(columns, rows, withSuggestions);
  }

  return { get, list, rows, rejects };
}

export async function requireImport(tx: Tx, scope: Scope, id: string): Promise<repo.ImportRecord> {
  const record = await repo.findImport(tx, scope, { id });
  if (!record) throw new AppError('not_found');
  return record;
}
