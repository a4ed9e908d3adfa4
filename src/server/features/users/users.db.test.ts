import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf, createPeople, identityOf, type People } from '../../../../tests/support/people.ts';
import { across } from '../../../../tests/support/rows.ts';
import { AppError } from '../../../contracts/errors.ts';
import { verifyAuditChain } from '../../kernel/audit.ts';
import { inTransaction } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { openValues } from '../../kernel/subject-keys.ts';
import type { VerifiedIdentity } from '../../ports/identity.ts';

let database: TestDatabase;
let people: People;
let admin: Scope;
let adminIdentity: VerifiedIdentity;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ scope: admin, identity: adminIdentity } = await people.organisation());
});

const code = (expected: string) => ({ code: expected });
const origin = { ip: '192.0.2.1' };
const form = { username: 'someone', organization: 'Some Company' };
const employee = { type: 'MSP_EMPLOYEE' } as const;
/** The edge's answer to a sign-in of this very moment, and to an old one. */
const fresh = () => undefined;
const stale = () => {
  throw new AppError('fresh_sign_in_required');
};
const change = (
  by: Scope,
  id: string,
  body: Parameters<typeof people.users.change>[2],
  signIn: () => void = fresh,
) => people.users.change(by, id, body, signIn);
const remove = (by: Scope, id: string, signIn: () => void = fresh) => people.users.remove(by, id, signIn);

/** The same person, had their role been changed. */
const asStaff = (scope: Scope, role: 'MSP_ADMIN' | 'MSP_OWNER'): Scope => ({
  ...scope,
  role,
  reach: { kind: 'organisation' },
});

async function newCustomer(scope: Scope): Promise<string> {
  const billing = { billDirectly: false, email: '', allowChangeBilling: false };
  return (await people.customers.create(scope, { contacts: contactsOf(), billing }, null)).customerId;
}

/** The admin names a first owner, an employee until then. */
async function firstOwner(): Promise<Scope> {
  const { scope, identity } = await people.join(admin, employee);
  await change(admin, scope.userId, { type: 'MSP_OWNER' });
  return people.scopeOf(identity);
}

test('sign-up makes an organisation, an empty wallet and an MSP_ADMIN who holds what the table says', async () => {
  const profile = await people.users.getProfile(admin);
  expect(profile).toMatchObject({
    type: 'MSP_ADMIN',
    organization: 'Example MSP',
    username: 'firstuser',
    authorizedClientId: null,
    paidInitialFee: false,
    stripeAccount: { id: null, finishedRequirement: false },
    autoBalance: { active: false, amount: 10_000, mark: 5_000 },
  });
  expect(profile.permissions).toContain('users.manage');
  const wallets = await inTransaction(database.db, admin, (tx) =>
    tx.selectFrom('wallets').selectAll().execute(),
  );
  expect(wallets).toEqual([
    { organisation_id: admin.organisationId, posted_cents: 0, held_cents: 0, pending_cents: 0 },
  ]);
});

test('a second sign-up with one sign-in is refused and leaves nothing behind, also when both come at once', async () => {
  const again = people.users.createProfile(adminIdentity, form, origin);
  await expect(again).rejects.toMatchObject({ code: 'user_already_exists', message: 'user already exists' });
  const identity = identityOf();
  const count = async () =>
    (await database.systemDb.selectFrom('organisations').select('id').execute()).length;
  const before = await count();
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, () => people.users.createProfile(identity, form, origin)),
  );
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  expect(await count()).toBe(before + 1);
});

test('a sign-in that tells no email address is told so', async () => {
  const nameless = identityOf({ email: null });
  for (const make of [
    () => people.users.createProfile(nameless, form, origin),
    () => people.users.createSubuser(nameless),
  ]) {
    await expect(make()).rejects.toMatchObject({
      ...code('unprocessable'),
      message: expect.stringContaining('does not share your email address'),
    });
  }
});

