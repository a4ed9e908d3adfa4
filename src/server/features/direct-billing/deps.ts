import type { Clock } from '#kernel/clock.ts';
import type { Db } from '#kernel/db/database.ts';
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
