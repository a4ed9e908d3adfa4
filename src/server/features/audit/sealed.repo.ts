import type { Db } from '#kernel/db/database.ts';
import { type SealedPlace, sealedField } from '#kernel/sealed-places.ts';
import { headContext } from './audit.repo.ts';

/** Ends of the logs, as they were each hour. */
export function sealedHeads(systemDb: Db): SealedPlace {
  return sealedField(systemDb, {
    table: 'audit_heads',
    column: 'head_sealed',
    id: { column: 'rows', type: 'bigint' },
    contexts: ({ organisationId, id }) => [headContext(organisationId, Number(id))],
  });
}