test('an empty profile is nobody yet: no organisation, but a later sign-up fills it', async () => {
  const identity = identityOf();
  const { userId } = await people.users.createSubuser(identity);
  await expect(people.users.createSubuser(identity)).rejects.toMatchObject(code('user_already_exists'));
  expect(await people.users.loadActor(identity)).toBeNull();
  const profile = await people.users.createProfile(identity, form, origin);
  expect(profile).toMatchObject({ userId, organization: 'Some Company', username: 'someone' });
});

test('in the customers’ portal nobody founds an organisation, with a profile or without; an invitation lets them in', async () => {
  const { users: ofCustomers } = createPeople(database, { openSignUp: false });
  const [stranger, empty] = [identityOf(), identityOf()];
  await ofCustomers.createSubuser(empty);
  const count = async () => ({
    organisations: (await database.systemDb.selectFrom('organisations').select('id').execute()).length,
    users: (await database.systemDb.selectFrom('users').select('id').execute()).length,
  });
  const before = await count();
  // People who have an organisation, or whose sign-in tells no email address, get the same answer.
  for (const identity of [stranger, empty, adminIdentity, identityOf({ email: null })]) {
    await expect(ofCustomers.createProfile(identity, form, origin)).rejects.toMatchObject({
      ...code('forbidden'),
      message: expect.stringContaining('You need an invitation to join'),
    });
  }
  expect(await count()).toEqual(before);
  expect(await people.users.loadActor(stranger)).toBeNull();
  expect(await people.users.loadActor(empty)).toBeNull();

  const customerId = await newCustomer(admin);
  const as = { type: 'MSP_CUSTOMER', authorizedClientId: customerId } as const;
  for (const identity of [stranger, empty]) {
    const { link } = await people.users.invites.invite(admin, { email: identity.email ?? '', ...as });
    await ofCustomers.invites.accept(identity, link.split('/').at(-1) ?? '', origin);
    expect(await ofCustomers.loadActor(identity)).toMatchObject({
      actor: { organisationId: admin.organisationId, role: 'MSP_CUSTOMER' },
    });
  }
  // In the MSPs' portal the same act is open to all.
  await people.users.createProfile(identityOf(), form, origin);
});

test('an empty profile that was disabled makes no organisation', async () => {
  const identity = identityOf();
  const { userId } = await people.users.createSubuser(identity);
  await database.systemDb
    .updateTable('users')
    .set({ disabled_at: new Date() })
    .where('id', '=', userId)
    .execute();
  const made = people.users.createProfile(identity, form, origin);
  await expect(made).rejects.toMatchObject(code('user_already_exists'));
});

test('an MSP_CUSTOMER is tied to a living customer of the same organisation', async () => {
  const { scope: elsewhere } = await people.organisation('Other MSP');
  const invite = (authorizedClientId: string) =>
    people.users.invites.invite(admin, { email: 'c@example.com', type: 'MSP_CUSTOMER', authorizedClientId });
  await expect(invite(await newCustomer(elsewhere))).rejects.toMatchObject(code('not_found'));
  await expect(invite(newId())).rejects.toMatchObject(code('not_found'));
  const customerId = await newCustomer(admin);
  const { scope } = await people.join(admin, { type: 'MSP_CUSTOMER', authorizedClientId: customerId });
  expect(scope).toMatchObject({ role: 'MSP_CUSTOMER', reach: { kind: 'customers', ids: [customerId] } });
  const profile = await people.users.getProfile(scope);
  expect(profile.permissions).not.toContain('balance.read');
  // Not unless the MSP allows it for that customer.
  expect(profile.permissions).not.toContain('domains.settings');
  await people.customers.update(admin, customerId, { allowDomainSettings: true });
  expect((await people.users.getProfile(scope)).permissions).toContain('domains.settings');
  const { rows } = await people.users.list(admin, { pageSize: 5, sort: 'type' });
  expect(rows.map((row) => [row.type, row.organization])).toEqual([
    ['MSP_ADMIN', 'Example MSP'],
    ['MSP_CUSTOMER', 'Example Ltd'],
  ]);
});

