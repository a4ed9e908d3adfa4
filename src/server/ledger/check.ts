import { openItemStates } from '#contracts/values/order-states.ts';
import { type Db, type RawBuilder, sql, systemTransaction, type Tx } from '#kernel/db/database.ts';

const open = sql.join(openItemStates.map((state) => sql.lit(state)));

/** One invariant of the ledger that does not hold (design: invariants 1, 2, 3, 6, 8, 9, 15). */
export interface LedgerFault {
  invariant: string;
  organisationId: string | null;
  found: string;
}

/** Rows of one statement, which may take 30 s: twice as many took up to 5 s (measured 2026-11-26 on two busy cores). */
const rowsAtOnce = 50_000;

/**
 * Compares what is cached with what is posted, across all organisations. Empty: every cent is explained.
 * Run by tests after every commit and by operations every night, over a connection that sees all tenants. It reads in portions, all of
 * them as the books stood at one moment.
 */
export function checkLedger(db: Db, atOnce = rowsAtOnce): Promise<LedgerFault[]> {
  return systemTransaction(db, async (tx) => {
    await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.execute(tx);
    const faults = await ofWallets(tx, atOnce);
    for (const { key, invariants } of inPortions) {
      for await (const portion of portionsOf(tx, key, atOnce))
        faults.push(...(await invariants(tx, portion)));
    }
    return faults;
  });
}

/** Keys behind `after` and up to `to`; null: without an end on this side. */
interface Portion {
  after: string | null;
  to: string | null;
}

interface Key {
  table: 'journal' | 'postings' | 'holds' | 'orders';
  column: 'id' | 'item_id';
}

/** All keys there can be, in portions of so many rows of the table. */
async function* portionsOf(tx: Tx, { table, column }: Key, atOnce: number): AsyncGenerator<Portion> {
  let after: string | null = null;
  do {
    const { rows }: { rows: { to: string }[] } = await sql<{ to: string }>`
      SELECT ${sql.ref(column)}::text AS to FROM ${sql.table(table)} t WHERE ${within(column, { after, to: null })}
      ORDER BY t.${sql.ref(column)} OFFSET ${atOnce - 1} LIMIT 1`.execute(tx);
    const to: string | null = rows[0]?.to ?? null;
    yield { after, to };
    after = to;
  } while (after !== null);
}

