import { openItemStates } from '#contracts/values/order-states.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { DirectChargesTable } from '#kernel/db/schema.ts';
import { unstopped } from '#kernel/db/stopped-charges.ts';
import { readSharedNow } from '#kernel/db/time.ts';
import { idOf } from '#kernel/ids.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { failedText } from './charges.rules.ts';

export type Charge = Selectable<DirectChargesTable>;

/** What was confirmed, as it is charged. */
export interface ChargedItem {
  itemId: string;
  orderId: string;
  customerId: string;
  priceCents: number;
  markupCents: number;
}

/**
 * Puts a confirmed item into the charge of its purchase and customer, once. A charge that has been sent takes no
 * more: what is confirmed later makes the next part. Returns the charge's id, or null when the item is in one.
 */
export async function addToCharge(
  tx: Tx,
  organisationId: string,
  item: ChargedItem,
  now: Date,
): Promise<string | null> {
  const { orderId, customerId } = item;
  // One at a time per purchase and customer: two items confirmed at once must not make two charges.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`direct:${orderId}:${customerId}`}, 0))`.execute(
    tx,
  );
  const known = await tx
    .selectFrom('direct_charge_items')
    .select('charge_id')
    .where('item_id', '=', item.itemId)
    .executeTakeFirst();
  if (known) return null;
  const refunded = await tx
    .selectFrom('direct_refunds')
    .select('item_id')
    .where('item_id', '=', item.itemId)
    .executeTakeFirst();
  // It came to nothing before it was charged.
  if (refunded) return null;
  const cents = item.priceCents + item.markupCents;
  const parts = await tx
    .selectFrom('direct_charges')
    .select(['id', 'part', 'state'])
    .where('order_id', '=', orderId)
    .where('customer_id', '=', customerId)
    .orderBy('part', 'desc')
    .forUpdate()
    .execute();
  const open = parts.find(({ state }) => state === 'collecting');
  const part = (parts[0]?.part ?? 0) + 1;
  // When a database has lost what it wrote, the charge that is made again is the same one (docs/decisions/0282).
  const id = open?.id ?? idOf({ orderId, customerId, part });
  if (open) {
    await tx
      .updateTable('direct_charges')
      .set((eb) => ({ cents: eb('cents', '+', cents), updated_at: now }))
      .where('id', '=', id)
      .execute();
  } else {
    await tx
      .insertInto('direct_charges')
      .values({
        id,
        organisation_id: organisationId,
        customer_id: customerId,
        order_id: orderId,
        part,
        cents,
        state: 'collecting',
        payment_intent: null,
        failure: null,
        next_try_at: null,
        note: null,
        sent_at: null,
        created_at: now,
        updated_at: now,
      })
      .execute();
  }
  await tx
    .insertInto('direct_charge_items')
    .values({
      item_id: item.itemId,
      organisation_id: organisationId,
      charge_id: id,
      price_cents: item.priceCents,
      markup_cents: item.markupCents,
    })
    .execute();
  return id;
}

/** When the purchase was made, before any payment for it. */
export async function orderedAt(tx: Tx, orderId: string): Promise<Date> {
  const order = await tx
    .selectFrom('orders')
    .select('created_at')
    .where('id', '=', orderId)
    .executeTakeFirstOrThrow();
  return order.created_at;
}

/** Whether something of this customer in this purchase may still be confirmed. */
export async function isStillOpen(
  tx: Tx,
  charge: { order_id: string; customer_id: string },
): Promise<boolean> {
  const open = await tx
    .selectFrom('order_items')
    .select('id')
    .where('order_id', '=', charge.order_id)
    .where('customer_id', '=', charge.customer_id)
    .where('state', 'in', [...openItemStates])
    .executeTakeFirst();
  return open !== undefined;
}

