import type { earningsGroups } from '#contracts/operations/earnings.ts';
import { type RawBuilder, sql, type Tx } from '#kernel/db/database.ts';

export type EarningsGroup = (typeof earningsGroups)[number];

export interface EarningsSpan {
  /** First and last day in UTC, both included. */
  from?: string | undefined;
  to?: string | undefined;
  /** Only what was bought for this customer. */
  customerId?: string | undefined;
}

/** One sum of cents: an organization's month, customer and kind of item, or a coarser group of them. */
export interface EarningsFigures {
  month: string;
  customerId: string | null;
  customer: string;
  kind: string;
  items: number;
  cost: number;
  otherCost: number;
  received: number;
}

const grouping: Record<EarningsGroup | 'all', RawBuilder<unknown>> = {
  month: sql`month, NULL::uuid, '', ''`,
  customer: sql`'', customer_id, customer, ''`,
  kind: sql`'', NULL::uuid, '', kind`,
  all: sql`month, customer_id, customer, kind`,
};

/**
 * What was booked, and when it was booked (docs/decisions/0158). Costs are the wallet's postings of purchases and their
 * refunds. An item that came to nothing may leave its charge later. Its refund still names that charge, so that a closed month
 * stays as it was. What a charge of several items has taken is shared among them by what they cost the customer; the
 * cumulative rounding makes the shares add up to the cent.
 */
export async function sumEarnings(
  tx: Tx,
  organisationId: string,
  by: EarningsGroup | 'all',
  { from, to, customerId }: EarningsSpan,
): Promise<EarningsFigures[]> {
  const within = (at: RawBuilder<unknown>) => sql`
    (${from ?? null}::date IS NULL OR ${at} >= (${from ?? null}::date)::timestamp AT TIME ZONE 'UTC')
    AND (${to ?? null}::date IS NULL OR ${at} < (${to ?? null}::date + 1)::timestamp AT TIME ZONE 'UTC')`;
  const ofCustomer = (id: RawBuilder<unknown>) =>
    customerId === undefined ? sql`true` : sql`${id} = ${customerId}`;
  const found = await sql<EarningsFigures>`
    WITH shares AS (
      SELECT d.charge_id, i.customer_id, i.kind, sum(d.price_cents + d.markup_cents) AS weight
      FROM direct_charge_items d JOIN order_items i ON i.id = d.item_id
      WHERE d.organisation_id = ${organisationId} GROUP BY 1, 2, 3
    ), slices AS (
      SELECT *, sum(weight) OVER before AS upto, sum(weight) OVER (PARTITION BY charge_id) AS total
      FROM shares WINDOW before AS (PARTITION BY charge_id ORDER BY kind, customer_id)
    ), entries AS (
      SELECT j.at, i.customer_id, i.kind, (j.kind = 'purchase')::int AS items,
        CASE WHEN coalesce(d.charge_id, r.charge_id) IS NULL THEN 0 ELSE -p.cents END AS cost,
        CASE WHEN coalesce(d.charge_id, r.charge_id) IS NULL THEN -p.cents ELSE 0 END AS other_cost, 0 AS received
      FROM postings p
        JOIN journal j ON j.id = p.journal_id AND j.kind IN ('purchase', 'refund')
        JOIN order_items i ON i.id = j.order_item_id
        LEFT JOIN direct_charge_items d ON d.item_id = i.id
        LEFT JOIN direct_refunds r ON r.item_id = i.id
      WHERE p.organisation_id = ${organisationId} AND p.account = 'wallet' AND ${within(sql`j.at`)}
        AND ${ofCustomer(sql`i.customer_id`)}
      UNION ALL
      SELECT t.at, coalesce(s.customer_id, c.customer_id), coalesce(s.kind, ''), 0, 0, 0,
        CASE WHEN s.total IS NULL THEN t.cents
          ELSE round(t.cents * s.upto / s.total) - round(t.cents * (s.upto - s.weight) / s.total) END
      FROM direct_takings t
        JOIN direct_charges c ON c.id = t.charge_id
        LEFT JOIN slices s ON s.charge_id = t.charge_id AND s.total > 0
      WHERE t.organisation_id = ${organisationId} AND ${within(sql`t.at`)}
        AND ${ofCustomer(sql`coalesce(s.customer_id, c.customer_id)`)}
    ), named AS (
      SELECT to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, e.customer_id,
        coalesce(u.organization, '') AS customer, e.kind, e.items, e.cost, e.other_cost, e.received
      FROM entries e LEFT JOIN customers u ON u.id = e.customer_id
    ), grouped AS (
      SELECT * FROM (SELECT ${grouping[by]}, items, cost, other_cost, received FROM named)
        AS g (month, customer_id, customer, kind, items, cost, other_cost, received)
    )
    SELECT month, customer_id AS "customerId", customer, kind, sum(items)::bigint AS items,
      sum(cost)::bigint AS cost, sum(other_cost)::bigint AS "otherCost", sum(received)::bigint AS received
    FROM grouped GROUP BY 1, 2, 3, 4 ORDER BY month DESC, customer, kind`.execute(tx);
  return found.rows;
}