function within(column: string, { after, to }: Portion): RawBuilder<boolean> {
  const key = sql.ref(column);
  const conditions = [
    ...(after === null ? [] : [sql`${key} > ${after}`]),
    ...(to === null ? [] : [sql`${key} <= ${to}`]),
  ];
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` AND `)}`;
}

async function faultsOf(tx: Tx, statement: RawBuilder<unknown>): Promise<LedgerFault[]> {
  const { rows } = await sql<{ invariant: string; organisation_id: string | null; found: string }>`
    ${statement}`.execute(tx);
  return rows.map(({ organisation_id, ...row }) => ({ ...row, organisationId: organisation_id }));
}

/** What each organisation's wallet has cached, with what is posted, held and under way. */
async function ofWallets(tx: Tx, atOnce: number): Promise<LedgerFault[]> {
  const posted = new Map<string, bigint>();
  for await (const portion of portionsOf(tx, { table: 'postings', column: 'id' }, atOnce)) {
    const { rows } = await sql<{
      of: string;
      cents: string;
    }>`SELECT organisation_id AS of, sum(cents)::text AS cents
      FROM postings WHERE account = 'wallet' AND ${within('id', portion)} GROUP BY organisation_id`.execute(
      tx,
    );
    for (const { of, cents } of rows) posted.set(of, (posted.get(of) ?? 0n) + BigInt(cents));
  }
  const sums = [...posted].map(([of, cents]) => ({ of, cents: String(cents) }));
  return faultsOf(
    tx,
    sql`
    SELECT 'wallet equals its postings' AS invariant, w.organisation_id, w.posted_cents || ' cached, ' || coalesce(s.cents, 0)
        || ' posted' AS found
      FROM wallets w LEFT JOIN jsonb_to_recordset(${JSON.stringify(sums)}::jsonb) AS s (of uuid, cents bigint)
        ON s.of = w.organisation_id
      WHERE w.posted_cents <> coalesce(s.cents, 0)
    UNION ALL
    SELECT 'held equals open holds', w.organisation_id, w.held_cents || ' cached, ' || coalesce(h.cents, 0) || ' open'
      FROM wallets w LEFT JOIN (SELECT organisation_id, sum(cents) AS cents FROM holds WHERE state = 'open'
        GROUP BY organisation_id) h USING (organisation_id)
      WHERE w.held_cents <> coalesce(h.cents, 0)
    UNION ALL
    SELECT 'pending equals top-ups in processing', w.organisation_id, w.pending_cents || ' cached, ' || coalesce(t.cents, 0) || ' open'
      FROM wallets w LEFT JOIN (SELECT organisation_id, sum(pending_cents) AS cents FROM topups
        GROUP BY organisation_id) t USING (organisation_id)
      WHERE w.pending_cents <> coalesce(t.cents, 0)
    UNION ALL
    SELECT 'spendable is not negative without a reversal', w.organisation_id, (w.posted_cents - w.held_cents)::text
      FROM wallets w
      WHERE w.posted_cents - w.held_cents + w.pending_cents < 0
        AND NOT EXISTS (SELECT FROM topups t WHERE t.organisation_id = w.organisation_id
          AND (t.reversed_cents > 0 OR t.state IN ('failed', 'cancelled')))
        AND NOT EXISTS (SELECT FROM journal j JOIN postings p ON p.journal_id = j.id AND p.account = 'wallet'
          WHERE j.organisation_id = w.organisation_id AND j.kind = 'adjustment' AND p.cents < 0)`,
  );
}

const ofEntries = (tx: Tx, portion: Portion) =>
  faultsOf(
    tx,
    sql`
    SELECT 'postings of an entry sum to zero' AS invariant, j.organisation_id, j.ref || ': ' || sum(p.cents) AS found
      FROM journal j JOIN postings p ON p.journal_id = j.id
      WHERE ${within('j.id', portion)}
      GROUP BY j.id HAVING sum(p.cents) <> 0
    UNION ALL
    SELECT 'a refund gives back what was captured, once', j.organisation_id, j.ref || ': of no item'
      FROM journal j
      WHERE ${within('j.id', portion)} AND j.kind = 'refund' AND j.order_item_id IS NULL
    UNION ALL
    SELECT 'a credit stands for one succeeded top-up', j.organisation_id, j.ref
      FROM journal j LEFT JOIN topups t ON t.id = j.topup_id
      WHERE ${within('j.id', portion)} AND j.kind = 'topup' AND (t.id IS NULL OR t.state NOT IN ('succeeded', 'reversed'))`,
  );

/** Of the items whose numbers are in the portion, also those that nothing is held for. */
const ofHolds = (tx: Tx, portion: Portion) =>
  faultsOf(
    tx,
    sql`
    SELECT 'a hold is open exactly while its item is' AS invariant, i.organisation_id, i.id || ': item ' || i.state || ', hold '
        || h.state AS found
      FROM order_items i JOIN holds h ON h.item_id = i.id
      WHERE ${within('h.item_id', portion)} AND (i.state IN (${open})) <> (h.state = 'open')
    UNION ALL
    SELECT 'an item succeeded exactly when it was captured', i.organisation_id, i.id || ': item ' || i.state || ', hold ' || h.state
      FROM order_items i JOIN holds h ON h.item_id = i.id
      WHERE ${within('h.item_id', portion)} AND (i.state = 'succeeded') <> (h.state = 'captured')
    UNION ALL
    SELECT 'what was captured is the hold, once', h.organisation_id, h.item_id || ': held ' || h.cents || ', captured '
        || coalesce(c.cents, 0)
      FROM holds h LEFT JOIN (SELECT j.order_item_id, -sum(p.cents) AS cents FROM journal j
        JOIN postings p ON p.journal_id = j.id AND p.account = 'wallet'
        WHERE j.kind = 'purchase' AND j.order_item_id IS NOT NULL AND ${within('j.order_item_id', portion)}
        GROUP BY j.order_item_id) c ON c.order_item_id = h.item_id
      WHERE ${within('h.item_id', portion)}
        AND coalesce(c.cents, 0) <> CASE WHEN h.state = 'captured' THEN h.cents ELSE 0 END
    UNION ALL
    SELECT 'a refund gives back what was captured, once', r.organisation_id, r.order_item_id || ': ' || r.cents || ' given back'
      FROM (SELECT j.organisation_id, j.order_item_id, sum(p.cents) AS cents FROM journal j
        JOIN postings p ON p.journal_id = j.id AND p.account = 'wallet'
        WHERE j.kind = 'refund' AND j.order_item_id IS NOT NULL AND ${within('j.order_item_id', portion)}
        GROUP BY j.organisation_id, j.order_item_id) r
      LEFT JOIN holds h ON h.item_id = r.order_item_id AND h.state = 'captured'
      WHERE r.cents IS DISTINCT FROM h.cents`,
  );

const ofOrders = (tx: Tx, portion: Portion) =>
  faultsOf(
    tx,
    sql`
    SELECT 'an order is open exactly while an item is' AS invariant, o.organisation_id, o.id || ': ' || o.state AS found
      FROM orders o
      WHERE ${within('o.id', portion)} AND (o.state IN ('held', 'running')) <> EXISTS (SELECT FROM order_items i
        WHERE i.order_id = o.id AND i.state IN (${open}))`,
  );

/** What is true of each row by itself, by the key that portions it. */
const inPortions: readonly {
  key: Key;
  invariants: (tx: Tx, portion: Portion) => Promise<LedgerFault[]>;
}[] = [
  { key: { table: 'journal', column: 'id' }, invariants: ofEntries },
  { key: { table: 'holds', column: 'item_id' }, invariants: ofHolds },
  { key: { table: 'orders', column: 'id' }, invariants: ofOrders },
];
