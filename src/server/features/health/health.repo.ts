import type { HealthArea, HealthKind, HealthWeight } from '#contracts/values/health.ts';
import { minuteMs } from '#contracts/values/time.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { type Scope, withinReach } from '#kernel/scope.ts';
import type { Registration } from '../../ports/rdap.ts';
import { accessWorks } from '../certificates/index.ts';
import type { Registered } from './evidence.rules.ts';
import type { OwnFacts } from './facts.ts';

/** What is looked at: a domain that is held here, or a name that is watched. */
export interface Place {
  organisationId: string;
  subjectId: string;
  watched: boolean;
}

/** What has left the account is not looked at, and nothing is said of it: nobody here could set it right. */
const living = sql`d.status IN ('active', 'expired') AND d.missing_since IS NULL`;

/** Domains held here and watched names, as one. */
export const subjects = sql`(
  SELECT d.id, d.organisation_id, d.customer_id, d.address, false AS watched, NULL::text AS registrar
  FROM domains d WHERE ${living} UNION ALL
  SELECT id, organisation_id, customer_id, address, true, registrar FROM watched_names)`;

/**
 * Of these organizations: domains that came since the last time are looked at within minutes; those that went are looked at no
 * more. A name that was entered to be watched while it came here is a domain only.
 */
export async function planNew(tx: Tx, organisationIds: readonly string[], now: Date): Promise<void> {
  const theirs = (column: string) => sql`${sql.ref(column)} = ANY (${[...organisationIds]}::uuid[])`;
  // While the table of looks was empty, the database read it as a whole for each domain, and what was written just then with it.
  await sql`SET LOCAL enable_seqscan = off`.execute(tx);
  await sql`
    INSERT INTO health_checks (domain_id, watched_id, organisation_id, next_at)
    SELECT CASE WHEN NOT d.watched THEN d.id END, CASE WHEN d.watched THEN d.id END, d.organisation_id,
      ${now}::timestamptz + random() * interval '10 minutes' FROM ${subjects} d
    WHERE ${theirs('d.organisation_id')} AND NOT EXISTS (SELECT FROM health_checks h WHERE h.subject_id = d.id)
    ON CONFLICT DO NOTHING`.execute(tx);
  await sql`DELETE FROM health_checks h USING domains d
    WHERE d.id = h.domain_id AND ${theirs('d.organisation_id')} AND NOT (${living})`.execute(tx);
  await sql`DELETE FROM watched_names w USING domains d
    WHERE ${theirs('w.organisation_id')} AND d.organisation_id = w.organisation_id AND d.address = w.address
      AND ${living}`.execute(tx);
}

/** A look takes seconds; one whose process was lost is made up for after this. */
const claimMs = 2 * minuteMs;

export interface Claimed extends Place {
  until: Date;
}

/** Takes domains that are due, the longest first, for a few minutes. Two processes never take the same one. */
export async function takeDue(tx: Tx, now: Date, most: number): Promise<Claimed[]> {
  const until = new Date(now.getTime() + claimMs);
  const { rows } = await sql<Place>`
    WITH due AS MATERIALIZED (SELECT subject_id FROM health_checks WHERE next_at <= ${now} ORDER BY next_at LIMIT ${most}
      FOR UPDATE SKIP LOCKED)
    UPDATE health_checks h SET next_at = ${until} FROM due WHERE h.subject_id = due.subject_id
    RETURNING h.organisation_id AS "organisationId", h.subject_id AS "subjectId",
      h.watched_id IS NOT NULL AS watched`.execute(tx);
  return rows.map((row) => ({ ...row, until }));
}

const domainOf = ({ subjectId, watched }: Place) => sql<string | null>`${watched ? null : subjectId}::uuid`;
const watchedOf = ({ subjectId, watched }: Place) => sql<string | null>`${watched ? subjectId : null}::uuid`;

/** A person waits for it: it comes before what is due anyway, however much that is. */
const aheadMs = 24 * 60 * minuteMs;

/** Has a domain looked at by the next round. */
export async function askForCheck(tx: Tx, place: Place, now: Date): Promise<void> {
  await sql`INSERT INTO health_checks (domain_id, watched_id, organisation_id, next_at)
    VALUES (${domainOf(place)}, ${watchedOf(place)}, ${place.organisationId}, ${new Date(now.getTime() - aheadMs)})
    ON CONFLICT (subject_id) DO UPDATE SET next_at = least(health_checks.next_at, excluded.next_at)`.execute(
    tx,
  );
}

