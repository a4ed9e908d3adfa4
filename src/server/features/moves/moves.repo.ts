import type { MoveDns } from '#contracts/operations/moves.ts';
import type { Role } from '#contracts/permissions.ts';
import type { PastedLine } from '#contracts/values/move-lines.ts';
import { minuteMs } from '#contracts/values/time.ts';
import { type RawBuilder, sql, type Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Difference, Line, LineFacts, LineZone } from './line.ts';
import type { Signs } from './moves.rules.ts';

type Ours = { organisationId: string };

const lines = sql`SELECT l.id, l.organisation_id AS "organisationId", l.move_id AS "moveId", l.number, l.address,
  l.problem, l.code_sealed IS NOT NULL AS "hasCode", l.code_problem AS "codeProblem", l.state,
  l.left_out AS "leftOut", l.dns, l.dns_chosen AS "dnsChosen", l.facts, l.zone, l.item_id AS "itemId",
  l.staged_at AS "stagedAt", l.switched_at AS "switchedAt", l.held, l.compared_at AS "comparedAt", l.differences,
  l.checked_at AS "checkedAt", l.accepted,
  CASE WHEN i.id IS NULL THEN NULL
    ELSE jsonb_build_object('state', i.state, 'error', i.public_error, 'orderId', i.order_id) END AS item,
  t.requested_at AS "requestedAt", t.registrar_status AS "registrarStatus", t.status_since AS "statusSince",
  t.completed_at AS "completedAt", t.failed_at AS "failedAt"
  FROM move_lines l LEFT JOIN order_items i ON i.id = l.item_id LEFT JOIN transfers t ON t.id = l.item_id`;

/** All null where nothing was ordered. */
type TransferRow = { [K in keyof NonNullable<Line['transfer']>]: NonNullable<Line['transfer']>[K] | null };
type LineRow = Omit<Line, 'transfer'> & TransferRow;

const toTransfer = ({ requestedAt, ...rest }: TransferRow): Line['transfer'] =>
  requestedAt && { requestedAt, ...rest };

function toLine(row: LineRow): Line {
  const { requestedAt, registrarStatus, statusSince, completedAt, failedAt, ...line } = row;
  return {
    ...line,
    transfer: toTransfer({ requestedAt, registrarStatus, statusSince, completedAt, failedAt }),
  };
}

async function linesWhere(tx: Tx, condition: RawBuilder<unknown>): Promise<Line[]> {
  const { rows } = await sql<LineRow>`${lines} WHERE ${condition} ORDER BY l.number`.execute(tx);
  return rows.map(toLine);
}

export async function insertMove(
  tx: Tx,
  scope: Scope,
  move: {
    id: string;
    customerId: string;
    now: Date;
    lines: readonly (PastedLine & { id: string; codeSealed: Buffer | null; codeProblem: string | null })[];
  },
): Promise<void> {
  const { organisationId } = scope;
  await tx
    .insertInto('moves')
    .values({
      ...{ id: move.id, organisation_id: organisationId, customer_id: move.customerId },
      ...{ author_id: scope.userId, created_at: move.now },
    })
    .execute();
  await tx
    .insertInto('move_lines')
    .values(
      move.lines.map(({ id, number, address, problem, codeSealed, codeProblem }) => ({
        ...{ id, organisation_id: organisationId, move_id: move.id, number, address, problem },
        ...{ code_sealed: codeSealed, code_problem: codeProblem, state: problem ? 'checked' : 'unchecked' },
        ...{ facts: null, zone: null, item_id: null, staged_at: null, switched_at: null, held: null },
        ...{ compared_at: null, differences: null, next_at: problem ? null : move.now },
      })),
    )
    .execute();
}

/** The next round begins at once. */
export const sweepSoon = (tx: Tx) => enqueueJob(tx, 'moves.sweep', {}, { key: 'moves.sweep' });

