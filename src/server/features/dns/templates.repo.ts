import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';

export type TemplateContent = Pick<OwnTemplate, 'name' | 'records' | 'variables'>;

export async function listTemplates(tx: Tx, scope: Scope, id?: string): Promise<OwnTemplate[]> {
  const { rows } = await sql<OwnTemplate>`
    SELECT t.id, t.name, t.records, t.variables, t.version, json_build_object(
      'total', count(d.id)::int,
      'drifted', (count(d.id) FILTER (WHERE u.state = 'drifted'))::int,
      'outdated', (count(d.id) FILTER (WHERE u.version < t.version))::int) AS uses
    FROM dns_templates t LEFT JOIN dns_template_uses u ON u.template_id = t.id
      LEFT JOIN domains d ON d.id = u.domain_id AND d.status <> 'ended'
    WHERE t.organisation_id = ${scope.organisationId} AND ${id ? sql`t.id = ${id}` : sql`true`}
    GROUP BY t.id ORDER BY t.name`.execute(tx);
  return rows;
}

/** The present one, which nobody else changes until the transaction ends. */
export async function lockTemplate(
  tx: Tx,
  scope: Scope,
  id: string,
): Promise<(TemplateContent & { version: number }) | undefined> {
  return tx
    .selectFrom('dns_templates')
    .select(['name', 'records', 'variables', 'version'])
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function insertTemplate(
  tx: Tx,
  scope: Scope,
  id: string,
  { name, records, variables }: TemplateContent,
): Promise<void> {
  const content = { records: JSON.stringify(records), variables: JSON.stringify(variables) };
  await tx
    .insertInto('dns_templates')
    .values({ id, organisation_id: scope.organisationId, name, ...content })
    .execute();
}

export async function updateTemplate(
  tx: Tx,
  scope: Scope,
  id: string,
  { name, records, variables, version }: TemplateContent & { version: number },
): Promise<void> {
  const content = { records: JSON.stringify(records), variables: JSON.stringify(variables) };
  await tx
    .updateTable('dns_templates')
    .set({ name, version, ...content })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();
}

/** Versions stay as they were applied; the ones before the last hundred that no domain has any more go. */
export async function insertVersion(
  tx: Tx,
  scope: Scope,
  id: string,
  { records, variables, version, now }: Omit<TemplateContent, 'name'> & { version: number; now: Date },
): Promise<void> {
  const content = { records: JSON.stringify(records), variables: JSON.stringify(variables) };
  const place = { organisation_id: scope.organisationId, template_id: id };
  await tx
    .insertInto('dns_template_versions')
    .values({ ...place, version, created_at: now, ...content })
    .execute();
  await sql`DELETE FROM dns_template_versions v WHERE v.organisation_id = ${scope.organisationId}
    AND v.template_id = ${id} AND v.version <= ${version - mostVersions} AND NOT EXISTS (
      SELECT FROM dns_template_uses u WHERE u.template_id = v.template_id AND u.version = v.version)`.execute(
    tx,
  );
}
const mostVersions = 100;

export async function countTemplates(tx: Tx, scope: Scope): Promise<number> {
  const { count } = await tx
    .selectFrom('dns_templates')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organisation_id', '=', scope.organisationId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** What it was, or undefined when there was none. */
export function deleteTemplate(
  tx: Tx,
  scope: Scope,
  id: string,
): Promise<Pick<OwnTemplate, 'name' | 'records'> | undefined> {
  return tx
    .deleteFrom('dns_templates')
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .returning(['name', 'records'])
    .executeTakeFirst();
}
