import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { type AuditActor, audit } from '#kernel/audit.ts';
import type { Tx } from '#kernel/db/database.ts';
import type { Invite } from './invites.repo.ts';

/** What the log says of an invitation. */
export function inviteFacts(row: Pick<Invite, 'email' | 'role' | 'customer_id'>) {
  return { email: row.email, type: row.role, authorizedClientId: row.customer_id };
}

export function logInvite(
  tx: Tx,
  actor: AuditActor,
  action: AuditAction,
  {
    row,
    at,
    ...change
  }: { row: Pick<Invite, 'id' | 'customer_id'>; at: Date; before?: unknown; after?: unknown },
): Promise<void> {
  const object = { objectKind: 'invite', object: row.id, customerId: row.customer_id };
  return audit(tx, actor, { at, action, ...object, ...change });
}