export async function countMoves(tx: Tx, { organisationId }: Ours): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM moves m
    WHERE m.organisation_id = ${organisationId} AND NOT EXISTS
      (SELECT FROM move_lines l WHERE l.move_id = m.id AND l.item_id IS NOT NULL)`.execute(tx);
  return rows[0]?.count ?? 0;
}

export function linesOf(tx: Tx, { organisationId }: Ours, moveIds: readonly string[]): Promise<Line[]> {
  return linesWhere(
    tx,
    sql`l.organisation_id = ${organisationId} AND l.move_id = ANY (${[...moveIds]}::uuid[])`,
  );
}

export interface CountedSigns {
  moveId: string;
  signs: Omit<Signs, 'step'>;
  /** That of one of them: what decides about its step is the same for all. */
  transfer: Line['transfer'];
  count: number;
}

/** How many lines of each move have the same signs. */
export async function countSigns(
  tx: Tx,
  { organisationId }: Ours,
  moveIds: readonly string[],
): Promise<CountedSigns[]> {
  const { rows } = await sql<{ moveId: string; count: number; signs: CountedSigns['signs'] } & TransferRow>`
    SELECT s."moveId", s.signs, count(*)::int AS count, min(s.requested_at) AS "requestedAt",
      s.registrar_status AS "registrarStatus", min(s.status_since) AS "statusSince",
      min(s.completed_at) AS "completedAt", min(s.failed_at) AS "failedAt"
    FROM (
      SELECT l.move_id AS "moveId", t.requested_at, t.registrar_status, t.status_since, t.completed_at, t.failed_at,
        jsonb_build_object('item', i.state, 'problem', l.problem IS NOT NULL, 'leftOut', l.left_out,
          'codeProblem', l.code_problem IS NOT NULL, 'checked', l.state <> 'unchecked' AND l.facts IS NOT NULL,
          'hindered', coalesce(l.facts -> 'hindrance', 'null') <> 'null',
          'zoneUnknown', l.dns = 'bring' AND l.zone IS NULL, 'held', l.held IS NOT NULL,
          'differs', coalesce(l.differences, '[]') <> '[]', 'settled', l.state = 'settled') AS signs
      FROM move_lines l LEFT JOIN order_items i ON i.id = l.item_id LEFT JOIN transfers t ON t.id = l.item_id
      WHERE l.organisation_id = ${organisationId} AND l.move_id = ANY (${[...moveIds]}::uuid[])
    ) s
    GROUP BY s."moveId", s.signs, s.registrar_status, s.requested_at IS NULL, s.status_since IS NULL,
      s.completed_at IS NULL, s.failed_at IS NULL`.execute(tx);
  return rows.map(({ moveId, count, signs, ...transfer }) => ({
    ...{ moveId, count, signs, transfer: toTransfer(transfer) },
  }));
}

/** Sealed codes of lines, by line. */
export async function codesOf(
  tx: Tx,
  { organisationId }: Ours,
  ids: readonly string[],
): Promise<Map<string, Buffer>> {
  const rows = await tx
    .selectFrom('move_lines')
    .select(['id', 'code_sealed'])
    .where('organisation_id', '=', organisationId)
    .where('id', 'in', ids.length > 0 ? [...ids] : ['00000000-0000-0000-0000-000000000000'])
    .execute();
  return new Map(rows.flatMap(({ id, code_sealed }) => (code_sealed ? [[id, code_sealed] as const] : [])));
}

/**
 * What a person chose for lines of a move. `accepted`: where a line waited because its old DNS has changed, its records are served
 * here in spite of these changes, and of no others. Returns how many lines there are.
 */
export async function chooseLines(
  tx: Tx,
  { organisationId }: Ours,
  {
    moveId,
    ids,
    dns,
    leftOut,
    accepted = [],
    now,
  }: {
    moveId: string;
    ids: readonly string[];
    dns?: MoveDns | undefined;
    leftOut?: boolean | undefined;
    accepted?: readonly { id: string; differences: readonly Difference[] }[];
    now: Date;
  },
): Promise<number> {
  const { rows } = await sql`UPDATE move_lines l SET
      left_out = coalesce(${leftOut ?? null}::boolean, l.left_out),
      dns = coalesce(${dns ?? null}::text, l.dns),
      dns_chosen = l.dns_chosen OR ${dns !== undefined}::boolean,
      state = CASE WHEN ${dns !== undefined}::boolean AND l.state = 'settled' THEN 'ordered' ELSE l.state END,
      next_at = CASE WHEN ${dns !== undefined}::boolean AND l.state IN ('ordered', 'settled') THEN ${now} ELSE l.next_at END,
      compared_at = CASE WHEN ${dns !== undefined}::boolean THEN NULL ELSE l.compared_at END,
      differences = CASE WHEN ${dns !== undefined}::boolean THEN NULL ELSE l.differences END,
      held = CASE WHEN ${dns !== undefined}::boolean THEN NULL ELSE l.held END,
      accepted = coalesce((SELECT a.differences FROM jsonb_to_recordset(${JSON.stringify(accepted)}::jsonb)
        AS a (id uuid, differences jsonb) WHERE a.id = l.id), l.accepted)
    WHERE l.organisation_id = ${organisationId} AND l.move_id = ${moveId} AND l.id = ANY (${[...ids]}::uuid[])
    RETURNING l.id`.execute(tx);
  return rows.length;
}

/** Another code for a line that is not under way: everything about it begins again. False: it is under way. */
export async function putCode(
  tx: Tx,
  { organisationId }: Ours,
  line: { id: string; codeSealed: Buffer; codeProblem: string | null; now: Date },
): Promise<boolean> {
  const { rows } =
    await sql`UPDATE move_lines l SET code_sealed = ${line.codeSealed}, code_problem = ${line.codeProblem},
      code_at = ${line.now}, state = 'unchecked', left_out = false, item_id = NULL, staged_at = NULL, switched_at = NULL, held = NULL,
      compared_at = NULL, differences = NULL, accepted = NULL, next_at = ${line.now}
    WHERE l.organisation_id = ${organisationId} AND l.id = ${line.id} AND l.problem IS NULL
      AND (l.item_id IS NULL OR EXISTS (SELECT FROM order_items i WHERE i.id = l.item_id AND i.state = 'declined'))
    RETURNING l.id`.execute(tx);
  return rows.length === 1;
}

/** Has lines checked, or compared, again. Returns how many lines of the move were named. */
export async function askAgain(
  tx: Tx,
  { organisationId }: Ours,
  { moveId, ids, now }: { moveId: string; ids: readonly string[]; now: Date },
): Promise<number> {
  const { rows } = await sql`UPDATE move_lines l SET
      state = CASE WHEN l.problem IS NOT NULL THEN l.state WHEN l.item_id IS NULL THEN 'unchecked'
        WHEN l.state = 'settled' THEN 'ordered' ELSE l.state END,
      held = NULL, next_at = CASE WHEN l.problem IS NULL THEN ${now}::timestamptz END
    WHERE l.organisation_id = ${organisationId} AND l.move_id = ${moveId} AND l.id = ANY (${[...ids]}::uuid[])
    RETURNING l.id`.execute(tx);
  return rows.length;
}

/** Ties lines to the items of their order, and forgets their codes. Returns how many could be tied. */
export async function tieToOrder(
  tx: Tx,
  { organisationId }: Ours,
  { moveId, ids, orderId, now }: { moveId: string; ids: readonly string[]; orderId: string; now: Date },
): Promise<number> {
  const { rows } =
    await sql`UPDATE move_lines l SET item_id = i.id, code_sealed = NULL, state = 'ordered', next_at = ${now}
    FROM order_items i
    WHERE l.organisation_id = ${organisationId} AND l.move_id = ${moveId} AND l.id = ANY (${[...ids]}::uuid[])
      AND l.item_id IS NULL AND l.state = 'checked' AND NOT l.left_out
      AND i.order_id = ${orderId} AND i.kind = 'transfer' AND i.address = l.address
    RETURNING l.id`.execute(tx);
  return rows.length;
}

/** What is not ordered of a move goes, and the move with it where nothing is left. Returns how many lines went. */
export async function dropUnordered(tx: Tx, { organisationId }: Ours, moveId: string): Promise<number> {
  const gone =
    await sql`DELETE FROM move_lines WHERE organisation_id = ${organisationId} AND move_id = ${moveId}
    AND item_id IS NULL RETURNING id`.execute(tx);
  await sql`DELETE FROM moves m WHERE m.organisation_id = ${organisationId} AND m.id = ${moveId}
    AND NOT EXISTS (SELECT FROM move_lines l WHERE l.move_id = m.id)`.execute(tx);
  return gone.rows.length;
}

/** Codes are not kept for ever: what was not ordered in this time after it was entered goes. Runs across tenants. */
export async function forgetUnordered(tx: Tx, before: Date): Promise<void> {
  await sql`DELETE FROM move_lines l USING moves m
    WHERE m.id = l.move_id AND greatest(m.created_at, l.code_at) < ${before} AND l.item_id IS NULL`.execute(
    tx,
  );
  await sql`DELETE FROM moves m WHERE m.created_at < ${before}
    AND NOT EXISTS (SELECT FROM move_lines l WHERE l.move_id = m.id)`.execute(tx);
}

/** A zone that is read name by name takes some seconds; a line whose process was lost is taken again after this. */
const claimMs = 3 * minuteMs;

/**
 * Takes a line that is due: of the next organization after the one that was served last, the one that waits longest. Two
 * processes never take the same one. Runs across tenants.
 */
export async function takeDue(
  tx: Tx,
  now: Date,
  served: string | null,
): Promise<{ id: string; organisationId: string; until: Date } | undefined> {
  const until = new Date(now.getTime() + claimMs);
  const next = (which: RawBuilder<unknown>) => sql`(SELECT id FROM move_lines
    WHERE next_at <= ${now} AND ${which} ORDER BY organisation_id, next_at LIMIT 1 FOR UPDATE SKIP LOCKED)`;
  const after = served === null ? sql`true` : sql`organisation_id > ${served}`;
  const { rows } = await sql<{ id: string; organisationId: string }>`
    WITH further AS MATERIALIZED ${next(after)},
      first AS MATERIALIZED ${next(sql`NOT EXISTS (SELECT FROM further)`)}
    UPDATE move_lines l SET next_at = ${until} FROM (TABLE further UNION ALL TABLE first) due
    WHERE l.id = due.id RETURNING l.id, l.organisation_id AS "organisationId"`.execute(tx);
  return rows[0] && { ...rows[0], until };
}

export async function isAnyDue(tx: Tx, now: Date): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM move_lines WHERE next_at <= ${now} LIMIT 1`.execute(tx);
  return rows.length > 0;
}

