import { later, sql, type Tx } from './database.ts';
import { lockByName } from './locks.ts';

type Tenant = { organisationId: string };

/**
 * Refuses what a closed organisation does not get, and keeps it open until this transaction ends: for everything that somebody
 * would have to look after. It is asked before any lock of the organisation's own, so that nobody waits in a circle.
 */
export async function requireOpen(tx: Tx, { organisationId }: Tenant): Promise<void> {
  await later(tx, sql`SELECT require_open_organisation(${organisationId}::uuid)`);
}

/** Waits for all who asked `requireOpen` before; who asks after waits until this transaction has ended. */
export function lockToClose(tx: Tx, { organisationId }: Tenant): Promise<void> {
  return lockByName(tx, `closing ${organisationId}`);
}

/** Whether the database refused because the organisation is closed. */
export function isClosedOrganisation(error: Error): boolean {
  return 'code' in error && error.code === 'NW001';
}
