import { type Db, sql } from '#kernel/db/database.ts';
import { type SealedPlace, sealedColumn, tookOne } from '#kernel/sealed-places.ts';
import { holdContext } from './privacy.repo.ts';

/** Registrant data that is held of ended registrations. */
export function sealedHolds(systemDb: Db): SealedPlace {
  return sealedColumn(systemDb, {
    name: 'legal_holds.data_sealed',
    table: sql`legal_holds`,
    column: sql.ref('data_sealed'),
    id: sql`id::text`,
    contexts: ({ organisationId, id }) => [holdContext(organisationId, id)],
    replace: async ({ organisationId, id }, former, data_sealed) =>
      tookOne(
        await systemDb
          .updateTable('legal_holds')
          .set({ data_sealed })
          .where('organisation_id', '=', organisationId)
          .where('id', '=', id)
          .where('data_sealed', '=', former)
          .executeTakeFirstOrThrow(),
      ),
  });
}