export interface Author {
  id: string;
  email: string;
  role: Role;
  customerId: string | null;
  /** Removed, or their sign-in was switched off. */
  hasLeft: boolean;
}

/** A line that was taken, with the person in whose name it goes on. */
export async function takenLine(tx: Tx, id: string): Promise<{ line: Line; author: Author } | undefined> {
  const [line] = await linesWhere(tx, sql`l.id = ${id}`);
  if (!line) return undefined;
  const { rows } = await sql<Author>`SELECT u.id, u.email, u.role, u.customer_id AS "customerId",
      u.removed_at IS NOT NULL OR u.disabled_at IS NOT NULL AS "hasLeft"
    FROM moves m JOIN users u ON u.id = m.author_id WHERE m.id = ${line.moveId}`.execute(tx);
  return rows[0] && { line, author: rows[0] };
}

/** Who acted on it last is the person in whose name it goes on. */
export async function setAuthor(tx: Tx, scope: Scope, moveId: string): Promise<void> {
  await sql`UPDATE moves SET author_id = ${scope.userId}
    WHERE organisation_id = ${scope.organisationId} AND id = ${moveId}`.execute(tx);
}

type Taken = { id: string; until: Date };

export interface Found {
  at: Date;
  facts: LineFacts;
  zone: LineZone | null;
  dns: MoveDns;
}

