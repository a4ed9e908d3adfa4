import type { AttentionCause, AttentionSeverity } from '#contracts/values/attention.ts';
import { type AttentionQuestion, inQuestion } from '#kernel/attention.ts';
import { type RawBuilder, sql, type Tx } from '#kernel/db/database.ts';
import { shaped } from '#kernel/db/shaped.ts';
import { newId } from '#kernel/ids.ts';
import { type CustomerReach, idList, ofCustomers, type Scope, withinReach } from '#kernel/scope.ts';
import { type Difference, heedsPutOff, type KeptItem, rankOf } from './attention.rules.ts';

/** Rows of one statement. */
const rowsPerStatement = 1_000;

/** Causes that were marked and not settled yet, with their organizations; of one organization or of all. */
export async function markedCauses(
  tx: Tx,
  organisationId: string | null,
): Promise<{ cause: string; organisationIds: string[] }[]> {
  const { rows } = await sql<{ cause: string; organisationIds: string[] }>`
    SELECT cause, array_agg(DISTINCT organisation_id) AS "organisationIds" FROM attention_marks
    WHERE ${organisationId === null ? sql`true` : sql`organisation_id = ${organisationId}`}
    GROUP BY cause ORDER BY cause`.execute(tx);
  return rows;
}

/**
 * Takes the marks of a cause: from here on this transaction answers for what they stand for. Who takes the same ones at the
 * same time waits until it has, and finds them gone.
 */
export async function takeMarks(tx: Tx, cause: string, question: AttentionQuestion): Promise<void> {
  await sql`DELETE FROM attention_marks WHERE id IN (
    SELECT id FROM attention_marks WHERE cause = ${cause} AND ${inQuestion('organisation_id', question)}
    ORDER BY id FOR UPDATE)`.execute(tx);
}

/** One at a time compares a cause's items with what is stated: of these organizations, or of all. */
export async function lockCause(
  tx: Tx,
  cause: string,
  { organisationIds }: AttentionQuestion,
): Promise<void> {
  const name = `attention ${cause}`;
  if (organisationIds === null) {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
    return;
  }
  await sql`SELECT pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`.execute(tx);
  // In one order, so that no two wait for each other.
  const ids = [...organisationIds].sort();
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${name} `}::text || id, 0))
    FROM unnest(${ids}::text[]) AS id`.execute(tx);
}

/** The open items of a cause. */
export async function openItems(tx: Tx, cause: string, question: AttentionQuestion): Promise<KeptItem[]> {
  return tx
    .selectFrom('attention_items')
    .select(['id', 'organisation_id as organisationId', 'object', 'rank', 'customer_id as customerId'])
    .select(['address', 'deadline', 'facts'])
    .where('cause', '=', cause)
    .where('closed_at', 'is', null)
    .where(inQuestion('organisation_id', question))
    .execute();
}

/**
 * Whether an entry says what its row did not say before, and who put it off had not seen (decision 230): what is worse, or another
 * matter, though it presses as much. What only goes on, or is milder, is no news. The row may be one that closed: only the
 * statement meets it. A new cause does not compile without an answer.
 */
