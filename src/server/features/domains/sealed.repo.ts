import { type Db, sql } from '#kernel/db/database.ts';
import { type SealedPlace, sealedField } from '#kernel/sealed-places.ts';

/**
 * Registrant profiles of the domains that there are, which came here as the order's item had them: `contextOf` says what
 * an item's secrets are sealed for.
 */
export function sealedDomains(
  systemDb: Db,
  contextOf: (organisationId: string, itemId: string) => string,
): SealedPlace {
  return sealedField(systemDb, {
    table: 'domains',
    column: 'credentials_sealed',
    others: sql`ARRAY(SELECT i.id::text FROM order_items i
      WHERE i.organisation_id = domains.organisation_id AND i.address = domains.address)`,
    contexts: ({ organisationId, others }) => others.map((item) => contextOf(organisationId, item)),
  });
}
