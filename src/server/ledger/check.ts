import { openItemStates } from '#contracts/values/order-states.ts';
import { type Db, sql, type Tx } from '#kernel/db/database.ts';

const open = sql.join(openItemStates.map((state) => sql.lit(state)));

/** One invariant of the ledger that does not hold (design: invariants 1, 2, 3, 6, 8, 9, 15). */
export interface LedgerFault {
  invariant: string;
  organisationId: string | null;
  found: string;
}

/**
 * Compares what is cached with what is posted, across all organisations. Empty: every cent is explained.
 * Run by tests after every commit and by operations every night, over a connection that sees all tenants.
 */
export async function checkLedger(db: Db | Tx): Promise<LedgerFault[]> {
  const faults = await sql<{ invariant: string; organisation_id: string | null; found: string }>`
    SELECT 'postings of an entry sum to zero' AS invariant, j.organisation_id, j.ref || ': ' || sum(p.cents) AS found
      FROM journal j JOIN postings p ON p.journal_id = j.id
      GROUP BY j.id HAVING sum(p.cents) <> 0
    UNION ALL
    SELECT 'wallet equals its postings', w.organisation_id, w.posted_cents || ' cached, ' || coalesce(s.cents, 0) || ' posted'
      FROM wallets w LEFT JOIN (SELECT organisation_id, sum(cents) AS cents FROM postings WHERE account = 'wallet'
        GROUP BY organisation_id) s USING (organisation_id)
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
          WHERE j.organisation_id = w.organisation_id AND j.kind = 'adjustment' AND p.cents < 0)
    UNION ALL
    SELECT 'a hold is open exactly while its item is', i.organisation_id, i.id || ': item ' || i.state || ', hold ' || h.state
      FROM order_items i JOIN holds h ON h.item_id = i.id
      WHERE (i.state IN (${open})) <> (h.state = 'open')
    UNION ALL
    SELECT 'an item succeeded exactly when it was captured', i.organisation_id, i.id || ': item ' || i.state || ', hold ' || h.state
      FROM order_items i JOIN holds h ON h.item_id = i.id
      WHERE (i.state = 'succeeded') <> (h.state = 'captured')
    UNION ALL
    SELECT 'what was captured is the hold, once', h.organisation_id, h.item_id || ': held ' || h.cents || ', captured '
        || coalesce(c.cents, 0)
      FROM holds h LEFT JOIN (SELECT j.order_item_id, -sum(p.cents) AS cents FROM journal j
        JOIN postings p ON p.journal_id = j.id AND p.account = 'wallet'
        WHERE j.kind = 'purchase' GROUP BY j.order_item_id) c ON c.order_item_id = h.item_id
      WHERE coalesce(c.cents, 0) <> CASE WHEN h.state = 'captured' THEN h.cents ELSE 0 END
    UNION ALL
    SELECT 'a refund gives back what was captured, once', r.organisation_id, r.order_item_id || ': ' || r.cents || ' given back'
      FROM (SELECT j.organisation_id, j.order_item_id, sum(p.cents) AS cents FROM journal j
        JOIN postings p ON p.journal_id = j.id AND p.account = 'wallet'
        WHERE j.kind = 'refund' GROUP BY j.organisation_id, j.order_item_id) r
      LEFT JOIN holds h ON h.item_id = r.order_item_id AND h.state = 'captured'
      WHERE r.cents IS DISTINCT FROM h.cents
    UNION ALL
    SELECT 'a credit stands for one succeeded top-up', j.organisation_id, j.ref
      FROM journal j LEFT JOIN topups t ON t.id = j.topup_id
      WHERE j.kind = 'topup' AND (t.id IS NULL OR t.state NOT IN ('succeeded', 'reversed'))
    UNION ALL
    SELECT 'an order is open exactly while an item is', o.organisation_id, o.id || ': ' || o.state
      FROM orders o
      WHERE (o.state IN ('held', 'running')) <> EXISTS (SELECT FROM order_items i WHERE i.order_id = o.id
        AND i.state IN (${open}))
  `.execute(db);
  return faults.rows.map((row) => ({
    invariant: row.invariant,
    organisationId: row.organisation_id,
    found: row.found,
  }));
}
