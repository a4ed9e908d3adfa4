import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { type SealedEntry, sealAll } from './audit-sealing.ts';
import { canonicalJson } from './changed-parts.rules.ts';
import { type Db, later, sql, type Tx } from './db/database.ts';
import { hasLeft, slices } from './give-way.ts';
import { sha256 } from './ids.ts';
import { SealedValue } from './subject-keys.ts';

/** Who acted, as the log keeps it. A `Scope` is one; jobs name themselves in `email` and have no user. */
export interface AuditActor {
  organisationId: string;
  userId: string | null;
  email: string;
  ip: string | null;
  /** The API token by which a script acted in that person's name. */
  tokenId?: string;
}

export interface AuditEntry {
  at: Date;
  /** What was done; the table has its words. */
  action: AuditAction;
  objectKind: string;
  /** Id or name of the object. */
  object: string;
  /** The customer that it is about; null: about none. It is said each time: the entry leaves with them, and is sealed with their key. */
  customerId: string | null;
  /**
   * The person that `before` and `after` are about: they are sealed with that person's key, and erased with it. When
   * absent: the user or the invitation that was acted upon, or else the customer.
   */
  subject?: string;
  before?: unknown;
  after?: unknown;
}

/** One row as it goes into the hash: everything but the hash itself. */
interface ChainedRow {
  organisationId: string;
  sequence: number;
  at: string;
  actorId: string | null;
  /** Name of a job, or a token's id. People have `actorId` alone: the log outlives what is known of them. */
  actor: string;
  ip: string | null;
  action: string;
  objectKind: string;
  object: string;
  customerId: string | null;
  before: unknown;
  after: unknown;
}

const genesis = Buffer.alloc(32);
/** Stands before the id of an API token in `actor`. */
export const tokenMark = 'token:';
/** Rows of one statement. */
const rowsPerStatement = 1_000;

/**
 * Appends one entry to the organisation's log, inside the transaction that makes the change: both or neither.
 * Each entry is chained to the one before it by hash; appending is serialised per organisation until the commit,
 * so call it last.
 */
export function audit(tx: Tx, actor: AuditActor, entry: AuditEntry): Promise<void> {
  return auditAll(tx, actor, [entry]);
}

/** As `audit`, for an act on many things at once: an entry each, in order. */
export async function auditAll(tx: Tx, actor: AuditActor, entries: readonly AuditEntry[]): Promise<void> {
  await appendAll(tx, actor, await sealAll(tx, actor, entries));
}

/**
 * So few entries are chained by the database, and travel with the commit: nobody waits for this process meanwhile. More are
 * chained here, which is faster by the thousand.
 */
const chainedThere = 20;

/** Second half of `auditAll`: to be called last, as `audit` says. */
export async function appendAll(tx: Tx, actor: AuditActor, entries: readonly SealedEntry[]): Promise<void> {
  if (entries.length > chainedThere) return append(tx, actor, entries, await takeTurn(tx, actor));
  if (entries.length > 0) await waitForTurn(tx, actor);
  for (const entry of entries) await later(tx, insertNext(actor, entry));
}

interface Head {
  sequence: number;
  hash: Buffer;
}

/**
 * From the next statement on nobody else appends to the organisation's log before this transaction ends. A statement of its
 * own: the next one must see what the former holder of the lock committed.
 */
function waitForTurn(tx: Tx, { organisationId }: Pick<AuditActor, 'organisationId'>): Promise<void> {
  return later(tx, sql`SELECT pg_advisory_xact_lock(hashtextextended(${`audit:${organisationId}`}, 0))`);
}

/** Takes the turn, and returns the log's last entry. */
async function takeTurn(tx: Tx, actor: Pick<AuditActor, 'organisationId'>): Promise<Head> {
  await waitForTurn(tx, actor);
  const { organisationId } = actor;
  const head = await tx
    .selectFrom('audit_log')
    .select(['sequence', 'hash'])
    .where('organisation_id', '=', organisationId)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return head ?? { sequence: 0, hash: genesis };
}

