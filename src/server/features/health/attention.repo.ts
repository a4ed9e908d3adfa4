import { type HealthKind, healthFindings, healthKinds } from '#contracts/values/health.ts';
import { type AttentionSource, inQuestion } from '#kernel/attention.ts';
import { sql } from '#kernel/db/database.ts';
import { subjects } from './health.repo.ts';

const weighty = healthKinds.filter((kind) => healthFindings[kind].weight === 'bad');

/** Domains with findings that weigh, each once, with what is the matter. */
export const healthAttention: AttentionSource<'health'> = {
  cause: 'health',
  async present(tx, question) {
    const { rows } = await sql<{
      organisationId: string;
      object: string;
      address: string;
      customerId: string | null;
      kinds: HealthKind[];
      since: Date;
    }>`
      SELECT f.organisation_id AS "organisationId", d.id AS object, d.address, d.customer_id AS "customerId",
        array_agg(f.kind ORDER BY array_position(${weighty}::text[], f.kind)) AS kinds, min(f.first_seen) AS since
      FROM health_findings f JOIN ${subjects} d ON d.id = f.subject_id
      WHERE f.cleared_at IS NULL AND coalesce(f.muted_until <= ${question.now}, true)
        AND f.kind = ANY (${weighty}::text[]) AND ${inQuestion('f.organisation_id', question)}
      GROUP BY f.organisation_id, d.id, d.address, d.customer_id`.execute(tx);
    return rows.map(({ kinds, since, ...row }) => ({
      ...{ ...row, deadline: null, facts: { kinds: kinds.join(' '), since: since.toISOString() } },
    }));
  },
};
