import type { Clock } from '#kernel/clock.ts';
import type { Db, Tx } from '#kernel/db/database.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Seal } from '#kernel/seal.ts';
import type { Payments } from '../../ports/payments.ts';

export interface DirectBillingDeps {
  db: Db;
  systemDb: Db;
  payments: Payments;
  clock: Clock;
  logger: Logger;
  seal: Seal;
  publicUrl: string;
  /** Longest that a charge or a refund is at the provider; after that its process is lost, and sends nothing more. */
  claimMs: number;
}

/** The MSP's account at the payment provider, or null while there is none. */
export async function paymentAccountOf(
  tx: Tx,
  organisationId: string,
): Promise<{ id: string; ready: boolean } | null> {
  const row = await tx
    .selectFrom('billing_profiles')
    .select(['payment_account_id', 'payment_account_ready'])
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  return row?.payment_account_id ? { id: row.payment_account_id, ready: row.payment_account_ready } : null;
}

export async function organisationName(tx: Tx, organisationId: string): Promise<string> {
  const row = await tx
    .selectFrom('organisations')
    .select('name')
    .where('id', '=', organisationId)
    .executeTakeFirstOrThrow();
  return row.name;
}
