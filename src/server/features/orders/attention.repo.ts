import { type AttentionSource, inQuestion } from '#kernel/attention.ts';
import { sql } from '#kernel/db/database.ts';

/** Orders that only a person can decide: the registrar's answers do not show what became of them. */
export const orderAttention: AttentionSource<'order'> = {
  cause: 'order',
  async present(tx, question) {
    const { rows } = await sql<{
      organisationId: string;
      object: string;
      address: string;
      customerId: string | null;
      orderId: string;
      at: Date;
    }>`
      SELECT i.organisation_id AS "organisationId", i.id AS object, i.address, i.customer_id AS "customerId",
        i.order_id AS "orderId", i.updated_at AS at
      FROM order_items i
      WHERE i.state = 'review' AND ${inQuestion('i.organisation_id', question)}`.execute(tx);
    return rows.map(({ orderId, at, ...row }) => ({
      ...{ ...row, deadline: null, facts: { orderId, at: at.toISOString() } },
    }));
  },
};
