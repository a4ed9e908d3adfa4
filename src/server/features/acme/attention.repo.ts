import { accessTroubleDays, troubleOutcomes } from '#contracts/values/acme-access.ts';
import { dayMs } from '#contracts/values/time.ts';
import { type AttentionSource, inQuestion } from '#kernel/attention.ts';
import { sql } from '#kernel/db/database.ts';

/**
 * Living accesses, each with the names of which the newest request in seven days was refused or failed: of several, those
 * whose certificate ends first. Only a certificate of the same names that was collected clears them; without names it was
 * a registration, and only one that succeeded clears it.
 */
export const acmeAttention: AttentionSource<'acme'> = {
  cause: 'acme',
  async present(tx, question) {
    const { now } = question;
    const since = new Date(now.getTime() - accessTroubleDays * dayMs);
    const { rows } = await sql<Row>`
      SELECT a.organisation_id AS "organisationId", a.id, a.name, a.customer_id AS "customerId",
        t.last_at AS at, t.detail AS text, t.advice, t.identifiers AS names, t.all, t.valid_to AS "validTo"
      FROM acme_accesses a
        JOIN customers c ON c.id = a.customer_id AND c.organisation_id = a.organisation_id
        CROSS JOIN LATERAL (
          SELECT l.last_at, l.detail, l.advice, l.identifiers, count(*) OVER ()::int AS all,
            (SELECT max(o.valid_to) FROM acme_orders o WHERE o.organisation_id = l.organisation_id
              AND o.customer_id = a.customer_id AND o.names = l.identifiers AND o.state = 'valid'
              AND o.revoked_at IS NULL) AS valid_to
          FROM (SELECT DISTINCT ON (e.identifiers) e.* FROM acme_access_log e
            WHERE e.access_id = a.id AND e.organisation_id = a.organisation_id
              AND e.outcome IN (${sql.join(troubleOutcomes)}) AND e.last_at > ${since}
            ORDER BY e.identifiers, e.id DESC) l
          WHERE NOT EXISTS (SELECT 1 FROM acme_access_log d
            WHERE d.access_id = l.access_id AND d.organisation_id = l.organisation_id AND d.id > l.id
              AND d.outcome = 'done' AND d.identifiers = l.identifiers
              AND d.event = CASE WHEN cardinality(l.identifiers) = 0 THEN 'account' ELSE 'download' END)
          ORDER BY valid_to NULLS LAST, l.last_at DESC LIMIT 1) t
      WHERE ${inQuestion('a.organisation_id', question)} AND a.revoked_at IS NULL AND c.deleted_at IS NULL
        AND coalesce(a.expires_at > ${now}, true)`.execute(tx);
    return rows.map(({ organisationId, id, customerId, names, validTo, ...row }) => ({
      ...{ organisationId, object: id, customerId, address: names[0] ?? null, deadline: validTo },
      facts: {
        ...{ accessId: id, name: row.name, text: row.text, advice: row.advice, others: row.all - 1 },
        ...{ at: row.at.toISOString(), validTo: validTo?.toISOString() ?? null },
      },
    }));
  },
};

interface Row {
  organisationId: string;
  id: string;
  name: string;
  customerId: string;
  at: Date;
  text: string;
  advice: string;
  names: string[];
  /** Sets of names that have trouble by the access. */
  all: number;
  validTo: Date | null;
}
