import { type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { AutoRenewalsTable } from '#kernel/db/schema.ts';
import type { Scope } from '#kernel/scope.ts';
import type { DueDomain } from './plan.rules.ts';

export interface Place {
  organisationId: string;
  address: string;
}

export type Intent = Selectable<AutoRenewalsTable>;

/** More than anybody looks through; the totals of the screen are over these, and the screen says so. */
const mostDue = 5_000;

/**
 * Across tenants: domains with auto renew on whose time has come, the expired ones while a renewal is still normal, and of the others
 * those whose renewal was ordered: its outcome is taken over. Here and below nothing is due that has left the account: an order of its
 * renewal is refused.
 */
export async function domainsToRenew(
  tx: Tx,
  span: { after: Date; until: Date },
  now: Date,
): Promise<Place[]> {
  const rows = await tx
    .selectFrom('domains as d')
    .innerJoin('organisations as o', 'o.id', 'd.organisation_id')
    .leftJoin('auto_renewals as a', (join) =>
      join
        .onRef('a.organisation_id', '=', 'd.organisation_id')
        .onRef('a.address', '=', 'd.address')
        .on(sql<boolean>`a.expiry_year = extract(year FROM d.expires_at AT TIME ZONE 'UTC')`),
    )
    .select(['d.organisation_id', 'd.address'])
    .where((eb) => eb.or([eb('d.auto_renew', '=', true), eb('a.state', '=', 'ordered')]))
    .where('d.status', 'in', ['active', 'expired'])
    .where('d.missing_since', 'is', null)
    .where('d.expires_at', '<=', span.until)
    .where('d.expires_at', '>', span.after)
    .where('o.closed_at', 'is', null)
    .where((eb) => eb.or([eb('a.next_try_at', 'is', null), eb('a.next_try_at', '<=', now)]))
    .orderBy('d.expires_at')
    .execute();
  return rows.map((row) => ({ organisationId: row.organisation_id, address: row.address }));
}

/** The intent for this year of the domain, locked; undefined when there is none yet. */
export function lockedIntent(tx: Tx, place: Place, expiryYear: number): Promise<Intent | undefined> {
  return tx
    .selectFrom('auto_renewals')
    .selectAll()
    .where('organisation_id', '=', place.organisationId)
    .where('address', '=', place.address)
    .where('expiry_year', '=', expiryYear)
    .forUpdate()
    .executeTakeFirst();
}

/** Writes the intent; false when another process was first. */
export async function insertIntent(
  tx: Tx,
  place: Place,
  intent: { expiresAt: Date; priceCents: number; now: Date },
): Promise<boolean> {
  const result = await tx
    .insertInto('auto_renewals')
    .values({
      organisation_id: place.organisationId,
      address: place.address,
      expiry_year: intent.expiresAt.getUTCFullYear(),
      expires_at: intent.expiresAt,
      state: 'intended',
      price_cents: intent.priceCents,
      order_id: null,
      reason_kind: null,
      reason: null,
      next_try_at: null,
      told_at: null,
      updated_at: intent.now,
    })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'address', 'expiry_year']).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Moves an intent on from one of the given states; false when it had moved already. */
