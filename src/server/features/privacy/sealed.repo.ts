import type { Db } from '#kernel/db/database.ts';
import { type SealedPlace, sealedField } from '#kernel/sealed-places.ts';
import { holdContext } from './privacy.repo.ts';

/** Registrant data that is held of ended registrations. */
export function sealedHolds(systemDb: Db): SealedPlace {
  return sealedField(systemDb, {
    table: 'legal_holds',
    column: 'data_sealed',
    contexts: ({ organisationId, id }) => [holdContext(organisationId, id)],
  });
}
