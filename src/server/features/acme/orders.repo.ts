import { type Db, later, type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { AcmeOrdersTable, StoredProblem } from '#kernel/db/schema.ts';
import type { SpentThisMonth } from './access.rules.ts';
import { lockAccess } from './access-log.repo.ts';

/** What clients ordered, and what it has become. */

export type OrderRecord = Selectable<AcmeOrdersTable>;

/** By name, so that a connection prepares what changes an order (kernel/db/prepared.ts). */
const columns = [
  ...(['id', 'organisation_id', 'account_id', 'access_id', 'customer_id', 'names', 'state'] as const),
  ...(['given_up', 'replaces', 'csr', 'csr_digest', 'key_digest', 'reissue_id', 'order_item_id'] as const),
  ...(['certificate_id', 'issued_id', 'serial', 'valid_from', 'valid_to', 'chain', 'revoked_at'] as const),
  ...(['bought_cents', 'bought_at', 'problem', 'told_at', 'next_look_at', 'looks'] as const),
  ...(['created_at', 'finalized_at', 'expires_at'] as const),
] satisfies readonly (keyof AcmeOrdersTable)[];

export interface OrderPlace {
  organisationId: string;
  orderId: string;
}

export type NewAcmeOrder = Pick<
  OrderRecord,
  | 'id'
  | 'organisation_id'
  | 'account_id'
  | 'access_id'
  | 'customer_id'
  | 'names'
  | 'replaces'
  | 'created_at'
  | 'expires_at'
>;

/** Written with what the transaction asks next. */
export function insertAcmeOrder(tx: Tx, order: NewAcmeOrder): Promise<void> {
  return later(tx, tx.insertInto('acme_orders').values({ ...order, state: 'ready' }));
}

export function findAcmeOrder(tx: Tx, orderId: string): Promise<OrderRecord | undefined> {
  return tx.selectFrom('acme_orders').select(columns).where('id', '=', orderId).executeTakeFirst();
}

/** Newest first, from before this one. */
export async function ordersOfAccount(
  tx: Tx,
  accountId: string,
  { before, limit, now }: { before: string | null; limit: number; now: Date },
): Promise<string[]> {
  let select = tx
    .selectFrom('acme_orders')
    .select('id')
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('state', 'in', ['processing', 'valid']), eb('expires_at', '>', now)]));
  if (before !== null) select = select.where('id', '<', before);
  const rows = await select.orderBy('id', 'desc').limit(limit).execute();
  return rows.map(({ id }) => id);
}

/** The client has said that an authorization of its order is not to be used. */
export async function giveUpAuthorization(tx: Tx, orderId: string, index: number): Promise<void> {
  await tx
    .updateTable('acme_orders')
    .set({ given_up: sql`array_append(given_up, ${index}::integer)` })
    .where('id', '=', orderId)
    .where(sql<boolean>`NOT ${index}::integer = ANY (given_up)`)
    .execute();
}

/** Takes the signing request of an order that waits for one; undefined when another request was first, or it has ended. */
export async function startOrder(
  tx: Tx,
  orderId: string,
  request: { csr: string; csrDigest: Buffer; keyDigest: Buffer },
  { now, lookAt }: { now: Date; lookAt: Date },
): Promise<OrderRecord | undefined> {
  return await tx
    .updateTable('acme_orders')
    .set({
      state: 'processing',
      csr: request.csr,
      csr_digest: request.csrDigest,
      key_digest: request.keyDigest,
      finalized_at: now,
      next_look_at: lookAt,
    })
    .where('id', '=', orderId)
    .where('state', '=', 'ready')
    .where('expires_at', '>', now)
    .where(sql<boolean>`cardinality(given_up) = 0`)
    .returning(columns)
    .executeTakeFirst();
}

