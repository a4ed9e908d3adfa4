import type { CertificateBand } from '#contracts/operations/certificates.ts';
import {
  approvalDays,
  emailApprovalEnds,
  lateReissueDays,
  machineLateDays,
  openCertificateStates,
  reissueDaysBefore,
  renewDaysBefore,
  validitySteps,
} from '#contracts/values/certificate-life.ts';
import { dayMs } from '#contracts/values/time.ts';
import { sql } from '#kernel/db/database.ts';

/** How a certificate `s` stands, as expressions: what is open for it, what has taken its place, and its band. */

/** State of the open reissue. */
export const reissueState = sql<string | null>`(SELECT r.state FROM certificate_reissues r
  WHERE r.certificate_id = s.id AND r.state IN ('sending', 'unknown', 'running'))`;

/**
 * A newer certificate is issued and stands for each of its hosts, by name or by a wildcard. Two certificates of one address may
 * be for other hosts, and an order alone installs nothing. What was never issued has no hosts yet: nothing takes its place.
 */
export const renewed = sql<boolean>`(cardinality(s.host_names) > 0 AND EXISTS (SELECT 1 FROM certificates n
  WHERE n.organisation_id = s.organisation_id AND n.address = s.address AND n.ordered_at > s.ordered_at
    AND n.state = 'completed' AND NOT EXISTS (SELECT 1 FROM unnest(s.host_names) AS h (name)
      WHERE NOT (n.host_names && ARRAY[h.name, regexp_replace(h.name, '^[^.]+', '*')]))))`;

/** When the newest renewal of this very certificate was ordered that is still open. */
export const renewalOrderedAt = sql<Date | null>`(SELECT max(n.ordered_at) FROM certificates n
  JOIN order_items i ON i.organisation_id = n.organisation_id AND i.id = n.order_item_id
  WHERE n.organisation_id = s.organisation_id AND n.address = s.address AND n.ordered_at > s.ordered_at
    AND n.state IN (${sql.join(openCertificateStates)})
    AND i.details #>> '{certificate,renewsOrderId}' = s.registrar_order_id)`;

/** As `renewsInTime` of `certificate-life.ts` has it. */
const renewsInTime = (now: Date) => sql<boolean>`coalesce(${renewalOrderedAt} >= ${inDays(now, -approvalDays)}
  AND ${renewalOrderedAt} < s.valid_to - ${approvalDays} * interval '1 day', false)`;

/** As the flags have it: another reissue follows, and falls behind a date from which less is allowed. */
const reissueAfter = (day: string) => sql<boolean>`(s.term_ends_at > s.valid_to + interval '1 day'
  AND s.valid_to - ${reissueDaysBefore} * interval '1 day' >= ${day}::timestamptz)`;
const shrinks = sql<boolean>`(${sql.join(
  validitySteps.map(
    ({ from, days }) => sql`(s.valid_from < ${from}::timestamptz AND ${reissueAfter(from)}
      AND s.valid_to - s.valid_from > ${days} * interval '1 day' + interval '12 hours')`,
  ),
  sql` OR `,
)})`;
const mailEnds = sql<boolean>`(s.validation_method = 'Email' AND ${reissueAfter(emailApprovalEnds)})`;
/** The term outlasts the certificate: another one follows. */
const follows = sql<boolean>`s.term_ends_at > s.valid_to + interval '1 day'`;
const reissuesItself = sql<boolean>`coalesce(s.auto_reissue AND s.validation_method = 'DNS'
  AND s.proof_state IN ('set', 'present'), false)`;

/** As `isByMachine` has it: of a certificate (`s` or `c`), or of a reissue (`r`). */
export function accessWorks(of: 's' | 'c' | 'r', now: Date) {
  const [organisationId, accessId] = [sql.ref(`${of}.organisation_id`), sql.ref(`${of}.acme_access_id`)];
  return sql<boolean>`EXISTS (SELECT 1 FROM acme_accesses a WHERE a.organisation_id = ${organisationId}
    AND a.id = ${accessId} AND a.revoked_at IS NULL AND coalesce(a.expires_at > ${now}, true))`;
}

/** The reissue waits for a person, or is late. */
function reissueDue(now: Date) {
  const [soon, late] = [inDays(now, reissueDaysBefore), inDays(now, lateReissueDays)];
  return sql<boolean>`((${follows} AND (s.valid_to <= ${late} OR (s.valid_to <= ${soon} AND NOT ${reissuesItself})))
    OR (${reissueState} = 'running' AND NOT ${reissuesItself}))`;
}

/** What calls for a person: the same as the flags that are reckoned from the row, unless a newer order has taken its place. */
export function flagged(now: Date) {
  const called = sql<boolean>`CASE
    WHEN s.state = 'expired' OR (s.state = 'completed' AND s.valid_to <= ${now}) THEN true
    WHEN s.state = 'awaiting-approval' THEN (s.validation_method = 'DNS' AND s.proof_state = 'missing')
      OR s.ordered_at < ${inDays(now, -approvalDays)}
    WHEN s.state = 'completed' AND ${accessWorks('s', now)} THEN s.valid_to <= ${inDays(now, machineLateDays)}
    WHEN s.state = 'completed' THEN s.term_ends_at <= ${inDays(now, renewDaysBefore)} OR ${reissueDue(now)} OR ${shrinks}
      OR ${mailEnds} OR (${follows} AND s.validation_method = 'DNS' AND s.proof_state = 'missing')
    ELSE false END`;
  return sql<boolean>`(coalesce(${called}, false) AND NOT ${renewed} AND NOT ${renewsInTime(now)})`;
}

const inDays = (from: Date, days: number) => new Date(from.getTime() + days * dayMs);

/** Each certificate is in one band: it calls for a person, is on its way, is in order, or has ended. */
export function bandOf(now: Date) {
  return sql<CertificateBand>`CASE WHEN ${flagged(now)} THEN 'attention'
    WHEN s.state IN (${sql.join(openCertificateStates)}) THEN 'open'
    WHEN s.state = 'completed' AND coalesce(s.valid_to > ${now}, true) THEN 'valid'
    ELSE 'ended' END`;
}
