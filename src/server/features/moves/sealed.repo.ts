import type { Db } from '#kernel/db/database.ts';
import { type SealedPlace, sealedField } from '#kernel/sealed-places.ts';

/** What a code is sealed for: copied to another row it does not open. */
export function codeContext(organisationId: string, lineId: string): string {
  return `${organisationId}:move:${lineId}`;
}

/** Auth codes of lines that are not ordered yet. */
export function sealedMoveCodes(systemDb: Db): SealedPlace {
  return sealedField(systemDb, {
    table: 'move_lines',
    column: 'code_sealed',
    contexts: ({ organisationId, id }) => [codeContext(organisationId, id)],
  });
}