function hasMore(cause: AttentionCause): RawBuilder<boolean> {
  type Row = 'excluded' | 'kept';
  const said = (row: Row, name: string) => sql`${sql.ref(`${row}.facts`)} ->> ${sql.lit(name)}`;
  const differs = (name: string) => sql<boolean>`${said('excluded', name)} <> ${said('kept', name)}`;
  const grows = (name: string) =>
    sql<boolean>`(${said('excluded', name)})::bigint > (${said('kept', name)})::bigint`;
  /** From no to yes, or the other way. */
  const becomes = (name: string, to: boolean) =>
    sql<boolean>`(${said('excluded', name)})::boolean = ${sql.lit(to)} AND (${said('kept', name)})::boolean <> ${sql.lit(to)}`;
  const or = (...conditions: RawBuilder<boolean>[]) => sql<boolean>`${sql.join(conditions, sql` OR `)}`;
  switch (cause) {
    case 'health': {
      const kindsOf = (row: Row) => sql`string_to_array(${said(row, 'kinds')}, ' ')`;
      return sql<boolean>`NOT ${kindsOf('excluded')} <@ ${kindsOf('kept')}`;
    }
    case 'transfer':
      return sql<boolean>`${said('excluded', 'state')} = 'failed' AND ${said('kept', 'state')} <> 'failed'`;
    // Paused by a person, and then because nobody has the right to go on: the note says which.
    case 'change':
      return or(differs('state'), differs('note'));
    case 'move-dns':
      return or(
        sql<boolean>`(${said('excluded', 'held')} IS NULL) <> (${said('kept', 'held')} IS NULL)`,
        grows('differs'),
      );
    // Its own renewal that failed is another matter than one that nobody ordered, and so is another reason.
    case 'renewal':
      return or(differs('state'), differs('reason'));
    // The entry has the worst flag alone: another one was not to be seen. Of one kind the words say how bad it is, unless they
    // say that it is being done, or it presses less.
    case 'certificate':
      return or(
        differs('kind'),
        sql<boolean>`${differs('text')} AND excluded.rank <= kept.rank
          AND NOT coalesce((${said('excluded', 'underWay')})::boolean, false)`,
      );
    // Of several sets of names one is named, each time the one that asked last, and the others are counted.
    case 'acme': {
      const alone = (row: Row) => sql`(${said(row, 'others')})::bigint = 0`;
      const another = sql`excluded.address IS DISTINCT FROM kept.address`;
      return or(grows('others'), sql<boolean>`${alone('excluded')} AND ${alone('kept')} AND ${another}`);
    }
    case 'registrant':
      return or(becomes('suspended', true), becomes('bounced', true));
    // Nothing tries it again.
    case 'charge':
      return or(becomes('retries', false), grows('cents'));
    case 'payment':
      return differs('waits');
    // All changes of a zone are one entry; another one began at another time.
    case 'zone-write':
      return differs('at');
    // These say one thing only, and that it waits. A deadline that moves is heeded for every cause.
    case 'order':
    case 'refund':
    case 'import':
    case 'move':
    case 'restore':
      return sql<boolean>`false`;
  }
}

/** Whether it presses more or says more: who has seen the row as it was has not seen this. */
const isWorse = (cause: AttentionCause) => sql<boolean>`(excluded.rank < kept.rank OR (${hasMore(cause)}))`;

/** Until when a row stays put off: no more once it is worse, and never beyond its deadline, also where that has moved since. */
function stillPutOff(cause: AttentionCause): RawBuilder<unknown> {
  return sql`CASE WHEN ${isWorse(cause)} THEN NULL
    WHEN excluded.deadline IS DISTINCT FROM kept.deadline AND excluded.deadline < kept.snoozed_until THEN excluded.deadline
    ELSE kept.snoozed_until END`;
}

/**
 * One that was closed opens again as the same row: who had taken it over has it still. One that presses more than when it was
 * put off, says more, or is at its deadline is shown again.
 */
export async function writeDifference(
  tx: Tx,
  cause: AttentionCause,
  { write, close }: Difference,
  now: Date,
): Promise<void> {
  for (let at = 0; at < write.length; at += rowsPerStatement) {
    const rows = write
      .slice(at, at + rowsPerStatement)
      .map((item) => ({ ...item, id: newId(now.getTime()) }));
    await sql`
      INSERT INTO attention_items AS kept
        (id, organisation_id, cause, object, rank, customer_id, address, deadline, facts, opened_at)
      SELECT id, "organisationId", ${cause}, object, rank, "customerId", address, deadline, facts, ${now}
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS stated (id uuid, "organisationId" uuid, object text,
        rank smallint, "customerId" uuid, address text, deadline timestamptz, facts jsonb)
      ON CONFLICT (organisation_id, cause, object) DO UPDATE SET rank = excluded.rank,
        customer_id = excluded.customer_id, address = excluded.address, deadline = excluded.deadline,
        facts = excluded.facts, closed_at = NULL,
        snoozed_until = ${stillPutOff(cause)},
        version = CASE WHEN ${isWorse(cause)} THEN kept.version + 1 ELSE kept.version END,
        opened_at = CASE WHEN kept.closed_at IS NULL THEN kept.opened_at ELSE excluded.opened_at END`.execute(
      tx,
    );
  }
  if (close.length > 0) {
    await sql`UPDATE attention_items SET closed_at = ${now}
      WHERE id = ANY (${close}::uuid[]) AND closed_at IS NULL`.execute(tx);
  }
}