test('a removed user is out with the next request and may be invited again', async () => {
  const { scope, identity } = await people.join(admin, employee);
  await remove(admin, scope.userId);
  expect(await people.users.loadActor(identity)).toBeNull();
  await expect(people.users.getProfile(scope)).rejects.toMatchObject(code('no_profile'));
  await expect(remove(admin, scope.userId)).rejects.toMatchObject(code('not_found'));
  const again = await people.join(admin, employee, identity);
  expect(again.scope.userId).not.toBe(scope.userId);
});

test.each(['removed', 'made an employee'])(
  'the open invitations of an administrator end when they are %s, and those of others stay',
  async (end) => {
    const owner = await firstOwner();
    const { scope: second } = await people.join(owner, employee);
    await change(owner, second.userId, { type: 'MSP_ADMIN' });
    const by = (scope: Scope, email: string) => people.users.invites.invite(scope, { email, ...employee });
    const ended = await by(asStaff(second, 'MSP_ADMIN'), 'ended@example.com');
    await by(owner, 'stays@example.com');
    await (end === 'removed'
      ? remove(owner, second.userId)
      : change(owner, second.userId, { type: 'MSP_EMPLOYEE' }));
    const { rows } = await people.users.invites.list(owner, { pageSize: 5 });
    expect(rows.map(({ email }) => email)).toEqual(['stays@example.com']);
    const stranger = identityOf({ email: 'ended@example.com' });
    const token = ended.link.split('/').at(-1) ?? '';
    await expect(people.users.invites.accept(stranger, token, origin)).rejects.toMatchObject({
      message: 'This invitation was cancelled. Please ask for a new one.',
    });
  },
);

test('a disabled user and a closed organisation are out with the next request', async () => {
  const { scope, identity } = await people.join(admin, employee);
  await database.systemDb
    .updateTable('users')
    .set({ disabled_at: new Date() })
    .where('id', '=', scope.userId)
    .execute();
  await expect(people.users.loadActor(identity)).rejects.toMatchObject({
    ...code('forbidden'),
    message: 'This user is disabled.',
  });
  await database.systemDb
    .updateTable('organisations')
    .set({ closed_at: new Date() })
    .where('id', '=', admin.organisationId)
    .execute();
  await expect(people.users.loadActor(adminIdentity)).rejects.toMatchObject({
    ...code('forbidden'),
    message: 'This organization is closed.',
  });
});

test('users cannot remove themselves, an administrator cannot remove an owner, and the last manager stays', async () => {
  await expect(remove(admin, admin.userId)).rejects.toMatchObject({
    code: 'forbidden',
    message: 'You cannot remove yourself.',
  });
  const owner = await firstOwner();
  await expect(remove(admin, owner.userId)).rejects.toMatchObject({
    message: 'Only an owner can remove an owner.',
  });
  const both = await Promise.allSettled([
    remove(owner, admin.userId),
    change(owner, owner.userId, { type: 'MSP_EMPLOYEE' }),
  ]);
  expect(both.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  const { rows } = await people.users.list(owner, { pageSize: 5 });
  expect(rows.filter((row) => row.type === 'MSP_ADMIN' || row.type === 'MSP_OWNER')).toHaveLength(1);
});

test('two administrators who remove each other at once: one of them remains, in each of ten tries', async () => {
  const pairs = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const { scope: first } = await people.organisation();
      const { scope: second } = await people.join(first, employee);
      await database.systemDb
        .updateTable('users')
        .set({ role: 'MSP_ADMIN' })
        .where('id', '=', second.userId)
        .execute();
      return [first, asStaff(second, 'MSP_ADMIN')] as const;
    }),
  );
  const results = await Promise.all(
    pairs.map(([one, two]) => Promise.allSettled([remove(one, two.userId), remove(two, one.userId)])),
  );
  for (const pair of results) {
    expect(pair.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  }
});

