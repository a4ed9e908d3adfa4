import { later, type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { DomainsTable } from '#kernel/db/schema.ts';
import { type Scope, withinReach } from '#kernel/scope.ts';
import type { RegistrarDomain } from '../../ports/registrar.ts';

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

/**
 * The portal's own copy after the registrar was read at `readAt`. An older reading never covers a newer one; the
 * switch of automatic renewal is the portal's own and is not taken over (decisions no. 25).
 */
export async function recordReading(
  tx: Tx,
  where: { organisationId: string; address: string },
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
      synced_at: readAt,
    })
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    // A transfer ends with its order, together with the money.
    .where('status', 'in', ['active', 'expired'])
    .where((eb) => eb.or([eb('synced_at', 'is', null), eb('synced_at', '<=', readAt)]))
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

/** What the portal knows of a name that it holds. */
export function findHeld(tx: Tx, where: { organisationId: string; address: string }) {
  return tx
    .selectFrom('domains')
    .select(['status', 'expires_at', 'restorable_until'])
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    .where('status', 'in', ['active', 'expired'])
    .executeTakeFirst();
}

/** The registry has deleted the name: it can be had back until then, for a fee. */
export async function recordDeletion(
  tx: Tx,
  where: { organisationId: string; address: string; restorableUntil: Date | null },
): Promise<void> {
  await tx
    .updateTable('domains')
    .set({ restorable_until: where.restorableUntil, status: 'expired' })
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    .where('status', 'in', ['active', 'expired'])
    .execute();
}

/** One job for every domain that is ours, one after another. Runs across tenants. */
export async function enqueueAll(tx: Tx, task: string): Promise<void> {
  await sql`SELECT count(enqueue_job(${task}, json_build_object('organisationId', organisation_id, 'address', address),
      ${`${task}:`} || address, now(), 5, ${task}))
    FROM domains WHERE status IN ('active', 'expired')`.execute(tx);
}
