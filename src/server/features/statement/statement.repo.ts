import type { StatementKind, StatementLine, StatementMonth } from '#contracts/operations/statement.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { lowered, patternOf } from '#kernel/db/search.ts';

export interface StatementFilter {
  kind?: StatementKind | undefined;
  /** First and last day in UTC, both included. */
  from?: string | undefined;
  to?: string | undefined;
  customer?: string | undefined;
  search?: string | undefined;
}

export interface StatementQuery extends StatementFilter {
  page?: number | undefined;
  pageSize: number;
  sort?: string | undefined;
}

/** A complete array has a limit too (decisions no. 10 keeps it complete up to here). */
const completeListLimit = 100_000;

/** What the statement calls the ledger's kinds of entries. */
const kindOf = sql`CASE WHEN l.kind IN ('reversal', 'reversal_returned') THEN 'reversal'
  WHEN l.kind IN ('topup', 'purchase', 'refund') THEN l.kind ELSE 'adjustment' END`;

/**
 * Every entry that moved the wallet with the balance after it. The sum runs over all entries, whatever is shown of
 * them: a filter hides lines, it does not change balances. Zero-sum entries (a hold given back) move nothing.
 */
function linesOf(organisationId: string, filter: StatementFilter) {
  const pattern = patternOf(filter.search);
  return sql`
    WITH moved AS (
      SELECT j.id, j.at, j.kind, j.text, j.order_item_id, j.topup_id, p.cents,
        (sum(p.cents) OVER (ORDER BY j.at, j.id))::bigint AS balance
      FROM postings p JOIN journal j ON j.id = p.journal_id AND j.organisation_id = p.organisation_id
      WHERE p.organisation_id = ${organisationId} AND p.account = 'wallet'
    ), lines AS (
      SELECT l.id, l.at, ${kindOf} AS kind, l.text, l.cents, l.balance, i.order_id, i.id AS item_id,
        i.registrar_order_id, i.customer_id, c.organization AS customer, t.id AS topup_id, t.payment_intent
      FROM moved l
        LEFT JOIN order_items i ON i.id = l.order_item_id AND i.organisation_id = ${organisationId}
        LEFT JOIN customers c ON c.id = i.customer_id AND c.organisation_id = ${organisationId}
        LEFT JOIN topups t ON t.id = l.topup_id AND t.organisation_id = ${organisationId}
    ), wanted AS (
      SELECT * FROM lines WHERE
        (${filter.kind ?? null}::text IS NULL OR kind = ${filter.kind ?? null})
        AND (${filter.from ?? null}::date IS NULL OR at >= (${filter.from ?? null}::date)::timestamp AT TIME ZONE 'UTC')
        AND (${filter.to ?? null}::date IS NULL OR at < (${filter.to ?? null}::date + 1)::timestamp AT TIME ZONE 'UTC')
        AND (${filter.customer ?? null}::uuid IS NULL OR customer_id = ${filter.customer ?? null}::uuid)
        AND (${pattern}::text IS NULL OR ${lowered(sql`text`, pattern)} LIKE ${pattern})
    )`;
}

interface Row {
  id: string;
  at: Date;
  kind: StatementKind;
  text: string;
  cents: number;
  balance: number;
  order_id: string | null;
  item_id: string | null;
  registrar_order_id: string | null;
  customer_id: string | null;
  customer: string | null;
  topup_id: string | null;
  payment_intent: string | null;
}

/** A page of the statement and how many lines there are. */
export async function listLines(
  tx: Tx,
  organisationId: string,
  query: StatementQuery,
): Promise<{ rows: StatementLine[]; total: number }> {
  const lines = linesOf(organisationId, query);
  const rank = query.sort?.replace('-', '') === 'amount' ? sql`cents` : sql`at`;
  const direction = !query.sort || query.sort.startsWith('-') ? sql`DESC` : sql`ASC`;
  const found = await sql<Row & { total: number }>`${lines}
    SELECT *, count(*) OVER () AS total FROM wanted ORDER BY ${rank} ${direction}, id ${direction}
    LIMIT ${query.page ? query.pageSize : completeListLimit}
    OFFSET ${query.page ? (query.page - 1) * query.pageSize : 0}`.execute(tx);
  const [first] = found.rows;
  if (first) return { rows: found.rows.map(toLine), total: first.total };
  if ((query.page ?? 1) === 1) return { rows: [], total: 0 };
  // Behind the last page there is no row to carry the total.
  const counted = await sql<{ total: number }>`${lines} SELECT count(*) AS total FROM wanted`.execute(tx);
  return { rows: [], total: counted.rows[0]?.total ?? 0 };
}

