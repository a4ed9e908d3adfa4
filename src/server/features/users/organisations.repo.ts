import type { Role } from '#contracts/permissions.ts';
import type { Tx } from '#kernel/db/database.ts';

export async function insertOrganisation(
  tx: Tx,
  { id, name, now }: { id: string; name: string; now: Date },
): Promise<void> {
  await tx
    .insertInto('organisations')
    .values({ id, name, logo_key: null, closed_at: null, created_at: now })
    .execute();
}

/** Its name and logo; undefined when there is none. */
export function findOrganisation(tx: Tx, organisationId: string) {
  return tx
    .selectFrom('organisations')
    .select(['name', 'logo_key', 'closed_at'])
    .where('id', '=', organisationId)
    .executeTakeFirst();
}

/** What letters, payments and documents call the organisation. */
export async function organisationName(tx: Tx, organisationId: string): Promise<string> {
  const found = await findOrganisation(tx, organisationId);
  if (!found) throw new Error(`there is no organization ${organisationId}`);
  return found.name;
}

/** Puts a logo in place of another, whose key is the answer. */
export async function replaceLogo(
  tx: Tx,
  { organisationId }: { organisationId: string },
  key: string,
): Promise<string | null> {
  const before = await tx
    .selectFrom('organisations')
    .select('logo_key')
    .where('id', '=', organisationId)
    .forUpdate()
    .executeTakeFirst();
  await tx.updateTable('organisations').set({ logo_key: key }).where('id', '=', organisationId).execute();
  return before?.logo_key ?? null;
}

/** The roles that run an organisation. */
export const managing: readonly Role[] = ['MSP_OWNER', 'MSP_ADMIN'];

/**
 * Who answers for the organisation, and so gets its letters, by mail. Each address once; nobody who was removed or disabled.
 * Letters of a closed one go to the person who closed it and left with that, unless they were erased since.
 */
export async function managersOf(tx: Tx, organisationId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('users')
    .select('email')
    .where('organisation_id', '=', organisationId)
    .where('role', 'in', [...managing])
    .where((eb) =>
      eb.or([
        eb('removed_at', 'is', null),
        eb.and([
          eb('identity_issuer', '<>', 'erased'),
          eb('removed_at', '=', (of) =>
            of.selectFrom('organisations').select('closed_at').where('id', '=', organisationId),
          ),
        ]),
      ]),
    )
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .execute();
  return [...new Map(rows.map(({ email }) => [email.toLowerCase(), email])).values()];
}