/** What closed before this moment is forgotten. */
export async function dropClosed(tx: Tx, before: Date): Promise<void> {
  await tx.deleteFrom('attention_items').where('closed_at', '<', before).execute();
}

export interface ItemFilter {
  /** Those that the caller may see. */
  causes: readonly AttentionCause[];
  severity?: AttentionSeverity | undefined;
  customerId?: string | undefined;
  /** Only what the caller has taken over. */
  mine?: boolean | undefined;
  /** Only what is put off for the caller; else only what is not. */
  snoozed?: boolean | undefined;
}

export interface ShownItem {
  id: string;
  cause: AttentionCause;
  rank: number;
  address: string | null;
  customerId: string | null;
  customer: string | null;
  deadline: Date | null;
  facts: unknown;
  openedAt: Date;
  snoozedUntil: Date | null;
  version: number;
  ownerId: string | null;
  ownerName: string | null;
  ownerEmail: string | null;
}

export interface Marked {
  marked: boolean;
}

/** All that the text of a list, or of the counts, depends on. */
interface Shape {
  reach: CustomerReach['kind'];
  heedsPutOff: boolean;
  snoozed: boolean;
  /** One by itself is a part of the text: whether it is common or rare decides about the plan. */
  cause: AttentionCause | null;
  severity: AttentionSeverity | null;
  ofCustomer: boolean;
  mine: boolean;
}
interface ListShape extends Shape {
  isFurther: boolean;
  limit: number;
}
interface Values extends Record<string, unknown> {
  organisationId: string;
  userId: string;
  /** The customers in reach, where the shape says that the reach is of some customers. */
  reachable: string;
  /** As an array of the database. */
  causes: string;
  customerId: string | null;
  after: string | null;
  now: Date;
}

function asked(scope: Scope, filter: ItemFilter, now: Date): { shape: Shape; values: Values } {
  const { causes, severity, customerId, mine, snoozed } = filter;
  const { organisationId, userId, reach, role } = scope;
  return {
    shape: {
      reach: reach.kind,
      heedsPutOff: heedsPutOff(role),
      snoozed: snoozed ?? false,
      cause: causes.length === 1 ? (causes[0] ?? null) : null,
      severity: severity ?? null,
      ofCustomer: customerId !== undefined,
      mine: mine ?? false,
    },
    values: {
      ...{ organisationId, userId, now, after: null, customerId: customerId ?? null },
      reachable: reach.kind === 'customers' ? idList(reach) : '',
      causes: `{${causes.join()}}`,
    },
  };
}

/** Whether something of the organization was marked and is not settled: in the same statement, so that nobody waits twice. */
const isMarked = ({ organisationId }: Values) =>
  sql<boolean>`EXISTS (SELECT FROM attention_marks m WHERE m.organisation_id = ${organisationId})`;

function putOffOrNot({ heedsPutOff: heeds, snoozed }: Shape, { now }: Values): RawBuilder<unknown> {
  if (!heeds) return snoozed ? sql`false` : sql`true`;
  return snoozed ? sql`i.snoozed_until > ${now}` : sql`coalesce(i.snoozed_until <= ${now}, true)`;
}

function inReach(shape: Shape, values: Values): RawBuilder<boolean> {
  const { reach, cause, severity, ofCustomer, mine } = shape;
  const conditions = [
    sql`i.organisation_id = ${values.organisationId} AND i.closed_at IS NULL`,
    ...(reach === 'customers' ? [ofCustomers('i.customer_id', values.reachable)] : []),
    // Several are nearly always all: not in a form that an index is looked up by (decision 298).
    cause ? sql`i.cause = ${sql.lit(cause)}` : sql`coalesce(i.cause = ANY (${values.causes}::text[]), false)`,
    putOffOrNot(shape, values),
    ...(severity ? [sql`i.rank = ${sql.lit(rankOf(severity))}`] : []),
    ...(ofCustomer ? [sql`i.customer_id = ${values.customerId}`] : []),
    ...(mine ? [sql`i.owner_id = ${values.userId}`] : []),
  ];
  return sql<boolean>`(${sql.join(conditions, sql` AND `)})`;
}

