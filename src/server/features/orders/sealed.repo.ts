import type { Db } from '#kernel/db/database.ts';
import { type SealedPlace, sealedField } from '#kernel/sealed-places.ts';
import { secretsContext } from './item.ts';

/** Registrant profiles and auth codes of what was ordered. */
export function sealedOrderItems(systemDb: Db): SealedPlace {
  return sealedField(systemDb, {
    table: 'order_items',
    column: 'secrets_sealed',
    contexts: ({ organisationId, id }) => [secretsContext(organisationId, id)],
  });
}
