import { type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { DomainsTable } from '#kernel/db/schema.ts';
import type { Scope } from '#kernel/scope.ts';
import type { RegistrarDomain } from '../../ports/registrar.ts';
import { findDomain } from './domains.repo.ts';

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
  const domain = await findDomain(tx, scope, address);
  if (!domain) return undefined;
  const customer = domain.customer_id
    ? await tx
        .selectFrom('customers')
        .select(['organization', 'allow_domain_settings'])
        .where('organisation_id', '=', scope.organisationId)
        .where('id', '=', domain.customer_id)
        .executeTakeFirst()
    : undefined;
  return {
    ...domain,
    customer: customer?.organization ?? '',
    customerMaySet: customer?.allow_domain_settings ?? false,
  };
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
  await tx
    .updateTable('domains')
    .set(set)
    .where('organisation_id', '=', where.organisationId)
    .where('address', '=', where.address)
    .where('status', '<>', 'ended')
    .execute();
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