test('an administrator names the first owner, freshly signed in, and no administrator; an owner names both', async () => {
  const { scope: one } = await people.join(admin, employee);
  const { scope: two } = await people.join(admin, employee);
  await expect(change(admin, one.userId, { type: 'MSP_ADMIN' })).rejects.toMatchObject(code('forbidden'));
  const refused = change(admin, one.userId, { type: 'MSP_OWNER' }, stale);
  await expect(refused).rejects.toMatchObject(code('fresh_sign_in_required'));
  expect(await change(admin, one.userId, { type: 'MSP_OWNER' })).toMatchObject({ type: 'MSP_OWNER' });
  await expect(change(admin, two.userId, { type: 'MSP_OWNER' })).rejects.toMatchObject(code('forbidden'));
  await expect(change(admin, one.userId, { type: 'MSP_EMPLOYEE' })).rejects.toMatchObject(code('forbidden'));
  const owner = asStaff(one, 'MSP_OWNER');
  expect(await change(owner, two.userId, { type: 'MSP_ADMIN' }, stale)).toMatchObject({ type: 'MSP_ADMIN' });
  expect(await change(owner, two.userId, { type: 'MSP_OWNER' })).toMatchObject({ type: 'MSP_OWNER' });
});

test('whatever makes or ends an owner asks for a fresh sign-in, and nothing else about people does', async () => {
  const owner = await firstOwner();
  const { scope: second } = await people.join(owner, employee);
  const asked = code('fresh_sign_in_required');
  await expect(change(owner, second.userId, { type: 'MSP_OWNER' }, stale)).rejects.toMatchObject(asked);
  await change(owner, second.userId, { type: 'MSP_OWNER' });
  await expect(change(owner, second.userId, { type: 'MSP_EMPLOYEE' }, stale)).rejects.toMatchObject(asked);
  await expect(remove(owner, second.userId, stale)).rejects.toMatchObject(asked);
  const { rows } = await people.users.list(owner, { pageSize: 5 });
  expect(rows.filter(({ type }) => type === 'MSP_OWNER')).toHaveLength(2);
  await remove(owner, second.userId);
  const { scope: third } = await people.join(owner, employee);
  await change(owner, third.userId, { dailyLimit: 1 }, stale);
  await remove(owner, third.userId, stale);
});

test('a daily limit is for employees, and ends with another role', async () => {
  const { scope } = await people.join(admin, employee);
  expect(await change(admin, scope.userId, { dailyLimit: 5_000 })).toMatchObject({ dailyLimit: 5_000 });
  expect(await change(admin, scope.userId, {})).toMatchObject({ dailyLimit: 5_000 });
  expect(await change(admin, scope.userId, { dailyLimit: null })).toMatchObject({ dailyLimit: null });
  // Nothing a day is a limit, too.
  expect(await change(admin, scope.userId, { dailyLimit: 0 })).toMatchObject({ dailyLimit: 0 });
  expect(await change(admin, scope.userId, {})).toMatchObject({ dailyLimit: 0 });
  await change(admin, scope.userId, { dailyLimit: 5_000 });
  await expect(change(admin, admin.userId, { dailyLimit: 1 })).rejects.toMatchObject(
    code('validation_failed'),
  );
  const customerId = await newCustomer(admin);
  await expect(change(admin, scope.userId, { type: 'MSP_CUSTOMER' })).rejects.toMatchObject({
    details: [{ path: 'authorizedClientId' }],
  });
  const moved = await change(admin, scope.userId, { type: 'MSP_CUSTOMER', authorizedClientId: customerId });
  expect(moved).toMatchObject({ type: 'MSP_CUSTOMER', authorizedClientId: customerId, dailyLimit: null });
  const back = await change(admin, scope.userId, { type: 'MSP_EMPLOYEE' });
  expect(back).toMatchObject({ authorizedClientId: null, dailyLimit: null });
});

