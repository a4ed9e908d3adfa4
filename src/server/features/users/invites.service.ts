import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { inviteUser } from '#contracts/operations/users.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { inReading, inTransaction, isUniqueViolation, type Tx } from '#kernel/db/database.ts';
import { requireOpen } from '#kernel/db/open-organisation.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { requireRoom } from '#kernel/room.ts';
import { requirePermission, type Scope } from '#kernel/scope.ts';
import { createAccepting } from './accepting.ts';
import type { UsersDeps } from './deps.ts';
import { createInviteLinks } from './invite-links.ts';
import { inviteFacts, logInvite } from './invite-log.ts';
import {
  cancelInvites,
  countOpenInvites,
  findOpenInvite,
  type Invite,
  insertInvite,
  isMember,
  listOpenInvites,
  renewInvite,
} from './invites.repo.ts';
import { countUsers, livingCustomer, lockPeople, type PeopleQuery } from './users.repo.ts';

export function createInvites(deps: UsersDeps) {
  const { db, clock } = deps;
  const { secretFor, linkOf, mail } = createInviteLinks(deps);

  async function list(scope: Scope, query: PeopleQuery) {
    const found = await inReading(db, scope, (tx) => listOpenInvites(tx, scope, query));
    return { total: found.total, rows: found.rows.map(toRow) };
  }

  /** Invites a person: the mail goes out if, and only if, the invitation is stored. */
  async function invite(scope: Scope, body: BodyOf<typeof inviteUser>) {
    requirePermission(scope, 'users.manage');
    const customerId = body.type === 'MSP_CUSTOMER' ? (body.authorizedClientId ?? null) : null;
    const now = clock.now();
    try {
      return await inTransaction(db, scope, async (tx) => {
        await requireOpen(tx, scope);
        if (customerId && !(await livingCustomer(tx, scope.organisationId, customerId))) {
          throw new AppError('not_found');
        }
        if (await isMember(tx, scope, body.email)) {
          throw new AppError('already_exists', { message: `${body.email} is already a user.` });
        }
        await cancelInvites(tx, scope, { expiredFor: body.email }, now);
        await lockPeople(tx, scope);
        const invited = await countOpenInvites(tx, scope);
        await requireRoom(tx, 'openInvitations', scope.organisationId, async () => invited);
        await requireRoom(
          tx,
          'users',
          scope.organisationId,
          async () => invited + (await countUsers(tx, scope)),
        );
        const row = {
          id: deps.newId(now.getTime()),
          organisation_id: scope.organisationId,
          email: body.email,
          role: body.type,
          customer_id: customerId,
          invited_by: scope.userId,
          created_at: now,
        };
        const stored = { ...row, ...secretFor(row, now) };
        await insertInvite(tx, stored);
        await sendOut(tx, scope, stored, 'users.invite', now);
        return withLink({ ...stored, accepted_at: null, cancelled_at: null });
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'invites_open')) throw error;
      throw new AppError('already_exists', {
        message: `${body.email} has already been invited. You can send the invitation again.`,
      });
    }
  }

  /** A new link, good for 7 days; the old one ends. */
  async function resend(scope: Scope, id: string) {
    requirePermission(scope, 'users.manage');
    const now = clock.now();
    return inTransaction(db, scope, async (tx) => {
      const secret = secretFor({ id, organisation_id: scope.organisationId }, now);
      const renewed = await renewInvite(tx, scope, id, secret);
      if (!renewed) throw new AppError('not_found');
      await sendOut(tx, scope, renewed, 'users.resendInvite', now);
      return withLink(renewed);
    });
  }

  /** Only the link, for a person who passes it on. */
  async function link(scope: Scope, id: string): Promise<{ link: string }> {
    requirePermission(scope, 'users.manage');
    const found = await inReading(db, scope, (tx) => findOpenInvite(tx, scope, id));
    if (!found) throw new AppError('not_found');
    return { link: linkOf(found) };
  }

  async function cancel(scope: Scope, id: string): Promise<void> {
    requirePermission(scope, 'users.manage');
    const now = clock.now();
    await inTransaction(db, scope, async (tx) => {
      const [cancelled] = await cancelInvites(tx, scope, { id }, now);
      if (!cancelled) throw new AppError('not_found');
      await logInvite(tx, scope, 'users.cancelInvite', {
        row: cancelled,
        at: now,
        before: inviteFacts(cancelled),
      });
    });
  }

  async function sendOut(
    tx: Tx,
    scope: Scope,
    row: Pick<Invite, 'id' | 'email' | 'role' | 'customer_id'>,
    action: AuditAction,
    now: Date,
  ): Promise<void> {
    const payload = { organisationId: scope.organisationId, inviteId: row.id };
    await enqueueJob(tx, 'users.mail-invite', payload, { key: `invite:${row.id}` });
    await logInvite(tx, scope, action, { row, at: now, after: inviteFacts(row) });
  }

  function toRow(row: Invite) {
    return {
      inviteId: row.id,
      email: row.email,
      type: row.role,
      authorizedClientId: row.customer_id,
      expiresAt: row.expires_at.toISOString(),
      expired: row.expires_at <= clock.now(),
    };
  }

  const withLink = (row: Invite) => ({ ...toRow(row), link: linkOf(row) });

  return { ...createAccepting(deps), list, invite, resend, link, cancel, mail };
}