/**
 * What the portal knows of a domain; undefined when it is gone. Names that begin with "_" are no websites. `managed`: hosts
 * whose zones the portal writes, proofs and all. The zone of a domain with any other nameserver is not what the world sees.
 */
export async function ownFacts(
  tx: Tx,
  { organisationId, subjectId }: Place,
  { managed, now }: { managed: readonly string[]; now: Date },
): Promise<OwnFacts | undefined> {
  const byMachine = accessWorks('c', now);
  const { rows } = await sql<Registered & Pick<OwnFacts, 'address' | 'aliases' | 'certificates'>>`
    SELECT d.address, d.nameservers, d.locked, d.expires_at AS "expiresAt", d.auto_renew AS "autoRenew",
      d.verification, d.verification_bounced AS bounced,
      CASE WHEN d.nameservers <> '{}' AND d.nameservers <@ ${[...managed]}::text[] THEN coalesce((
      SELECT jsonb_agg(jsonb_build_object('name', r ->> 'subdomain', 'target', lower(rtrim(r ->> 'hostname', '.'))))
      FROM (SELECT records FROM zone_versions WHERE organisation_id = d.organisation_id AND domain_id = d.id
        AND state IN ('applied', 'found') ORDER BY sequence DESC LIMIT 1) v,
        jsonb_array_elements(v.records -> 'CNAME') r
      WHERE NOT (r ->> 'subdomain') ~ '(^|\\.)_'), '[]') END AS aliases, coalesce((
      SELECT jsonb_agg(jsonb_build_object('hosts', to_jsonb(array_prepend(c.address, c.host_names)),
        'productType', c.product_type, 'serial', CASE WHEN NOT ${byMachine} THEN c.serial END,
        'proof', CASE WHEN c.validation_method = 'DNS' AND c.auto_reissue
          AND NOT ${byMachine} AND c.term_ends_at - c.valid_to > interval '1 day'
          AND NOT d.nameservers && ${[...managed]}::text[] AND c.proof ->> 'dnsName' IS NOT NULL
          THEN jsonb_build_object('name', c.proof ->> 'dnsName', 'type', c.proof ->> 'dnsType',
            'value', c.proof ->> 'dnsValue') END))
      FROM certificates c WHERE c.organisation_id = d.organisation_id AND c.state = 'completed'
        AND (c.address = d.address OR right(c.address, length(d.address) + 1) = '.' || d.address)), '[]') AS certificates
    FROM domains d WHERE d.organisation_id = ${organisationId} AND d.id = ${subjectId} AND ${living}`.execute(
    tx,
  );
  const [row] = rows;
  if (!row) return undefined;
  const { address, aliases, certificates, ...registered } = row;
  return { address, aliases, certificates, registered };
}

/**
 * The same of a watched name: certificates alone may be ours. Those of other customers are nothing that this one learns of.
 */
export async function watchedFacts(
  tx: Tx,
  { organisationId, subjectId }: Place,
  now: Date,
): Promise<OwnFacts | undefined> {
  const { rows } = await sql<Pick<OwnFacts, 'address' | 'certificates'>>`
    SELECT w.address, coalesce((
      SELECT jsonb_agg(jsonb_build_object('hosts', to_jsonb(array_prepend(c.address, c.host_names)),
        'productType', c.product_type, 'serial', CASE WHEN NOT ${accessWorks('c', now)} THEN c.serial END, 'proof', NULL))
      FROM certificates c WHERE c.organisation_id = w.organisation_id AND c.state = 'completed'
        AND (w.customer_id IS NULL OR c.customer_id = w.customer_id)
        AND (c.address = w.address OR right(c.address, length(w.address) + 1) = '.' || w.address)), '[]') AS certificates
    FROM watched_names w WHERE w.organisation_id = ${organisationId} AND w.id = ${subjectId}`.execute(tx);
  return rows[0] && { ...rows[0], registered: null, aliases: null };
}

/** What the registry said of a watched name. False: it is watched no more. Until the transaction ends, it stays. */
export async function noteRegistration(
  tx: Tx,
  { organisationId, subjectId }: Place,
  registration: Registration | null | undefined,
): Promise<boolean> {
  const { rows } = await sql`SELECT id FROM watched_names
    WHERE organisation_id = ${organisationId} AND id = ${subjectId} FOR UPDATE`.execute(tx);
  if (rows.length === 0 || registration === undefined) return rows.length > 0;
  const { registrar = null, expiresAt = null } = registration ?? {};
  await sql`UPDATE watched_names SET registrar = ${registrar}, expires_at = ${expiresAt}
    WHERE organisation_id = ${organisationId} AND id = ${subjectId}`.execute(tx);
  return true;
}

