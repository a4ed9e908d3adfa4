import type { CustomerImport, ImportRow, RowKind } from '#contracts/operations/customer-import.ts';
import { unreadColumns } from '#contracts/values/customer-csv.ts';
import { type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { ImportsTable } from '#kernel/db/schema.ts';
import { lowered, patternOf } from '#kernel/db/search.ts';
import type { Scope } from '#kernel/scope.ts';
import { type CustomerState, columns, toCustomer } from './customers.repo.ts';
import { saidOf } from './customers.rules.ts';
import type { CheckedRow, Known } from './import-check.ts';

export type ImportRecord = Selectable<ImportsTable>;
type Tenant = Pick<Scope, 'organisationId'>;

/** Rows of one statement when they are kept, and when they are written. */
const rowsPerStatement = 500;
export const rowsPerBatch = 1_000;

export function countsOf(rows: readonly CheckedRow[]) {
  const count = (kind: RowKind) => rows.filter((row) => row.kind === kind).length;
  return {
    new_rows: count('new'),
    changed_rows: count('changed'),
    same_rows: count('same'),
    faulty_rows: count('faulty'),
    suggested_rows: rows.filter(hasSuggestion).length,
  };
}

function hasSuggestion({ kind, notes }: CheckedRow): boolean {
  return kind === 'faulty' && (notes as ImportRow['faults']).some(({ suggestion }) => suggestion !== null);
}

/** Keeps a checked file; false when the same upload was kept before. */
export async function insertImport(
  tx: Tx,
  scope: Scope,
  file: {
    id: string;
    uploadKey: string;
    fileName: string;
    columns: string[];
    /** Of these, what the file itself does not have. */
    assumed: string[];
    now: Date;
  },
  rows: readonly CheckedRow[],
): Promise<boolean> {
  const result = await tx
    .insertInto('imports')
    .values({
      id: file.id,
      organisation_id: scope.organisationId,
      upload_key: file.uploadKey,
      file_name: file.fileName,
      columns: file.columns,
      assumed: file.assumed,
      state: 'ready',
      mode: null,
      ...countsOf(rows),
      actor_id: scope.userId,
      actor: scope.email,
      actor_ip: scope.ip,
      actor_role: scope.role,
      token_id: scope.tokenId ?? null,
      created_at: file.now,
      started_at: null,
      ended_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (result.numInsertedOrUpdatedRows !== 1n) return false;
  await insertRows(tx, scope, file.id, rows);
  return true;
}

async function insertRows(
  tx: Tx,
  scope: Tenant,
  importId: string,
  rows: readonly CheckedRow[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const piece = rows
      .slice(start, start + rowsPerStatement)
      .map(({ customerId, matchKey, state, ...row }) => ({
        ...row,
        customer_id: customerId,
        match_key: matchKey,
        // What is written of it, and logged.
        state: state && row.kind === 'new' ? saidOf(state) : state,
      }));
    await sql`INSERT INTO import_rows (import_id, organisation_id, number, cells, kind, organization, customer_id,
        version, match_key, state, notes)
      SELECT ${importId}, ${scope.organisationId}, number, cells, kind, organization, customer_id, version, match_key,
        state, notes
      FROM jsonb_to_recordset(${JSON.stringify(piece)}::jsonb) AS r (number int, cells text[], kind text,
        organization text, customer_id uuid, version int, match_key text, state jsonb, notes jsonb)`.execute(
      tx,
    );
  }
}

/** Puts a new judgement, by the rights of `scope`, in place of the former one; the import waits for a person again. */
export async function replaceRows(
  tx: Tx,
  scope: Scope,
  importId: string,
  rows: readonly CheckedRow[],
  notice: string,
): Promise<void> {
  await tx
    .deleteFrom('import_rows')
    .where('organisation_id', '=', scope.organisationId)
    .where('import_id', '=', importId)
    .execute();
  await insertRows(tx, scope, importId, rows);
  await tx
    .updateTable('imports')
    .set((eb) => ({
      ...countsOf(rows),
      ...{ state: 'ready' as const, mode: null, notice, rows_done: 0 },
      ...{ judged: eb('judged', '+', 1), actor_role: scope.role, token_id: scope.tokenId ?? null },
    }))
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', importId)
    .execute();
}

export async function findImport(
  tx: Tx,
  scope: Tenant,
  by: { id: string } | { uploadKey: string },
): Promise<ImportRecord | undefined> {
  const select = tx.selectFrom('imports').selectAll().where('organisation_id', '=', scope.organisationId);
  return ('id' in by ? select.where('id', '=', by.id) : select.where('upload_key', '=', by.uploadKey))
    .where('state', '<>', 'discarded')
    .executeTakeFirst();
}

/** Checked, and neither written nor discarded. */
export async function countReady(tx: Tx, scope: Tenant): Promise<number> {
  const { count } = await tx
    .selectFrom('imports')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organisation_id', '=', scope.organisationId)
    .where('state', '=', 'ready')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The latest, and whatever waits for somebody, however old. */
export function latestImports(tx: Tx, scope: Tenant, limit: number): Promise<ImportRecord[]> {
  return tx
    .selectFrom('imports')
    .selectAll()
    .where('organisation_id', '=', scope.organisationId)
    .where('state', '<>', 'discarded')
    .orderBy((eb) => eb('state', '=', 'ready'), 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** From `ready` to `importing`, by one of those who try. */
export async function startImport(
  tx: Tx,
  scope: Scope,
  start: { id: string; mode: 'all' | 'good'; now: Date },
): Promise<boolean> {
  const result = await tx
    .updateTable('imports')
    .set({
      state: 'importing',
      mode: start.mode,
      notice: '',
      rows_done: 0,
      started_at: start.now,
      actor_id: scope.userId,
      actor: scope.email,
      actor_ip: scope.ip,
      actor_role: scope.role,
      token_id: scope.tokenId ?? null,
    })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', start.id)
    .where('state', '=', 'ready')
    .$if(start.mode === 'all', (update) => update.where('faulty_rows', '=', 0))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export async function discardImport(tx: Tx, scope: Tenant, id: string, now: Date): Promise<boolean> {
  const result = await tx
    .updateTable('imports')
    .set({ state: 'discarded', ended_at: now })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where('state', '=', 'ready')
    .executeTakeFirst();
  if (result.numUpdatedRows !== 1n) return false;
  await tx
    .deleteFrom('import_rows')
    .where('organisation_id', '=', scope.organisationId)
    .where('import_id', '=', id)
    .execute();
  return true;
}

export async function endImport(tx: Tx, scope: Tenant, id: string, done: number, now: Date): Promise<void> {
  await tx
    .updateTable('imports')
    .set({ state: 'done', rows_done: done, ended_at: now })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where('state', '=', 'importing')
    .execute();
}

/** A page of rows in the file's order, and how many there are. */
export async function importRows(
  tx: Tx,
  scope: Tenant,
  id: string,
  query: {
    kind?: RowKind | undefined;
    suggested?: 'true' | undefined;
    page?: number | undefined;
    pageSize: number;
    sort?: string | undefined;
    /** A part of the organization's name. */
    search?: string | undefined;
  },
): Promise<{ rows: ImportRow[]; total: number }> {
  const pattern = patternOf(query.search);
  const all = tx
    .selectFrom('import_rows')
    .where('organisation_id', '=', scope.organisationId)
    .where('import_id', '=', id)
    .$if(query.kind !== undefined, (select) => select.where('kind', '=', query.kind ?? 'new'))
    .$if(query.suggested !== undefined, (select) =>
      select.where('kind', '=', 'faulty').where(sql<boolean>`notes @? '$[*] ? (@.suggestion != null)'`),
    )
    .$if(pattern !== null, (select) =>
      select.where(sql<boolean>`${lowered(sql`organization`, pattern)} LIKE ${pattern}`),
    );
  const [{ total }, rows] = await Promise.all([
    all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    all
      .select(['number', 'kind', 'organization', 'customer_id', 'notes'])
      .orderBy('number', query.sort === '-row' ? 'desc' : 'asc')
      .$if(query.page !== undefined, (select) =>
        select.limit(query.pageSize).offset(((query.page ?? 1) - 1) * query.pageSize),
      )
      .execute(),
  ]);
  return {
    total,
    rows: rows.map((row) => ({
      row: row.number,
      kind: row.kind,
      organization: row.organization,
      // A customer that does not exist yet has no address.
      customerId: row.kind === 'new' ? null : row.customer_id,
      faults: row.kind === 'faulty' ? (row.notes as ImportRow['faults']) : [],
      changes: row.kind === 'changed' ? (row.notes as ImportRow['changes']) : [],
    })),
  };
}

export async function rowsAsRead(tx: Tx, scope: Tenant, id: string, kind?: RowKind) {
  return tx
    .selectFrom('import_rows')
    .select(['number', 'cells', 'kind', 'notes'])
    .where('organisation_id', '=', scope.organisationId)
    .where('import_id', '=', id)
    .$if(kind !== undefined, (select) => select.where('kind', '=', kind ?? 'new'))
    .orderBy('number')
    .execute();
}

/** The import, held against others who would start or change it, if it waits for a decision. */
export function lockReady(tx: Tx, scope: Tenant, id: string): Promise<ImportRecord | undefined> {
  return tx
    .selectFrom('imports')
    .selectAll()
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where('state', '=', 'ready')
    .forUpdate()
    .executeTakeFirst();
}

/** So many customers are read in one piece. */
const knownPerStatement = 500;

/** Living customers that rows may be about: by id, or by organization and email address. */
export async function findKnown(
  tx: Tx,
  scope: Tenant,
  { ids, keys }: { ids: string[]; keys: string[] },
): Promise<Known[]> {
  const found = new Map<string, Known>();
  for (let start = 0; start < Math.max(ids.length, keys.length); start += knownPerStatement) {
    const piece = {
      ids: ids.slice(start, start + knownPerStatement),
      keys: keys.slice(start, start + knownPerStatement),
    };
    for (const known of await findPiece(tx, scope, piece)) found.set(known.customerId, known);
  }
  return [...found.values()];
}

async function findPiece(tx: Tx, scope: Tenant, wanted: { ids: string[]; keys: string[] }): Promise<Known[]> {
  const rows = await tx
    .selectFrom('customers as c')
    .where('c.organisation_id', '=', scope.organisationId)
    .where('c.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        sql<boolean>`c.id = ANY (${wanted.ids}::uuid[])`,
        sql<boolean>`customer_match_key(c.owner) = ANY (${wanted.keys}::text[])`,
      ]),
    )
    .select(columns)
    .select(sql<string>`customer_match_key(c.owner)`.as('key'))
    .execute();
  return rows.map(({ key, ...row }) => {
    const { contacts, billing, markups, allowDomainSettings, customerId, version } = toCustomer(row);
    const { billDirectly, email, allowChangeBilling } = billing;
    const state: CustomerState = {
      contacts,
      billing: { billDirectly, email, allowChangeBilling },
      markups,
      allowDomainSettings,
    };
    return { customerId, version, key, state };
  });
}

export function toImport(record: ImportRecord): CustomerImport {
  return {
    importId: record.id,
    fileName: record.file_name,
    state: record.state,
    mode: record.mode,
    notice: record.notice,
    judged: record.judged,
    rows: {
      new: record.new_rows,
      changed: record.changed_rows,
      same: record.same_rows,
      faulty: record.faulty_rows,
    },
    suggested: record.suggested_rows,
    unread: unreadColumns(record.columns),
    progress: { done: record.rows_done, total: record.new_rows + record.changed_rows },
    createdAt: record.created_at.toISOString(),
    endedAt: record.ended_at?.toISOString() ?? null,
  };
}
