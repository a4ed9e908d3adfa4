import type { AuditAction } from '../../src/contracts/values/audit-actions.ts';
import { type Db, inTransaction } from '../../src/server/kernel/db/database.ts';
import { openValues } from '../../src/server/kernel/subject-keys.ts';

/** What an organization's log says of one action, oldest first, as a person reads it. */
export function logged(db: Db, { organisationId }: { organisationId: string }, action: AuditAction) {
  return inTransaction(db, { organisationId }, async (tx) => {
    const rows = await tx
      .selectFrom('audit_log')
      .select(['actor_id', 'actor', 'object_kind', 'object', 'before', 'after'])
      .where('action', '=', action)
      .orderBy('sequence')
      .execute();
    const values = await openValues(
      tx,
      organisationId,
      rows.flatMap(({ before, after }) => [before, after]),
    );
    return rows.map(({ actor_id, actor, object_kind, object }, index) => ({
      ...{ by: actor_id ?? actor, kind: object_kind, object },
      ...{ before: values[index * 2], after: values[index * 2 + 1] },
    }));
  });
}

/** Which customers the entries of one action are about, oldest first. */
export function loggedAbout(
  db: Db,
  { organisationId }: { organisationId: string },
  action: AuditAction,
): Promise<(string | null)[]> {
  return inTransaction(db, { organisationId }, async (tx) => {
    const rows = await tx
      .selectFrom('audit_log')
      .select('customer_id')
      .where('action', '=', action)
      .orderBy('sequence')
      .execute();
    return rows.map(({ customer_id }) => customer_id);
  });
}
