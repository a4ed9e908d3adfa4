import { expect, test } from 'vitest';
import { userRoutes } from './users.routes.ts';
import type { UsersApi } from './users.service.ts';

const scope = { organisationId: 'msp-1' };
const identity = { subject: 'ann' };
const request = { ip: '192.0.2.1' };
const requireFreshSignIn = () => undefined;

/** What an operation hands to the service, and what it answers. */
async function call(id: string, context: object = {}) {
  const asked: unknown[] = [];
  const note =
    (name: string, answer: unknown = name) =>
    async (...given: unknown[]) => {
      asked.push([name, ...given]);
      return answer;
    };
  const found = { rows: ['a row'], total: 41 };
  const users = {
    ...{ createProfile: note('createProfile'), createSubuser: note('createSubuser') },
    ...{ getProfile: note('getProfile', { userId: 'ann' }), close: note('close', undefined) },
    ...{ list: note('list', found), change: note('change'), remove: note('remove', undefined) },
    invites: {
      ...{ list: note('invites', found), invite: note('invite'), resend: note('resend'), link: note('link') },
      ...{ cancel: note('cancel', undefined), check: note('check'), accept: note('accept', undefined) },
    },
  } as unknown as UsersApi;
  const binding = userRoutes(users).find(({ operation }) => operation.id === id);
  if (!binding) throw new Error(`no operation ${id}`);
  const all = { scope, identity, request, requireFreshSignIn, freshForSeconds: () => 60, ...context };
  const reply: unknown = await binding.handler(all as never);
  return { asked, reply };
}

test('a change and a removal of a user are told how to ask for a fresh sign-in', async () => {
  const [params, body] = [{ id: 'user-1' }, { type: 'MSP_OWNER' }];
  expect(await call('users.change', { params, body })).toEqual({
    ...{ asked: [['change', scope, 'user-1', body, requireFreshSignIn]], reply: 'change' },
  });
  expect(await call('users.remove', { params })).toEqual({
    ...{ asked: [['remove', scope, 'user-1', requireFreshSignIn]], reply: {} },
  });
});

test('a profile says for how long the sign-in still counts as fresh', async () => {
  expect(await call('users.getProfile')).toEqual({
    ...{ asked: [['getProfile', scope]], reply: { userId: 'ann', freshForSeconds: 60 } },
  });
});

test.each([
  ['users.list', 'list'],
  ['users.listInvites', 'invites'],
])('%s answers a page, and how many there are', async (id, name) => {
  const query = { page: 3, pageSize: 20, sort: '-email', search: 'ann' };
  expect(await call(id, { query })).toMatchObject({
    asked: [[name, scope, query]],
    reply: { rows: ['a row'], meta: { total: 41, page: 3 } },
  });
});

test.each([
  ['an invitation', 'users.invite', { body: { email: 'dan' } }, ['invite', scope, { email: 'dan' }]],
  ['its repeat', 'users.resendInvite', {}, ['resend', scope, 'i-1']],
  ['its link', 'users.inviteLink', {}, ['link', scope, 'i-1']],
  ['its end', 'users.cancelInvite', {}, ['cancel', scope, 'i-1']],
  ['a look at it', 'users.checkInvite', {}, ['check', identity, 'i-1']],
  ['its acceptance', 'users.acceptInvite', {}, ['accept', identity, 'i-1', request]],
  ['a sign-up', 'users.createProfile', { body: 'form' }, ['createProfile', identity, 'form', request]],
  ['an empty profile', 'users.createSubuser', {}, ['createSubuser', identity]],
  ['the closing', 'users.closeOrganization', {}, ['close', scope]],
])('what is asked for reaches its own act: %s', async (_what, id, context, expected) => {
  expect((await call(id, { params: { id: 'i-1' }, ...context })).asked).toEqual([expected]);
});
