import { AppError } from '#contracts/errors.ts';
import type { ImportRow } from '#contracts/operations/customer-import.ts';
import { dayMs } from '#contracts/values/time.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { rightsOfRole, type Scope, standingOf } from '#kernel/scope.ts';
import { suggestedCells } from './csv-writing.ts';
import { type CheckedRow, type CheckInput, checkRows } from './import-check.ts';
import * as runs from './import-runs.repo.ts';
import { stillAsShown, writeRows } from './import-writing.repo.ts';
import * as repo from './imports.repo.ts';
import { mayTheSame, whyLookAgain } from './imports.rules.ts';
import { refusalsOfRow } from './rights.rules.ts';

export interface ImportRunsDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  newId: (nowMs: number) => string;
}

/** An import whose process died is taken up again after this long. */
const abandonedMs = 3_000;
const keptDays = 14;
const moved =
  'Customers have changed since this file was checked. Please review it again before you import it.';

/** The part of imports that needs nobody: writing what was started, and taking up what a crash left. */
export function createImportRuns(deps: ImportRunsDeps) {
  const { db, systemDb, clock } = deps;

  /**
   * Writes a started import in one transaction; nothing when it is not, or no longer, started. When customers have
   * changed since the file was looked at, nothing is written either and the person is asked again.
   */
  async function run(job: runs.ImportRef): Promise<void> {
    await inTransaction(db, job, async (tx) => {
      await runs.lockWriting(tx, job);
      const record = await repo.findImport(tx, job, { id: job.importId });
      if (record?.state !== 'importing') return;
      if (!(await stillAsShown(tx, record))) return judgeAgain(tx, record);
      const now = clock.now();
      const done = await writeRows(tx, {
        record,
        now,
        onProgress: (rows) => tellProgress(job, rows),
      });
      // Direct billing needs the customers at the payment provider.
      await enqueueJob(tx, 'direct-billing.connect-all', { organisationId: job.organisationId });
      await repo.endImport(tx, job, job.importId, done, now);
      failpoint('import.written');
    });
  }

  async function judgeAgain(tx: Tx, record: repo.ImportRecord): Promise<void> {
    const standing = standingOf({ role: record.actor_role, customerId: null });
    if (!standing) throw new Error(`import ${record.id} was made by a customer's user`);
    const scope: Scope = {
      ...standing,
      organisationId: record.organisation_id,
      userId: record.actor_id,
      email: record.actor,
      rights: rightsOfRole,
      ip: record.actor_ip,
      requestId: '',
    };
    const records = await repo.rowsAsRead(tx, scope, record.id);
    const rows = await judgeRows(
      tx,
      scope,
      { columns: record.columns, assumed: record.assumed, records },
      { nowMs: clock.now().getTime(), newId: deps.newId },
    );
    await repo.replaceRows(tx, scope, record.id, rows, moved);
  }

  /** By another pool than the one whose connection the writing holds: it must not wait for itself. */
  async function tellProgress(job: runs.ImportRef, rows: number): Promise<void> {
    await systemTransaction(systemDb, (tx) => runs.recordProgress(tx, job, rows));
  }

  /** Takes up what a crash left; a run that is under way is waited for and then finds nothing to do. */
  async function sweep(): Promise<number> {
    const before = new Date(clock.now().getTime() - abandonedMs);
    const left = await systemTransaction(systemDb, (tx) => runs.abandonedSince(tx, before));
    await each(left, run);
    return left.length;
  }

  /** Rows are kept for as long as somebody may want the rejects. */
  async function forget(): Promise<void> {
    const now = clock.now();
    const before = new Date(now.getTime() - keptDays * dayMs);
    await systemTransaction(systemDb, (tx) => runs.forgetBefore(tx, before, now));
  }

  /**
   * Puts suggestions in place of refused cells, in all rows or in those that are named, and judges the file again: what
   * was mended may now be another row's customer.
   */
  async function applySuggestions(scope: Scope, id: string, only: readonly number[] | null): Promise<void> {
    await inTransaction(db, scope, async (tx) => {
      const record = await repo.lockReady(tx, scope, id);
      if (!record)
        throw new AppError('conflict', {
          message: 'This file is being imported or has already been imported.',
        });
      const wanted = only && new Set(only);
      const records = (await repo.rowsAsRead(tx, scope, id)).map(({ number, cells, kind, notes }) => {
        const applies = kind === 'faulty' && (wanted?.has(number) ?? true);
        const faults = applies ? (notes as ImportRow['faults']) : [];
        return { number, cells: applies ? suggestedCells(record.columns, { cells, faults }) : cells };
      });
      const file = { columns: record.columns, assumed: record.assumed, records };
      const rows = await judgeRows(tx, scope, file, { nowMs: clock.now().getTime(), newId: deps.newId });
      await repo.replaceRows(tx, scope, id, rows, '');
    });
  }

  /**
   * Judges a checked file by the rights of the person who starts it, who may have fewer or more than the one by whose rights it
   * was judged. Says why they are to look again, or which judgement is theirs; undefined when it waits for nobody.
   */
  function judgeFor(scope: Scope, id: string): Promise<{ again: string } | { judged: number } | undefined> {
    return inTransaction(db, scope, async (tx) => {
      const record = await repo.lockReady(tx, scope, id);
      if (!record) return undefined;
      const { judged, actor_role: role, token_id: tokenId } = record;
      if (mayTheSame(scope, { role, tokenId })) return { judged };
      const { columns, assumed } = record;
      const records = await repo.rowsAsRead(tx, scope, id);
      const file = { columns, assumed, records };
      const rows = await judgeRows(tx, scope, file, { nowMs: clock.now().getTime(), newId: deps.newId });
      const again = whyLookAgain(records, rows);
      if (again === null) return { judged };
      await repo.replaceRows(tx, scope, id, rows, again);
      return { again };
    });
  }

  const tasks = {
    'customers.import': run,
    'customers.forget-imports': () => forget(),
  };

  return { run, sweep, applySuggestions, judgeFor, tasks };
}

/** Says of each row of a file what it would do, as things stand in this transaction. */
export function judgeRows(
  tx: Tx,
  scope: Scope,
  file: Pick<CheckInput, 'columns' | 'records' | 'assumed'>,
  ids: { nowMs: number; newId: (nowMs: number) => string },
): Promise<CheckedRow[]> {
  return checkRows({
    ...file,
    find: (wanted) => repo.findKnown(tx, scope, wanted),
    newId: () => ids.newId(ids.nowMs),
    refuse: (before, after) => refusalsOfRow(scope, before, after),
  });
}
