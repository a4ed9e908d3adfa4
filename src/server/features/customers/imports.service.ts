import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { CustomerImport, finishCustomerCsv, ImportRow } from '#contracts/operations/customer-import.ts';
import type { Charset } from '#contracts/values/charsets.ts';
import { csvLimits } from '#contracts/values/customer-csv.ts';
import { dayMs } from '#contracts/values/time.ts';
import { inTransaction, type Tx } from '#kernel/db/database.ts';
import { newSecret } from '#kernel/ids.ts';
import type { JobPayload } from '#kernel/job-table.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { requireRoom } from '#kernel/room.ts';
import { holds, requirePermission, type Scope } from '#kernel/scope.ts';
import type { Storage, UploadGrant } from '../../ports/storage.ts';
import { rejectsCsv } from './csv-writing.ts';
import { countCustomers } from './customers.repo.ts';
import { createImportLooks } from './import-looks.ts';
import { createImportRuns, type ImportRunsDeps, judgeRows } from './import-runs.ts';
import * as repo from './imports.repo.ts';

export interface ImportsDeps extends ImportRunsDeps {
  storage: Storage;
}

export type ImportsApi = ReturnType<typeof createImports>;

type FinishBody = BodyOf<typeof finishCustomerCsv>;

/** Long enough to answer what is asked about a file. */
const uploadKeptMs = dayMs;
const shownImports = 20;
/** A start that writes in the request itself; the job is for when that is cut off. */
const netDelayMs = 60_000;

