import { type Db, sql } from '#kernel/db/database.ts';
import { type SealedPlace, sealedColumn, tookOne } from '#kernel/sealed-places.ts';
import { secretsContext } from './item.ts';

/** Registrant profiles and auth codes of what was ordered. */
export function sealedOrderItems(systemDb: Db): SealedPlace {
  return sealedColumn(systemDb, {
    name: 'order_items.secrets_sealed',
    table: sql`order_items`,
    column: sql.ref('secrets_sealed'),
    id: sql`id::text`,
    contexts: ({ organisationId, id }) => [secretsContext(organisationId, id)],
    replace: async ({ organisationId, id }, former, secrets_sealed) =>
      tookOne(
        await systemDb
          .updateTable('order_items')
          .set({ secrets_sealed })
          .where('organisation_id', '=', organisationId)
          .where('id', '=', id)
          .where('secrets_sealed', '=', former)
          .executeTakeFirstOrThrow(),
      ),
  });
}
