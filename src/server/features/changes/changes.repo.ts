import type { ChangeCounts } from '#contracts/operations/changes.ts';
import type { ChangeAct, ChangeRequest, ChangeState } from '#contracts/values/changes.ts';
import type { Clock } from '#kernel/clock.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { sharedNow } from '#kernel/db/time.ts';
import type { Scope } from '#kernel/scope.ts';
import { leftCount } from './items.repo.ts';

type Tenant = { organisationId: string };

export interface ChangeRow {
  id: string;
  organisationId: string;
  userId: string;
  author: string;
  tokenId: string | null;
  title: string;
  reason: string;
  request: ChangeRequest;
  state: ChangeState;
  round: number;
  note: string;
  undoes: string | null;
  undoneBy: string | null;
  leftByUndo: number | null;
  /** What the customer or the template of the request is called. */
  named: string | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
}

/** The last one that takes a change back. One that was ended, or was taken back itself, may have left things as they were. */
const lastUndo = sql`changes u WHERE u.undoes = c.id AND u.state <> 'cancelled' AND (u.state <> 'undone' OR c.state = 'undone')
  ORDER BY u.id DESC LIMIT 1`;
const ofLastUndo = { organisationId: sql`c.organisation_id`, changeId: sql`c.id`, undoId: sql`u.id` };
const isOpen = sql`state IN ('draft', 'ready', 'running', 'paused', 'partly')`;

const columns = sql`c.id, c.organisation_id AS "organisationId", c.user_id AS "userId", c.author, c.token_id AS "tokenId",
  c.title, c.reason, c.request, c.state, c.round, c.note, c.undoes, c.created_at AS "createdAt",
  c.started_at AS "startedAt", c.ended_at AS "endedAt",
  (SELECT u.id FROM ${lastUndo}) AS "undoneBy",
  (SELECT CASE WHEN u.state = 'done' AND c.state <> 'undone' THEN ${leftCount(ofLastUndo)} END FROM ${lastUndo}) AS "leftByUndo",
  coalesce((SELECT k.organization FROM customers k WHERE k.organisation_id = c.organisation_id
      AND k.id::text = c.request ->> 'customerId'),
    (SELECT t.name FROM dns_templates t WHERE t.organisation_id = c.organisation_id
      AND t.id::text = c.request ->> 'templateId')) AS named`;

export async function insertChange(
  tx: Tx,
  scope: Scope,
  change: {
    id: string;
    title: string;
    reason: string;
    request: ChangeRequest;
    undoes: string | null;
    now: Date;
  },
): Promise<void> {
  const { id, title, reason, request, undoes, now } = change;
  await tx
    .insertInto('changes')
    .values({
      ...{ id, title, reason, undoes, state: 'draft', author: scope.email, created_at: now },
      ...{ organisation_id: scope.organisationId, user_id: scope.userId, token_id: scope.tokenId ?? null },
      request: JSON.stringify(request),
    })
    .execute();
}

/** Changes that are not finished. */
export async function countOpen(tx: Tx, { organisationId }: Tenant): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM changes
    WHERE organisation_id = ${organisationId} AND ${isOpen}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Asked once the change itself is locked: of two people who undo it at once, one makes its undo. */
export async function hasOpenUndo(tx: Tx, { organisationId }: Tenant, id: string): Promise<boolean> {
  const { rows } = await sql`SELECT id FROM changes
    WHERE organisation_id = ${organisationId} AND undoes = ${id} AND ${isOpen} LIMIT 1`.execute(tx);
  return rows.length > 0;
}

/** `locked`: nobody else changes it until the transaction ends. */
export async function findChange(
  tx: Tx,
  { organisationId }: Tenant,
  id: string,
  locked = false,
): Promise<ChangeRow | undefined> {
  const { rows } = await sql<ChangeRow>`SELECT ${columns} FROM changes c
    WHERE c.organisation_id = ${organisationId} AND c.id = ${id} ${locked ? sql`FOR UPDATE` : sql``}`.execute(
    tx,
  );
  return rows[0];
}

export async function listChanges(
  tx: Tx,
  { organisationId }: Tenant,
  page: { state?: ChangeState | undefined; after?: string | undefined; limit: number },
): Promise<ChangeRow[]> {
  // An id of others' is as one that never was.
  const further = page.after
    ? sql`c.id < (SELECT p.id FROM changes p WHERE p.id = ${page.after} AND p.organisation_id = ${organisationId})`
    : sql`true`;
  const { rows } = await sql<ChangeRow>`SELECT ${columns} FROM changes c
    WHERE c.organisation_id = ${organisationId}
      AND ${page.state ? sql`c.state = ${page.state}` : sql`true`}
      AND ${further}
    ORDER BY c.id DESC LIMIT ${page.limit}`.execute(tx);
  return rows;
}

const names: { readonly [state: string]: keyof ChangeCounts } = {
  ...{
    waiting: 'waiting',
    ready: 'ready',
    'left-out': 'leftOut',
    same: 'same',
    barred: 'barred',
    queued: 'queued',
  },
  ...{ applying: 'applying', done: 'done', failed: 'failed', moved: 'moved', cancelled: 'cancelled' },
};

