import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { finishCustomerCsv } from '#contracts/operations/customer-import.ts';
import { inTransaction } from '#kernel/db/database.ts';
import { requireRoom } from '#kernel/room.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Storage } from '../../ports/storage.ts';
import type { createImportLooks } from './import-looks.ts';
import { type ImportRunsDeps, judgeRows } from './import-runs.ts';
import * as repo from './imports.repo.ts';
import { keptFileName } from './imports.rules.ts';

export type FinishBody = BodyOf<typeof finishCustomerCsv>;

/** Reads what was uploaded, judges each row, and keeps the result. Nothing is written to customers by it. */
export function createChecking(
  { db, clock, storage, newId }: ImportRunsDeps & { storage: Storage },
  looks: Pick<ReturnType<typeof createImportLooks>, 'readFile'>,
) {
  return async function check(scope: Scope, body: FinishBody): Promise<repo.ImportRecord> {
    const { key } = body;
    const file = await looks.readFile(key, body);
    const kept = await inTransaction(db, scope, async (tx) => {
      const now = clock.now();
      const rows = await judgeRows(tx, scope, file, { nowMs: now.getTime(), newId });
      const id = newId(now.getTime());
      await requireRoom(tx, 'checkedFiles', scope.organisationId, () => repo.countReady(tx, scope));
      await repo.insertImport(
        tx,
        scope,
        {
          id,
          uploadKey: key,
          fileName: keptFileName(body.fileName),
          columns: file.columns,
          assumed: file.assumed,
          now,
        },
        rows,
      );
      return repo.findImport(tx, scope, { uploadKey: key });
    });
    if (!kept) throw new AppError('not_found');
    // A file that could not be read stays for the answer to what was asked, until its job takes it away.
    await storage.remove(key);
    return kept;
  };
}
