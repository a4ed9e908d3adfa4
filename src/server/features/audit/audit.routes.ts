import * as op from '#contracts/operations/audit.ts';
import { verifyAudits } from '#contracts/operations/operator.ts';
import { type Binding, bind, FileReply, paged } from '#kernel/binding.ts';
import type { AuditApi } from './audit.service.ts';

/** Well within what a request may take: who asks goes on where the reply ended. */
const walkedWithinMs = 8_000;

export function auditRoutes(audit: AuditApi): Binding[] {
  return [
    bind(op.listAudit, async (c) => {
      const { rows, total } = await audit.list(c.scope, c.query);
      return paged(rows, total, c.query);
    }),
    bind(
      op.exportAudit,
      async (c) => new FileReply(audit.csv(c.scope, c.query), 'text/csv; charset=utf-8', 'audit.csv'),
    ),
    bind(op.verifyAudit, ({ scope, query }) => audit.verify(scope, walkedTo(query), walkedWithinMs)),
    bind(verifyAudits, ({ query }) =>
      audit.verdicts(
        {
          ...(query.organization ? { only: query.organization, from: walkedTo(query) } : {}),
          ...(query.after ? { after: query.after } : {}),
        },
        walkedWithinMs,
      ),
    ),
  ];
}

/** Where the reply before ended: both or nothing. */
const walkedTo = ({ rows, head }: { rows?: number | undefined; head?: string | undefined }) =>
  rows === undefined || head === undefined ? undefined : { rows, head };
