import { type Db, sql } from '#kernel/db/database.ts';
import { type SealedPlace, sealedColumn, tookOne } from '#kernel/sealed-places.ts';
import { sealContext } from './invites.repo.ts';

/** Secrets of invitations. */
export function sealedInvites(systemDb: Db): SealedPlace {
  return sealedColumn(systemDb, {
    name: 'invites.token_sealed',
    table: sql`invites`,
    column: sql.ref('token_sealed'),
    id: sql`id::text`,
    contexts: ({ organisationId, id }) => [sealContext({ organisation_id: organisationId, id })],
    replace: async ({ organisationId, id }, former, token_sealed) =>
      tookOne(
        await systemDb
          .updateTable('invites')
          .set({ token_sealed })
          .where('organisation_id', '=', organisationId)
          .where('id', '=', id)
          .where('token_sealed', '=', former)
          .executeTakeFirstOrThrow(),
      ),
  });
}
