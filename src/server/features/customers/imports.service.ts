import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { CustomerImport, startCustomerImport } from '#contracts/operations/customer-import.ts';
import type { Charset } from '#contracts/values/charsets.ts';
import { csvLimits } from '#contracts/values/customer-csv.ts';
import { dayMs } from '#contracts/values/time.ts';
import { type Db, inReading, inTransaction } from '#kernel/db/database.ts';
import { requireOpen } from '#kernel/db/open-organisation.ts';
import { newSecret } from '#kernel/ids.ts';
import type { JobPayload } from '#kernel/job-table.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { requireRoom } from '#kernel/room.ts';
import { requirePermission, type Scope } from '#kernel/scope.ts';
import type { Storage, UploadGrant } from '../../ports/storage.ts';
import { countCustomers } from './customers.repo.ts';
import { createChecking, type FinishBody } from './import-checking.ts';
import { createImportLooks } from './import-looks.ts';
import { createImportReads, requireImport } from './import-reads.ts';
import { createImportRuns, type ImportRunsDeps } from './import-runs.ts';
import * as repo from './imports.repo.ts';
import {
  type FileAct,
  isOwnUpload,
  judgedAgain,
  mostNamedFaults,
  refusalOfFile,
  refusalOfRows,
  uploadsOf,
} from './imports.rules.ts';

export interface ImportsDeps extends ImportRunsDeps {
  storage: Storage;
}

export type ImportsApi = ReturnType<typeof createImports>;

/** A start, with the judgement that is by the person's rights and the one that they were shown. */
interface Beginning {
  mode: 'all' | 'good';
  judged: number | undefined;
  shown?: number | undefined;
  delayMs?: number;
}

/** Long enough to answer what is asked about a file. */
const uploadKeptMs = dayMs;
/** A start that writes in the request itself; the job is for when that is cut off. */
const netDelayMs = 60_000;

/** Customers from a file (P1 §4): uploaded, checked, looked at, and written in one piece by a job. */
export function createImports(deps: ImportsDeps) {
  const { db, clock, storage } = deps;
  const runs = createImportRuns(deps);
  const looks = createImportLooks(deps);
  const reads = createImportReads(deps);
  const check = createChecking(deps, looks);

  /** What nobody finishes does not stay. */
  async function grant(scope: Scope): Promise<UploadGrant> {
    const granted = await storage.grantUpload({
      key: `${uploadsOf(scope)}${newSecret()}`,
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

  async function look(scope: Scope, { key, charset }: { key: string; charset?: Charset | undefined }) {
    if (!isOwnUpload(scope, key)) throw new AppError('not_found');
    return looks.look(scope, key, charset ?? null);
  }

  /** Checks what was uploaded. Without `preview` it is imported at once, all rows or none. */
  async function finish(scope: Scope, body: FinishBody): Promise<CustomerImport> {
    if (!isOwnUpload(scope, body.key)) throw new AppError('not_found');
    const known = await inReading(db, scope, (tx) => repo.findImport(tx, scope, { uploadKey: body.key }));
    const checked = known ?? (await check(scope, body));
    if (body.preview || checked.state !== 'ready') return repo.toImport(checked);
    const judged = known ? await requireRights(scope, checked.id) : checked.judged;
    if (checked.faulty_rows > 0) throw await refusalOf(db, scope, checked);
    await begin(deps, scope, checked.id, { mode: 'all', judged, delayMs: netDelayMs });
    await runs.run({ organisationId: scope.organisationId, importId: checked.id });
    return reads.get(scope, checked.id);
  }

  /** `judged`: of the rows that the person was shown. */
  async function start(
    scope: Scope,
    id: string,
    { mode, judged: shown }: BodyOf<typeof startCustomerImport>,
  ): Promise<CustomerImport> {
    requirePermission(scope, 'customers.create');
    const judged = await requireRights(scope, id);
    return begin(deps, scope, id, { mode, judged, shown });
  }

  /**
   * Of the person who starts it, now: they may have been others when the file was checked. The judgement that is by their rights;
   * undefined when the file is started already.
   */
  async function requireRights(scope: Scope, id: string): Promise<number | undefined> {
    await inReading(db, scope, async (tx) =>
      requireTheirs(scope, await requireImport(tx, scope, id), 'import'),
    );
    const found = await runs.judgeFor(scope, id);
    if (!found) return undefined;
    if ('judged' in found) return found.judged;
    throw new AppError('conflict', { message: found.again, data: await reads.get(scope, id) });
  }

  async function applySuggestions(
    scope: Scope,
    id: string,
    only: readonly number[] | null,
  ): Promise<CustomerImport> {
    await inReading(db, scope, async (tx) =>
      requireTheirs(scope, await requireImport(tx, scope, id), 'change'),
    );
    await runs.applySuggestions(scope, id, only);
    return reads.get(scope, id);
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

  return {
    ...{ ...reads, grant, look, finish, start, applySuggestions, discard },
    ...{ mappings: looks.mappings, keepMapping: looks.keep, dropMapping: looks.drop },
    sweep: runs.sweep,
    tasks: {
      ...runs.tasks,
      'customers.drop-upload': ({ key }: JobPayload<'customers.drop-upload'>) => storage.remove(key),
    },
  };
}

/** From `ready` to `importing`, with the job that writes it. */
async function begin(
  { db, clock }: Pick<ImportsDeps, 'db' | 'clock'>,
  scope: Scope,
  id: string,
  { mode, judged, shown = judged, delayMs = 0 }: Beginning,
): Promise<CustomerImport> {
  const now = clock.now();
  return inTransaction(db, scope, async (tx) => {
    await requireOpen(tx, scope);
    // Held, so that nobody has it judged again between this and the start.
    const before = (await repo.lockReady(tx, scope, id)) ?? (await requireImport(tx, scope, id));
    if (before.state === 'ready') {
      if (before.judged !== judged || before.judged !== shown) {
        throw new AppError('conflict', { message: judgedAgain, data: repo.toImport(before) });
      }
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

function requireTheirs(scope: Scope, record: repo.ImportRecord, act: FileAct): void {
  const message = refusalOfFile(scope, record.actor_id, act);
  if (message) throw new AppError('forbidden', { message });
}

/** P1 §4: the dialog shows the message and the error; each faulty cell is named. */
async function refusalOf(db: Db, scope: Scope, record: repo.ImportRecord): Promise<AppError> {
  const { rows } = await inReading(db, scope, (tx) =>
    repo.importRows(tx, scope, record.id, { kind: 'faulty', page: 1, pageSize: mostNamedFaults }),
  );
  return new AppError('unprocessable', refusalOfRows(record.faulty_rows, rows));
}
