import type { Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';

/** When a customer was sent links since then, the oldest first. Locks the customer: two at once must not both see room. */
export async function lockedSendings(
  tx: Tx,
  { organisationId, customerId }: { organisationId: string; customerId: string },
  since: Date,
): Promise<Date[]> {
  await tx.selectFrom('customers').select('id').where('id', '=', customerId).forNoKeyUpdate().execute();
  const rows = await tx
    .selectFrom('payment_setup_links')
    .select('created_at')
    .where('organisation_id', '=', organisationId)
    .where('customer_id', '=', customerId)
    .where('created_at', '>', since)
    .orderBy('created_at')
    .execute();
  return rows.map((row) => row.created_at);
}

export async function insertLink(
  tx: Tx,
  link: {
    id: string;
    organisationId: string;
    customerId: string;
    email: string;
    tokenHash: Buffer;
    expiresAt: Date;
    now: Date;
  },
): Promise<void> {
  await tx
    .insertInto('payment_setup_links')
    .values({
      id: link.id,
      organisation_id: link.organisationId,
      customer_id: link.customerId,
      token_hash: link.tokenHash,
      email: link.email,
      expires_at: link.expiresAt,
      created_at: link.now,
    })
    .execute();
}

export function linkUnder(tx: Tx, tokenHash: Buffer) {
  return tx
    .selectFrom('payment_setup_links')
    .select(['organisation_id', 'customer_id', 'expires_at'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
}

type Tenant = Pick<Scope, 'organisationId'>;

/** Links of a customer that have not expired. */
export async function countWorkingLinks(
  tx: Tx,
  scope: Tenant,
  customerId: string,
  now: Date,
): Promise<number> {
  const { count } = await tx
    .selectFrom('payment_setup_links')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organisation_id', '=', scope.organisationId)
    .where('customer_id', '=', customerId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Links of a customer that expired long ago. */
export async function forgetOldLinks(
  tx: Tx,
  scope: Tenant,
  customerId: string,
  expiredBefore: Date,
): Promise<void> {
  await tx
    .deleteFrom('payment_setup_links')
    .where('organisation_id', '=', scope.organisationId)
    .where('customer_id', '=', customerId)
    .where('expires_at', '<', expiredBefore)
    .execute();
}
