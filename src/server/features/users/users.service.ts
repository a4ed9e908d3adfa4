import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { changeUser, UserRow } from '#contracts/operations/users.ts';
import type { Role } from '#contracts/permissions.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { audit } from '#kernel/audit.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import { inReading, inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import type { Jobs } from '#kernel/job-table.ts';
import { requirePermission, type Scope } from '#kernel/scope.ts';
import { createClosing } from './closing.service.ts';
import type { UsersDeps } from './deps.ts';
import { cancelInvites } from './invites.repo.ts';
import { createInvites } from './invites.service.ts';
import { managersOf as managersOfOrganisation, managing } from './organisations.repo.ts';
import { createProfiles } from './profiles.service.ts';
import {
  countRole,
  findUser,
  listUsers,
  livingCustomer,
  lockPeople,
  markRemoved,
  type PeopleQuery,
  updateUser,
} from './users.repo.ts';

export type UsersApi = ReturnType<typeof createUsers>;

/** People of an organisation: who is in it, as what, and how they come and go. */
export function createUsers(deps: UsersDeps) {
  const { db, clock } = deps;

  /** Removes a user. Their next request, in whatever tab, finds no profile. */
  async function remove(scope: Scope, id: string, requireFreshSignIn: () => void): Promise<void> {
    requirePermission(scope, 'users.manage');
    await inTransaction(db, scope, async (tx) => {
      if (!(await removeIn(tx, scope, id, requireFreshSignIn))) throw new AppError('not_found');
    });
  }

  /** As `remove`, in the caller's transaction; false when there is no such living user. */
  async function removeIn(
    tx: Tx,
    scope: Scope,
    id: string,
    requireFreshSignIn: () => void,
  ): Promise<boolean> {
    await lockPeople(tx, scope);
    const user = await findUser(tx, scope, id);
    if (!user) return false;
    if (id === scope.userId) refuse('You cannot remove yourself.');
    requireRank(scope, user, 'remove');
    if (user.type === 'MSP_OWNER') requireFreshSignIn();
    await requireManagerBeside(tx, scope, user);
    await markRemoved(tx, scope, { id }, clock.now());
    await log(tx, scope, 'users.remove', user, { before: facts(user) });
    await deps.tokens.end(tx, scope, { userId: id }, 'person_removed');
    await endInvites(tx, scope, { invitedBy: id }, {});
    return true;
  }

  /** Changes a user's role or an employee's daily limit. Who is owner changes only after a fresh sign-in. */
  async function change(
    scope: Scope,
    id: string,
    body: BodyOf<typeof changeUser>,
    requireFreshSignIn: () => void,
  ): Promise<UserRow> {
    requirePermission(scope, 'users.manage');
    return inTransaction(db, scope, async (tx) => {
      await lockPeople(tx, scope);
      const user = await existing(tx, scope, id);
      requireRank(scope, user, 'change');
      requireAsShown(user, body.shown);
      const type = body.type ?? user.type;
      if (type !== user.type) await requireGrant(tx, scope, user, type, requireFreshSignIn);
      const to = {
        role: type,
        customerId: await customerFor(tx, scope, user, type, body.authorizedClientId),
        dailyLimitCents: limitFor(user, type, body.dailyLimit),
      };
      await updateUser(tx, scope, id, to);
      const after = await findUser(tx, scope, id);
      if (!after) throw new Error(`user ${id} is gone within its own transaction`);
      // Who may invite nobody any more lets nobody in by an earlier letter either.
      if (!managing.includes(type)) await endInvites(tx, scope, { invitedBy: id }, {});
      const parts = changedParts(facts(user), facts(after));
      if (parts) await log(tx, scope, 'users.change', after, parts);
      await deps.tokens.personChanged(tx, scope, id, placeOf(user), placeOf(after));
      return after;
    });
  }

  /** A customer was deleted: its own users and open invitations end with it. For the customers feature. */
  async function endCustomerAccess(tx: Tx, scope: Scope, customerId: string): Promise<void> {
    const now = clock.now();
    const change = { before: { authorizedClientId: customerId } };
    for (const userId of await markRemoved(tx, scope, { customerId }, now)) {
      await log(tx, scope, 'users.remove', { userId, authorizedClientId: customerId }, change);
    }
    await deps.tokens.end(tx, scope, { customerId }, 'customer_deleted');
    await endInvites(tx, scope, { customerId }, change);
  }

  async function endInvites(
    tx: Tx,
    scope: Scope,
    which: { invitedBy: string } | { customerId: string },
    change: { before?: unknown },
  ): Promise<void> {
    const now = clock.now();
    for (const { id, customer_id: customerId } of await cancelInvites(tx, scope, which, now)) {
      const object = { objectKind: 'invite', object: id, customerId };
      await audit(tx, scope, { at: now, action: 'users.cancelInvite', ...object, ...change });
    }
  }

  function log(
    tx: Tx,
    scope: Scope,
    action: AuditAction,
    user: Pick<UserRow, 'userId' | 'authorizedClientId'>,
    change: { before?: unknown; after?: unknown },
  ): Promise<void> {
    const object = { objectKind: 'user', object: user.userId, customerId: user.authorizedClientId };
    return audit(tx, scope, { at: clock.now(), action, ...object, ...change });
  }

  const invites = createInvites(deps);
  /** Email addresses of those who manage an organisation; for letters that jobs send. */
  function managersOf(organisationId: string): Promise<string[]> {
    return systemTransaction(deps.systemDb, (tx) => managersOfOrganisation(tx, organisationId));
  }

  return {
    managersOf,
    ...createProfiles(deps),
    invites,
    /** Jobs of this feature, by name. */
    tasks: {
      'users.mail-invite': invites.mail,
    } satisfies Partial<Jobs>,
    list: (scope: Scope, query: PeopleQuery) => inReading(db, scope, (tx) => listUsers(tx, scope, query)),
    remove,
    removeIn,
    ...{ change, close: createClosing(deps) },
    endCustomerAccess,
  };
}