/** At most so many lines behind the one of this entry, the oldest first. */
export async function linesAfter(
  tx: Tx,
  organisationId: string,
  filter: StatementFilter,
  { after, limit }: { after: string | null; limit: number },
): Promise<StatementLine[]> {
  const found = await sql<Row>`${linesOf(organisationId, filter)}
    SELECT * FROM wanted
    WHERE ${after}::uuid IS NULL OR (at, id) > (SELECT j.at, j.id FROM journal j WHERE j.id = ${after}::uuid)
    ORDER BY at, id LIMIT ${limit}`.execute(tx);
  return found.rows.map(toLine);
}

function toLine(row: Row): StatementLine {
  return {
    entryId: row.id,
    at: row.at.toISOString(),
    kind: row.kind,
    text: row.text,
    amount: row.cents,
    balance: row.balance,
    orderId: row.order_id,
    itemId: row.item_id,
    registrarOrderId: row.registrar_order_id,
    customerId: row.customer_id,
    customer: row.customer ?? '',
    topupId: row.topup_id,
    payment: row.payment_intent,
  };
}

/** Months in which something moved, newest first; what was there before each comes from all that came before. */
export async function listMonths(tx: Tx, organisationId: string): Promise<StatementMonth[]> {
  const found = await sql<StatementMonth>`
    WITH months AS (
      SELECT to_char(j.at AT TIME ZONE 'UTC', 'YYYY-MM') AS month,
        sum(p.cents)::bigint AS change,
        coalesce(sum(p.cents) FILTER (WHERE p.cents > 0), 0)::bigint AS "in",
        coalesce(sum(p.cents) FILTER (WHERE p.cents < 0), 0)::bigint AS "out",
        count(*) AS lines
      FROM postings p JOIN journal j ON j.id = p.journal_id AND j.organisation_id = p.organisation_id
      WHERE p.organisation_id = ${organisationId} AND p.account = 'wallet'
      GROUP BY 1
    )
    SELECT month, "in", "out", lines,
      (sum(change) OVER (ORDER BY month) - change)::bigint AS opening,
      (sum(change) OVER (ORDER BY month))::bigint AS closing
    FROM months ORDER BY month DESC`.execute(tx);
  return found.rows;
}

export interface ReceiptCharge {
  text: string;
  cents: number;
  at: Date;
  address: string;
  years: number;
  customer: string;
  registrarOrderId: string | null;
}

/** What was charged for the order's own items, in the order of the cart. */
export async function chargesOf(tx: Tx, organisationId: string, orderId: string): Promise<ReceiptCharge[]> {
  const rows = await tx
    .selectFrom('order_items as i')
    .innerJoin('journal as j', 'j.order_item_id', 'i.id')
    .innerJoin('postings as p', 'p.journal_id', 'j.id')
    .leftJoin('customers as c', 'c.id', 'i.customer_id')
    .where('i.organisation_id', '=', organisationId)
    .where('i.order_id', '=', orderId)
    .where('p.account', '=', 'wallet')
    .select(['j.text', 'j.at', 'p.cents', 'i.address', 'i.years', 'i.registrar_order_id', 'c.organization'])
    .orderBy('i.position')
    .orderBy('j.at')
    .execute();
  return rows.map((row) => ({
    text: row.text,
    cents: row.cents,
    at: row.at,
    address: row.address,
    years: row.years,
    customer: row.organization ?? '',
    registrarOrderId: row.registrar_order_id,
  }));
}
