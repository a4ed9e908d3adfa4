import * as op from '#contracts/operations/users.ts';
import { type Binding, bind, paged } from '#kernel/binding.ts';
import type { UsersApi } from './users.service.ts';

/** The operations of users and their invitations. */
export function userRoutes(users: UsersApi): Binding[] {
  const { invites } = users;
  return [
    bind(op.createProfile, (c) => users.createProfile(c.identity, c.body, c.request)),
    bind(op.getProfile, async (c) => ({
      ...(await users.getProfile(c.scope)),
      freshForSeconds: c.freshForSeconds(),
    })),
    bind(op.closeOrganization, async (c) => {
      await users.close(c.scope);
      return {};
    }),
    bind(op.createSubuser, (c) => users.createSubuser(c.identity)),
    bind(op.listUsers, async (c) => {
      const { rows, total } = await users.list(c.scope, c.query);
      return paged(rows, total, c.query);
    }),
    bind(op.changeUser, (c) => users.change(c.scope, c.params.id, c.body, c.requireFreshSignIn)),
    bind(op.removeUser, async (c) => {
      await users.remove(c.scope, c.params.id, c.requireFreshSignIn);
      return {};
    }),
    bind(op.listInvites, async (c) => {
      const { rows, total } = await invites.list(c.scope, c.query);
      return paged(rows, total, c.query);
    }),
    bind(op.inviteUser, (c) => invites.invite(c.scope, c.body)),
    bind(op.resendInvite, (c) => invites.resend(c.scope, c.params.id)),
    bind(op.getInviteLink, (c) => invites.link(c.scope, c.params.id)),
    bind(op.cancelInvite, async (c) => {
      await invites.cancel(c.scope, c.params.id);
      return {};
    }),
    bind(op.checkInvite, (c) => invites.check(c.identity, c.params.id)),
    bind(op.acceptInvite, async (c) => {
      await invites.accept(c.identity, c.params.id, c.request);
      return {};
    }),
  ];
}
