import type { TemplateUse } from '#contracts/operations/dns-templates.ts';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import type { TemplateVariable } from '#contracts/values/dns-templates.ts';
import type { RecordsByType } from '#contracts/values/zone-changes.ts';
import type { RecordDifference } from '#contracts/values/zone-difference.ts';
import type { Clock } from '#kernel/clock.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { sharedNow } from '#kernel/db/time.ts';
import type { ZonePlace } from './versions.repo.ts';

/** Where templates were applied, and what became of it. */

type Tenant = { organisationId: string };

/** What a domain has of a template. */
export interface Use {
  version: number;
  filled: Record<string, string>;
  owned: DnsRecord[];
}

const ofDomain = (
  tenant: Tenant,
  templateId: string,
  address: string,
) => sql`u.organisation_id = ${tenant.organisationId}
  AND u.template_id = ${templateId} AND u.domain_id = (SELECT d.id FROM domains d
    WHERE d.organisation_id = ${tenant.organisationId} AND d.address = ${address} AND d.status <> 'ended')`;

export async function findUse(
  tx: Tx,
  tenant: Tenant,
  templateId: string,
  address: string,
): Promise<(Use & Pick<TemplateUse, 'state'> & { drift: RecordDifference[] }) | undefined> {
  const { rows } = await sql<Use & Pick<TemplateUse, 'state'> & { drift: RecordDifference[] }>`
    SELECT u.version, u.filled, u.owned, u.state, u.drift FROM dns_template_uses u
    WHERE ${ofDomain(tenant, templateId, address)}`.execute(tx);
  return rows[0];
}

export async function findContent(
  tx: Tx,
  { organisationId }: Tenant,
  templateId: string,
  version: number,
): Promise<{ name: string; records: RecordsByType; variables: TemplateVariable[] } | undefined> {
  const { rows } = await sql<{ name: string; records: RecordsByType; variables: TemplateVariable[] }>`
    SELECT t.name, v.records, v.variables FROM dns_template_versions v JOIN dns_templates t ON t.id = v.template_id
    WHERE v.organisation_id = ${organisationId} AND v.template_id = ${templateId} AND v.version = ${version}`.execute(
    tx,
  );
  return rows[0];
}

/** It was applied by this change: what was known before is kept beside, for an undo. */
export async function saveUse(
  tx: Tx,
  { organisationId }: Tenant,
  given: { templateId: string; address: string; changeId: string; use: Use },
  now: Date,
): Promise<void> {
  const { templateId, address, changeId, use } = given;
  await sql`INSERT INTO dns_template_uses AS u (organisation_id, template_id, domain_id, version, filled, owned,
      change_id, state, applied_at, next_at)
    SELECT ${organisationId}, ${templateId}, d.id, ${use.version}, ${JSON.stringify(use.filled)}::jsonb,
      ${JSON.stringify(use.owned)}::jsonb, ${changeId}, 'unread', ${now}, ${now}
    FROM domains d WHERE d.organisation_id = ${organisationId} AND d.address = ${address} AND d.status <> 'ended'
      AND EXISTS (SELECT FROM dns_templates t WHERE t.id = ${templateId} AND t.organisation_id = ${organisationId})
    ON CONFLICT (template_id, domain_id) DO UPDATE SET version = excluded.version, filled = excluded.filled,
      owned = excluded.owned, state = 'unread', drift = '[]', applied_at = excluded.applied_at, next_at = excluded.next_at,
      previous = CASE WHEN u.change_id = excluded.change_id THEN u.previous
        ELSE jsonb_build_object('version', u.version, 'filled', u.filled, 'owned', u.owned, 'change_id', u.change_id) END,
      change_id = excluded.change_id`.execute(tx);
}

/** A change that applied it is undone: the domain has again what it had before. */
export async function takeBackUse(
  tx: Tx,
  { organisationId }: Tenant,
  { changeId, address }: { changeId: string; address: string },
  now: Date,
): Promise<void> {
  const mine = sql`u.organisation_id = ${organisationId} AND u.change_id = ${changeId} AND u.domain_id = (
    SELECT d.id FROM domains d WHERE d.organisation_id = ${organisationId} AND d.address = ${address}
      AND d.status <> 'ended')`;
  await sql`DELETE FROM dns_template_uses u WHERE ${mine} AND u.previous IS NULL`.execute(tx);
  await sql`UPDATE dns_template_uses u SET version = (u.previous ->> 'version')::int, filled = u.previous -> 'filled',
      owned = u.previous -> 'owned', change_id = (u.previous ->> 'change_id')::uuid, previous = NULL,
      state = 'unread', drift = '[]', next_at = ${now}
    WHERE ${mine} AND u.previous IS NOT NULL`.execute(tx);
}

/** What of it is the template's after an acceptance; it is in accord with the zone. */
export async function setUse(
  tx: Tx,
  tenant: Tenant,
  given: { templateId: string; address: string; use: Use },
): Promise<void> {
  const { templateId, address, use } = given;
  await sql`UPDATE dns_template_uses u SET version = ${use.version}, filled = ${JSON.stringify(use.filled)}::jsonb,
      owned = ${JSON.stringify(use.owned)}::jsonb, state = 'held', drift = '[]', previous = NULL, change_id = NULL
    WHERE ${ofDomain(tenant, templateId, address)}`.execute(tx);
}

