import { accessLogEntries, type BuyLimits } from '#contracts/values/acme-access.ts';
import { type Db, later, type RawBuilder, sql, type Tx } from '#kernel/db/database.ts';
import type { Standing } from './access.rules.ts';
import type { AccountRecord } from './accounts.repo.ts';

/** Accesses as machines use them: across organizations, by the system's login. */

export const hmacContext = (organisationId: string, id: string) => `acme-access:${organisationId}:${id}`;

export interface MachineAccess extends Standing {
  id: string;
  organisationId: string;
  customerId: string;
  hmacSealed: Buffer;
  lastUsedAt: Date | null;
  hosts: string[] | null;
  productType: string;
  limits: BuyLimits | null;
  byCustomer: boolean;
  /** Whether the customer's own users may have accesses now. */
  allowed: boolean;
  allowedLimits: BuyLimits | null;
}

/** An access with all that decides on it, whatever its state. */
export async function findAccess(
  db: Db | Tx,
  by: { keyId: string } | { id: string },
): Promise<MachineAccess | undefined> {
  const row = await accessRows(db)
    .where('keyId' in by ? 'a.key_id' : 'a.id', '=', 'keyId' in by ? by.keyId : by.id)
    .executeTakeFirst();
  return row && machineAccessOf(row);
}

/** An account with its access: every request by it asks for both. */
export async function findAccountWithAccess(
  systemDb: Db,
  accountId: string,
): Promise<{ account: AccountRecord; access: MachineAccess } | undefined> {
  const row = await accessRows(systemDb)
    .innerJoin('acme_accounts as n', 'n.access_id', 'a.id')
    .where('n.id', '=', accountId)
    .select(['n.id as accountId', 'n.thumbprint', 'n.jwk', 'n.contacts', 'n.status'])
    .select('n.created_at as accountCreatedAt')
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { accountId: id, thumbprint, jwk, contacts, status, accountCreatedAt, ...access } = row;
  const of = { organisation_id: row.organisationId, access_id: row.id, created_at: accountCreatedAt };
  return { account: { id, thumbprint, jwk, contacts, status, ...of }, access: machineAccessOf(access) };
}

function accessRows(db: Db | Tx) {
  return db
    .selectFrom('acme_accesses as a')
    .innerJoin('customers as c', (join) =>
      join.onRef('c.id', '=', 'a.customer_id').onRef('c.organisation_id', '=', 'a.organisation_id'),
    )
    .innerJoin('organisations as o', 'o.id', 'a.organisation_id')
    .leftJoin('acme_allowances as w', (join) =>
      join.onRef('w.customer_id', '=', 'a.customer_id').onRef('w.organisation_id', '=', 'a.organisation_id'),
    )
    .select([
      'a.id',
      'a.organisation_id as organisationId',
      'a.customer_id as customerId',
      'a.hmac_sealed as hmacSealed',
      'a.last_used_at as lastUsedAt',
      'a.hosts',
      'a.product_type as productType',
      'a.orders_per_month',
      'a.cents_per_month',
      'a.by_customer as byCustomer',
      'a.revoked_at as revokedAt',
      'a.expires_at as expiresAt',
      'c.deleted_at as customerDeletedAt',
      'o.closed_at as organisationClosedAt',
      'w.customer_id as allowedCustomer',
      'w.orders_per_month as allowedOrders',
      'w.cents_per_month as allowedCents',
    ]);
}

type AccessRow = Awaited<ReturnType<ReturnType<typeof accessRows>['executeTakeFirstOrThrow']>>;

function machineAccessOf(row: AccessRow): MachineAccess {
  const { orders_per_month, cents_per_month, allowedCustomer, allowedOrders, allowedCents, ...rest } = row;
  return {
    ...rest,
    limits: limitsOf(orders_per_month, cents_per_month),
    allowed: allowedCustomer !== null,
    allowedLimits: limitsOf(allowedOrders, allowedCents),
  };
}

/**
 * Serialises what one access buys: two at once must not both see room for one. Not the lock of a deletion: new orders of
 * the access, whose foreign key holds its row, would wait for each other with it, and end in a deadlock.
 */
export function lockAccess(tx: Tx, accessId: string): Promise<void> {
  // With the next statement, which sees what the former holder of the lock committed.
  return later(tx, tx.selectFrom('acme_accesses').select('id').where('id', '=', accessId).forNoKeyUpdate());
}

export function limitsOf(orders: number | null, cents: number | null): BuyLimits | null {
  return orders === null || cents === null ? null : { ordersPerMonth: orders, centsPerMonth: cents };
}

export interface Entry {
  event: string;
  outcome: 'done' | 'waiting' | 'refused' | 'failed';
  identifiers: readonly string[];
  detail: string;
  advice: string;
}

/** More than are shown are kept for a while, so that not each entry has to drop another. */
const spareEntries = 50;

/**
 * Counts the newest entry up when it says the same, else adds one and drops what is older than the newest ones. One
 * statement, so that it needs no transaction of its own.
 */
export function appendEntry(accessId: string, entry: Entry, now: Date): RawBuilder<unknown> {
  const { event, outcome, identifiers, detail, advice } = entry;
  return sql`
    WITH newest AS (
      SELECT id FROM acme_access_log WHERE access_id = ${accessId} ORDER BY id DESC LIMIT 1
    ), again AS (
      UPDATE acme_access_log l SET times = l.times + 1, last_at = ${now} FROM newest
      WHERE l.id = newest.id AND l.event = ${event} AND l.outcome = ${outcome}
        AND l.identifiers = ${[...identifiers]}::text[] AND l.detail = ${detail}
      RETURNING l.id
    ), dropped AS (
      -- Room for the one that is added, and for some more: most entries then have nothing to drop.
      DELETE FROM acme_access_log WHERE access_id = ${accessId} AND NOT EXISTS (SELECT FROM again) AND id <= (
        SELECT id FROM acme_access_log WHERE access_id = ${accessId}
        ORDER BY id DESC OFFSET ${accessLogEntries - 1} LIMIT 1)
        AND (SELECT count(*) FROM acme_access_log WHERE access_id = ${accessId}) >= ${accessLogEntries + spareEntries}
    )
    INSERT INTO acme_access_log
      (organisation_id, access_id, at, last_at, event, outcome, identifiers, detail, advice)
    SELECT a.organisation_id, a.id, ${now}, ${now}, ${event}, ${outcome}, ${[...identifiers]}::text[], ${detail}, ${advice}
    FROM acme_accesses a WHERE a.id = ${accessId} AND NOT EXISTS (SELECT FROM again)`;
}

/** Once a minute at most, so that a machine that asks often does not write as often. */
export async function markUsed(systemDb: Db, id: string, now: Date): Promise<void> {
  await systemDb
    .updateTable('acme_accesses')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('last_used_at', 'is', null),
        eb('last_used_at', '<', sql<Date>`${now}::timestamptz - interval '1 minute'`),
      ]),
    )
    .execute();
}
