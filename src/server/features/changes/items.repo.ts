import type { ChangeItemState } from '#contracts/values/changes.ts';
import type { Clock } from '#kernel/clock.ts';
import { type RawBuilder, sql, type Tx } from '#kernel/db/database.ts';
import { sharedNow } from '#kernel/db/time.ts';
import { type Scope, withinReach } from '#kernel/scope.ts';
import type { Looked, Side } from './kinds.ts';

type Tenant = { organisationId: string };

export interface ItemRow {
  id: string;
  domain: string;
  customerId: string | null;
  customer: string | null;
  state: ChangeItemState;
  note: string;
  before: Side | null;
  after: Side | null;
  version: string | null;
  others: number | null;
  warnings: string[];
  needsTick: boolean;
  ticked: boolean;
  attempts: number;
  endedAt: Date | null;
}

const columns = sql`i.id, i.address AS domain, d.customer_id AS "customerId", k.organization AS customer, i.state, i.note,
  i.before, i.after, i.version, i.others, i.warnings, i.needs_tick AS "needsTick", i.ticked, i.attempts,
  i.ended_at AS "endedAt"`;
const joined = sql`change_items i LEFT JOIN domains d ON d.id = i.domain_id LEFT JOIN customers k ON k.id = d.customer_id`;

/** Names that are none of ours are kept with that word: the person who pasted them sees each line again. */
export async function insertItems(
  tx: Tx,
  scope: Scope,
  changeId: string,
  names: readonly { id: string; address: string }[],
  clock: Clock,
): Promise<void> {
  await sql`INSERT INTO change_items (id, organisation_id, change_id, domain_id, customer_id, address, state, note, next_at)
    SELECT n.id, ${scope.organisationId}, ${changeId}, d.id, d.customer_id, n.address,
      CASE WHEN d.id IS NULL THEN 'barred' ELSE 'waiting' END,
      CASE WHEN d.id IS NULL THEN 'This is not among your domains.' ELSE '' END, ${sharedNow(clock)}
    FROM jsonb_to_recordset(${JSON.stringify(names)}::jsonb) AS n (id uuid, address text)
    LEFT JOIN domains d ON d.organisation_id = ${scope.organisationId} AND d.address = n.address
      AND d.status <> 'ended' AND ${withinReach(scope, 'd.customer_id')}`.execute(tx);
}

export interface ItemFilter {
  state?: ChangeItemState | undefined;
  warned?: boolean;
  search?: string | undefined;
  after?: string | undefined;
  limit: number;
}

/** By name; those in which there is nothing to change come last. */
export async function listItems(
  tx: Tx,
  { organisationId }: Tenant,
  changeId: string,
  { state, warned, search, after, limit }: ItemFilter,
): Promise<ItemRow[]> {
  const lastIsSame = sql`EXISTS (SELECT FROM change_items l WHERE l.organisation_id = ${organisationId}
    AND l.change_id = ${changeId} AND l.address = ${after} AND l.state = 'same')`;
  const { rows } = await sql<ItemRow>`SELECT ${columns} FROM ${joined}
    WHERE i.organisation_id = ${organisationId} AND i.change_id = ${changeId}
      AND ${state ? sql`i.state = ${state}` : sql`true`}
      AND ${warned ? sql`(i.needs_tick OR i.warnings <> '[]')` : sql`true`}
      AND ${search ? sql`strpos(i.address, ${search.toLowerCase()}) > 0` : sql`true`}
      AND ${after ? sql`(i.state = 'same', i.address) > (${lastIsSame}, ${after})` : sql`true`}
    ORDER BY i.state = 'same', i.address LIMIT ${limit}`.execute(tx);
  return rows;
}

