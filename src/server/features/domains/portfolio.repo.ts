import { openItemStates } from '#contracts/values/order-states.ts';
import { later, sql, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { RegistrarDomain } from '../../ports/registrar.ts';
import { recordReading } from './settings.repo.ts';
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

/** What was bought cannot be put on the organisation's list. The money must stay held, and a person look. */
export class NotListed extends Error {
  override readonly name = 'NotListed';
}

/**
 * The registrar took the name in for us. It takes in only what it does not have, and the registry registers a name once, so a row of ours
 * that still says we have it is of a former life that ended unnoticed.
 */
async function endFormerLife(
  tx: Tx,
  domain: Pick<NewDomain, 'organisationId' | 'customerId' | 'address' | 'now'>,
  { reason, living }: { reason: string; living: readonly ('active' | 'expired' | 'transferring')[] },
): Promise<void> {
  // The new row needs the customer's name. A renaming, too, holds the customer first and then their domains.
  if (domain.customerId)
    await later(
      tx,
      tx
        .selectFrom('customers')
        .select('id')
        .where('organisation_id', '=', domain.organisationId)
        .where('id', '=', domain.customerId)
        .forShare(),
    );
  await later(
    tx,
    tx
      .updateTable('domains')
      .set({ status: 'ended', ended_at: domain.now, end_reason: reason })
      .where('organisation_id', '=', domain.organisationId)
      .where('address', '=', domain.address)
      .where('status', 'in', [...living]),
  );
}

/** A registration was completed. */
export async function recordRegistration(tx: Tx, domain: NewDomain): Promise<void> {
  await endFormerLife(tx, domain, {
    reason: 'registered again',
    living: ['active', 'expired', 'transferring'],
  });
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

/**
 * A transfer was accepted: the domain shows as "Pending Transfer" (no expiry date) until it completes. Throws `NotListed` when another
 * organisation lists the name: then the insert does nothing, and says nothing either.
 */
export async function recordTransferStart(
  tx: Tx,
  domain: Omit<NewDomain, 'registeredAt' | 'expiresAt'>,
): Promise<void> {
  await endFormerLife(tx, domain, { reason: 'transferred here again', living: ['active', 'expired'] });
  const inserted = await tx
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
    .returning('id')
    .executeTakeFirst();
  if (inserted) return;
  const recorded = await tx
    .selectFrom('domains')
    .select('id')
    .where('organisation_id', '=', domain.organisationId)
    .where('address', '=', domain.address)
    .where('status', '=', 'transferring')
    .executeTakeFirst();
  if (!recorded) throw new NotListed(`${domain.address} is listed for another organisation`);
}

/** The domain is here. Throws `NotListed` when it was not on its way to this organisation. */
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
  const { organisationId, address } = input;
  const result = await tx
    .updateTable('domains')
    .set({
      status: 'active',
      expires_at: input.expiresAt,
      registered_at: input.registeredAt,
      transferred_at: input.now,
    })
    .where('organisation_id', '=', organisationId)
    .where('address', '=', address)
    .where('status', '=', 'transferring')
    .executeTakeFirst();
  if (result.numUpdatedRows !== 1n) throw new NotListed(`${address} was not on its way`);
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
    .set({ expires_at: input.expiresAt, status: 'active', renewed_at: input.now, missing_since: null })
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
      missing_since: null,
      renewed_at: input.now,
      ...(input.expiresAt ? { expires_at: input.expiresAt } : {}),
    })
    .where('organisation_id', '=', input.organisationId)
    .where('address', '=', input.address)
    .where('status', 'in', ['active', 'expired'])
    .execute();
  await enqueueSync(tx, input);
}

/**
 * A name that has left the account is struck off the list: while the last reading still says that it is missing, and no order of it is
 * open, whose outcome would then belong to nobody. Runs across tenants.
 */
export async function endMissing(tx: Tx, id: string, now: Date): Promise<boolean> {
  const result = await tx
    .updateTable('domains as d')
    .set({ status: 'ended', ended_at: now, end_reason: 'left the account' })
    .where('d.id', '=', id)
    .where('d.status', 'in', ['active', 'expired'])
    .where('d.missing_since', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('order_items as i')
            .select('i.id')
            .whereRef('i.organisation_id', '=', 'd.organisation_id')
            .whereRef('i.address', '=', 'd.address')
            .where('i.kind', '<>', 'certificate')
            .where('i.state', 'in', [...openItemStates]),
        ),
      ),
    )
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * A name that the registrar has for us comes on a list by the word of a person, as it was read. Nobody has ordered its renewal, so that is
 * off. False, and nothing is written: somebody lists it, an order of it is open, whose outcome would then be of two, or a recovery
 * compares, which may yet find the order that brought it. Runs across tenants.
 */
export async function recordGiven(
  tx: Tx,
  given: { organisationId: string; customerId: string; address: string; readAt: Date },
  read: RegistrarDomain,
): Promise<boolean> {
  const { organisationId, customerId, address, readAt } = given;
  const { rows } = await sql`
    INSERT INTO domains (id, organisation_id, customer_id, address, status, auto_renew)
    SELECT ${newId(readAt.getTime())}::uuid, ${organisationId}::uuid, ${customerId}::uuid, ${address}::text, 'active', false
    WHERE NOT EXISTS (SELECT FROM order_items WHERE address = ${address} AND kind <> 'certificate'
        AND state = ANY (${[...openItemStates]}::text[]))
      AND NOT EXISTS (SELECT FROM recoveries WHERE state <> 'ended')
    ON CONFLICT (address) WHERE status <> 'ended' DO NOTHING RETURNING id`.execute(tx);
  if (rows.length === 0) return false;
  await recordReading(tx, { organisationId, address, renewedAt: null }, read, readAt);
  await enqueueSync(tx, given);
  return true;
}

/** Whose list a name is on, in any state that has not ended. Runs across tenants. */
export function holderOf(tx: Tx, address: string) {
  return tx
    .selectFrom('domains')
    .select(['organisation_id as organisationId', 'customer_id as customerId'])
    .where('address', '=', address)
    .where('status', '<>', 'ended')
    .executeTakeFirst();
}
