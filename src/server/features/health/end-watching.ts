import type { AuditEntry } from '#kernel/audit.ts';
import type { Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { dropAllWatched } from './watched.repo.ts';

/** The organisation ends, and with it the looks at names that are held elsewhere. In the transaction of the caller, who logs it. */
export async function endWatching(tx: Tx, scope: Scope, now: Date): Promise<AuditEntry[]> {
  const dropped = await dropAllWatched(tx, scope);
  return dropped.map(({ domain, customerId }) => ({
    ...{ at: now, action: 'health.unwatch' as const, objectKind: 'watched name', object: domain },
    ...{ customerId, before: { customerId } },
  }));
}
