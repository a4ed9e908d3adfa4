import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { contactsOf, createPeople, identityOf, type People } from '../../../../tests/support/people.ts';
import { across } from '../../../../tests/support/rows.ts';
import { limits } from '../../../contracts/values/limits.ts';
import { createDatabase, inTransaction, sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import type { VerifiedIdentity } from '../../ports/identity.ts';

/** How people are asked in, and come. */

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
const employee = { type: 'MSP_EMPLOYEE' } as const;

async function newCustomer(scope: Scope): Promise<string> {
  const billing = { billDirectly: false, email: '', allowChangeBilling: false };
  return (await people.customers.create(scope, { contacts: contactsOf(), billing }, null)).customerId;
}

test('an invitation is mailed with its link, bound to one address, and makes the person a user once', async () => {
  const email = 'New.Person@example.com';
  const invite = await people.users.invites.invite(admin, { email, ...employee });
  expect(invite.link).toMatch(/^https:\/\/portal\.test\/invite\/[\w-]{43}$/);
  const payload = { organisationId: admin.organisationId, inviteId: invite.inviteId };
  await people.users.tasks['users.mail-invite'](payload);
  expect(people.letters.at(-1)).toMatchObject({ to: email, text: expect.stringContaining(invite.link) });
  const token = invite.link.split('/').at(-1)!;
  const identity = identityOf({ email: 'new.person@example.com' });
  expect(await people.users.invites.check(identity, token)).toEqual({
    message: 'ACCEPT',
    organization: 'Example MSP',
    type: 'MSP_EMPLOYEE',
  });
  // The same person may have several sign-ins with one address.
  const signIns = [identity, ...Array.from({ length: 5 }, () => identityOf({ email: identity.email }))];
  await people.users.createSubuser(identity);
  const tries = await Promise.allSettled(
    signIns.map((each) => people.users.invites.accept(each, token, origin)),
  );
  expect(tries.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  const actors = await Promise.all(signIns.map((each) => people.users.loadActor(each)));
  expect(actors.filter(Boolean)).toMatchObject([
    { actor: { organisationId: admin.organisationId, role: 'MSP_EMPLOYEE' } },
  ]);
  expect((await people.users.invites.list(admin, { pageSize: 5 })).rows).toEqual([]);
});

test('each invitation has a letter of its own; one that is sent again before its letter left has one, too', async () => {
  await takeJobs(database.url);
  const emails = ['first@msp.example', 'second@msp.example'];
  for (const email of emails) await people.users.invites.invite(admin, { ...employee, email });
  const again = await people.users.invites.invite(admin, { ...employee, email: 'third@msp.example' });
  await people.users.invites.resend(admin, again.inviteId);
  const letters = (await takeJobs(database.url)).filter(({ task }) => task === 'users.mail-invite');
  const before = people.letters.length;
  for (const { payload } of letters) await people.users.tasks['users.mail-invite'](payload as never);
  const to = people.letters.slice(before).map((letter) => letter.to);
  expect(to.sort()).toEqual([...emails, 'third@msp.example']);
});

test('an invitation that is sent again hands out and mails its new link; one that was cancelled hands out none', async () => {
  const { inviteId, link } = await people.users.invites.invite(admin, {
    email: 'dan@msp.example',
    ...employee,
  });
  const handedOut = () => people.users.invites.link(admin, inviteId);
  expect(await handedOut()).toEqual({ link });
  const mailed = async () => {
    await people.users.invites.mail({ organisationId: admin.organisationId, inviteId });
    return people.letters.at(-1)?.messageId;
  };
  const first = await mailed();
  const renewed = await people.users.invites.resend(admin, inviteId);
  expect(renewed.link).not.toBe(link);
  expect(await handedOut()).toEqual({ link: renewed.link });
  // A mail server keeps no second one for a copy of the first, and sends no repeat of one letter twice.
  const second = await mailed();
  expect(second).not.toBe(first);
  expect(await mailed()).toBe(second);
  expect(people.letters.at(-1)).toMatchObject({ text: expect.stringContaining(renewed.link) });
  await people.users.invites.cancel(admin, inviteId);
  await expect(handedOut()).rejects.toMatchObject(code('not_found'));
  const before = people.letters.length;
  await mailed();
  expect(people.letters).toHaveLength(before);
});

test('the token of an invitation stands nowhere in the clear: not in its row, not in the job', async () => {
  const { link } = await people.users.invites.invite(admin, { email: 'quiet@example.com', ...employee });
  const token = link.split('/').at(-1)!;
  const row = await inTransaction(database.db, admin, (tx) => tx.selectFrom('invites').selectAll().execute());
  expect(JSON.stringify(row)).not.toContain(token);
  expect(row[0]?.token_sealed.toString('latin1')).not.toContain(token);
  const owner = createDatabase({ url: database.url, maxConnections: 1 });
  const jobs = await sql<{ payload: unknown }>`SELECT payload FROM graphile_worker._private_jobs`.execute(
    owner,
  );
  await owner.destroy();
  expect(jobs.rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(jobs.rows)).not.toContain(token);
});

test('a person who may not accept an invitation reads why, and is not let in', async () => {
  const invited = async (email: string) => {
    const invite = await people.users.invites.invite(admin, { email, ...employee });
    return { ...invite, token: invite.link.split('/').at(-1)! };
  };
  const says = async (identity: VerifiedIdentity, token: string, expected: RegExp) => {
    const { message } = await people.users.invites.check(identity, token);
    expect(message).toMatch(expected);
    await expect(people.users.invites.accept(identity, token, origin)).rejects.toMatchObject({
      ...code(expected.test('does not exist') ? 'not_found' : 'unprocessable'),
      message,
    });
    expect(await people.users.loadActor(identity)).toEqual(before.get(identity.subject) ?? null);
  };
  const before = new Map([[adminIdentity.subject, await people.users.loadActor(adminIdentity)]]);
  const identity = identityOf();
  await says(identity, 'x'.repeat(43), /does not exist/);
  const mine = await invited(identity.email!);
  await says(identityOf(), mine.token, /another email address/);
  await says({ ...identity, emailVerified: false }, mine.token, /verify your email address/);
  await says({ ...identity, email: null }, mine.token, /another email address/);
  const { scope: elsewhere } = await people.organisation('Other MSP');
  const toAdmin = await people.users.invites.invite(elsewhere, { email: adminIdentity.email!, ...employee });
  await says(adminIdentity, toAdmin.link.split('/').at(-1)!, /already belong to an organization/);
  await people.users.invites.cancel(admin, mine.inviteId);
  await says(identity, mine.token, /cancelled/);
  const late = await invited(identity.email!);
  people.clock.forward(7 * 86_400_000 - 1);
  expect((await people.users.invites.check(identity, late.token)).message).toBe('ACCEPT');
  people.clock.forward(1);
  await says(identity, late.token, /expired/);
  const renewed = await people.users.invites.resend(admin, late.inviteId);
  const token = renewed.link.split('/').at(-1)!;
  await says(identity, late.token, /does not exist/);
  await people.users.invites.accept(identity, token, origin);
  before.set(identity.subject, await people.users.loadActor(identity));
  await says(identity, token, /used/);
});

test('one open invitation an address; an expired one makes room; a user is not invited again', async () => {
  const email = 'double@example.com';
  const invite = (address: string) => people.users.invites.invite(admin, { email: address, ...employee });
  const first = await invite(email);
  await expect(invite('DOUBLE@example.com')).rejects.toMatchObject({
    ...code('already_exists'),
    message: expect.stringMatching(/^double@example.com has already been invited/i),
  });
  await expect(invite(adminIdentity.email!)).rejects.toMatchObject({
    ...code('already_exists'),
    message: `${adminIdentity.email} is already a user.`,
  });
  people.clock.forward(8 * 86_400_000);
  const listed = await people.users.invites.list(admin, { pageSize: 5 });
  expect(listed.rows).toMatchObject([{ inviteId: first.inviteId, expired: true }]);
  const second = await invite(email);
  const open = await people.users.invites.list(admin, { pageSize: 5, page: 1, search: 'DOUBLE' });
  expect(open).toMatchObject({ total: 1, rows: [{ inviteId: second.inviteId, expired: false }] });
});

test('who is invited has a place already: with the last one nobody else is invited', async () => {
  await across(database, (tx) =>
    sql`INSERT INTO users SELECT (jsonb_populate_record(u, jsonb_build_object(
        'id', gen_random_uuid(), 'identity_subject', gen_random_uuid()))).*
      FROM users u, generate_series(1, ${limits.users.most - 2}) WHERE u.id = ${admin.userId}`.execute(tx),
  );
  const invite = (email: string) => people.users.invites.invite(admin, { email, ...employee });
  await invite('last@example.com');
  const message = limits.users.message;
  await expect(invite('one-more@example.com')).rejects.toMatchObject({ code: 'unprocessable', message });
});

test('customers’ users are invited to the portal of customers, staff to the MSPs’', async () => {
  const { organization } = await people.users.getProfile(admin);
  const authorizedClientId = await newCustomer(admin);
  const invite = async (email: string, more: object) => {
    const { inviteId, link } = await people.users.invites.invite(admin, {
      email,
      type: 'MSP_EMPLOYEE',
      ...more,
    });
    await people.users.invites.mail({ organisationId: admin.organisationId, inviteId });
    return link;
  };
  const own = await invite('own@example.com', { type: 'MSP_CUSTOMER', authorizedClientId });
  expect(own).toMatch(/^https:\/\/customers\.test\/invite\//);
  expect(people.letters.at(-1)).toMatchObject({
    to: 'own@example.com',
    subject: `${organization} invites you to your domains and certificates`,
    inItsName: true,
    brand: { name: organization },
  });
  expect(people.letters.at(-1)?.text).not.toContain('Nameward');
  const staff = await invite('staff@example.com', {});
  expect(staff).toMatch(/^https:\/\/portal\.test\/invite\//);
  expect(people.letters.at(-1)).toMatchObject({ inItsName: false });
});

test('an invitation that has expired before its letter left is not mailed', async () => {
  const { inviteId } = await people.users.invites.invite(admin, { email: 'late@example.com', ...employee });
  const before = people.letters.length;
  const mail = () => people.users.invites.mail({ organisationId: admin.organisationId, inviteId });
  const endingAt = (at: Date) =>
    across(database, (tx) =>
      tx.updateTable('invites').set({ expires_at: at }).where('id', '=', inviteId).execute(),
    );
  await endingAt(people.clock.now());
  await mail();
  expect(people.letters).toHaveLength(before);
  await endingAt(new Date(people.clock.now().getTime() + 1));
  await mail();
  expect(people.letters).toHaveLength(before + 1);
});

test('an invitation for a customer who is gone lets nobody in, even one that nobody has cancelled', async () => {
  const authorizedClientId = await newCustomer(admin);
  const identity = identityOf();
  const { link } = await people.users.invites.invite(admin, {
    ...{ email: identity.email ?? '', type: 'MSP_CUSTOMER', authorizedClientId },
  });
  const token = link.split('/').at(-1) ?? '';
  await across(database, (tx) =>
    tx
      .updateTable('customers')
      .set({ deleted_at: people.clock.now() })
      .where('id', '=', authorizedClientId)
      .execute(),
  );
  expect(await people.users.invites.check(identity, token)).toEqual({
    message: 'This invitation was cancelled. Please ask for a new one.',
  });
  await expect(people.users.invites.accept(identity, token, origin)).rejects.toMatchObject(
    code('unprocessable'),
  );
});

test('an invitation whose link does not open any more is not mailed, and its link is told as none', async () => {
  const { inviteId } = await people.users.invites.invite(admin, { email: 'eve@msp.example', ...employee });
  const before = people.letters.length;
  await across(database, (tx) =>
    tx
      .updateTable('invites')
      .set({ token_sealed: randomBytes(60) })
      .where('id', '=', inviteId)
      .execute(),
  );
  await people.users.invites.mail({ organisationId: admin.organisationId, inviteId });
  expect(people.letters).toHaveLength(before);
  expect(await people.users.invites.link(admin, inviteId)).toEqual({ link: '' });
});

test('a colleague is invited for no customer, whatever else was sent', async () => {
  const authorizedClientId = await newCustomer(admin);
  const body = { email: 'dan@msp.example', ...employee, authorizedClientId };
  expect(await people.users.invites.invite(admin, body)).toMatchObject({
    ...{ type: 'MSP_EMPLOYEE', authorizedClientId: null },
  });
});

test('an empty profile that was disabled is told as one that belongs elsewhere, and has nothing to close', async () => {
  const identity = identityOf();
  const { userId } = await people.users.createSubuser(identity);
  const { link } = await people.users.invites.invite(admin, { email: identity.email ?? '', ...employee });
  await across(database, (tx) =>
    tx.updateTable('users').set({ disabled_at: people.clock.now() }).where('id', '=', userId).execute(),
  );
  expect(await people.users.invites.check(identity, link.split('/').at(-1) ?? '')).toEqual({
    message: 'You already belong to an organization. Leave it before you accept this invitation.',
  });
});

test('who accepts is known by the address of this sign-in, whatever it was when the empty profile was made', async () => {
  const identity = identityOf({ email: 'before@msp.example', emailVerified: false });
  await people.users.createSubuser(identity);
  const now = { ...identity, email: 'now@msp.example', emailVerified: true };
  const { link } = await people.users.invites.invite(admin, { email: 'NOW@msp.example', ...employee });
  await people.users.invites.accept(now, link.split('/').at(-1) ?? '', origin);
  const scope = await people.scopeOf(identity);
  expect(await people.users.getProfile(scope)).toMatchObject({
    ...{ email: 'now@msp.example', emailVerified: true, type: 'MSP_EMPLOYEE' },
  });
});

test('an acceptance that meets an empty profile of the same moment takes that one', async () => {
  const identity = identityOf();
  const { link } = await people.users.invites.invite(admin, { email: identity.email ?? '', ...employee });
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const { promise: isThere, resolve: inserted } = Promise.withResolvers<void>();
  const userId = newId();
  const making = across(database, async (tx) => {
    await tx
      .insertInto('users')
      .values({
        ...{ id: userId, organisation_id: null, role: 'MSP_EMPLOYEE', email: identity.email ?? '' },
        ...{ identity_issuer: identity.issuer, identity_subject: identity.subject },
      })
      .execute();
    inserted();
    await mayEnd;
  });
  await isThere;
  const accepting = people.users.invites.accept(identity, link.split('/').at(-1) ?? '', origin);
  accepting.catch(() => undefined);
  const blocked = async () =>
    (await sql`SELECT pid FROM pg_locks WHERE NOT granted`.execute(database.systemDb)).rows.length;
  await expect.poll(blocked).toBeGreaterThan(0);
  end();
  await making;
  await accepting;
  expect(await people.scopeOf(identity)).toMatchObject({ userId, organisationId: admin.organisationId });
});
