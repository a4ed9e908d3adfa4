import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf, createPeople, identityOf, type People } from '../../../../tests/support/people.ts';

/** What the log says of people: its readers have to learn who was let in as what, and by whom. */

let database: TestDatabase;
let people: People;
let admin: Scope;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ scope: admin } = await people.organisation());
});

const says = (action: AuditAction) => logged(database.db, admin, action);
const about = (action: AuditAction) => loggedAbout(database.db, admin, action);
const fresh = () => undefined;

async function newCustomer(): Promise<string> {
  const billing = { billDirectly: false, email: '', allowChangeBilling: false };
  return (await people.customers.create(admin, { contacts: contactsOf(), billing }, null)).customerId;
}

/** Somebody who was let in, and the entries of their coming. */
async function joined(as: Parameters<People['join']>[1]) {
  const identity = identityOf();
  const { scope } = await people.join(admin, as, identity);
  return { userId: scope.userId, email: identity.email };
}

test('a sign-up says who founded what', async () => {
  expect(await says('users.createProfile')).toEqual([
    {
      ...{ by: admin.userId, kind: 'organisation', object: admin.organisationId, before: null },
      after: { organization: 'Example MSP', username: 'firstuser', type: 'MSP_ADMIN' },
    },
  ]);
});

test('an invitation, its repeat and its end say whom it lets in, as what, and for which customer', async () => {
  const customerId = await newCustomer();
  for (const [email, type, authorizedClientId] of [
    ['employee@people.example', 'MSP_EMPLOYEE', null],
    ['customer@people.example', 'MSP_CUSTOMER', customerId],
  ] as const) {
    const body = { email, type, ...(authorizedClientId ? { authorizedClientId } : {}) };
    const { inviteId } = await people.users.invites.invite(admin, body);
    await people.users.invites.resend(admin, inviteId);
    await people.users.invites.cancel(admin, inviteId);
    const facts = { email, type, authorizedClientId };
    const entry = { by: admin.userId, kind: 'invite', object: inviteId };
    expect((await says('users.invite')).at(-1)).toEqual({ ...entry, before: null, after: facts });
    expect((await says('users.resendInvite')).at(-1)).toEqual({ ...entry, before: null, after: facts });
    expect((await says('users.cancelInvite')).at(-1)).toEqual({ ...entry, before: facts, after: null });
  }
  for (const action of ['users.invite', 'users.resendInvite', 'users.cancelInvite'] as const) {
    expect(await about(action)).toEqual([null, customerId]);
  }
});

test('who accepts an invitation is named, with what it let them in as', async () => {
  const customerId = await newCustomer();
  const guest = await joined({ type: 'MSP_CUSTOMER', authorizedClientId: customerId });
  const [invited] = await says('users.invite');
  expect(await says('users.acceptInvite')).toEqual([
    {
      ...{ by: guest.userId, kind: 'invite', object: invited?.object, before: null },
      after: { email: guest.email, type: 'MSP_CUSTOMER', authorizedClientId: customerId },
    },
  ]);
  expect(await about('users.acceptInvite')).toEqual([customerId]);
});

test('a change says what was and what is, of that alone which differs; one that changes nothing says nothing', async () => {
  const customerId = await newCustomer();
  const { userId } = await joined({ type: 'MSP_EMPLOYEE' });
  const steps = [
    { dailyLimit: 500 },
    { dailyLimit: 500 },
    { type: 'MSP_CUSTOMER', authorizedClientId: customerId },
  ] as const;
  for (const step of steps) await people.users.change(admin, userId, step, fresh);
  const entry = { by: admin.userId, kind: 'user', object: userId };
  expect(await says('users.change')).toEqual([
    { ...entry, before: { dailyLimit: null }, after: { dailyLimit: 500 } },
    {
      ...entry,
      before: { type: 'MSP_EMPLOYEE', authorizedClientId: null, dailyLimit: 500 },
      after: { type: 'MSP_CUSTOMER', authorizedClientId: customerId, dailyLimit: null },
    },
  ]);
  expect(await about('users.change')).toEqual([null, customerId]);
});

test('a removal says who they were; the invitations that end with them stand in the log, too', async () => {
  const { userId, email } = await joined({ type: 'MSP_EMPLOYEE' });
  await people.users.change(admin, userId, { type: 'MSP_OWNER' }, fresh);
  const theirs: Scope = { ...admin, userId, role: 'MSP_OWNER', reach: { kind: 'organisation' } };
  const open = await people.users.invites.invite(theirs, {
    email: 'open@people.example',
    type: 'MSP_EMPLOYEE',
  });
  const owner = (await joined({ type: 'MSP_EMPLOYEE' })).userId;
  await people.users.change(theirs, owner, { type: 'MSP_OWNER' }, fresh);
  await people.users.remove({ ...theirs, userId: owner }, userId, fresh);
  expect(await says('users.remove')).toEqual([
    {
      ...{ by: owner, kind: 'user', object: userId, after: null },
      before: { email, type: 'MSP_OWNER', authorizedClientId: null, dailyLimit: null },
    },
  ]);
  expect(await says('users.cancelInvite')).toEqual([
    { by: owner, kind: 'invite', object: open.inviteId, before: null, after: null },
  ]);
});

test('a customer who is deleted takes their users and open invitations along, each with an entry about them', async () => {
  const customerId = await newCustomer();
  const as = { type: 'MSP_CUSTOMER', authorizedClientId: customerId } as const;
  const guest = await joined(as);
  const open = await people.users.invites.invite(admin, { email: 'open@people.example', ...as });
  await people.customers.remove(admin, customerId);
  const entry = { by: admin.userId, before: { authorizedClientId: customerId }, after: null };
  expect(await says('users.remove')).toEqual([{ ...entry, kind: 'user', object: guest.userId }]);
  expect(await says('users.cancelInvite')).toEqual([{ ...entry, kind: 'invite', object: open.inviteId }]);
  for (const action of ['users.remove', 'users.cancelInvite'] as const) {
    expect(await about(action)).toEqual([customerId]);
  }
});
