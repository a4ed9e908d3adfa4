import type { Db } from '#kernel/db/database.ts';
import { type SealedPlace, sealedField } from '#kernel/sealed-places.ts';
import { hmacContext } from './access-log.repo.ts';

/** Keys of accesses. */
export function sealedAccessKeys(systemDb: Db): SealedPlace {
  return sealedField(systemDb, {
    table: 'acme_accesses',
    column: 'hmac_sealed',
    contexts: ({ organisationId, id }) => [hmacContext(organisationId, id)],
  });
}
