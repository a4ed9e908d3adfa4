import { type AttentionSource, inQuestion } from '#kernel/attention.ts';
import { sql } from '#kernel/db/database.ts';
import { stopsCharges, unstopped } from '#kernel/db/stopped-charges.ts';

interface Row {
  organisationId: string;
  id: string;
  customerId: string;
  cents: number;
  error: string | null;
  retries: boolean;
  disputedCents: number | null;
}

/**
 * Charges that failed, also those that are tried again by themselves: the customer owes until then. And those that were disputed, as long as
 * that stops further charges.
 */
export const chargeAttention: AttentionSource<'charge'> = {
  cause: 'charge',
  async present(tx, question) {
    const { rows } = await sql<Row>`
      SELECT organisation_id AS "organisationId", id, customer_id AS "customerId", cents, failure AS error,
        next_try_at IS NOT NULL AND ${unstopped(sql.ref('c.customer_id'))} AS retries,
        CASE WHEN ${stopsCharges('c')} THEN disputed_cents END AS "disputedCents"
      FROM direct_charges c
      WHERE (state = 'failed' OR ${stopsCharges('c')}) AND ${inQuestion('organisation_id', question)}`.execute(
      tx,
    );
    return rows.map(({ organisationId, id, customerId, disputedCents, ...stated }) => {
      const failed = { ...stated, chargeId: id };
      const facts =
        disputedCents === null ? failed : { ...failed, cents: disputedCents, disputed: true as const };
      return { organisationId, object: id, customerId, address: null, deadline: null, facts };
    });
  },
};

export const refundAttention: AttentionSource<'refund'> = {
  cause: 'refund',
  async present(tx, question) {
    const { rows } = await sql<Omit<Row, 'retries' | 'disputedCents'> & { chargeId: string }>`
      SELECT r.organisation_id AS "organisationId", r.item_id AS id, c.customer_id AS "customerId", r.cents,
        r.failure AS error, c.id AS "chargeId"
      FROM direct_refunds r JOIN direct_charges c ON c.id = r.charge_id
      WHERE r.state = 'failed' AND ${inQuestion('r.organisation_id', question)}`.execute(tx);
    return rows.map(({ organisationId, id, customerId, ...facts }) => ({
      ...{ organisationId, object: id, customerId, address: null, deadline: null, facts },
    }));
  },
};
