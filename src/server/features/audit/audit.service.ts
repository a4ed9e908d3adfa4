import type { Readable } from 'node:stream';
import { AppError } from '#contracts/errors.ts';
import type { AuditRow } from '#contracts/operations/audit.ts';
import type { OrganisationVerdict } from '#contracts/operations/operator.ts';
import { inPlainWords } from '#contracts/values/kept-words.ts';
import { type AuditVerdict, verifyAuditChain, type Walk } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { harmlessCell } from '#kernel/csv-cell.ts';
import { csvStream } from '#kernel/csv-file.ts';
import { type Db, inReading, type Tx } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import type { Jobs } from '#kernel/job-table.ts';
import type { Logger } from '#kernel/logger.ts';
import { requirePermission, type Scope } from '#kernel/scope.ts';
import { type Seal, SealBroken } from '#kernel/seal.ts';
import { sealPlainKeys } from '#kernel/subject-keys.ts';
import {
  type AuditFilter,
  entriesAfter,
  headContext,
  keepHead,
  keptHeads,
  lastRows,
  listEntries,
  organisationsWithLog,
} from './audit.repo.ts';

export interface AuditDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  seal: Seal;
  logger: Logger;
}

export type AuditApi = ReturnType<typeof createAudit>;
type Entry = Awaited<ReturnType<typeof listEntries>>['rows'][number];

/** Reading the log of who did what; written it is in the kernel, with each change. */
export function createAudit(deps: AuditDeps) {
  const { db, systemDb, clock, seal, logger } = deps;

  async function list(
    scope: Scope,
    query: AuditFilter & { page?: number | undefined; pageSize: number; sort?: string | undefined },
  ): Promise<{ rows: AuditRow[]; total: number }> {
    const reach = requirePermission(scope, 'audit.read');
    const found = await inReading(db, scope, (tx) => listEntries(tx, scope, reach, query));
    return { total: found.total, rows: found.rows.map((row) => toRow(row, reach, scope)) };
  }

  /** The whole log as it can be read, each row with its hash: to be compared with the heads that left the machine. */
  function csv(scope: Scope, filter: AuditFilter): Readable {
    const reach = requirePermission(scope, 'audit.export');
    return csvStream(csvHeader, pages(db, scope, reach, filter), (row) => [
      row.sequence,
      row.at.toISOString(),
      ...[row.actor, row.ip ?? '', row.action, row.object_kind, row.object, row.customer ?? ''].map(
        harmlessCell,
      ),
      ...[row.before, row.after].map((value) =>
        value === null ? '' : harmlessCell(JSON.stringify(inPlainWords(value))),
      ),
      row.hash.toString('hex'),
    ]);
  }

  /** As far as the log can be walked in `withinMs`, from where the reply before ended. */
  async function verify(scope: Scope, from?: Walk['from'], withinMs?: number): Promise<AuditVerdict> {
    requirePermission(scope, 'audit.export');
    const walk = { from, isOver: overAfter(withinMs) };
    return inReading(db, scope, (tx) => verifyWithHeads(tx, scope.organisationId, walk));
  }

  async function verifyWithHeads(reader: Db | Tx, organisationId: string, walk: Walk): Promise<AuditVerdict> {
    const heads = new Map<number, string>();
    let unopened: AuditVerdict['broken'] = null;
    for (const kept of await keptHeads(reader, organisationId)) {
      const head = openHead(seal, organisationId, kept);
      if ('opened' in head) heads.set(kept.rows, head.opened);
      else unopened ??= { sequence: kept.rows, reason: `its sealed head does not open: ${head.fault}` };
    }
    // What a head that does not open would have shown cannot be told: that is said, unless worse is found.
    const verdict = await verifyAuditChain(reader, organisationId, heads, walk);
    return { ...verdict, broken: verdict.broken ?? (verdict.whole ? unopened : null) };
  }

  /** Hourly: the present end of each log is kept, sealed, and told to the process's log, which leaves the machine. */
  async function keepHeads(): Promise<void> {
    await each(await lastRows(systemDb), async ({ organisation_id, sequence, hash }) => {
      const head = hash.toString('hex');
      const head_sealed = seal.seal(head, headContext(organisation_id, sequence));
      const isNew = await keepHead(systemDb, {
        organisation_id,
        rows: sequence,
        head_sealed,
        at: clock.now(),
      });
      if (isNew)
        logger.info({ organisation: organisation_id, rows: sequence, head }, 'head of the audit log');
    });
  }

  /**
   * Logs walked against their sealed heads, for the operator: one, from where the reply before ended, or those `after` this
   * organisation, as many as can be walked in `withinMs` and some of one at least. None are left when none come back.
   */
  async function verdicts(
    which: { only?: string; from?: Walk['from']; after?: string } = {},
    withinMs?: number,
  ): Promise<OrganisationVerdict[]> {
    const found = await organisationsWithLog(systemDb, which);
    if (which.only !== undefined && found.length === 0) throw new AppError('not_found');
    const walked: OrganisationVerdict[] = [];
    const isOver = overAfter(withinMs);
    for (const one of found) {
      if (walked.length > 0 && isOver()) break;
      const verdict = await verifyWithHeads(systemDb, one.id, { from: which.from, isOver });
      walked.push({ ...named(one), ...verdict });
    }
    return walked;
  }

  /** Daily: every log is walked. What was tampered with is told at once, whatever becomes of the others. */
  async function verifyAll(): Promise<number> {
    let count = 0;
    await each(await organisationsWithLog(systemDb, {}), async ({ id }) => {
      const { broken } = await verifyWithHeads(systemDb, id, {});
      if (!broken) return;
      count += 1;
      logger.error({ organisation: id, ...broken }, 'the audit log was tampered with');
    });
    return count;
  }

  /** What an earlier version stored unsealed. */
  async function sealKeys(): Promise<void> {
    const sealed = await sealPlainKeys(systemDb);
    if (sealed > 0) logger.info({ sealed, key: seal.newest }, 'keys of persons were sealed');
  }

  return {
    list,
    csv,
    verify,
    verdicts,
    verifyAll,
    keepHeads,
    tasks: {
      'audit.keep-heads': keepHeads,
      'audit.seal-keys': sealKeys,
      'audit.verify': async () => {
        const broken = await verifyAll();
        if (broken > 0) throw new Error(`${broken} audit logs are not what was written`);
      },
    } satisfies Partial<Jobs>,
  };
}