function refuse(message: string): never {
  throw new AppError('forbidden', { message });
}

async function existing(tx: Tx, scope: Scope, id: string): Promise<UserRow> {
  const user = await findUser(tx, scope, id);
  if (!user) throw new AppError('not_found');
  return user;
}

/** Users cannot change someone who outranks them. */
function requireRank(scope: Scope, user: UserRow, verb: string): void {
  if (user.type === 'MSP_OWNER' && scope.role !== 'MSP_OWNER') {
    refuse(`Only an owner can ${verb} an owner.`);
  }
}

/** What was read before a change. Of a user who is another one by now nothing is replaced unseen. */
function requireAsShown(user: UserRow, shown: BodyOf<typeof changeUser>['shown']): void {
  const { type, authorizedClientId, dailyLimit } = user;
  // What was not named, or is the same, changes nothing here.
  if (
    !isDeepStrictEqual(
      { type, authorizedClientId, dailyLimit, ...shown },
      { type, authorizedClientId, dailyLimit },
    )
  ) {
    throw new AppError('conflict', { data: user });
  }
}

/** The current managers of the organisation. At least one must remain, or nobody could ever be invited again. */
async function requireManagerBeside(tx: Tx, scope: Scope, user: UserRow): Promise<void> {
  if (!managing.includes(user.type)) return;
  if ((await countRole(tx, scope, managing, user.userId)) === 0) {
    refuse('The organization needs at least one owner or administrator.');
  }
}

/** Design, permission table: an owner names owners and administrators; an administrator the first owner only. */
async function requireGrant(
  tx: Tx,
  scope: Scope,
  user: UserRow,
  type: Role,
  requireFreshSignIn: () => void,
): Promise<void> {
  const ownerChanges = type === 'MSP_OWNER' || user.type === 'MSP_OWNER';
  if (scope.role !== 'MSP_OWNER') {
    if (type === 'MSP_ADMIN') refuse('Only an owner can appoint administrators.');
    if (type === 'MSP_OWNER' && (await countRole(tx, scope, ['MSP_OWNER'], user.userId)) > 0) {
      refuse('Only an owner can appoint more owners.');
    }
  }
  if (ownerChanges) requireFreshSignIn();
  if (!managing.includes(type)) await requireManagerBeside(tx, scope, user);
}

async function customerFor(
  tx: Tx,
  scope: Scope,
  user: UserRow,
  type: Role,
  wanted: string | null | undefined,
): Promise<string | null> {
  if (type !== 'MSP_CUSTOMER') {
    if (wanted === undefined || wanted === null) return null;
    // Perhaps a colleague has just given them another type: the caller learns that nothing was changed.
    const message = 'Only a customer’s own users have a customer';
    throw new AppError('validation_failed', { details: [{ path: 'authorizedClientId', message }] });
  }
  const customerId = wanted ?? user.authorizedClientId;
  if (!customerId) {
    const message = 'Please choose the customer';
    throw new AppError('validation_failed', { details: [{ path: 'authorizedClientId', message }] });
  }
  if (
    customerId !== user.authorizedClientId &&
    !(await livingCustomer(tx, scope.organisationId, customerId))
  ) {
    throw new AppError('not_found');
  }
  return customerId;
}

/** Only employees have a daily limit. A user who gets another type loses it. */
function limitFor(user: UserRow, type: Role, wanted: number | null | undefined): number | null {
  if (type === 'MSP_EMPLOYEE') return wanted === undefined ? user.dailyLimit : wanted;
  if (wanted === undefined || wanted === null) return null;
  const message = 'Only employees have a daily limit';
  throw new AppError('validation_failed', { details: [{ path: 'dailyLimit', message }] });
}

function placeOf(user: UserRow) {
  return { role: user.type, customerId: user.authorizedClientId };
}

function facts(user: UserRow) {
  return {
    email: user.email,
    type: user.type,
    authorizedClientId: user.authorizedClientId,
    dailyLimit: user.dailyLimit,
  };
}