export async function listUses(
  tx: Tx,
  { organisationId }: Tenant,
  templateId: string,
  page: { state?: 'drifted' | 'outdated' | undefined; after?: string | undefined; limit: number },
): Promise<TemplateUse[]> {
  const { state, after, limit } = page;
  const wanted =
    state === 'drifted'
      ? sql`u.state = 'drifted'`
      : state === 'outdated'
        ? sql`u.version < (SELECT t.version FROM dns_templates t WHERE t.id = u.template_id)`
        : sql`true`;
  const { rows } = await sql<
    Omit<TemplateUse, 'appliedAt' | 'checkedAt'> & { appliedAt: Date; checkedAt: Date | null }
  >`
    SELECT d.address AS domain, d.customer_id AS "customerId", coalesce(k.organization, '') AS customer, u.version,
      u.filled AS values, u.state, u.drift, u.applied_at AS "appliedAt", u.checked_at AS "checkedAt"
    FROM dns_template_uses u JOIN domains d ON d.id = u.domain_id AND d.status <> 'ended'
      LEFT JOIN customers k ON k.id = d.customer_id
    WHERE u.organisation_id = ${organisationId} AND u.template_id = ${templateId} AND ${wanted}
      AND ${after ? sql`d.address > ${after}` : sql`true`}
    ORDER BY d.address LIMIT ${limit}`.execute(tx);
  return rows.map(({ appliedAt, checkedAt, ...use }) => ({
    ...use,
    appliedAt: appliedAt.toISOString(),
    checkedAt: checkedAt?.toISOString() ?? null,
  }));
}

/** All zones of a template are looked at as soon as a job comes to it. */
export async function checkSoon(
  tx: Tx,
  { organisationId }: Tenant,
  templateId: string,
  now: Date,
): Promise<void> {
  await sql`UPDATE dns_template_uses SET next_at = ${now}
    WHERE organisation_id = ${organisationId} AND template_id = ${templateId} AND next_at > ${now}`.execute(
    tx,
  );
}

export async function dropUses(
  tx: Tx,
  { organisationId }: Tenant,
  templateId: string,
  addresses: readonly string[],
): Promise<void> {
  await sql`DELETE FROM dns_template_uses WHERE organisation_id = ${organisationId} AND template_id = ${templateId}
    AND domain_id IN (SELECT d.id FROM domains d WHERE d.organisation_id = ${organisationId}
      AND d.address = ANY (${[...addresses]}::text[]))`.execute(tx);
}

export interface DueUse extends ZonePlace {
  templateId: string;
  owned: DnsRecord[];
  until: Date;
}

/** Takes what is due, for `claimMs`: nobody else looks at it meanwhile. Across tenants. */
export async function takeDue(tx: Tx, clock: Clock, { most, claimMs }: { most: number; claimMs: number }) {
  const now = sharedNow(clock);
  const { rows } = await sql<DueUse>`
    WITH due AS MATERIALIZED (
        SELECT u.template_id, u.domain_id FROM dns_template_uses u JOIN domains d ON d.id = u.domain_id
        WHERE u.next_at <= ${now} AND d.status IN ('active', 'expired')
        ORDER BY u.next_at LIMIT ${most} FOR UPDATE OF u SKIP LOCKED),
      taken AS (
        UPDATE dns_template_uses t SET next_at = ${now} + ${claimMs} * interval '1 millisecond'
        FROM due WHERE t.template_id = due.template_id AND t.domain_id = due.domain_id
        RETURNING t.*)
    SELECT t.organisation_id AS "organisationId", t.domain_id AS "domainId", d.address, d.nameservers,
      t.template_id AS "templateId", t.owned, t.next_at AS until
    FROM taken t JOIN domains d ON d.id = t.domain_id`.execute(tx);
  return rows;
}

/** What was seen, unless the template was applied again meanwhile. */
export async function recordLook(
  tx: Tx,
  use: DueUse,
  seen: { state: 'held' | 'drifted' | 'away'; drift: readonly RecordDifference[]; now: Date; next: Date },
): Promise<void> {
  await sql`UPDATE dns_template_uses SET state = ${seen.state}, drift = ${JSON.stringify(seen.drift)}::jsonb,
      checked_at = ${seen.now}, next_at = ${seen.next}
    WHERE template_id = ${use.templateId} AND domain_id = ${use.domainId}
      AND owned = ${JSON.stringify(use.owned)}::jsonb`.execute(tx);
}

/** The registrar did not answer: again later. */
export async function postponeLook(tx: Tx, use: DueUse, next: Date): Promise<void> {
  await sql`UPDATE dns_template_uses SET next_at = ${next}
    WHERE template_id = ${use.templateId} AND domain_id = ${use.domainId}`.execute(tx);
}
