import { hourMs } from '#contracts/values/time.ts';
import { later, type RawBuilder, type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { DomainsTable } from '#kernel/db/schema.ts';
import { isWaitedFor } from '#kernel/job-turns.rules.ts';
import { type Scope, withinReach } from '#kernel/scope.ts';
import type { RegistrarDomain } from '../../ports/registrar.ts';
import { syncAttempts } from './sync-job.ts';

export type DomainRecord = Selectable<DomainsTable> & {
  customer: string;
  /** The MSP lets this customer's own users change settings. */
  customerMaySet: boolean;
};

/** A living domain in reach, with what its customer is called and may do. */
export async function findWithCustomer(
  tx: Tx,
  scope: Scope,
  address: string,
): Promise<DomainRecord | undefined> {
  const row = await tx
    .selectFrom('domains as d')
    .leftJoin('customers as c', (join) =>
      join.onRef('c.id', '=', 'd.customer_id').onRef('c.organisation_id', '=', 'd.organisation_id'),
    )
    .selectAll('d')
    .select(['c.organization', 'c.allow_domain_settings'])
    .where('d.organisation_id', '=', scope.organisationId)
    .where('d.address', '=', address)
    .where('d.status', '<>', 'ended')
    .where(withinReach(scope, 'd.customer_id'))
    .executeTakeFirst();
  if (!row) return undefined;
  const { organization, allow_domain_settings, ...domain } = row;
  return { ...domain, customer: organization ?? '', customerMaySet: allow_domain_settings ?? false };
}

/** What is known to have been set; the synchronisation confirms it. */
export async function recordSettings(
  tx: Tx,
  where: { organisationId: string; address: string },
  known: { locked?: boolean; autoRenew?: boolean; privacy?: boolean; nameservers?: string[] },
): Promise<void> {
  const set = {
    ...(known.locked === undefined ? {} : { locked: known.locked }),
    ...(known.autoRenew === undefined ? {} : { auto_renew: known.autoRenew }),
    ...(known.privacy === undefined ? {} : { privacy: known.privacy }),
    ...(known.nameservers === undefined ? {} : { nameservers: known.nameservers }),
  };
  if (Object.keys(set).length === 0) return;
  await later(
    tx,
    tx
      .updateTable('domains')
      .set(set)
      .where('organisation_id', '=', where.organisationId)
      .where('address', '=', where.address)
      .where('status', '<>', 'ended'),
  );
}

/** A domain, and when it was renewed or restored last as known before the registrar was asked. No clocks are compared. */
interface Known {
  organisationId: string;
  address: string;
  renewedAt: Date | null;
}

/**
 * The portal's own copy after the registrar was read at `readAt`. It never covers a newer reading, nor a renewal or a restoration
 * that came true since the registrar was asked. The switch of automatic renewal is the portal's own and is not taken over
 * (decisions no. 25). A name that was missing is found again only by who has seen that no other organisation's order
 * brought it (`isFound`).
 */
export async function recordReading(
  tx: Tx,
  where: Known & { isFound?: boolean },
  read: RegistrarDomain,
  readAt: Date,
): Promise<boolean> {
  const result = await tx
    .updateTable('domains')
    .set({
      ...(read.registeredAt ? { registered_at: read.registeredAt } : {}),
      ...(read.expiresAt ? { expires_at: read.expiresAt } : {}),
      status: read.expiresAt && read.expiresAt < readAt ? 'expired' : 'active',
      locked: read.locked,
      nameservers: read.nameservers,
      ...(read.transferredAt ? { transferred_at: read.transferredAt } : {}),
      ...(read.privacy === null ? {} : { privacy: read.privacy }),
      // A name that can be read is not a deleted one.
      restorable_until: null,
      missing_since: null,
      synced_at: readAt,
    })
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    // A transfer ends with its order, together with the money.
    .where('status', 'in', ['active', 'expired'])
    .where('renewed_at', 'is not distinct from', where.renewedAt)
    .where((eb) => eb.or([eb('synced_at', 'is', null), eb('synced_at', '<=', readAt)]))
    .$if(!where.isFound, (update) => update.where('missing_since', 'is', null))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Gives a domain to another customer, or to none, if it still belongs to the one that was seen. */
export async function assignCustomer(
  tx: Tx,
  where: { organisationId: string; address: string },
  { before, after }: { before: string | null; after: string | null },
): Promise<boolean> {
  const result = await tx
    .updateTable('domains')
    .set({ customer_id: after })
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    .where('status', 'in', ['active', 'expired'])
    .where('customer_id', 'is not distinct from', before)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export type Held = Pick<
  Selectable<DomainsTable>,
  'id' | 'status' | 'expires_at' | 'restorable_until' | 'renewed_at' | 'missing_since'
>;

/** What the portal knows of a name that it holds. */
export function findHeld(
  tx: Tx,
  where: { organisationId: string; address: string },
): Promise<Held | undefined> {
  return tx
    .selectFrom('domains')
    .select(['id', 'status', 'expires_at', 'restorable_until', 'renewed_at', 'missing_since'])
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    .where('status', 'in', ['active', 'expired'])
    .executeTakeFirst();
}

/** The name was not there when the registrar was read at `readAt`: it can be had back until then, for a fee. */
export async function recordDeletion(
  tx: Tx,
  where: Known & { restorableUntil: Date },
  readAt: Date,
): Promise<void> {
  await tx
    .updateTable('domains')
    .set({
      ...{ restorable_until: where.restorableUntil, missing_since: null },
      ...{ status: 'expired', synced_at: readAt },
    })
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    .where('status', 'in', ['active', 'expired'])
    .where('renewed_at', 'is not distinct from', where.renewedAt)
    .where((eb) => eb.or([eb('synced_at', 'is', null), eb('synced_at', '<=', readAt)]))
    .execute();
}

/**
 * The name was not there when the registrar was read at `readAt`, and nobody expected that. Where this is new, it is read again within
 * the hour, by when a slip of the registrar is over.
 */
export async function recordMissing(tx: Tx, where: Known, readAt: Date): Promise<boolean> {
  const again = new Date(readAt.getTime() + hourMs);
  const result = await tx
    .updateTable('domains')
    .set({
      missing_since: sql<Date>`coalesce(missing_since, ${readAt})`,
      synced_at: readAt,
      sync_due_at: sql<Date>`CASE WHEN missing_since IS NULL THEN least(sync_due_at, ${again}) ELSE sync_due_at END`,
    })
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    .where('status', 'in', ['active', 'expired'])
    .where('renewed_at', 'is not distinct from', where.renewedAt)
    .where((eb) => eb.or([eb('synced_at', 'is', null), eb('synced_at', '<=', readAt)]))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * The registrar's news that the registry has deleted the name, and until when it can be had back. The news may be older than
 * a restoration: only the day is kept, and the reading that follows says whether the name is gone.
 */
export async function noteRestorableUntil(
  tx: Tx,
  where: { organisationId: string; address: string; restorableUntil: Date },
): Promise<void> {
  await tx
    .updateTable('domains')
    .set({ restorable_until: where.restorableUntil })
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    .where('status', 'in', ['active', 'expired'])
    .execute();
}

/** Jobs that one transaction writes: a statement for every domain of a large portal ran into its time limit. */
export const jobsInPart = 1_000;

/**
 * A part of the domains that are ours and of which this is true: one job for each, one after another. The part begins
 * after this name, and the answer is the name with which it ended; null: it was the last one. Runs across tenants.
 */
export async function enqueuePart(
  tx: Tx,
  task: string,
  after: string,
  which: RawBuilder<boolean> = sql`true`,
): Promise<string | null> {
  const { rows } = await sql<{ last: string | null; jobs: number }>`
    SELECT max(address) AS last, count(*)::int AS jobs, enqueue_jobs(${task},
      array_agg(json_build_object('organisationId', organisation_id, 'address', address) ORDER BY address),
      array_agg(${`${task}:`} || address ORDER BY address), now(), ${syncAttempts}::int, ${task}, ${!isWaitedFor(task)})
    FROM (SELECT organisation_id, address FROM domains
      WHERE status IN ('active', 'expired') AND address > ${after} AND ${which}
      ORDER BY address LIMIT ${jobsInPart}) part`.execute(tx);
  const [part] = rows;
  return part?.jobs === jobsInPart ? part.last : null;
}

/** Which of these names are among the organisation's domains. What has left the account can be bought again. */
export async function ownAmong(tx: Tx, scope: Scope, addresses: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('domains')
    .select('address')
    .where('organisation_id', '=', scope.organisationId)
    .where('status', '<>', 'ended')
    .where('missing_since', 'is', null)
    .where('address', 'in', [...addresses])
    .execute();
  return new Set(rows.map(({ address }) => address));
}

/** Whether it is a living domain in reach. */
export async function hasDomain(tx: Tx, scope: Scope, address: string): Promise<boolean> {
  const row = await tx
    .selectFrom('domains')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where('address', '=', address)
    .where('status', '<>', sql.lit('ended'))
    .where(withinReach(scope, 'customer_id'))
    .executeTakeFirst();
  return row !== undefined;
}

/** What an order, a renewal and a transfer look at. By name, so that a connection prepares the statement (kernel/db/prepared.ts). */
const lookedAt = [
  ...(['address', 'customer_id', 'status', 'expires_at'] as const),
  ...(['missing_since', 'restorable_until', 'auto_renew'] as const),
] as const;

/** One living domain in reach, or undefined. */
export function findDomain(tx: Tx, scope: Scope, address: string) {
  return tx
    .selectFrom('domains')
    .where('organisation_id', '=', scope.organisationId)
    .where('address', '=', address)
    .where('status', '<>', sql.lit('ended'))
    .where(withinReach(scope, 'customer_id'))
    .select(lookedAt)
    .executeTakeFirst();
}