function openHead(seal: Seal, organisationId: string, kept: { rows: number; head_sealed: Buffer }) {
  try {
    return { opened: seal.open(kept.head_sealed, headContext(organisationId, kept.rows)) };
  } catch (error) {
    if (error instanceof SealBroken) return { fault: error.message };
    throw error;
  }
}

function overAfter(withinMs = Number.POSITIVE_INFINITY): () => boolean {
  const until = performance.now() + withinMs;
  return () => performance.now() > until;
}

/** However long the log is, so many of its entries are in memory. */
const exportedAtOnce = 1_000;

async function* pages(
  db: Db,
  scope: Scope,
  reach: 'all' | 'own',
  filter: AuditFilter,
): AsyncGenerator<Entry[]> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const place = { after, limit: exportedAtOnce };
    const page: Entry[] = await inReading(db, scope, (tx) => entriesAfter(tx, scope, reach, filter, place));
    yield page;
    after = page.at(-1)?.sequence;
  }
}

const csvHeader = [
  ...['Number', 'At (UTC)', 'Who', 'From', 'What', 'Kind', 'Object', 'Customer', 'Before', 'After', 'Hash'],
];

function toRow(row: Entry, reach: 'all' | 'own', scope: Scope): AuditRow {
  return {
    sequence: row.sequence,
    at: row.at.toISOString(),
    actor: row.actor,
    actorId: row.actor_id,
    // Where the MSP's people sit is none of a customer's business.
    ip: reach === 'all' || row.actor_id === scope.userId ? row.ip : null,
    action: row.action,
    objectKind: row.object_kind,
    object: row.object,
    customerId: row.customer_id,
    customer: row.customer ?? '',
    before: row.before ?? null,
    after: row.after ?? null,
  };
}

function named({ id, name, closed_at }: Awaited<ReturnType<typeof organisationsWithLog>>[number]) {
  return { organizationId: id, organization: name, closedAt: closed_at?.toISOString() ?? null };
}