/** What the customers are called that these domains come from or go to. */
export async function customersOf(
  tx: Tx,
  { organisationId }: Tenant,
  items: readonly Pick<ItemRow, 'before' | 'after'>[],
): Promise<(id: string) => string> {
  const sides = items.flatMap(({ before, after }) => [before, after]);
  const ids = sides.flatMap((side) => (side && 'customerId' in side && side.customerId) || []);
  const { rows } =
    ids.length === 0
      ? { rows: [] }
      : await sql<{ id: string; name: string }>`SELECT id, organization AS name FROM customers
          WHERE organisation_id = ${organisationId} AND id = ANY (${ids}::uuid[])`.execute(tx);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? 'A customer of earlier';
}

/**
 * Items that changed their domain. Where no answer came in time, the item ended without knowing it: it failed, and may have been
 * left out since, or others had changed the same when it was tried again. But a version of the zone names it: one that may be
 * in force. Settings have no versions. There each try may have struck, but for a single one that was refused, or that found the
 * work of others and sent nothing.
 */
const hasChanged = sql`(i.state = 'done' OR i.state IN ('failed', 'cancelled', 'queued', 'left-out', 'moved') AND (EXISTS (
    SELECT FROM zone_versions v WHERE v.organisation_id = i.organisation_id AND v.change_item_id = i.id
      AND v.state IN ('applied', 'staged', 'writing', 'unknown'))
  OR jsonb_typeof(i.after) = 'object' AND (i.attempts > 1
    OR i.attempts = 1 AND i.state NOT IN ('failed', 'left-out', 'moved'))))`;

/**
 * How many domains still have a change that another one was to take back: they were left out there, could not be changed, or
 * were not yet changed when it was made.
 */
export const leftCount = (of: {
  organisationId: RawBuilder<unknown>;
  changeId: RawBuilder<unknown>;
  undoId: RawBuilder<unknown>;
}) => sql<number>`(SELECT count(*)::int FROM change_items i
  WHERE i.organisation_id = ${of.organisationId} AND i.change_id = ${of.changeId} AND ${hasChanged} AND NOT EXISTS (
    SELECT FROM change_items t WHERE t.organisation_id = i.organisation_id AND t.change_id = ${of.undoId}
      AND t.address = i.address AND t.state IN ('done', 'same')))`;

export async function countLeft(
  tx: Tx,
  { organisationId }: Tenant,
  changeId: string,
  undoId: string,
): Promise<number> {
  const left = leftCount({
    ...{ organisationId: sql`${organisationId}`, changeId: sql`${changeId}`, undoId: sql`${undoId}` },
  });
  const { rows } = await sql<{ count: number }>`SELECT ${left} AS count`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** What an earlier change did to a domain. `inUse`: a template counts as in use there because of it. */
export async function doneTo(
  tx: Tx,
  { organisationId }: Tenant,
  changeId: string,
  address: string,
): Promise<{ itemId: string; before: Side; after: Side; inUse: boolean } | undefined> {
  const { rows } = await sql<{ itemId: string; before: Side; after: Side; inUse: boolean }>`
    SELECT i.id AS "itemId", i.before, i.after, EXISTS (SELECT FROM dns_template_uses u
      WHERE u.organisation_id = i.organisation_id AND u.domain_id = i.domain_id AND u.change_id = i.change_id) AS "inUse"
    FROM change_items i
    WHERE i.organisation_id = ${organisationId} AND i.change_id = ${changeId} AND i.address = ${address}
      AND ${hasChanged}`.execute(tx);
  return rows[0];
}

export async function addressesDone(tx: Tx, { organisationId }: Tenant, changeId: string): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`SELECT i.address FROM change_items i
    WHERE i.organisation_id = ${organisationId} AND i.change_id = ${changeId} AND ${hasChanged}
    ORDER BY i.address`.execute(tx);
  return rows.map(({ address }) => address);
}

/** Whether something is on its way to the registrar: a change that was ended begins nothing more, but this goes on. */
export async function isApplying(tx: Tx, { organisationId }: Tenant, changeId: string): Promise<boolean> {
  const { rows } = await sql`SELECT id FROM change_items
    WHERE organisation_id = ${organisationId} AND change_id = ${changeId} AND state = 'applying' LIMIT 1`.execute(
    tx,
  );
  return rows.length > 0;
}

