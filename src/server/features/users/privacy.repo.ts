import { comparable } from '#kernel/comparable.rules.ts';
import { comparableIn } from '#kernel/db/comparable.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';

type Tenant = Pick<Scope, 'organisationId'>;

/** Sign-ins and invitations that belong to one person, or to a customer's people. */
export interface PeopleSubject {
  userIds: string[];
  inviteIds: string[];
  emails: string[];
}

/**
 * Finds them, removed ones too. Invitations are a person's by the address they were sent to. Who was removed and is a user again has two
 * rows, with one address: what came after the removal, and letters that wait, are of the living one.
 */
export async function peopleOf(
  tx: Tx,
  scope: Tenant,
  whose: { userId: string } | { customerId: string },
): Promise<PeopleSubject> {
  let wanted = tx
    .selectFrom('users')
    .select(['id', 'email', 'removed_at'])
    .where('organisation_id', '=', scope.organisationId);
  wanted =
    'userId' in whose
      ? wanted.where('id', '=', whose.userId)
      : wanted.where('customer_id', '=', whose.customerId).where('role', '=', 'MSP_CUSTOMER');
  const users = await wanted.execute();
  const userIds = users.map(({ id }) => id);
  const others = await livingAt(
    tx,
    scope,
    userIds,
    users.map(({ email }) => comparable(email)),
  );
  const found = await tx
    .selectFrom('invites')
    .select(['id', 'email', 'customer_id', 'created_at'])
    .where('organisation_id', '=', scope.organisationId)
    .where((eb) =>
      eb.or([
        sql<boolean>`${comparableIn(sql`email`)} = ANY (${users.map(({ email }) => comparable(email))}::text[])`,
        ...('customerId' in whose ? [eb('customer_id', '=', whose.customerId)] : []),
      ]),
    )
    .execute();
  const invites = found.filter(
    ({ email, customer_id, created_at }) =>
      !others.has(comparable(email)) ||
      ('customerId' in whose && customer_id === whose.customerId) ||
      users.some(
        (user) =>
          comparable(user.email) === comparable(email) && created_at <= (user.removed_at ?? created_at),
      ),
  );
  const emails = [...users, ...invites].map(({ email }) => email);
  return {
    userIds,
    inviteIds: invites.map(({ id }) => id),
    emails: [
      ...new Set(
        emails.filter((email) => !others.has(comparable(email))).map((email) => email.toLowerCase()),
      ),
    ],
  };
}

/** Of these addresses, those by which others than these users are users of the organization now. */
async function livingAt(
  tx: Tx,
  scope: Tenant,
  userIds: readonly string[],
  emails: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ email: string }>`
    SELECT DISTINCT ${comparableIn(sql`email`)} AS email FROM users
    WHERE organisation_id = ${scope.organisationId} AND removed_at IS NULL AND NOT (id = ANY (${[...userIds]}::uuid[]))
      AND ${comparableIn(sql`email`)} = ANY (${[...emails]}::text[])`.execute(tx);
  return new Set(rows.map(({ email }) => email));
}

/**
 * Forgets who these people were. Their rows stay, since orders and the log refer to them by number; a sign-in no longer
 * finds them, and an invitation opens nothing any more.
 */
export async function erasePeople(tx: Tx, scope: Tenant, people: PeopleSubject, now: Date): Promise<void> {
  await sql`UPDATE users SET email = ${erasedName} || right(id::text, 6), email_verified = false, username = '',
      first_name = '', last_name = '', identity_issuer = 'erased', identity_subject = 'erased:' || id::text,
      removed_at = coalesce(removed_at, ${now})
    WHERE organisation_id = ${scope.organisationId} AND id = ANY (${people.userIds}::uuid[])`.execute(tx);
  await sql`UPDATE invites SET email = ${erasedName} || id::text, token_sealed = '',
      cancelled_at = CASE WHEN accepted_at IS NULL THEN coalesce(cancelled_at, ${now}) ELSE cancelled_at END
    WHERE organisation_id = ${scope.organisationId} AND id = ANY (${people.inviteIds}::uuid[])`.execute(tx);
}

const erasedName = 'Erased user ';
