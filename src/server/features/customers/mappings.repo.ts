import type { KeptMapping } from '#contracts/operations/customer-import.ts';
import { columnMapping } from '#contracts/values/column-mapping.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';

type Tenant = Pick<Scope, 'organisationId'>;

export async function listMappings(tx: Tx, scope: Tenant): Promise<KeptMapping[]> {
  const rows = await tx
    .selectFrom('import_mappings')
    .select(['id', 'name', 'mapping'])
    .where('organisation_id', '=', scope.organisationId)
    .orderBy(sql`lower(name)`)
    .execute();
  return rows.map(({ id, name, mapping }) => ({ id, name, mapping: columnMapping.parse(mapping) }));
}

/** How many there are beside the one of this name. */
export async function countMappings(tx: Tx, scope: Tenant, name: string): Promise<number> {
  const { count } = await tx
    .selectFrom('import_mappings')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organisation_id', '=', scope.organisationId)
    .where(sql`lower(name)`, '<>', sql`lower(${name})`)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** One of the same name is replaced. */
export async function keepMapping(tx: Tx, scope: Tenant, kept: KeptMapping & { now: Date }): Promise<string> {
  const { rows } = await sql<{
    id: string;
  }>`INSERT INTO import_mappings (id, organisation_id, name, mapping, created_at)
    VALUES (${kept.id}, ${scope.organisationId}, ${kept.name}, ${JSON.stringify(kept.mapping)}::jsonb, ${kept.now})
    ON CONFLICT (organisation_id, lower(name)) DO UPDATE SET name = excluded.name, mapping = excluded.mapping
    RETURNING id`.execute(tx);
  return rows[0]?.id ?? kept.id;
}

export async function dropMapping(
  tx: Tx,
  scope: Tenant,
  id: string,
): Promise<{ name: string; mapping: unknown } | null> {
  const gone = await tx
    .deleteFrom('import_mappings')
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .returning(['name', 'mapping'])
    .executeTakeFirst();
  return gone ?? null;
}
