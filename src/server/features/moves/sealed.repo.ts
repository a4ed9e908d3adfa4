import { type Db, sql } from '#kernel/db/database.ts';
import { type SealedPlace, sealedColumn, tookOne } from '#kernel/sealed-places.ts';

/** What a code is sealed for: copied to another row it does not open. */
export function codeContext(organisationId: string, lineId: string): string {
  return `${organisationId}:move:${lineId}`;
}

/** Auth codes of lines that are not ordered yet. */
export function sealedMoveCodes(systemDb: Db): SealedPlace {
  return sealedColumn(systemDb, {
    name: 'move_lines.code_sealed',
    table: sql`move_lines`,
    column: sql.ref('code_sealed'),
    id: sql`id::text`,
    contexts: ({ organisationId, id }) => [codeContext(organisationId, id)],
    replace: async ({ organisationId, id }, former, code_sealed) =>
      tookOne(
        await systemDb
          .updateTable('move_lines')
          .set({ code_sealed })
          .where('organisation_id', '=', organisationId)
          .where('id', '=', id)
          .where('code_sealed', '=', former)
          .executeTakeFirstOrThrow(),
      ),
  });
}
