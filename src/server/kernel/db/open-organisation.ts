import { later, type RawBuilder, sql, type Tx } from './database.ts';
import { lockByName } from './locks.ts';

type Tenant = { organisationId: string };

/**
 * Refuses what a closed organisation does not get, and keeps it open until this transaction ends: for everything that somebody
 * would have to look after. It is asked before any lock of the organisation's own, so that nobody waits in a circle.
 */
export async function requireOpen(tx: Tx, { organisationId }: Tenant): Promise<void> {
  await later(tx, sql`SELECT require_open_organisation(${organisationId}::uuid)`);
}

/**
 * Nobody closes the organisation until this transaction ends; who does at this moment is waited for, and the next statement sees
 * whether it is closed. For what tells of money that did move, and is booked either way. Before any lock of the organisation's own,
 * as `requireOpen`.
 */
export async function keepAsItIs(tx: Tx, of: { organisationId: string | RawBuilder<string> }): Promise<void> {
  await later(
    tx,
    sql`SELECT pg_advisory_xact_lock_shared(hashtextextended('closing ' || (${of.organisationId})::text, 0))`,
  );
}

/** Waits for all who asked one of the two before; who asks after waits until this transaction has ended. */
export function lockToClose(tx: Tx, { organisationId }: Tenant): Promise<void> {
  return lockByName(tx, `closing ${organisationId}`);
}

/** Whether the database refused because the organisation is closed. */
export function isClosedOrganisation(error: Error): boolean {
  return 'code' in error && error.code === 'NW001';
}
