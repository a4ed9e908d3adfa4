import { type AttentionSource, inQuestion } from '#kernel/attention.ts';
import { sql } from '#kernel/db/database.ts';

/** Checked lists that nobody has ordered. */
export const moveAttention: AttentionSource<'move'> = {
  cause: 'move',
  async present(tx, question) {
    const { rows } = await sql<{
      organisationId: string;
      object: string;
      customerId: string;
      names: number;
      at: Date;
    }>`
      SELECT m.organisation_id AS "organisationId", m.id AS object, m.customer_id AS "customerId",
        count(*)::int AS names, m.created_at AS at
      FROM moves m JOIN move_lines l ON l.move_id = m.id
      WHERE l.item_id IS NULL AND l.problem IS NULL AND NOT l.left_out AND l.state = 'checked'
        AND l.code_problem IS NULL AND l.facts -> 'hindrance' = 'null' AND NOT (l.dns = 'bring' AND l.zone IS NULL)
        AND ${inQuestion('m.organisation_id', question)}
      GROUP BY m.id`.execute(tx);
    return rows.map(({ names, at, ...row }) => ({
      ...{ ...row, address: null, deadline: null },
      facts: { moveId: row.object, names, at: at.toISOString() },
    }));
  },
};

/** Domains that have come and whose DNS is not what it was, or cannot be put in order. */
export const moveDnsAttention: AttentionSource<'move-dns'> = {
  cause: 'move-dns',
  async present(tx, question) {
    const { rows } = await sql<{
      organisationId: string;
      object: string;
      customerId: string;
      address: string;
      moveId: string;
      held: string | null;
      differs: number;
      at: Date;
    }>`
      SELECT l.organisation_id AS "organisationId", l.id AS object, m.customer_id AS "customerId", l.address,
        l.move_id AS "moveId", l.held, coalesce(jsonb_array_length(l.differences), 0) AS differs,
        coalesce(l.compared_at, l.switched_at, l.staged_at, m.created_at) AS at
      FROM move_lines l JOIN moves m ON m.id = l.move_id
      WHERE l.item_id IS NOT NULL AND (l.held IS NOT NULL OR coalesce(jsonb_array_length(l.differences), 0) > 0)
        AND EXISTS (SELECT FROM domains d WHERE d.organisation_id = l.organisation_id AND d.address = l.address
          AND d.status IN ('active', 'expired'))
        AND ${inQuestion('l.organisation_id', question)}`.execute(tx);
    return rows.map(({ moveId, held, differs, at, ...row }) => ({
      ...{ ...row, deadline: null, facts: { moveId, held, differs, at: at.toISOString() } },
    }));
  },
};
