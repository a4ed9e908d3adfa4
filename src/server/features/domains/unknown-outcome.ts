import { AppError } from '#contracts/errors.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { minuteMs } from '#contracts/values/time.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, type Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import type { DomainRecord } from './settings.repo.ts';
import { enqueueSync } from './sync-job.ts';

/** What was sent without an answer has struck within this time, or never does. */
export const strikesWithinMs = minuteMs;

/**
 * Work that sends a change of a domain, or of what is at its name, to the registrar. Where its outcome stays unknown, it may strike a moment later: the
 * log says who sent it, and the domain is read when it can strike no more; or else `follow` sees to it. The error goes on to the
 * caller.
 */
export async function notedIfUnknown<T>(
  { db, clock }: { db: Db; clock: Clock },
  scope: Scope,
  sent: {
    row: Pick<DomainRecord, 'address' | 'customer_id'>;
    /** `domain` unless it is said. */
    objectKind?: string;
    action: AuditAction;
    change?: { before?: unknown; after?: unknown };
    follow?: (tx: Tx) => Promise<void>;
  },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'outcome_unknown') throw error;
    const { row, objectKind = 'domain', action, change = {} } = sent;
    const at = clock.now();
    const where = { organisationId: scope.organisationId, address: row.address };
    const read = (tx: Tx) => enqueueSync(tx, where, new Date(at.getTime() + strikesWithinMs));
    await inTransaction(db, scope, async (tx) => {
      await (sent.follow ?? read)(tx);
      await audit(tx, scope, {
        ...{ at, action, objectKind, object: row.address, customerId: row.customer_id },
        ...{ ...change, after: { ...(change.after as object | undefined), outcome: 'unknown' } },
      });
    });
    throw error;
  }
}