/**
 * Raises and refreshes what was found, clears what is in order. What nobody answered about stays as it is. The next look is a
 * day ahead, spread over eight hours; one that somebody asked for meanwhile stays.
 */
export async function recordVerdicts(
  tx: Tx,
  place: Claimed,
  {
    found,
    cleared,
    now,
  }: { found: readonly { kind: HealthKind; detail: string }[]; cleared: readonly HealthKind[]; now: Date },
): Promise<void> {
  const rows = found.map((one) => ({ ...one, id: newId(now.getTime()) }));
  await sql`
    INSERT INTO health_findings AS kept (id, organisation_id, domain_id, watched_id, kind, detail, first_seen, last_seen)
    SELECT id, ${place.organisationId}, ${domainOf(place)}, ${watchedOf(place)}, kind, detail, ${now}, ${now}
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS f (id uuid, kind text, detail text)
    ON CONFLICT (subject_id, kind) DO UPDATE SET detail = excluded.detail, last_seen = excluded.last_seen,
      first_seen = CASE WHEN kept.cleared_at IS NULL THEN kept.first_seen ELSE excluded.first_seen END,
      cleared_at = NULL`.execute(tx);
  await sql`UPDATE health_findings SET cleared_at = ${now}
    WHERE subject_id = ${place.subjectId} AND organisation_id = ${place.organisationId} AND cleared_at IS NULL
      AND kind = ANY (${[...cleared]}::text[])`.execute(tx);
  await sql`UPDATE health_checks SET checked_at = ${now}, next_at = CASE WHEN next_at <> ${place.until} THEN next_at
      ELSE ${now}::timestamptz + interval '20 hours' + random() * interval '8 hours' END
    WHERE subject_id = ${place.subjectId} AND organisation_id = ${place.organisationId}`.execute(tx);
}

/** What cleared before this moment is forgotten. */
export async function dropCleared(tx: Tx, before: Date): Promise<void> {
  await tx.deleteFrom('health_findings').where('cleared_at', '<', before).execute();
}

export interface FindingRow {
  id: string;
  kind: HealthKind;
  detail: string;
  firstSeen: Date;
  lastSeen: Date;
  clearedAt: Date | null;
  mutedUntil: Date | null;
  mutedReason: string | null;
  domain: string;
  /** It is held elsewhere, and where. */
  watched: boolean;
  registrar: string | null;
  customerId: string | null;
  customer: string | null;
}

const columns = sql`f.id, f.kind, f.detail, f.first_seen AS "firstSeen", f.last_seen AS "lastSeen",
  f.cleared_at AS "clearedAt", f.muted_until AS "mutedUntil", f.muted_reason AS "mutedReason",
  d.address AS domain, d.watched, d.registrar, d.customer_id AS "customerId", c.organization AS customer`;
const joined = sql`health_findings f JOIN ${subjects} d ON d.id = f.subject_id
  LEFT JOIN customers c ON c.id = d.customer_id`;

export interface FoundDomain {
  subjectId: string;
  watched: boolean;
  registrar: string | null;
  expiresAt: Date | null;
  customerId: string | null;
  customer: string | null;
  checkedAt: Date | null;
  nextAt: Date | null;
  /** It has left the account: nobody looks at it. */
  missing: boolean;
}

/** A domain in reach with when it was looked at. One that is on its way here, or has left the account, may be watched. */
export async function findDomain(tx: Tx, scope: Scope, address: string): Promise<FoundDomain | undefined> {
  const { rows } = await sql<FoundDomain>`
    SELECT d.id AS "subjectId", d.watched, d.registrar, d.expires_at AS "expiresAt", d.customer_id AS "customerId",
      c.organization AS customer, h.checked_at AS "checkedAt", h.next_at AS "nextAt", d.missing
    FROM (SELECT id, organisation_id, customer_id, address, status, false AS watched, NULL::text AS registrar, expires_at,
        missing_since IS NOT NULL AS missing FROM domains UNION ALL
      SELECT id, organisation_id, customer_id, address, 'active', true, registrar, expires_at, false FROM watched_names) d
      LEFT JOIN health_checks h ON h.subject_id = d.id LEFT JOIN customers c ON c.id = d.customer_id
    WHERE d.organisation_id = ${scope.organisationId} AND d.address = ${address} AND d.status <> 'ended'
      AND ${withinReach(scope, 'd.customer_id')}
    ORDER BY d.status = 'transferring' OR d.missing, d.watched LIMIT 1`.execute(tx);
  return rows[0];
}