test('a change over what was set meanwhile is refused with what the user is now, and changes nothing', async () => {
  const { scope } = await people.join(admin, employee);
  await change(admin, scope.userId, { dailyLimit: 5_000 });
  const late = [
    { dailyLimit: 9_000, shown: { dailyLimit: null } },
    { dailyLimit: 9_000, shown: { dailyLimit: 5_000, type: 'MSP_ADMIN' as const } },
    { type: 'MSP_ADMIN' as const, shown: { authorizedClientId: scope.userId } },
  ];
  for (const body of late) {
    await expect(change(admin, scope.userId, body)).rejects.toMatchObject({
      ...code('conflict'),
      data: { userId: scope.userId, type: 'MSP_EMPLOYEE', dailyLimit: 5_000 },
    });
  }
  expect(await change(admin, scope.userId, {})).toMatchObject({ type: 'MSP_EMPLOYEE', dailyLimit: 5_000 });
  // What is as it was shown changes; so does what was sent without it.
  const shown = { type: 'MSP_EMPLOYEE' as const, authorizedClientId: null, dailyLimit: 5_000 };
  expect(await change(admin, scope.userId, { dailyLimit: 1, shown })).toMatchObject({ dailyLimit: 1 });
  expect(await change(admin, scope.userId, { dailyLimit: 2 })).toMatchObject({ dailyLimit: 2 });
});

