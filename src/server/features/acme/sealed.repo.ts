import { type Db, sql } from '#kernel/db/database.ts';
import { type SealedPlace, sealedColumn, tookOne } from '#kernel/sealed-places.ts';
import { hmacContext } from './access-log.repo.ts';

/** Keys of accesses. */
export function sealedAccessKeys(systemDb: Db): SealedPlace {
  return sealedColumn(systemDb, {
    name: 'acme_accesses.hmac_sealed',
    table: sql`acme_accesses`,
    column: sql.ref('hmac_sealed'),
    id: sql`id::text`,
    contexts: ({ organisationId, id }) => [hmacContext(organisationId, id)],
    replace: async ({ organisationId, id }, former, hmac_sealed) =>
      tookOne(
        await systemDb
          .updateTable('acme_accesses')
          .set({ hmac_sealed })
          .where('organisation_id', '=', organisationId)
          .where('id', '=', id)
          .where('hmac_sealed', '=', former)
          .executeTakeFirstOrThrow(),
      ),
  });
}
