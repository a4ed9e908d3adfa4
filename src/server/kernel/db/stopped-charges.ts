import { type RawBuilder, sql } from './database.ts';

/** What SQL knows of customers who are charged nothing more because of a dispute (docs/decisions/0330). */

/** That a dispute of the direct charge in this table stops every further charge of its customer. */
export const stopsCharges = (table: string) =>
  sql<boolean>`(${sql.ref(`${table}.disputed_cents`)} > ${sql.ref(`${table}.dispute_released_cents`)})`;

/** That no dispute of this customer does. */
export const unstopped = (
  customer: RawBuilder<unknown>,
) => sql<boolean>`NOT EXISTS (SELECT FROM direct_charges s
  WHERE s.customer_id = ${customer} AND ${stopsCharges('s')})`;

/** The organisation's customers whose charges are stopped. A version before 0250 did not write since when. */
export const stoppedCustomers = (organisationId: string) =>
  sql<{
    customer_id: string;
    stopped: { since: string; disputes: number; chargeId: string | null };
  }>`(SELECT s.customer_id, json_build_object('disputes', count(*),
      'chargeId', CASE count(*) WHEN 1 THEN min(s.id::text) END,
      'since', to_char(min(coalesce(s.disputed_at, s.updated_at)) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS stopped
    FROM direct_charges s WHERE s.organisation_id = ${organisationId} AND ${stopsCharges('s')} GROUP BY s.customer_id)`.as(
    'stops',
  );