/** The intent, before the call: only one worker gets it. null when it is not to be sent now. */
export async function claimCharge(tx: Tx, id: string, now: Date): Promise<Charge | null> {
  const row = await tx
    .updateTable('direct_charges')
    .set((eb) => ({
      state: 'sending' as const,
      attempt: eb('attempt', '+', 1),
      sent_at: now,
      updated_at: now,
      next_try_at: null,
      failure: null,
    }))
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('state', '=', 'collecting'),
        eb.and([eb('state', '=', 'failed'), eb('next_try_at', '<=', now)]),
      ]),
    )
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export function findCharge(tx: Tx, id: string): Promise<Charge | undefined> {
  return tx.selectFrom('direct_charges').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The charge that is known to have this payment. */
export function chargeOfPayment(tx: Tx, paymentId: string): Promise<Charge | undefined> {
  return tx
    .selectFrom('direct_charges')
    .selectAll()
    .where('payment_intent', '=', paymentId)
    .executeTakeFirst();
}

export function lockCharge(tx: Tx, id: string): Promise<Charge | undefined> {
  return tx.selectFrom('direct_charges').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Wakes the worker for a charge. */
export async function chargeAt(
  tx: Tx,
  charge: { id: string; organisationId: string },
  at: Date,
): Promise<void> {
  await enqueueJob(
    tx,
    'direct-billing.charge',
    { organisationId: charge.organisationId, chargeId: charge.id },
    { key: `direct-charge:${charge.id}`, runAt: at },
  );
}

/**
 * That something went back of this charge's payment, and no version that tells a dispute from a refund has read it since
 * (docs/decisions/0336). It may be disputed: nothing is charged to the customer before it has been read.
 */
const isUnread = (table: string) => sql<boolean>`(${sql.ref(`${table}.refunded_cents`)} > 0
  AND ${sql.ref(`${table}.disputes_read_at`)} IS NULL AND ${sql.ref(`${table}.payment_intent`)} IS NOT NULL)`;

/** That the charge of this row may be sent: no dispute of its customer stops it, and none can be that nobody has read. */
export function mayBeSent() {
  const customer = sql.ref('direct_charges.customer_id');
  return sql<boolean>`(${unstopped(customer)} AND NOT EXISTS (SELECT FROM direct_charges u
    WHERE u.customer_id = ${customer} AND ${isUnread('u')}))`;
}

export async function isStopped(tx: Tx, customerId: string): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`SELECT ${unstopped(sql`${customerId}`)} AS free`.execute(tx);
  return rows[0]?.free !== true;
}

/** A payment to be read for disputes, with its charge. */
export interface UnreadPayment {
  chargeId: string;
  paymentId: string;
  accountId: string;
}

/**
 * Payments that may be disputed unknown to us: of one customer, or across tenants. One whose account the provider does not let us use is not among
 * them: nothing is charged there either.
 */
export async function unreadPayments(tx: Tx, customerId?: string): Promise<UnreadPayment[]> {
  const of = customerId === undefined ? sql`true` : sql`c.customer_id = ${customerId}`;
  const { rows } = await sql<UnreadPayment>`
    SELECT c.id AS "chargeId", c.payment_intent AS "paymentId", b.payment_account_id AS "accountId"
    FROM direct_charges c JOIN billing_profiles b ON b.organisation_id = c.organisation_id
    WHERE ${of} AND ${isUnread('c')} AND b.payment_account_ready AND b.payment_account_id IS NOT NULL
    ORDER BY c.updated_at, c.id`.execute(tx);
  return rows;
}

/** Its payment was read, whatever that said of disputes. */
export async function noteRead(tx: Tx, { chargeId, paymentId }: UnreadPayment, now: Date): Promise<void> {
  await tx
    .updateTable('direct_charges')
    .set({ disputes_read_at: now })
    .where('id', '=', chargeId)
    .where('payment_intent', '=', paymentId)
    .where('disputes_read_at', 'is', null)
    .execute();
}

/** Across tenants: what a dispute left open that stops nothing any more, because it was won just then. */
export async function openWithoutDispute(tx: Tx) {
  return tx
    .selectFrom('direct_charges')
    .select(['customer_id as customerId', 'organisation_id as organisationId'])
    .distinct()
    .where('state', '=', 'failed')
    .where('next_try_at', 'is', null)
    .where('failure', '=', failedText.disputed)
    .where(unstopped(sql.ref('direct_charges.customer_id')))
    .execute();
}

/** Whatever failed is tried again now: the customer stored another method, or no dispute stops their charges any more. */
export async function dueNow(tx: Tx, customerId: string, now: Date): Promise<void> {
  const rows = await tx
    .updateTable('direct_charges')
    .set({ next_try_at: now })
    .where('customer_id', '=', customerId)
    .where(unstopped(sql`${customerId}`))
    .where('state', '=', 'failed')
    .returning(['id', 'organisation_id as organisationId'])
    .execute();
  for (const charge of rows) await chargeAt(tx, charge, now);
}

/** An item that the registrar has confirmed, as far as charging for it goes. */
export async function confirmedItem(tx: Tx, itemId: string) {
  const item = await tx
    .selectFrom('order_items')
    .select(['order_id', 'customer_id', 'kind', 'price_cents', 'details'])
    .where('id', '=', itemId)
    .where('state', '=', 'succeeded')
    .executeTakeFirst();
  if (!item) return null;
  const { certificate } = item.details as { certificate?: { renewsOrderId?: string | null } };
  return {
    orderId: item.order_id,
    customerId: item.customer_id,
    kind: item.kind,
    priceCents: item.price_cents,
    renewsCertificate: Boolean(certificate?.renewsOrderId),
  };
}

/** What a charge is for, in the order of the cart. */
export async function namesIn(tx: Tx, chargeId: string): Promise<string> {
  const rows = await tx
    .selectFrom('direct_charge_items as c')
    .innerJoin('order_items as i', 'i.id', 'c.item_id')
    .select('i.address')
    .where('c.charge_id', '=', chargeId)
    .orderBy('i.position')
    .execute();
  return rows.map((row) => row.address).join(', ');
}

/** Items of the same purchase and customer that succeeded since, and are in no charge yet. */
export async function justConfirmed(
  tx: Tx,
  charge: { order_id: string; customer_id: string },
  since: Date,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('order_items as i')
    .leftJoin('direct_charge_items as c', 'c.item_id', 'i.id')
    .select('i.id')
    .where('i.order_id', '=', charge.order_id)
    .where('i.customer_id', '=', charge.customer_id)
    .where('i.state', '=', 'succeeded')
    .where('i.updated_at', '>=', since)
    .where('c.item_id', 'is', null)
    .orderBy('i.position')
    .execute();
  return rows.map(({ id }) => id);
}

/** Writes into a charge what came of it, or what a person decided. */
export async function changeCharge(
  tx: Tx,
  id: string,
  change: Partial<
    Pick<
      Charge,
      | 'state'
      | 'payment_intent'
      | 'refunded_cents'
      | 'disputed_cents'
      | 'dispute_released_cents'
      | 'disputed_at'
      | 'disputes_read_at'
      | 'failure'
      | 'next_try_at'
      | 'note'
      | 'updated_at'
    >
  >,
): Promise<void> {
  await tx.updateTable('direct_charges').set(change).where('id', '=', id).execute();
}

/**
 * Across tenants: tries whose claim is older than a process can be at one, waiting ones that nobody woke, and what the
 * provider processes, whose events may be lost.
 */
export async function openCharges(tx: Tx, clock: Clock, claimMs: number) {
  const lost = new Date((await readSharedNow(tx, clock)).getTime() - claimMs);
  return tx
    .selectFrom('direct_charges as c')
    .leftJoin('billing_profiles as b', 'b.organisation_id', 'c.organisation_id')
    .select(['c.id', 'c.organisation_id', 'c.state', 'c.payment_intent', 'b.payment_account_id'])
    .where((eb) =>
      eb.or([
        // The database wrote when it was claimed, and says how late it is: a process whose clock is wrong takes nothing away.
        eb.and([
          eb('c.state', '=', 'sending'),
          eb(eb.fn.coalesce('c.claimed_at', 'c.updated_at'), '<', lost),
        ]),
        eb.and([eb('c.state', '=', 'collecting'), eb('c.updated_at', '<', lost)]),
        eb.and([eb('c.state', '=', 'failed'), eb('c.next_try_at', '<', lost)]),
        eb('c.state', '=', 'processing'),
      ]),
    )
    .orderBy('c.updated_at')
    .orderBy('c.id')
    .execute();
}
