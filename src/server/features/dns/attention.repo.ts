import { type AttentionSource, inQuestion } from '#kernel/attention.ts';
import { sql } from '#kernel/db/database.ts';
import { isUnfollowed } from './versions.repo.ts';

/** Changes of zones whose outcome is not known. */
export const zoneWriteAttention: AttentionSource<'zone-write'> = {
  cause: 'zone-write',
  async present(tx, question) {
    const { rows } = await sql<{
      organisationId: string;
      object: string;
      address: string;
      customerId: string | null;
      at: Date;
    }>`
      SELECT DISTINCT ON (d.id) v.organisation_id AS "organisationId", d.id AS object, d.address,
        d.customer_id AS "customerId", v.created_at AS at
      FROM zone_versions v JOIN domains d ON d.id = v.domain_id
      WHERE v.state = 'unknown' AND ${isUnfollowed} AND d.status <> 'ended'
        AND ${inQuestion('v.organisation_id', question)}
      ORDER BY d.id, v.created_at`.execute(tx);
    return rows.map(({ at, ...row }) => ({ ...row, deadline: null, facts: { at: at.toISOString() } }));
  },
};