/** Puts an entry behind the last one of the log, whatever that is when it is this transaction's turn. */
function insertNext(actor: AuditActor, entry: SealedEntry) {
  const row = rowOf(actor, entry);
  return sql`INSERT INTO audit_log (organisation_id, sequence, at, actor_id, actor, ip, action, object_kind, object,
      customer_id, before, after, previous_hash, hash)
    SELECT ${row.organisationId}::uuid, last.sequence + 1, ${row.at}::timestamptz, ${row.actorId}::uuid, ${row.actor}::text,
      ${row.ip}::text, ${row.action}::text, ${row.objectKind}::text, ${row.object}::text, ${row.customerId}::uuid,
      ${json(row.before)}::jsonb, ${json(row.after)}::jsonb, last.hash,
      sha256(last.hash || convert_to(${textBeforeSequence(row)}::text || (last.sequence + 1)::text || '}', 'UTF8'))
    FROM (
      (SELECT sequence, hash FROM audit_log WHERE organisation_id = ${row.organisationId} ORDER BY sequence DESC LIMIT 1)
      UNION ALL SELECT 0, ${genesis} ORDER BY sequence DESC LIMIT 1
    ) last`;
}

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

async function append(tx: Tx, actor: AuditActor, entries: readonly SealedEntry[], head: Head): Promise<void> {
  let { sequence, hash: previousHash } = head;
  let before: Promise<unknown> = Promise.resolve();
  let writing: Promise<unknown> = before;
  const giveWay = slices();
  for (let start = 0; start < entries.length; start += rowsPerStatement) {
    const piece = entries.slice(start, start + rowsPerStatement);
    const first = { sequence: sequence + 1, previousHash };
    const rows = piece.map((entry) => rowOf(actor, entry));
    const hashes: Buffer[] = [];
    for (const row of rows) {
      sequence += 1;
      previousHash = hashOfText(previousHash, `${textBeforeSequence(row)}${sequence}}`);
      hashes.push(previousHash);
      const wait = giveWay();
      if (wait !== undefined) await wait;
    }
    // The database writes these while the next are chained, and has them when it comes to its end; the last ones travel with what comes next.
    const statement = insertRows(actor, rows, { ...first, hashes });
    await before;
    before = writing;
    const isLast = start + rowsPerStatement >= entries.length;
    writing = isLast ? later(tx, statement) : statement.execute(tx);
    // Should it fail before it is waited for.
    writing.catch(() => undefined);
    if (!isLast) await hasLeft();
  }
  await before;
  await writing;
}

const hashBytes = 32;

/**
 * As columns: a thousand rows of fourteen parameters take longer to hand over than to write, and rows as JSON take as long to read as to
 * write. The hashes are one value, behind the one that comes before them, and so are the values before and after.
 */
function insertRows(
  actor: AuditActor,
  rows: readonly Omit<ChainedRow, 'sequence'>[],
  { sequence, previousHash, hashes }: { sequence: number; previousHash: Buffer; hashes: readonly Buffer[] },
) {
  const column = <Value>(of: (row: (typeof rows)[number]) => Value) => rows.map(of);
  const before = inOne(column((row) => row.before));
  const after = inOne(column((row) => row.after));
  return sql`INSERT INTO audit_log (organisation_id, sequence, at, actor_id, actor, ip, action, object_kind, object,
      customer_id, before, after, previous_hash, hash)
    SELECT ${actor.organisationId}::uuid, ${sequence}::bigint + r.place - 1, r.at, ${actor.userId}::uuid, ${nameOf(actor)}::text,
      ${actor.ip}::text, r.action, r.object_kind, r.object, r.customer_id, ${valueIn('before')}, ${valueIn('after')},
      substring(h.hashes FROM (${sql.lit(hashBytes)} * (r.place - 1))::int + 1 FOR ${sql.lit(hashBytes)}),
      substring(h.hashes FROM (${sql.lit(hashBytes)} * r.place)::int + 1 FOR ${sql.lit(hashBytes)})
    FROM (SELECT ${Buffer.concat([previousHash, ...hashes])}::bytea AS hashes, ${before.bytes}::bytea AS before,
        ${after.bytes}::bytea AS after) AS h,
      unnest(${column(({ at }) => at)}::timestamptz[], ${column(({ action }) => action)}::text[],
        ${column(({ objectKind }) => objectKind)}::text[], ${column(({ object }) => object)}::text[],
        ${column(({ customerId }) => customerId)}::uuid[], ${before.from}::int[], ${before.length}::int[],
        ${before.sealedFor}::text[], ${after.from}::int[], ${after.length}::int[], ${after.sealedFor}::text[])
      WITH ORDINALITY AS r (at, action, object_kind, object, customer_id, before_from, before_length, before_for,
        after_from, after_length, after_for, place)`;
}