/** What a check found. A line that was changed since it was taken is left alone. */
export async function recordCheck(tx: Tx, { id, until }: Taken, found: Found): Promise<void> {
  await sql`UPDATE move_lines SET state = 'checked', facts = ${JSON.stringify(found.facts)}::jsonb,
      zone = ${found.zone && JSON.stringify(found.zone)}::jsonb, checked_at = ${found.at},
      dns = CASE WHEN dns_chosen THEN dns ELSE ${found.dns} END, next_at = NULL
    WHERE id = ${id} AND next_at = ${until} AND state = 'unchecked'`.execute(tx);
}

/** How far an ordered line is. */
export interface Progress {
  staged?: Date;
  switched?: Date;
  held?: string | null;
  compared?: { at: Date; differences: readonly Difference[] };
  /** As its old servers have it, and when that was known last. */
  zone?: LineZone;
  checked?: Date;
  /** When it is looked at again; null: nothing is left to do. */
  nextAt: Date | null;
}

export async function recordProgress(tx: Tx, { id, until }: Taken, done: Progress): Promise<void> {
  const { compared, zone } = done;
  // The item may have moved meanwhile, or a person chosen otherwise: then the line is looked at as soon as that asked for.
  await sql`UPDATE move_lines SET
      staged_at = coalesce(${done.staged ?? null}::timestamptz, staged_at),
      switched_at = coalesce(${done.switched ?? null}::timestamptz, switched_at),
      held = ${done.held ?? null}::text,
      compared_at = coalesce(${compared?.at ?? null}::timestamptz, compared_at),
      differences = CASE WHEN ${compared !== undefined}::boolean
        THEN ${JSON.stringify(compared?.differences ?? [])}::jsonb ELSE differences END,
      zone = coalesce(${zone ? JSON.stringify(zone) : null}::jsonb, zone),
      checked_at = coalesce(${done.checked ?? null}::timestamptz, checked_at),
      state = CASE WHEN ${done.nextAt === null}::boolean AND next_at = ${until} THEN 'settled' ELSE state END,
      next_at = CASE WHEN next_at = ${until} THEN ${done.nextAt}::timestamptz ELSE least(next_at, ${done.nextAt}::timestamptz) END
    WHERE id = ${id} AND state = 'ordered'`.execute(tx);
}

/** A line that was taken and not changed is taken again then. */
export async function postpone(tx: Tx, { id, until }: Taken, nextAt: Date | null): Promise<void> {
  await sql`UPDATE move_lines SET next_at = ${nextAt} WHERE id = ${id} AND next_at = ${until}`.execute(tx);
}

/** A domain of ours, as far as its move is concerned. */
export async function domainOf(tx: Tx, organisationId: string, address: string) {
  return tx
    .selectFrom('domains')
    .select(['status', 'nameservers'])
    .where('organisation_id', '=', organisationId)
    .where('address', '=', address)
    .where('status', '<>', 'ended')
    .executeTakeFirst();
}
