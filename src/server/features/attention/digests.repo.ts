import type { Role } from '#contracts/permissions.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';

export interface DigestReader {
  userId: string;
  organisationId: string;
  email: string;
  role: Role;
  customerId: string | null;
}

/** Whether the caller has the list mailed each day. */
export async function wantsDigest(tx: Tx, scope: Scope): Promise<boolean> {
  const row = await tx
    .selectFrom('attention_digests')
    .select('user_id')
    .where('organisation_id', '=', scope.organisationId)
    .where('user_id', '=', scope.userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Turns the mail on or off; false when it was so already. */
export async function setDigest(tx: Tx, scope: Scope, daily: boolean): Promise<boolean> {
  const { userId, organisationId } = scope;
  const { rows } = daily
    ? await sql`INSERT INTO attention_digests (user_id, organisation_id) VALUES (${userId}, ${organisationId})
        ON CONFLICT (user_id) DO NOTHING RETURNING user_id`.execute(tx)
    : await sql`DELETE FROM attention_digests WHERE user_id = ${userId} AND organisation_id = ${organisationId}
        RETURNING user_id`.execute(tx);
  return rows.length > 0;
}

/** Across tenants: who is to have today's mail and has not had it; `userId`: whether this person is one of them. */
export async function dueReaders(tx: Tx, day: string, userId?: string): Promise<DigestReader[]> {
  const { rows } = await sql<DigestReader>`
    SELECT u.id AS "userId", u.organisation_id AS "organisationId", u.email, u.role, u.customer_id AS "customerId"
    FROM attention_digests g JOIN users u ON u.id = g.user_id AND u.organisation_id = g.organisation_id
      JOIN organisations o ON o.id = u.organisation_id AND o.closed_at IS NULL
    WHERE u.removed_at IS NULL AND u.disabled_at IS NULL AND coalesce(g.sent_on < ${day}::date, true)
      AND ${userId ? sql`u.id = ${userId}` : sql`true`}
    ORDER BY u.organisation_id, u.id`.execute(tx);
  return rows;
}

/** Notes that somebody's mail of a day goes out; false when it has already. */
export async function noteDigest(tx: Tx, userId: string, day: string): Promise<boolean> {
  const { rows } = await sql`UPDATE attention_digests SET sent_on = ${day}::date
    WHERE user_id = ${userId} AND coalesce(sent_on < ${day}::date, true) RETURNING user_id`.execute(tx);
  return rows.length > 0;
}