/** Values one behind the other: sealed ones as their bytes, which the database writes as JSON sooner than it reads JSON; others as JSON. */
function inOne(values: readonly unknown[]) {
  const pieces = values.map((value) => {
    if (value === null) return null;
    return value instanceof SealedValue ? value.bytes : Buffer.from(JSON.stringify(value));
  });
  let end = 1;
  const from = pieces.map((piece) => {
    const begin = end;
    end += piece?.length ?? 0;
    return begin;
  });
  return {
    bytes: Buffer.concat(pieces.filter((piece) => piece !== null)),
    from,
    length: pieces.map((piece) => piece?.length ?? null),
    sealedFor: values.map((value) => (value instanceof SealedValue ? value.sealedFor : null)),
  };
}

/** The value of a row out of those in one; null where it has none. */
function valueIn(name: 'before' | 'after') {
  const [from, length, sealedFor] = ['from', 'length', 'for'].map((part) => sql.ref(`r.${name}_${part}`));
  const bytes = sql`substring(${sql.ref(`h.${name}`)} FROM ${from} FOR ${length})`;
  return sql`CASE WHEN ${sealedFor} IS NOT NULL
      THEN jsonb_build_object('sealedFor', ${sealedFor}, 'value', replace(encode(${bytes}, 'base64'), E'\\n', ''))
      ELSE convert_from(${bytes}, 'UTF8')::jsonb END`;
}

/** People and their tokens are kept as ids; only jobs and the operator have names. */
function nameOf({ userId, email, tokenId }: AuditActor): string {
  if (tokenId !== undefined) return `${tokenMark}${tokenId}`;
  return userId !== null && email.includes('@') ? '' : email;
}

/** The entry as it is hashed, but for its place. In the order of the hash, which then need not sort it. */
function rowOf(actor: AuditActor, entry: AuditEntry): Omit<ChainedRow, 'sequence'> {
  return {
    action: entry.action,
    actor: nameOf(actor),
    actorId: actor.userId,
    after: entry.after ?? null,
    at: entry.at.toISOString(),
    before: entry.before ?? null,
    customerId: entry.customerId,
    ip: actor.ip,
    object: entry.object,
    objectKind: entry.objectKind,
    organisationId: actor.organisationId,
  };
}

export interface AuditVerdict {
  /** Rows that were found whole. */
  rows: number;
  /** Hash of the last whole row, hex: to be kept elsewhere, so that a log cut short is noticed too. */
  head: string;
  /** The first row that is not what was written. */
  broken: { sequence: number; reason: string } | null;
  /** The walk came to the end of the log, or to a row that is broken; else it goes on behind `rows` and `head`. */
  whole: boolean;
}

/** A part of a walk: from where the part before it ended, until there is no more time. At least some rows are walked. */
export interface Walk {
  from?: Pick<AuditVerdict, 'rows' | 'head'> | undefined;
  isOver?: (() => boolean) | undefined;
}

/**
 * Walks an organisation's log and names the first row that was changed, removed or moved. `db` is of the system
 * role, or a transaction of that organisation. `kept`: heads (hex) that were kept elsewhere, by the length of the log at the time. Every
 * one of them has to be met: a log that was cut or written again is noticed however much was added since.
 */
export async function verifyAuditChain(
  db: Db | Tx,
  organisationId: string,
  kept: ReadonlyMap<number, string> = new Map(),
  { from, isOver = () => false }: Walk = {},
): Promise<AuditVerdict> {
  if (!from) return walkOn(db, organisationId, kept, { rows: 0, previous: genesis, isOver });
  const broken = { sequence: from.rows, reason: notWalked };
  if (!(await isAsWalked(db, organisationId, from))) return { ...from, broken, whole: true };
  const previous = Buffer.from(from.head, 'hex');
  return walkOn(db, organisationId, kept, { rows: from.rows, previous, isOver });
}