export async function choose(
  tx: Tx,
  { organisationId }: Tenant,
  changeId: string,
  {
    ids,
    chosen,
    ticked,
  }: { ids: readonly string[]; chosen: boolean | undefined; ticked: boolean | undefined },
): Promise<void> {
  const wanted = sql`organisation_id = ${organisationId} AND change_id = ${changeId} AND id = ANY (${[...ids]}::uuid[])`;
  if (ticked !== undefined) {
    await sql`UPDATE change_items SET ticked = ${ticked} WHERE ${wanted} AND needs_tick`.execute(tx);
  }
  if (chosen === true) {
    await sql`UPDATE change_items SET state = 'ready' WHERE ${wanted} AND state = 'left-out' AND attempts = 0`.execute(
      tx,
    );
  }
  if (chosen === false) {
    await sql`UPDATE change_items SET state = 'left-out'
      WHERE ${wanted} AND state IN ('ready', 'failed', 'moved')`.execute(tx);
  }
}

/** To be looked at again; names that are none of ours stay what they are. */
export async function lookAgain(
  tx: Tx,
  { organisationId }: Tenant,
  changeId: string,
  clock: Clock,
): Promise<void> {
  await sql`UPDATE change_items i SET state = 'waiting', note = '',
      customer_id = (SELECT d.customer_id FROM domains d WHERE d.id = i.domain_id), before = NULL, after = NULL, version = NULL,
      others = NULL, removed = NULL, warnings = '[]', needs_tick = false, ticked = false, attempts = 0,
      next_at = ${sharedNow(clock)}
    WHERE organisation_id = ${organisationId} AND change_id = ${changeId} AND domain_id IS NOT NULL`.execute(
    tx,
  );
}

