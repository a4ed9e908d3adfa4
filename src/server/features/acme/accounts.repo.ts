import type { Db, Selectable, Tx } from '#kernel/db/database.ts';
import type { AcmeAccountsTable } from '#kernel/db/schema.ts';
import type { Jwk } from './jws.rules.ts';

/** Accounts of clients. A request names its account before its organization is known, so they are found across tenants. */

export type AccountRecord = Selectable<AcmeAccountsTable>;

export function findAccount(systemDb: Db, by: { id: string } | { thumbprint: string }) {
  return systemDb
    .selectFrom('acme_accounts')
    .selectAll()
    .where('id' in by ? 'id' : 'thumbprint', '=', 'id' in by ? by.id : by.thumbprint)
    .executeTakeFirst();
}

/** A new account; a key that has one already is a unique violation. */
export async function insertAccount(
  tx: Tx,
  account: Pick<
    AccountRecord,
    'id' | 'organisation_id' | 'access_id' | 'thumbprint' | 'contacts' | 'created_at'
  > & {
    jwk: Jwk;
  },
): Promise<void> {
  await tx
    .insertInto('acme_accounts')
    .values({ ...account, jwk: JSON.stringify(account.jwk), status: 'valid' })
    .execute();
}

export async function setContacts(tx: Tx, id: string, contacts: string[]): Promise<void> {
  await tx.updateTable('acme_accounts').set({ contacts }).where('id', '=', id).execute();
}

export async function deactivateAccount(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('acme_accounts').set({ status: 'deactivated' }).where('id', '=', id).execute();
}

/** The account's next key, unless another request has changed it meanwhile. Another account's key is a unique violation. */
export async function changeKey(
  tx: Tx,
  id: string,
  from: string,
  to: { thumbprint: string; jwk: Jwk },
): Promise<boolean> {
  const changed = await tx
    .updateTable('acme_accounts')
    .set({ thumbprint: to.thumbprint, jwk: JSON.stringify(to.jwk) })
    .where('id', '=', id)
    .where('thumbprint', '=', from)
    .where('status', '=', 'valid')
    .executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}
