import { type AttentionSource, inQuestion } from '#kernel/attention.ts';
import { sql } from '#kernel/db/database.ts';

/** Checked files that nobody has imported or thrown away. Their names stay out: they may name a person. */
export const importAttention: AttentionSource<'import'> = {
  cause: 'import',
  async present(tx, question) {
    const { rows } = await sql<{
      organisationId: string;
      id: string;
      good: number;
      faulty: number;
      at: Date;
    }>`
      SELECT organisation_id AS "organisationId", id, new_rows + changed_rows AS good, faulty_rows AS faulty,
        created_at AS at
      FROM imports WHERE state = 'ready' AND ${inQuestion('organisation_id', question)}`.execute(tx);
    return rows.map(({ organisationId, id, good, faulty, at }) => ({
      ...{ organisationId, object: id, customerId: null, address: null, deadline: null },
      facts: { importId: id, good, faulty, at: at.toISOString() },
    }));
  },
};
