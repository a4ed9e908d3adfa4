import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import type { RecordsByType } from '#contracts/values/zone-changes.ts';
import type { Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';

export function listTemplates(tx: Tx, scope: Scope): Promise<OwnTemplate[]> {
  return tx
    .selectFrom('dns_templates')
    .select(['id', 'name', 'records'])
    .where('organisation_id', '=', scope.organisationId)
    .orderBy('name')
    .execute();
}

export async function insertTemplate(
  tx: Tx,
  scope: Scope,
  template: { id: string; name: string; records: RecordsByType },
): Promise<void> {
  const { id, name, records } = template;
  await tx
    .insertInto('dns_templates')
    .values({ id, organisation_id: scope.organisationId, name, records: JSON.stringify(records) })
    .execute();
}

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
