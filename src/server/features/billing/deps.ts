import type { Clock } from '#kernel/clock.ts';
import type { Db } from '#kernel/db/database.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Payments } from '../../ports/payments.ts';

export interface TopupDeps {
  db: Db;
  systemDb: Db;
  payments: Payments;
  clock: Clock;
  logger: Logger;
  /** Of the portal, for the links in letters. */
  publicUrl: string;
}