test('of two people who read one limit and set it in the same moment, one is told of the other', async () => {
  const { scope } = await people.join(admin, employee);
  const body = (dailyLimit: number) => ({ dailyLimit, shown: { dailyLimit: null } });
  const both = await Promise.allSettled(
    [1_000, 2_000].map((cents) => change(admin, scope.userId, body(cents))),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('a customer’s own user goes to another living customer of the organization, and to no other', async () => {
  const { scope: elsewhere } = await people.organisation('Other MSP');
  const [first, second, deleted] = [
    await newCustomer(admin),
    await newCustomer(admin),
    await newCustomer(admin),
  ];
  await people.customers.remove(admin, deleted);
  const { scope } = await people.join(admin, { type: 'MSP_CUSTOMER', authorizedClientId: first });
  for (const authorizedClientId of [await newCustomer(elsewhere), deleted, newId()]) {
    await expect(change(admin, scope.userId, { authorizedClientId })).rejects.toMatchObject(
      code('not_found'),
    );
  }
  expect(await change(admin, scope.userId, { authorizedClientId: second })).toMatchObject({
    authorizedClientId: second,
  });
  // Neither a change without a word of it nor one to nobody takes the customer away.
  for (const body of [{}, { authorizedClientId: null }]) {
    expect(await change(admin, scope.userId, body)).toMatchObject({ authorizedClientId: second });
  }
});

test('an administrator makes a colleague an employee, and not themselves where nobody else manages', async () => {
  const { scope: second } = await people.join(admin, employee);
  const message = 'The organization needs at least one owner or administrator.';
  const leave = () => change(admin, admin.userId, { type: 'MSP_EMPLOYEE' });
  await expect(leave()).rejects.toMatchObject({ ...code('forbidden'), message });
  await across(database, (tx) =>
    tx.updateTable('users').set({ role: 'MSP_ADMIN' }).where('id', '=', second.userId).execute(),
  );
  expect(await leave()).toMatchObject({ type: 'MSP_EMPLOYEE' });
  const invitation = (scope: Scope) =>
    people.users.invites.invite(scope, { email: `${newId()}@example.com`, ...employee });
  // Who manages goes on managing: what they sent stays open.
  await invitation(asStaff(second, 'MSP_ADMIN'));
  await change(asStaff(second, 'MSP_ADMIN'), second.userId, { type: 'MSP_OWNER' });
  const owner = asStaff(second, 'MSP_OWNER');
  await change(owner, second.userId, { type: 'MSP_ADMIN' });
  expect((await people.users.invites.list(owner, { pageSize: 5 })).total).toBe(1);
  await change(owner, admin.userId, { type: 'MSP_ADMIN' });
  expect(await change(asStaff(second, 'MSP_ADMIN'), admin.userId, employee)).toMatchObject(employee);
});

test('a customer is for their own users: nobody else is given one, and says so', async () => {
  const { scope } = await people.join(admin, employee);
  const authorizedClientId = await newCustomer(admin);
  await expect(change(admin, scope.userId, { authorizedClientId })).rejects.toMatchObject({
    details: [{ path: 'authorizedClientId', message: 'Only a customer’s own users have a customer' }],
  });
  expect(await change(admin, scope.userId, { authorizedClientId: null })).toMatchObject({
    type: 'MSP_EMPLOYEE',
    authorizedClientId: null,
  });
});

test('an employee manages nobody, and people of another organisation are as unknown as invented ones', async () => {
  const { scope } = await people.join(admin, employee);
  const { scope: foreign } = await people.organisation('Other MSP');
  const invite = await people.users.invites.invite(admin, { email: 'open@example.com', ...employee });
  const acts = (by: Scope, userId: string, inviteId: string) => [
    remove(by, userId),
    change(by, userId, { dailyLimit: 1 }),
    people.users.invites.cancel(by, inviteId),
    people.users.invites.resend(by, inviteId),
    people.users.invites.link(by, inviteId),
  ];
  const codes = async (calls: Promise<unknown>[]) =>
    (await Promise.allSettled(calls)).map((result) =>
      result.status === 'rejected' ? result.reason.code : 'done',
    );
  expect(await codes(acts(scope, admin.userId, invite.inviteId))).toEqual(Array(5).fill('forbidden'));
  expect(await codes(acts(foreign, admin.userId, invite.inviteId))).toEqual(Array(5).fill('not_found'));
  expect(await codes(acts(admin, newId(), newId()))).toEqual(Array(5).fill('not_found'));
  const asking = people.users.invites.invite(scope, { email: 'new@example.com', ...employee });
  await expect(asking).rejects.toMatchObject(code('forbidden'));
  await inTransaction(database.db, foreign, async (tx) => {
    expect(await tx.selectFrom('users').select('id').execute()).toEqual([{ id: foreign.userId }]);
    expect(await tx.selectFrom('invites').selectAll().execute()).toEqual([]);
    const stolen = await tx.updateTable('users').set({ role: 'MSP_OWNER' }).executeTakeFirst();
    expect(stolen.numUpdatedRows).toBe(1n);
  });
});

test('every change of people is in the log, and the chain holds', async () => {
  const { scope } = await people.join(admin, employee);
  await change(admin, scope.userId, { dailyLimit: 100 });
  await remove(admin, scope.userId);
  const log = await inTransaction(database.db, admin, (tx) =>
    tx.selectFrom('audit_log').select(['action', 'actor', 'actor_id', 'after']).orderBy('sequence').execute(),
  );
  expect(log.map((row) => [row.action, row.actor, row.actor_id])).toEqual([
    ['users.createProfile', '', admin.userId],
    ['users.invite', '', admin.userId],
    ['users.acceptInvite', '', scope.userId],
    ['users.change', '', admin.userId],
    ['users.remove', '', admin.userId],
  ]);
  const opened = await inTransaction(database.db, admin, (tx) =>
    openValues(tx, admin.organisationId, [log[3]?.after]),
  );
  expect(opened).toEqual([{ dailyLimit: 100 }]);
  expect(await verifyAuditChain(database.systemDb, admin.organisationId)).toMatchObject({
    rows: 5,
    broken: null,
  });
});