export async function moveIntent(
  tx: Tx,
  intent: Pick<Intent, 'organisation_id' | 'address' | 'expiry_year' | 'attempt'>,
  from: readonly Intent['state'][],
  change: Partial<Omit<Intent, 'organisation_id' | 'address' | 'expiry_year'>>,
): Promise<boolean> {
  const result = await tx
    .updateTable('auto_renewals')
    .set(change)
    .where('organisation_id', '=', intent.organisation_id)
    .where('address', '=', intent.address)
    .where('expiry_year', '=', intent.expiry_year)
    .where('attempt', '=', intent.attempt)
    .where('state', 'in', [...from])
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Lets an intent that waits for its next try have it now; false when none waits. */
export async function tryNow(tx: Tx, place: Place, now: Date): Promise<boolean> {
  const waiting = await tx
    .updateTable('auto_renewals')
    .set({ next_try_at: now })
    .where('organisation_id', '=', place.organisationId)
    .where('address', '=', place.address)
    .where('state', '=', 'unable')
    .executeTakeFirst();
  return waiting.numUpdatedRows > 0n;
}

/** What became of the item that the intent's order has, or attached to, for this domain. */
export async function itemOfOrder(tx: Tx, place: Place, orderId: string) {
  return tx
    .selectFrom('order_items as i')
    .innerJoin('orders as o', (join) =>
      join.on(sql<boolean>`o.id = ${orderId} AND (i.order_id = o.id OR i.id = any(o.attached))`),
    )
    .select(['i.id', 'i.state', 'i.public_error'])
    .where('i.organisation_id', '=', place.organisationId)
    .where('i.kind', '=', 'renewal')
    .where('i.address', '=', place.address)
    .executeTakeFirst();
}

/** What could not be renewed and was not told yet; marked as told. */
export async function takeUntold(tx: Tx, organisationId: string, now: Date): Promise<Intent[]> {
  return tx
    .updateTable('auto_renewals')
    .set({ told_at: now })
    .where('organisation_id', '=', organisationId)
    .where('state', '=', 'unable')
    .where('told_at', 'is', null)
    .returningAll()
    .execute();
}

/** What falls due before `until`, the soonest first, without prices; and whether there is more than is read. */
export async function dueDomains(
  tx: Tx,
  scope: Scope,
  span: { from: Date; until: Date },
): Promise<{ domains: Omit<DueDomain, 'priceCents'>[]; more: boolean }> {
  const rows = await tx
    .selectFrom('domains as d')
    .leftJoin('customers as c', 'c.id', 'd.customer_id')
    .leftJoin('auto_renewals as a', (join) =>
      join
        .onRef('a.organisation_id', '=', 'd.organisation_id')
        .onRef('a.address', '=', 'd.address')
        .on(sql<boolean>`a.expiry_year = extract(year FROM d.expires_at AT TIME ZONE 'UTC')`),
    )
    .select([
      'd.address',
      'd.customer_id',
      'd.expires_at',
      'd.auto_renew',
      'c.organization',
      'a.state',
      'a.reason',
    ])
    .where('d.organisation_id', '=', scope.organisationId)
    .where('d.status', 'in', ['active', 'expired'])
    .where('d.missing_since', 'is', null)
    .where('d.expires_at', '>', span.from)
    .where('d.expires_at', '<=', span.until)
    .orderBy('d.expires_at')
    .orderBy('d.address')
    .limit(mostDue + 1)
    .execute();
  const domains = rows.slice(0, mostDue).map((row) => ({
    address: row.address,
    customerId: row.customer_id,
    customer: row.organization ?? '',
    expiresAt: row.expires_at ?? span.until,
    autoRenew: row.auto_renew,
    attempt: row.state && { state: row.state, reason: row.reason },
  }));
  return { domains, more: rows.length > mostDue };
}

/** Yearly cost of the premium names among these, as last quoted: they cost more than their suffix. */
export async function premiumCosts(tx: Tx, addresses: readonly string[]): Promise<Map<string, number>> {
  if (addresses.length === 0) return new Map();
  const rows = await tx
    .selectFrom('cost_quotes')
    .select(['address', 'cost_cents'])
    .where('kind', '=', 'renewal')
    .where('years', '=', 1)
    .where('premium', '=', true)
    .where(sql<boolean>`address = any(${sql.val([...addresses])}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.address, row.cost_cents]));
}

/** What is reminded of. */
export interface Expiring {
  organisation_id: string;
  address: string;
  expires_at: Date;
  auto_renew: boolean;
  /** The policy date that it has reached: days before expiry, negative after it. */
  days: number;
}

/**
 * Across tenants: domains that reached a policy date nobody was reminded of. Of several dates that are past only the last
 * one counts: a domain with five days left gets the letter of seven.
 */
export async function expiringUnreminded(
  tx: Tx,
  policy: { now: Date; days: readonly number[]; graceDays: number },
): Promise<Expiring[]> {
  const { now, graceDays } = policy;
  const dates = sql.join(policy.days.map((days) => sql`(${days}::int)`));
  const { rows } = await sql<Expiring>`
    SELECT d.organisation_id, d.address, d.expires_at, d.auto_renew, reached.days
    FROM domains d
    JOIN organisations o ON o.id = d.organisation_id AND o.closed_at IS NULL
    CROSS JOIN LATERAL (
      SELECT min(policy.days) AS days FROM (VALUES ${dates}) AS policy (days)
      WHERE d.expires_at <= ${now}::timestamptz + make_interval(days => policy.days)
    ) AS reached
    WHERE d.status IN ('active', 'expired') AND d.missing_since IS NULL AND reached.days IS NOT NULL
      AND d.expires_at > ${now}::timestamptz - make_interval(days => ${graceDays}::int)
      AND NOT EXISTS (
        SELECT 1 FROM renewal_reminders r
        WHERE r.organisation_id = d.organisation_id AND r.address = d.address AND r.days <= reached.days
          AND r.expiry_year = extract(year FROM d.expires_at AT TIME ZONE 'UTC'))
    ORDER BY d.expires_at, d.address`.execute(tx);
  return rows;
}

/** Notes that a letter about these goes out; returns those of which none did yet, in the given order. */
export async function noteReminders(
  tx: Tx,
  organisationId: string,
  domains: readonly Expiring[],
  now: Date,
): Promise<Expiring[]> {
  const { rows } = await sql<{ address: string }>`
    INSERT INTO renewal_reminders (organisation_id, address, expiry_year, days, sent_at)
    SELECT ${organisationId}::uuid, address, year, days, ${now}
    FROM unnest(${domains.map(({ address }) => address)}::text[],
      ${domains.map(({ expires_at }) => expires_at.getUTCFullYear())}::int[],
      ${domains.map(({ days }) => days)}::int[]) AS given (address, year, days)
    ON CONFLICT DO NOTHING RETURNING address`.execute(tx);
  const noted = new Set(rows.map(({ address }) => address));
  return domains.filter(({ address }) => noted.has(address));
}
