import { AppError } from '#contracts/errors.ts';
import { closingRefusal } from '#contracts/values/closing.ts';
import { type AuditEntry, auditAll } from '#kernel/audit.ts';
import { inTransaction, type Tx } from '#kernel/db/database.ts';
import { forgetJobs } from '#kernel/jobs.ts';
import { requirePermission, type Scope } from '#kernel/scope.ts';
import { cancellableTopups, countForClosing, lockForClosing, markClosed } from './closing.repo.ts';
import { mayClose, reasonsAgainst } from './closing.rules.ts';
import type { UsersDeps } from './deps.ts';
import { countRole, findUser, markRemoved } from './users.repo.ts';

/** The end of an organisation that nothing depends on (docs/decisions/0289). */
export function createClosing(deps: Pick<UsersDeps, 'db' | 'clock' | 'tokens' | 'endsWithOrganisation'>) {
  const { db, clock } = deps;

  /**
   * Closes the caller's organisation, and ends what would go on in its name. They have no profile from their next request on.
   * Ledger, documents and log stay, with the person's row that they speak of.
   */
  return async (scope: Scope): Promise<void> => {
    requirePermission(scope, 'organisation.close');
    await inTransaction(db, scope, async (tx) => {
      await lockForClosing(tx, scope);
      const user = await findUser(tx, scope, scope.userId);
      // Closed by an earlier press, or removed by a colleague.
      if (!user) throw new AppError('no_profile');
      if (!mayClose(user.type, await countRole(tx, scope, ['MSP_OWNER'], scope.userId))) {
        throw new AppError('forbidden', { message: 'Only an owner can close the organization.' });
      }
      const now = clock.now();
      await requireNothing(tx, scope, now);
      const organization = await markClosed(tx, scope, now);
      if (organization === undefined) throw new AppError('no_profile');
      await markRemoved(tx, scope, { id: scope.userId }, now);
      await forgetJobs(tx);
      // Rows first, the log after: who holds one of these rows and waits for their turn at the log would else wait in a circle.
      const ended = await deps.tokens.endRows(tx, scope, { userId: scope.userId }, 'person_removed');
      for (const end of deps.endsWithOrganisation) ended.push(...(await end(tx, scope, now)));
      const closed: AuditEntry = {
        ...{ at: now, action: 'users.closeOrganization', objectKind: 'organisation' },
        ...{ object: scope.organisationId, customerId: null, subject: scope.userId },
        before: { organization, username: user.username, type: user.type },
      };
      await auditAll(tx, scope, [...ended, closed]);
    });
  };

  async function requireNothing(tx: Tx, scope: Scope, now: Date): Promise<void> {
    const reasons = reasonsAgainst(await countForClosing(tx, scope, now));
    if (reasons.length === 0) return;
    const topUpIds = reasons.some(({ reason }) => reason === 'topups')
      ? await cancellableTopups(tx, scope)
      : [];
    throw new AppError('organization_in_use', {
      message: closingRefusal(reasons),
      data: { reasons, topUpIds },
    });
  }
}