/** How many items of each change are in which state. */
export async function countsOf(
  tx: Tx,
  { organisationId }: Tenant,
  ids: readonly string[],
): Promise<(id: string) => ChangeCounts> {
  const { rows } = await sql<{ id: string; state: string; count: number; warned: number }>`
    SELECT change_id AS id, state, count(*)::int AS count,
      (count(*) FILTER (WHERE state = 'ready' AND (needs_tick OR warnings <> '[]')))::int AS warned
    FROM change_items WHERE organisation_id = ${organisationId} AND change_id = ANY (${[...ids]}::uuid[])
    GROUP BY change_id, state`.execute(tx);
  const byChange = Map.groupBy(rows, ({ id }) => id);
  return (id) => {
    const counts: ChangeCounts = {
      ...{ total: 0, waiting: 0, ready: 0, warned: 0, leftOut: 0, same: 0, barred: 0, queued: 0 },
      ...{ applying: 0, done: 0, failed: 0, moved: 0, cancelled: 0 },
    };
    for (const { state, count, warned } of byChange.get(id) ?? []) {
      const name = names[state];
      if (name) counts[name] = count;
      counts.total += count;
      counts.warned += warned;
    }
    return counts;
  };
}

/** The rows are locked by their change: call `findChange` with `locked` first. */
export async function setState(
  tx: Tx,
  { organisationId }: Tenant,
  id: string,
  change: { state: ChangeState; note?: string; at: Date },
): Promise<void> {
  const { state, note = '', at } = change;
  const ends = state === 'done' || state === 'partly' || state === 'cancelled';
  await sql`UPDATE changes SET state = ${state}, note = ${note},
      looked_at = CASE WHEN ${state === 'ready'} THEN ${at}::timestamptz ELSE looked_at END,
      started_at = CASE WHEN ${state === 'running'} THEN coalesce(started_at, ${at}::timestamptz) ELSE started_at END,
      ended_at = CASE WHEN ${ends} THEN ${at}::timestamptz WHEN ${state === 'running'} THEN NULL ELSE ended_at END
    WHERE organisation_id = ${organisationId} AND id = ${id}`.execute(tx);
}

/** Who it is carried out for from now on: the person who had the last word. */
export async function setActor(tx: Tx, scope: Scope, id: string): Promise<void> {
  await sql`UPDATE changes SET user_id = ${scope.userId}, author = ${scope.email}, token_id = ${scope.tokenId ?? null}
    WHERE organisation_id = ${scope.organisationId} AND id = ${id}`.execute(tx);
}

/** What is applied may find other differences than were shown: a word about those that were does not count for them. */
export async function raiseRound(tx: Tx, { organisationId }: Tenant, id: string): Promise<void> {
  await sql`UPDATE changes SET round = round + 1 WHERE organisation_id = ${organisationId} AND id = ${id}`.execute(
    tx,
  );
}

/** Described differently, or to be looked at again: all that was found counts no more. */
export async function beginLook(
  tx: Tx,
  { organisationId }: Tenant,
  id: string,
  given: { title: string; reason: string; request: ChangeRequest },
): Promise<void> {
  const { title, reason, request } = given;
  await sql`UPDATE changes SET state = 'draft', note = '', round = round + 1, title = ${title}, reason = ${reason},
      request = ${JSON.stringify(request)}
    WHERE organisation_id = ${organisationId} AND id = ${id}`.execute(tx);
}

export async function deleteChange(tx: Tx, { organisationId }: Tenant, id: string): Promise<void> {
  await sql`DELETE FROM changes WHERE organisation_id = ${organisationId} AND id = ${id}`.execute(tx);
}

/** Changes under way that nobody seems to work on. Across tenants. */
export async function stalledChanges(tx: Tx, clock: Clock, afterMs: number) {
  const before = sql`${sharedNow(clock)} - ${afterMs} * interval '1 millisecond'`;
  const { rows } = await sql<{
    organisationId: string;
    changeId: string;
    act: Extract<ChangeAct, 'look'> | 'run';
  }>`
    SELECT c.organisation_id AS "organisationId", c.id AS "changeId",
      CASE WHEN c.state = 'draft' THEN 'look' ELSE 'run' END AS act
    FROM changes c WHERE c.state IN ('draft', 'running') AND NOT EXISTS (
        SELECT FROM change_items i WHERE i.change_id = c.id AND i.state IN ('waiting', 'queued', 'applying')
          AND i.next_at > ${before})
      OR c.state IN ('paused', 'cancelled') AND EXISTS (
        SELECT FROM change_items i WHERE i.change_id = c.id AND i.state = 'applying' AND i.next_at <= ${before})`.execute(
    tx,
  );
  return rows;
}

/** What ended before this moment is forgotten; the history of each zone stays. */
export async function dropEnded(tx: Tx, before: Date): Promise<void> {
  await sql`DELETE FROM changes WHERE state IN ('done', 'partly', 'cancelled', 'undone') AND ended_at < ${before}`.execute(
    tx,
  );
}

export interface Person {
  email: string;
  role: 'MSP_OWNER' | 'MSP_ADMIN' | 'MSP_EMPLOYEE' | 'MSP_CUSTOMER';
  customerId: string | null;
}

/** The person in whose name it is carried out; undefined when they have no access any more. */
export async function findPerson(
  tx: Tx,
  { organisationId }: Tenant,
  userId: string,
): Promise<Person | undefined> {
  return tx
    .selectFrom('users')
    .select(['email', 'role', 'customer_id as customerId'])
    .where('organisation_id', '=', organisationId)
    .where('id', '=', userId)
    .where('removed_at', 'is', null)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
}