/** Customers from a file (P1 §4): uploaded, checked, looked at, and written in one piece by a job. */
export function createImports(deps: ImportsDeps) {
  const { db, clock, storage } = deps;
  const runs = createImportRuns(deps);
  const looks = createImportLooks(deps);
  const incoming = (scope: Scope) => `csv-uploads/${scope.organisationId}/`;

  /** What nobody finishes does not stay. */
  async function grant(scope: Scope): Promise<UploadGrant> {
    const granted = await storage.grantUpload({
      key: `${incoming(scope)}${newSecret()}`,
      contentType: 'text/csv',
      maxBytes: csvLimits.bytes,
      organisationId: scope.organisationId,
    });
    const runAt = new Date(clock.now().getTime() + uploadKeptMs);
    await inTransaction(db, scope, (tx) =>
      enqueueJob(tx, 'customers.drop-upload', { key: granted.keyName }, { runAt }),
    );
    return granted;
  }

  /** A key of another organisation is one that does not exist. */
  function requireOwn(scope: Scope, key: string): void {
    if (!key.startsWith(incoming(scope)) || !/^[\w/-]+$/.test(key)) throw new AppError('not_found');
  }

  async function look(scope: Scope, { key, charset }: { key: string; charset?: Charset | undefined }) {
    requireOwn(scope, key);
    return looks.look(scope, key, charset ?? null);
  }

  /** Checks what was uploaded. Without `preview` it is imported at once, all rows or none. */
  async function finish(scope: Scope, body: FinishBody): Promise<CustomerImport> {
    requireOwn(scope, body.key);
    const known = await inTransaction(db, scope, (tx) => repo.findImport(tx, scope, { uploadKey: body.key }));
    const checked = known ?? (await check(scope, body));
    if (body.preview || checked.state !== 'ready') return repo.toImport(checked);
    if (checked.faulty_rows > 0) throw await faultyRows(scope, checked);
    await start(scope, checked.id, 'all', netDelayMs);
    await runs.run({ organisationId: scope.organisationId, importId: checked.id });
    return get(scope, checked.id);
  }

  async function check(scope: Scope, body: FinishBody): Promise<repo.ImportRecord> {
    const { key } = body;
    const file = await looks.readFile(key, body);
    const kept = await inTransaction(db, scope, async (tx) => {
      const now = clock.now();
      const rows = await judgeRows(tx, scope, file, { nowMs: now.getTime(), newId: deps.newId });
      const id = deps.newId(now.getTime());
      await requireRoom(tx, 'checkedFiles', scope.organisationId, () => repo.countReady(tx, scope));
      const name = (body.fileName ?? '').replace(/\p{Cc}/gu, '').slice(-255) || 'customers.csv';
      await repo.insertImport(
        tx,
        scope,
        { id, uploadKey: key, fileName: name, columns: file.columns, now },
        rows,
      );
      return repo.findImport(tx, scope, { uploadKey: key });
    });
    if (!kept) throw new AppError('not_found');
    // A file that could not be read stays for the answer to what was asked, until its job takes it away.
    await storage.remove(key);
    return kept;
  }

  /** P1 §4: the dialog shows the message and the error; each faulty cell is named. */
  async function faultyRows(scope: Scope, record: repo.ImportRecord): Promise<AppError> {
    const { rows } = await inTransaction(db, scope, (tx) =>
      repo.importRows(tx, scope, record.id, { kind: 'faulty', page: 1, pageSize: 100 }),
    );
    const details = rows.flatMap(({ row, faults }) =>
      faults.map(({ column, reason }) => ({ path: `rows.${row}.${column}`, message: reason })),
    );
    const [first] = details;
    const count = record.faulty_rows;
    return new AppError('unprocessable', {
      message: `${count} ${count === 1 ? 'row' : 'rows'} cannot be imported. Nothing was written.`,
      error: first ? `${first.path}: ${first.message}` : '',
      details: details.slice(0, 100),
    });
  }

  async function start(scope: Scope, id: string, mode: 'all' | 'good', delayMs = 0): Promise<CustomerImport> {
    requirePermission(scope, 'customers.create');
    const now = clock.now();
    return inTransaction(db, scope, async (tx) => {
      const before = await requireImport(tx, scope, id);
      // What a manager's file may set, an employee's start must not.
      requireTheirs(scope, before, 'import');
      if (before.state === 'ready') {
        await requireRoom(
          tx,
          'customers',
          scope.organisationId,
          () => countCustomers(tx, scope),
          before.new_rows,
        );
      }
      if (await repo.startImport(tx, scope, { id, mode, now })) {
        const payload = { organisationId: scope.organisationId, importId: id };
        const runAt = new Date(now.getTime() + delayMs);
        await enqueueJob(tx, 'customers.import', payload, {
          key: `customer-import:${id}`,
          ...(delayMs ? { runAt } : {}),
        });
      } else if (before.state === 'ready') {
        throw new AppError('unprocessable', {
          message: 'Some rows cannot be imported. Correct the file, or import the good rows.',
        });
      }
      return repo.toImport(await requireImport(tx, scope, id));
    });
  }

  function get(scope: Scope, id: string): Promise<CustomerImport> {
    return inTransaction(db, scope, async (tx) => repo.toImport(await requireImport(tx, scope, id)));
  }

  function list(scope: Scope): Promise<CustomerImport[]> {
    return inTransaction(db, scope, async (tx) =>
      (await repo.latestImports(tx, scope, shownImports)).map(repo.toImport),
    );
  }

  function rows(
    scope: Scope,
    id: string,
    query: Parameters<typeof repo.importRows>[3],
  ): Promise<{ rows: ImportRow[]; total: number }> {
    return inTransaction(db, scope, async (tx) => {
      await requireImport(tx, scope, id);
      return repo.importRows(tx, scope, id, query);
    });
  }

  async function rejects(scope: Scope, id: string, withSuggestions = false): Promise<Buffer> {
    const { columns, found } = await inTransaction(db, scope, async (tx) => ({
      columns: (await requireImport(tx, scope, id)).columns,
      found: await repo.rowsAsRead(tx, scope, id, 'faulty'),
    }));
    const rows = found.map(({ cells, notes }) => ({ cells, faults: notes as ImportRow['faults'] }));
    return rejectsCsv(columns, rows, withSuggestions);
  }

  async function applySuggestions(
    scope: Scope,
    id: string,
    only: readonly number[] | null,
  ): Promise<CustomerImport> {
    await inTransaction(db, scope, async (tx) =>
      requireTheirs(scope, await requireImport(tx, scope, id), 'change'),
    );
    await runs.applySuggestions(scope, id, only);
    return get(scope, id);
  }

  async function discard(scope: Scope, id: string): Promise<void> {
    await inTransaction(db, scope, async (tx) => {
      requireTheirs(scope, await requireImport(tx, scope, id), 'discard');
      if (!(await repo.discardImport(tx, scope, id, clock.now()))) {
        throw new AppError('conflict', {
          message: 'This file is being imported or has already been imported.',
        });
      }
    });
  }

  /** Another person's file is theirs, and the managers'. */
  function requireTheirs(
    scope: Scope,
    record: repo.ImportRecord,
    act: 'import' | 'change' | 'discard',
  ): void {
    if (record.actor_id === scope.userId || holds(scope, 'customers.billing')) return;
    throw new AppError('forbidden', {
      message: `Only the person who uploaded this file, or a manager, can ${act} it.`,
    });
  }

  async function requireImport(tx: Tx, scope: Scope, id: string): Promise<repo.ImportRecord> {
    const record = await repo.findImport(tx, scope, { id });
    if (!record) throw new AppError('not_found');
    return record;
  }

  return {
    ...{ grant, look, finish, start, get, list, rows, rejects, applySuggestions, discard },
    ...{ mappings: looks.mappings, keepMapping: looks.keep, dropMapping: looks.drop },
    sweep: runs.sweep,
    tasks: {
      ...runs.tasks,
      'customers.drop-upload': ({ key }: JobPayload<'customers.drop-upload'>) => storage.remove(key),
    },
  };
}
