import type { Db } from '#kernel/db/database.ts';
import { type SealedPlace, sealedField } from '#kernel/sealed-places.ts';
import { sealContext } from './invites.repo.ts';

/** Secrets of invitations. */
export function sealedInvites(systemDb: Db): SealedPlace {
  return sealedField(systemDb, {
    table: 'invites',
    column: 'token_sealed',
    contexts: ({ organisationId, id }) => [sealContext({ organisation_id: organisationId, id })],
  });
}
