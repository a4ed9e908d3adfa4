import { type Db, sql } from '#kernel/db/database.ts';
import { type SealedPlace, sealedColumn, tookOne } from '#kernel/sealed-places.ts';

/**
 * Registrant profiles of the domains that there are, which came here as the order's item had them: `contextOf` says what
 * an item's secrets are sealed for.
 */
export function sealedDomains(
  systemDb: Db,
  contextOf: (organisationId: string, itemId: string) => string,
): SealedPlace {
  return sealedColumn(systemDb, {
    name: 'domains.credentials_sealed',
    table: sql`domains`,
    column: sql.ref('credentials_sealed'),
    id: sql`id::text`,
    others: sql`ARRAY(SELECT i.id::text FROM order_items i
      WHERE i.organisation_id = domains.organisation_id AND i.address = domains.address)`,
    contexts: ({ organisationId, others }) => others.map((item) => contextOf(organisationId, item)),
    replace: async ({ organisationId, id }, former, credentials_sealed) =>
      tookOne(
        await systemDb
          .updateTable('domains')
          .set({ credentials_sealed })
          .where('organisation_id', '=', organisationId)
          .where('id', '=', id)
          .where('credentials_sealed', '=', former)
          .executeTakeFirstOrThrow(),
      ),
  });
}