/** Locks an order of which nothing has become yet, so that this transaction decides; false when something has. */
export async function lockUnbegun(tx: Tx, orderId: string): Promise<boolean> {
  const free = await tx
    .selectFrom('acme_orders')
    .select('id')
    .where('id', '=', orderId)
    .where('state', '=', 'processing')
    .where('reissue_id', 'is', null)
    .where('order_item_id', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return free !== undefined;
}

/** The order, locked by this transaction, becomes a reissue. */
export function becomeReissue(
  tx: Tx,
  orderId: string,
  { reissueId, certificateId }: { reissueId: string; certificateId: string },
): Promise<void> {
  const change = { reissue_id: reissueId, certificate_id: certificateId };
  return later(tx, tx.updateTable('acme_orders').set(change).where('id', '=', orderId));
}

/** The order, locked by this transaction, becomes a purchase: where the money is held. */
export function becomePurchase(
  tx: Tx,
  orderId: string,
  { itemId, cents, now }: { itemId: string; cents: number; now: Date },
): Promise<void> {
  const change = { order_item_id: itemId, bought_cents: cents, bought_at: now };
  return later(tx, tx.updateTable('acme_orders').set(change).where('id', '=', orderId));
}

/**
 * What each of these accesses has bought in the calendar month (UTC) of this day, with what is being bought. What was
 * declined, before or after it was paid, costs nothing and is left out. One that has bought nothing is missing.
 */
export async function spentByAccess(
  tx: Tx,
  accessIds: readonly string[],
  month: Date,
): Promise<Map<string, SpentThisMonth>> {
  const { start, end } = monthOf(month);
  const { rows } = await sql<SpentThisMonth & { id: string }>`
    SELECT o.access_id AS id, count(*)::int AS orders, sum(o.bought_cents)::bigint AS cents
    FROM acme_orders o JOIN order_items i ON i.id = o.order_item_id
    WHERE o.access_id = ANY (${[...accessIds]}::uuid[]) AND o.bought_at >= ${start} AND o.bought_at < ${end}
      AND i.state <> 'declined'
      AND NOT EXISTS (SELECT 1 FROM certificates c WHERE c.organisation_id = i.organisation_id
        AND c.order_item_id = i.id AND c.state IN ('declined', 'cancelled'))
    GROUP BY o.access_id`.execute(tx);
  return new Map(rows.map(({ id, orders, cents }) => [id, { orders, cents }]));
}

/** The same for one access. */
export async function spentThisMonth(tx: Tx, accessId: string, month: Date): Promise<SpentThisMonth> {
  return (await spentByAccess(tx, [accessId], month)).get(accessId) ?? { orders: 0, cents: 0 };
}

/** The same at most: with what was declined or paid back. It asks nothing but the orders, of which there may be thousands. */
export async function boughtThisMonth(tx: Tx, accessId: string, month: Date): Promise<SpentThisMonth> {
  const { start, end } = monthOf(month);
  const { rows } = await sql<SpentThisMonth>`
    SELECT count(*)::int AS orders, coalesce(sum(bought_cents), 0)::bigint AS cents FROM acme_orders
    WHERE access_id = ${accessId} AND bought_at >= ${start} AND bought_at < ${end}`.execute(tx);
  return rows[0] ?? { orders: 0, cents: 0 };
}

/** The calendar month (UTC) of a day. */
function monthOf(day: Date): { start: Date; end: Date } {
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) };
}

/** The order as it is then; undefined when it was not being processed any more. */
export function completeOrder(
  tx: Tx,
  orderId: string,
  issued: { certificateId: string; chain: string; issuedId: string; serial: string; from: Date; to: Date },
): Promise<OrderRecord | undefined> {
  const { certificateId, chain, issuedId, serial, from, to } = issued;
  return tx
    .updateTable('acme_orders')
    .set({
      ...{ state: 'valid' as const, certificate_id: certificateId, next_look_at: null },
      ...{ chain, issued_id: issuedId, serial, valid_from: from, valid_to: to },
    })
    .where('id', '=', orderId)
    .where('state', '=', 'processing')
    .returning(columns)
    .executeTakeFirst();
}