/** Behind so many rows, the last of which has the hash `previous`. */
async function walkOn(
  db: Db | Tx,
  organisationId: string,
  kept: ReadonlyMap<number, string>,
  { isOver, ...start }: { rows: number; previous: Buffer; isOver: () => boolean },
): Promise<AuditVerdict> {
  let { rows, previous } = start;
  for (let isMore = true; isMore; ) {
    const batch = await readBatch(db, organisationId, rows);
    for (const { row, previousHash, hash } of batch) {
      const reason = faultOf(row, { previousHash, hash }, { sequence: rows + 1, hash: previous });
      if (reason) {
        const sequence = reason === 'missing' ? rows + 1 : row.sequence;
        return { rows, head: previous.toString('hex'), broken: { sequence, reason }, whole: true };
      }
      previous = hash;
      rows += 1;
      const head = hash.toString('hex');
      if ((kept.get(rows) ?? head) !== head) {
        return { rows, head, broken: { sequence: rows, reason: notKept }, whole: true };
      }
    }
    isMore = batch.length === batchSize;
    if (isMore && isOver()) return { rows, head: previous.toString('hex'), broken: null, whole: false };
  }
  const isCut = [...kept.keys()].some((length) => length > rows);
  const broken = isCut ? { sequence: rows + 1, reason: notKept } : null;
  return { rows, head: previous.toString('hex'), broken, whole: true };
}

/** Whether the last row of the part before is there as it was walked. */
async function isAsWalked(db: Db | Tx, organisationId: string, { rows, head }: NonNullable<Walk['from']>) {
  const found = await sql<{ hash: Buffer }>`SELECT hash FROM audit_log
    WHERE organisation_id = ${organisationId} AND sequence = ${rows}`.execute(db);
  return found.rows[0]?.hash.toString('hex') === head;
}

const notKept = 'not the log that was kept';
const notWalked = 'not the entry that was verified before';

const batchSize = 1_000;

function faultOf(
  row: ChainedRow,
  stored: { previousHash: Buffer; hash: Buffer },
  expected: { sequence: number; hash: Buffer },
): string | null {
  if (row.sequence !== expected.sequence) return 'missing';
  if (!stored.previousHash.equals(expected.hash)) return 'does not follow the row before it';
  return hashOfRow(expected.hash, row).equals(stored.hash) ? null : 'changed';
}

async function readBatch(db: Db | Tx, organisationId: string, after: number) {
  const found = await db
    .selectFrom('audit_log')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(batchSize)
    .execute();
  return found.map((row) => ({
    previousHash: row.previous_hash,
    hash: row.hash,
    row: {
      organisationId: row.organisation_id,
      sequence: row.sequence,
      at: row.at.toISOString(),
      actorId: row.actor_id,
      actor: row.actor,
      ip: row.ip,
      action: row.action,
      objectKind: row.object_kind,
      object: row.object,
      customerId: row.customer_id,
      before: row.before ?? null,
      after: row.after ?? null,
    } satisfies ChainedRow,
  }));
}

function hashOfRow(previous: Buffer, row: ChainedRow): Buffer {
  return hashOfText(previous, canonicalJson(row));
}

/** What is hashed, put together in the same place each time: an import hashes ten thousand texts in a row. */
const place = Buffer.allocUnsafeSlow(hashBytes + 16_384);
/** UTF-8 takes at most three bytes for each unit of a text. */
const longestInPlace = (place.length - hashBytes) / 3;

function hashOfText(previous: Buffer, text: string): Buffer {
  if (text.length > longestInPlace) return sha256(Buffer.concat([previous, Buffer.from(text)]));
  previous.copy(place);
  return sha256(place.subarray(0, hashBytes + place.write(text, hashBytes)));
}

/** What `hashOfRow` hashes in front of the sequence, the last name in the order of the alphabet; behind it comes `}`. */
function textBeforeSequence(row: Omit<ChainedRow, 'sequence'>): string {
  return `${canonicalJson(row).slice(0, -1)},"sequence":`;
}