/** `customerId`: where all rows are of one customer, that one, whose name is then looked up once. */
const shownColumns = (customerId: RawBuilder<unknown>) => sql`i.id, i.cause, i.rank, i.address,
  i.customer_id AS "customerId", (SELECT c.organization FROM customers c WHERE c.id = ${customerId}) AS customer, i.deadline,
  i.facts, i.opened_at AS "openedAt", i.snoozed_until AS "snoozedUntil", i.version, u.id AS "ownerId",
  u.username AS "ownerName", u.email AS "ownerEmail"`;
/** What somebody had taken over who has left, or works for a customer now, is nobody's again: it must not look as if it were looked after. */
export const owners = sql`(SELECT id, username, email FROM users WHERE removed_at IS NULL AND role <> 'MSP_CUSTOMER') u`;
const joined = sql`attention_items i LEFT JOIN ${owners} ON u.id = i.owner_id`;

/** There are few limits, so that connections prepare few statements. */
const limits = [51, 101, 201];

function list(tx: Tx, shape: ListShape, values: Values) {
  const further = shape.isFurther
    ? sql`(i.rank, i.sort_at, i.id) > (SELECT rank, sort_at, id FROM attention_items
        WHERE id = ${values.after} AND organisation_id = ${values.organisationId})`
    : sql`true`;
  const customerId = shape.ofCustomer ? sql`${values.customerId}` : sql`i.customer_id`;
  const statement = sql<
    ShownItem & Marked
  >`SELECT ${shownColumns(customerId)}, ${isMarked(values)} AS marked FROM ${joined}
    WHERE ${inReach(shape, values)} AND ${further}
    ORDER BY i.rank, i.sort_at, i.id LIMIT ${sql.lit(shape.limit)}`;
  return { compile: () => statement.compile(tx) };
}

/** The most pressing first, then by deadline; at least `limit` of them, where there are; `after`: the item with which the page before ended. */
export async function listItems(
  tx: Tx,
  scope: Scope,
  filter: ItemFilter,
  page: { after?: string | undefined; limit: number; now: Date },
): Promise<(ShownItem & Marked)[]> {
  const { shape, values } = asked(scope, filter, page.now);
  const { after = null } = page;
  const limit = limits.find((most) => page.limit <= most) ?? page.limit;
  const ofList = { ...shape, isFurther: after !== null, limit };
  return (await tx.executeQuery(shaped(tx, list, ofList, { ...values, after }))).rows;
}

/** One item in reach, open or closed a while ago: who acts on it may have been a moment late. */
export async function findItem(
  tx: Tx,
  scope: Scope,
  causes: readonly AttentionCause[],
  id: string,
): Promise<ShownItem | undefined> {
  const { rows } = await sql<ShownItem>`SELECT ${shownColumns(sql`i.customer_id`)} FROM ${joined}
    WHERE i.id = ${id} AND i.organisation_id = ${scope.organisationId} AND ${withinReach(scope, 'i.customer_id')}
      AND i.cause = ANY (${[...causes]}::text[])`.execute(tx);
  return rows[0];
}

export interface ItemCount {
  cause: AttentionCause;
  rank: number;
  snoozed: boolean;
  mine: boolean;
  count: number;
}

function count(tx: Tx, shape: Shape, values: Values) {
  const isPutOff = shape.heedsPutOff ? sql`coalesce(i.snoozed_until > ${values.now}, false)` : sql`false`;
  const statement = sql<ItemCount & Marked>`
    SELECT i.cause, i.rank, ${isPutOff} AS snoozed,
      coalesce(i.owner_id = ${values.userId}, false) AS mine, count(*)::int AS count,
      ${isMarked(values)} AS marked
    FROM attention_items i
    WHERE i.organisation_id = ${values.organisationId} AND i.closed_at IS NULL
      AND ${shape.reach === 'customers' ? ofCustomers('i.customer_id', values.reachable) : sql`true`}
      AND i.cause = ANY (${values.causes}::text[])
      AND ${shape.ofCustomer ? sql`i.customer_id = ${values.customerId}` : sql`true`}
    GROUP BY 1, 2, 3, 4`;
  return { compile: () => statement.compile(tx) };
}

/** How many there are of each kind; what is put off for the caller apart from the rest. */
export async function countItems(
  tx: Tx,
  scope: Scope,
  filter: Pick<ItemFilter, 'causes' | 'customerId'>,
  now: Date,
): Promise<(ItemCount & Marked)[]> {
  const { shape, values } = asked(scope, filter, now);
  return (await tx.executeQuery(shaped(tx, count, shape, values))).rows;
}
