import type { Role } from '#contracts/permissions.ts';
import type { Tx } from '#kernel/db/database.ts';

/** What letters, payments and documents call the organisation. */
export async function organisationName(tx: Tx, organisationId: string): Promise<string> {
  const row = await tx
    .selectFrom('organisations')
    .select('name')
    .where('id', '=', organisationId)
    .executeTakeFirstOrThrow();
  return row.name;
}

/** The roles that run an organisation. */
export const managing: readonly Role[] = ['MSP_OWNER', 'MSP_ADMIN'];

/** Who answers for the organisation, and so gets its letters, by mail. Each address once; nobody who was removed or disabled. */
export async function managersOf(tx: Tx, organisationId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('users')
    .select('email')
    .where('organisation_id', '=', organisationId)
    .where('role', 'in', [...managing])
    .where('removed_at', 'is', null)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .execute();
  return [...new Map(rows.map(({ email }) => [email.toLowerCase(), email])).values()];
}
