import { later, sql, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { enqueueSync } from './sync-job.ts';

/**
 * What the order engine writes about domains, in the same transaction as the money. The domain is ours from the
 * moment it is paid for, whatever the next synchronisation with the registrar adds.
 */
export interface NewDomain {
  organisationId: string;
  customerId: string | null;
  address: string;
  autoRenew: boolean;
  privacy: boolean;
  registeredAt: Date;
  expiresAt: Date;
  credentialsSealed: Buffer | null;
  now: Date;
}

/**
 * A registration was completed. The registry registers a name once, so a row of ours that still says we have it is of
 * a former life that ended unnoticed.
 */
export async function recordRegistration(tx: Tx, domain: NewDomain): Promise<void> {
  await later(
    tx,
    tx
      .updateTable('domains')
      .set({ status: 'ended', ended_at: domain.now, end_reason: 'registered again' })
      .where('organisation_id', '=', domain.organisationId)
      .where('address', '=', domain.address)
      .where('status', '<>', 'ended'),
  );
  await later(
    tx,
    tx.insertInto('domains').values({
      id: newId(domain.now.getTime()),
      organisation_id: domain.organisationId,
      customer_id: domain.customerId,
      address: domain.address,
      status: 'active',
      registered_at: domain.registeredAt,
      expires_at: domain.expiresAt,
      auto_renew: domain.autoRenew,
      locked: true,
      privacy: domain.privacy,
      credentials_sealed: domain.credentialsSealed,
      synced_at: null,
      ended_at: null,
      end_reason: null,
      renewed_at: null,
      transferred_at: null,
    }),
  );
  await enqueueSync(tx, domain);
}

/** A transfer was accepted: the domain shows as "Pending Transfer" (no expiry date) until it completes. */
export async function recordTransferStart(
  tx: Tx,
  domain: Omit<NewDomain, 'registeredAt' | 'expiresAt'>,
): Promise<void> {
  await tx
    .insertInto('domains')
    .values({
      id: newId(domain.now.getTime()),
      organisation_id: domain.organisationId,
      customer_id: domain.customerId,
      address: domain.address,
      status: 'transferring',
      registered_at: null,
      expires_at: null,
      auto_renew: domain.autoRenew,
      locked: null,
      privacy: null,
      credentials_sealed: domain.credentialsSealed,
      synced_at: null,
      ended_at: null,
      end_reason: null,
      renewed_at: null,
      transferred_at: null,
    })
    // Written out: a parameter no longer names the index once the statement is planned for all values.
    .onConflict((conflict) => conflict.column('address').where('status', '<>', sql.lit('ended')).doNothing())
    .execute();
}

export async function recordTransferEnd(
  tx: Tx,
  input: {
    organisationId: string;
    address: string;
    expiresAt: Date | null;
    registeredAt: Date | null;
    now: Date;
  },
): Promise<void> {
  await tx
    .updateTable('domains')
    .set({
      status: 'active',
      expires_at: input.expiresAt,
      registered_at: input.registeredAt,
      transferred_at: input.now,
    })
    .where('organisation_id', '=', input.organisationId)
    .where('address', '=', input.address)
    .where('status', '=', 'transferring')
    .execute();
  const { organisationId, address } = input;
  // Records that were prepared during the transfer are served from now on.
  await enqueueJob(tx, 'dns.publish-staged', { organisationId, address }, { key: `dns.publish:${address}` });
  await enqueueSync(tx, input);
}

export async function recordTransferFailure(
  tx: Tx,
  input: { organisationId: string; address: string; reason: string; now: Date },
): Promise<void> {
  await tx
    .updateTable('domains')
    .set({ status: 'ended', ended_at: input.now, end_reason: input.reason })
    .where('organisation_id', '=', input.organisationId)
    .where('address', '=', input.address)
    .where('status', '=', 'transferring')
    .execute();
}

/** A renewal was completed. The expiry only ever moves forward here; the synchronisation corrects the rest. */
export async function recordRenewal(
  tx: Tx,
  input: { organisationId: string; address: string; expiresAt: Date; now: Date },
): Promise<void> {
  await tx
    .updateTable('domains')
    .set({ expires_at: input.expiresAt, status: 'active', renewed_at: input.now })
    .where('organisation_id', '=', input.organisationId)
    .where('address', '=', input.address)
    .where('status', 'in', ['active', 'expired'])
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '<', input.expiresAt)]))
    .execute();
  await enqueueSync(tx, input);
}

/** A deleted domain is back, with a year more. Its settings are read again: deletion may have taken some. */
export async function recordRestoration(
  tx: Tx,
  input: { organisationId: string; address: string; expiresAt: Date | null; now: Date },
): Promise<void> {
  await tx
    .updateTable('domains')
    .set({
      status: 'active',
      restorable_until: null,
      renewed_at: input.now,
      ...(input.expiresAt ? { expires_at: input.expiresAt } : {}),
    })
    .where('organisation_id', '=', input.organisationId)
    .where('address', '=', input.address)
    .where('status', 'in', ['active', 'expired'])
    .execute();
  await enqueueSync(tx, input);
}