/** All findings of a domain that are kept. */
export async function findingsOf(tx: Tx, scope: Scope, subjectId: string): Promise<FindingRow[]> {
  const { rows } = await sql<FindingRow>`SELECT ${columns} FROM ${joined}
    WHERE f.organisation_id = ${scope.organisationId} AND f.subject_id = ${subjectId}`.execute(tx);
  return rows;
}

export async function findFinding(tx: Tx, scope: Scope, id: string): Promise<FindingRow | undefined> {
  const { rows } = await sql<FindingRow>`SELECT ${columns} FROM ${joined}
    WHERE f.organisation_id = ${scope.organisationId} AND f.id = ${id} AND ${withinReach(scope, 'd.customer_id')}`.execute(
    tx,
  );
  return rows[0];
}

export interface BoardFilter {
  /** Kinds with their weight, as the rules have them: the order of the board. */
  kinds: readonly { kind: HealthKind; area: HealthArea; weight: HealthWeight }[];
  customerId?: string | undefined;
  muted: boolean;
  now: Date;
}

const onBoard = (scope: Scope, { kinds, customerId, muted, now }: BoardFilter) => sql`
  f.organisation_id = ${scope.organisationId} AND f.cleared_at IS NULL AND ${withinReach(scope, 'd.customer_id')}
  AND f.kind = ANY (${kinds.map(({ kind }) => kind)}::text[])
  AND ${customerId ? sql`d.customer_id = ${customerId}` : sql`true`}
  AND ${muted ? sql`f.muted_until > ${now}` : sql`coalesce(f.muted_until <= ${now}, true)`}`;

/** Open findings of all domains in reach: kind by kind as given, within a kind by name. */
export async function listBoard(
  tx: Tx,
  scope: Scope,
  filter: BoardFilter,
  page: { after?: string | undefined; limit: number },
): Promise<FindingRow[]> {
  const order = filter.kinds.map(({ kind }) => kind);
  const place = sql`array_position(${order}::text[], f.kind)`;
  const further = page.after
    ? sql`(${place}, d.address, f.id) > (SELECT array_position(${order}::text[], p.kind), pd.address, p.id
        FROM health_findings p JOIN ${subjects} pd ON pd.id = p.subject_id
        WHERE p.id = ${page.after} AND p.organisation_id = ${scope.organisationId})`
    : sql`true`;
  const { rows } = await sql<FindingRow>`SELECT ${columns} FROM ${joined}
    WHERE ${onBoard(scope, filter)} AND ${further}
    ORDER BY ${place}, d.address, f.id LIMIT ${page.limit}`.execute(tx);
  return rows;
}

export interface ReportedCustomer {
  name: string;
  domains: number;
  lookedAt: number;
  /** Of the domains, those that are held elsewhere. */
  watched: number;
}

/** A customer in reach, with how many domains there are and how many were looked at; undefined: there is no such customer. */
export async function findCustomer(
  tx: Tx,
  scope: Scope,
  customerId: string,
): Promise<ReportedCustomer | undefined> {
  const { rows } = await sql<ReportedCustomer>`
    SELECT c.organization AS name, count(d.id)::int AS domains, count(h.checked_at)::int AS "lookedAt",
      count(*) FILTER (WHERE d.watched)::int AS watched
    FROM customers c LEFT JOIN ${subjects} d ON d.customer_id = c.id AND d.organisation_id = c.organisation_id
      LEFT JOIN health_checks h ON h.subject_id = d.id
    WHERE c.organisation_id = ${scope.organisationId} AND c.id = ${customerId} AND c.deleted_at IS NULL
      AND ${withinReach(scope, 'c.id')}
    GROUP BY c.id, c.organization`.execute(tx);
  return rows[0];
}

export async function countBoard(tx: Tx, scope: Scope, filter: BoardFilter) {
  const { rows } = await sql<{ kind: HealthKind; count: number }>`
    SELECT f.kind, count(*)::int AS count FROM ${joined} WHERE ${onBoard(scope, filter)} GROUP BY f.kind`.execute(
    tx,
  );
  return rows;
}

export async function setMute(
  tx: Tx,
  scope: Scope,
  id: string,
  muted: { until: Date; reason: string } | null,
): Promise<void> {
  await tx
    .updateTable('health_findings')
    .set({
      muted_until: muted?.until ?? null,
      muted_reason: muted?.reason ?? null,
      muted_by: muted ? scope.userId : null,
    })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();
}
