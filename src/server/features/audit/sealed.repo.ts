import { type Db, sql } from '#kernel/db/database.ts';
import { type SealedPlace, sealedColumn, tookOne } from '#kernel/sealed-places.ts';
import { headContext } from './audit.repo.ts';

/** Ends of the logs, as they were each hour. */
export function sealedHeads(systemDb: Db): SealedPlace {
  return sealedColumn(systemDb, {
    name: 'audit_heads.head_sealed',
    table: sql`audit_heads`,
    column: sql.ref('head_sealed'),
    id: sql`rows::text`,
    contexts: ({ organisationId, id }) => [headContext(organisationId, Number(id))],
    replace: async ({ organisationId, id }, former, head_sealed) =>
      tookOne(
        await systemDb
          .updateTable('audit_heads')
          .set({ head_sealed })
          .where('organisation_id', '=', organisationId)
          .where('rows', '=', Number(id))
          .where('head_sealed', '=', former)
          .executeTakeFirstOrThrow(),
      ),
  });
}