/** Those that lose much of their zone, and of which nobody has said that it is meant. */
export async function unticked(
  tx: Tx,
  { organisationId }: Tenant,
  changeId: string,
  states: readonly ChangeItemState[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM change_items
    WHERE organisation_id = ${organisationId} AND change_id = ${changeId} AND state = ANY (${[...states]}::text[])
      AND needs_tick AND NOT ticked`.execute(tx);
  return rows[0]?.count ?? 0;
}

/**
 * They are applied as soon as their turn comes. What was tried more than once begins as at its second try: an earlier one may
 * have struck, and what it did counts as done by this change.
 */
export async function queueItems(
  tx: Tx,
  { organisationId }: Tenant,
  changeId: string,
  states: readonly ChangeItemState[],
  clock: Clock,
): Promise<void> {
  await sql`UPDATE change_items SET state = 'queued', attempts = CASE WHEN attempts > 1 THEN 1 ELSE 0 END, note = '',
      next_at = ${sharedNow(clock)}
    WHERE organisation_id = ${organisationId} AND change_id = ${changeId} AND state = ANY (${[...states]}::text[])`.execute(
    tx,
  );
}

export async function cancelItems(tx: Tx, { organisationId }: Tenant, changeId: string): Promise<void> {
  await sql`UPDATE change_items SET state = 'cancelled', next_at = NULL
    WHERE organisation_id = ${organisationId} AND change_id = ${changeId}
      AND state IN ('queued', 'failed', 'moved')`.execute(tx);
}

/**
 * Takes the next item, for `claimMs`; nobody else takes it meanwhile, and after a crash somebody does. An application begins
 * only while the change is running; one that was cut off is always brought to its end.
 */
export async function takeItem(
  tx: Tx,
  { organisationId, changeId }: Tenant & { changeId: string },
  { act, claimMs, clock }: { act: 'look' | 'run'; claimMs: number; clock: Clock },
): Promise<ItemRow | undefined> {
  const isDue =
    act === 'look'
      ? sql`c.state = 'draft' AND i.state = 'waiting'`
      : sql`(c.state = 'running' AND i.state = 'queued' OR i.state = 'applying')`;
  const now = sharedNow(clock);
  const { rows } = await sql<ItemRow>`
    WITH taken AS (
      UPDATE change_items SET state = ${act === 'look' ? 'waiting' : 'applying'}, attempts = attempts + 1,
        next_at = ${now} + ${claimMs} * interval '1 millisecond'
      WHERE id = (
        SELECT i.id FROM change_items i JOIN changes c ON c.id = i.change_id
        WHERE i.organisation_id = ${organisationId} AND i.change_id = ${changeId} AND ${isDue} AND i.next_at <= ${now}
        ORDER BY i.address LIMIT 1 FOR UPDATE OF i SKIP LOCKED)
      RETURNING *
    )
    SELECT ${columns} FROM taken i LEFT JOIN domains d ON d.id = i.domain_id LEFT JOIN customers k ON k.id = d.customer_id`.execute(
    tx,
  );
  return rows[0];
}

/** Only while it is the same try at the same description: what is late changes nothing. */
export async function noteLook(
  tx: Tx,
  { organisationId }: Tenant,
  item: Pick<ItemRow, 'id' | 'attempts'>,
  { state, note, version, plan }: Looked,
  round: number,
): Promise<void> {
  await sql`UPDATE change_items i SET state = ${state}, note = ${note}, version = ${version},
      before = ${plan && JSON.stringify(plan.before)}::jsonb, after = ${plan && JSON.stringify(plan.after)}::jsonb,
      others = ${plan?.others ?? null}, removed = ${plan?.removed ?? null},
      warnings = ${JSON.stringify(plan?.warnings ?? [])}::jsonb, needs_tick = ${plan?.needsTick ?? false},
      ticked = false, attempts = CASE WHEN ${state === 'moved'} THEN i.attempts ELSE 0 END, next_at = NULL
    FROM changes c WHERE c.id = i.change_id AND c.round = ${round} AND i.organisation_id = ${organisationId}
      AND i.id = ${item.id} AND i.attempts = ${item.attempts} AND i.state IN ('waiting', 'applying')`.execute(
    tx,
  );
}

/** It has ended, by this try. False: another try has it by now. */
export async function endItem(
  tx: Tx,
  { organisationId }: Tenant,
  item: Pick<ItemRow, 'id' | 'attempts'>,
  end: { state: Extract<ChangeItemState, 'done' | 'failed' | 'same' | 'barred'>; note: string },
  at: Date,
): Promise<boolean> {
  const { numAffectedRows } =
    await sql`UPDATE change_items SET state = ${end.state}, note = ${end.note}, ended_at = ${at}, next_at = NULL
    WHERE organisation_id = ${organisationId} AND id = ${item.id} AND attempts = ${item.attempts}
      AND state IN ('waiting', 'applying')`.execute(tx);
  return (numAffectedRows ?? 0n) > 0n;
}

/** It is tried again later. */
export async function putOff(
  tx: Tx,
  { organisationId }: Tenant,
  item: Pick<ItemRow, 'id' | 'attempts'>,
  { note, afterMs, clock }: { note: string; afterMs: number; clock: Clock },
): Promise<void> {
  await sql`UPDATE change_items SET state = CASE state WHEN 'applying' THEN 'queued' ELSE state END, note = ${note},
      next_at = ${sharedNow(clock)} + ${afterMs} * interval '1 millisecond'
    WHERE organisation_id = ${organisationId} AND id = ${item.id} AND attempts = ${item.attempts}
      AND state IN ('waiting', 'applying')`.execute(tx);
}

/** How long until the next item is due, in milliseconds; null: none is left. */
export async function nextDueMs(
  tx: Tx,
  { organisationId, changeId }: Tenant & { changeId: string },
  clock: Clock,
): Promise<number | null> {
  const { rows } = await sql<{ due: number | null }>`
    SELECT (extract(epoch from min(next_at) - ${sharedNow(clock)}) * 1000)::float8 AS due FROM change_items
    WHERE organisation_id = ${organisationId} AND change_id = ${changeId}
      AND state IN ('waiting', 'queued', 'applying')`.execute(tx);
  const due = rows[0]?.due ?? null;
  return due === null ? null : Math.max(0, due);
}