/** An order that came to nothing. One that has become something ends only when that has ended, too. */
export async function endAcmeOrder(
  tx: Tx,
  orderId: string,
  { problem, became }: { problem: StoredProblem; became: boolean },
): Promise<boolean> {
  let update = tx
    .updateTable('acme_orders')
    .set({ state: 'invalid', problem: JSON.stringify(problem), next_look_at: null })
    .where('id', '=', orderId)
    .where('state', '=', 'processing');
  if (!became) update = update.where('reissue_id', 'is', null).where('order_item_id', 'is', null);
  return (await update.executeTakeFirst()).numUpdatedRows === 1n;
}

export async function lookAgainAt(tx: Tx, orderId: string, at: Date): Promise<void> {
  await tx
    .updateTable('acme_orders')
    .set((eb) => ({ next_look_at: at, looks: eb('looks', '+', 1) }))
    .where('id', '=', orderId)
    .where('state', '=', 'processing')
    .execute();
}

/** Across tenants: orders whose time has come. Pushed away, so that two processes take none twice. */
export async function takeDueOrders(tx: Tx, now: Date, limit: number): Promise<OrderPlace[]> {
  const rows = await tx
    .selectFrom('acme_orders')
    .select(['id', 'organisation_id'])
    .where('next_look_at', '<=', now)
    .orderBy('next_look_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  if (rows.length === 0) return [];
  await tx
    .updateTable('acme_orders')
    .set({ next_look_at: new Date(now.getTime() + 60_000) })
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute();
  return rows.map((row) => ({ organisationId: row.organisation_id, orderId: row.id }));
}

/** Old orders that came to nothing. */
export async function forgetUnused(systemDb: Db, before: Date): Promise<void> {
  await systemDb
    .deleteFrom('acme_orders')
    .where('state', 'in', ['ready', 'invalid'])
    .where('order_item_id', 'is', null)
    .where('expires_at', '<', before)
    .execute();
}

/** What has become of an order that is a reissue or a purchase, with what was issued for it. */
export async function outcomeOf(tx: Tx, order: Pick<OrderRecord, 'reissue_id' | 'order_item_id'>) {
  if (order.reissue_id !== null) {
    const [reissue, issue] = await Promise.all([
      tx
        .selectFrom('certificate_reissues')
        .select(['state', 'remark', 'certificate_id'])
        .where('id', '=', order.reissue_id)
        .executeTakeFirst(),
      issues(tx)
        .innerJoin('certificate_reissues as r', (join) =>
          join
            .onRef('r.certificate_id', '=', 'i.certificate_id')
            .onRef('r.registrar_order_id', '=', 'i.registrar_order_id'),
        )
        .where('r.id', '=', order.reissue_id)
        .executeTakeFirst(),
    ]);
    return { reissue: reissue ?? null, item: null, certificate: null, issue };
  }
  const itemId = order.order_item_id ?? '';
  const [item, certificate, issue] = await Promise.all([
    tx
      .selectFrom('order_items')
      .select(['id', 'state', 'public_error'])
      .where('id', '=', itemId)
      .executeTakeFirst(),
    tx
      .selectFrom('certificates')
      .select(['id', 'state', 'remark'])
      .where('order_item_id', '=', itemId)
      .executeTakeFirst(),
    issues(tx)
      .whereRef('c.registrar_order_id', '=', 'i.registrar_order_id')
      .where('c.order_item_id', '=', itemId)
      .executeTakeFirst(),
  ]);
  return { reissue: null, item: item ?? null, certificate: certificate ?? null, issue };
}

export type OrderOutcome = Awaited<ReturnType<typeof outcomeOf>>;

/** Certificates as they were issued, the newest first, with the chain of their authority. */
function issues(tx: Tx) {
  return tx
    .selectFrom('certificate_issues as i')
    .innerJoin('certificates as c', 'c.id', 'i.certificate_id')
    .select(['i.certificate_id', 'i.certificate_pem', 'c.chain_pem', 'i.serial'])
    .orderBy('i.valid_to', 'desc');
}

/** Across tenants, because a client that asks about a certificate names no account. */
export function orderOfIssue(systemDb: Db, issuedId: string) {
  return systemDb
    .selectFrom('acme_orders as o')
    .select(['o.id', 'o.organisation_id', 'o.access_id', 'o.account_id', 'o.customer_id', 'o.names'])
    .select(['o.valid_from', 'o.valid_to', 'o.serial', 'o.certificate_id', 'o.reissue_id'])
    .select(
      sql<boolean>`(o.revoked_at IS NOT NULL OR EXISTS (SELECT 1 FROM certificate_issues i WHERE
        i.certificate_id = o.certificate_id AND i.serial = o.serial AND i.revoked_at IS NOT NULL))`.as(
        'revoked',
      ),
    )
    .where('o.issued_id', '=', issuedId)
    .where('o.state', '=', 'valid')
    .orderBy('o.id', 'desc')
    .executeTakeFirst();
}

/** Whether an order of this access, that goes on or has succeeded, has replaced the certificate already. */
export async function isReplaced(tx: Tx, accessId: string, issuedId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('acme_orders')
    .select('id')
    .where('access_id', '=', accessId)
    .where('replaces', '=', issuedId)
    .where('state', 'in', ['processing', 'valid'])
    .executeTakeFirst();
  return found !== undefined;
}

export async function markRevoked(tx: Tx, issuedId: string, now: Date): Promise<void> {
  await tx
    .updateTable('acme_orders')
    .set({ revoked_at: now })
    .where('issued_id', '=', issuedId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Whether another customer has this key, anywhere, or its holder has called it compromised. */
export async function refusedKey(
  systemDb: Db,
  keyDigest: Buffer,
  customerId: string,
): Promise<'other' | 'compromised' | null> {
  const { rows } = await sql<{ compromised: boolean; other: boolean }>`SELECT
    EXISTS (SELECT 1 FROM acme_compromised_keys WHERE digest = ${keyDigest}) AS compromised,
    EXISTS (SELECT 1 FROM acme_orders WHERE key_digest = ${keyDigest} AND customer_id <> ${customerId}) AS other`.execute(
    systemDb,
  );
  if (rows[0]?.compromised) return 'compromised';
  return rows[0]?.other ? 'other' : null;
}

export async function keepCompromised(tx: Tx, digest: Buffer): Promise<void> {
  await tx
    .insertInto('acme_compromised_keys')
    .values({ digest })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether those who manage have had a mail about this access since then; if not, the order keeps that they have one now. */
export async function toldLately(
  tx: Tx,
  order: Pick<OrderRecord, 'id' | 'access_id'>,
  { since, now }: { since: Date; now: Date },
): Promise<boolean> {
  // Two orders that fail at once are told of once.
  await lockAccess(tx, order.access_id);
  const told = await tx
    .selectFrom('acme_orders')
    .select('id')
    .where('access_id', '=', order.access_id)
    .where('told_at', '>', since)
    .executeTakeFirst();
  if (told) return true;
  await tx.updateTable('acme_orders').set({ told_at: now }).where('id', '=', order.id).execute();
  return false;
}

/**
 * Under which order the registrar has what was issued. `isReplacedBase`: the first order of a term whose running
 * certificate came from a later one; ending it would end the term.
 */
export async function registrarOrderOf(
  tx: Tx,
  order: { certificate_id: string | null; serial: string | null },
): Promise<{ certificateId: string; registrarOrderId: string; isReplacedBase: boolean } | null> {
  const row = await tx
    .selectFrom('certificate_issues as i')
    .innerJoin('certificates as c', 'c.id', 'i.certificate_id')
    .select(['c.id', 'i.registrar_order_id', 'c.registrar_order_id as base', 'c.issued_order_id', 'c.serial'])
    .where('i.certificate_id', '=', order.certificate_id ?? '')
    .where('i.serial', '=', order.serial ?? '')
    .executeTakeFirst();
  if (!row?.registrar_order_id) return null;
  const isReplacedBase = row.registrar_order_id === row.base && row.serial !== order.serial;
  return { certificateId: row.id, registrarOrderId: row.registrar_order_id, isReplacedBase };
}
