import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import {
  cancelInvites,
  consumeInvite,
  countOpenInvites,
  findByToken,
  findOpenInvite,
  type Invite,
  insertInvite,
  isMember,
  listOpenInvites,
  renewInvite,
} from './invites.repo.ts';
import { managersOf } from './organisations.repo.ts';
import { findActor, findBrand, findProfile, placeUser } from './profiles.repo.ts';
import {
  countRole,
  countUsers,
  findUser,
  listUsers,
  livingCustomer,
  markRemoved,
  type PeopleQuery,
  updateUser,
} from './users.repo.ts';

/** Each condition by which people and invitations are let in or not, beside a row that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let scope: Scope;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
  scope = { organisationId } as Scope;
});

const now = new Date('2026-11-22T12:00:00Z');
const later = new Date(now.getTime() + 1);
const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const user = (change: Parameters<typeof userRow>[2] = {}) => userRow(database, organisationId, change);
const read = (id: string) => tenant((tx) => findUser(tx, scope, id));

describe('an invitation', () => {
  async function invite(change: Partial<Invite> = {}): Promise<Invite> {
    const row = {
      ...{ id: newId(), organisation_id: organisationId, email: 'Ada@example.com' },
      ...{
        role: 'MSP_EMPLOYEE' as const,
        customer_id: null,
        invited_by: change.invited_by ?? (await user()),
      },
      ...{ token_hash: randomBytes(32), token_sealed: randomBytes(32) },
      ...{ expires_at: later, accepted_at: null, cancelled_at: null, created_at: now, ...change },
    };
    await tenant(async (tx) => {
      const { accepted_at, cancelled_at, ...open } = row;
      await insertInvite(tx, open);
      await tx.updateTable('invites').set({ accepted_at, cancelled_at }).where('id', '=', row.id).execute();
    });
    return row;
  }
  const isOpen = async (id: string) => (await tenant((tx) => findOpenInvite(tx, scope, id)))?.id === id;
  const consume = (id: string, at = now) => across(database, (tx) => consumeInvite(tx, id, at));

  test('is used up once, before it expires, unless it was cancelled; others stay open', async () => {
    const [mine, beside, cancelled] = [
      await invite(),
      await invite({ email: 'b@example.com' }),
      await invite({ email: 'c@example.com', cancelled_at: now }),
    ];
    expect(await consume(mine.id, later)).toBe(false);
    expect(await consume(cancelled.id)).toBe(false);
    expect([await consume(mine.id), await consume(mine.id)]).toEqual([true, false]);
    expect([await isOpen(mine.id), await isOpen(beside.id)]).toEqual([false, true]);
  });

  test('is open, counted, listed and renewed until it was accepted or cancelled', async () => {
    const [open, ...ended] = [
      await invite(),
      await invite({ email: 'b@example.com', accepted_at: now }),
      await invite({ email: 'c@example.com', cancelled_at: now }),
    ];
    const renewal = () => ({ token_hash: randomBytes(32), token_sealed: randomBytes(32), expires_at: later });
    const renew = (id: string) => tenant((tx) => renewInvite(tx, scope, id, renewal()));
    expect(await isOpen(open.id)).toBe(true);
    expect((await renew(open.id))?.id).toBe(open.id);
    for (const { id } of ended) {
      expect(await isOpen(id)).toBe(false);
      expect(await renew(id)).toBeUndefined();
    }
    expect(await tenant((tx) => countOpenInvites(tx, scope))).toBe(1);
    const { rows, total } = await tenant((tx) => listOpenInvites(tx, scope, { pageSize: 10 }));
    expect([rows.map(({ id }) => id), total]).toEqual([[open.id], 1]);
  });

  test('is listed by address or by type, in pages or all at once, and found by a part of its address', async () => {
    const customer_id = await customerRow(database, organisationId);
    const ofCustomer = { role: 'MSP_CUSTOMER', customer_id } as const;
    await invite({ email: 'Cid@one.example', ...ofCustomer });
    await invite({ email: 'bob@two.example' });
    await invite({ email: 'ann@two.example', ...ofCustomer });
    const list = async (query: Partial<PeopleQuery> = {}) => {
      const { rows, total } = await tenant((tx) => listOpenInvites(tx, scope, { pageSize: 2, ...query }));
      return [total, ...rows.map(({ email }) => email.slice(0, 3))];
    };
    expect(await list()).toEqual([3, 'ann', 'bob', 'Cid']);
    expect(await list({ sort: 'email' })).toEqual([3, 'ann', 'bob', 'Cid']);
    expect(await list({ sort: '-email' })).toEqual([3, 'Cid', 'bob', 'ann']);
    // Of one type they are by address.
    expect(await list({ sort: 'type' })).toEqual([3, 'ann', 'Cid', 'bob']);
    expect(await list({ sort: '-type' })).toEqual([3, 'bob', 'ann', 'Cid']);
    expect(await list({ page: 1 })).toEqual([3, 'ann', 'bob']);
    expect(await list({ page: 2 })).toEqual([3, 'Cid']);
    expect(await list({ search: 'TWO.ex' })).toEqual([2, 'ann', 'bob']);
  });

  test('is cancelled by its number, its customer, its sender, or once it expired for its address', async () => {
    const customerId = await customerRow(database, organisationId);
    const sender = await user();
    const ways = [
      async () => ({ one: await invite(), by: null }),
      async () => ({
        one: await invite({ role: 'MSP_CUSTOMER', customer_id: customerId }),
        by: { customerId },
      }),
      async () => ({ one: await invite({ invited_by: sender }), by: { invitedBy: sender } }),
      async () => ({ one: await invite({ expires_at: now }), by: { expiredFor: 'ADA@example.com' } }),
    ];
    const beside = await invite({ email: 'b@example.com', expires_at: now });
    for (const way of ways) {
      const { one, by } = await way();
      const cancelled = await tenant((tx) => cancelInvites(tx, scope, by ?? { id: one.id }, now));
      expect(cancelled.map(({ id }) => id)).toEqual([one.id]);
    }
    expect(await isOpen(beside.id)).toBe(true);
  });

  test('that is valid is not cancelled with the expired ones; what has ended is not cancelled again', async () => {
    const [valid, accepted, cancelled] = [
      await invite(),
      await invite({ email: 'b@example.com', accepted_at: now }),
      await invite({ email: 'c@example.com', cancelled_at: now }),
    ];
    const cancel = (which: Parameters<typeof cancelInvites>[2]) =>
      tenant((tx) => cancelInvites(tx, scope, which, now));
    expect(await cancel({ expiredFor: valid.email })).toEqual([]);
    expect(await cancel({ id: accepted.id })).toEqual([]);
    expect(await cancel({ id: cancelled.id })).toEqual([]);
    expect(await isOpen(valid.id)).toBe(true);
  });

  test('is found by its own secret, with the organization that it leads to', async () => {
    const [mine] = [await invite(), await invite({ email: 'b@example.com' })];
    const found = (hash: Buffer) => across(database, (tx) => findByToken(tx, hash));
    expect(await found(mine.token_hash)).toMatchObject({
      id: mine.id,
      organisation: 'Test',
      closed_at: null,
    });
    expect(await found(randomBytes(32))).toBeUndefined();
  });

  test('knows members by their address, written as it may be, while they are members', async () => {
    await user({ email: 'Ada@example.com' });
    await user({ email: 'gone@example.com', removed_at: now });
    const member = (email: string) => tenant((tx) => isMember(tx, scope, email));
    expect([await member('ADA@example.com'), await member('gone@example.com')]).toEqual([true, false]);
  });
});

describe('a sign-in', () => {
  const actor = (subject: string, issuer = 'https://identity.test/') =>
    across(database, (tx) => findActor(tx, { issuer, subject }));

  test('finds the person of this issuer and subject who was not removed', async () => {
    const [id, gone] = [await user(), await user({ removed_at: now })];
    expect(await actor(id)).toMatchObject({ userId: id, organisationId, disabled: false, closed: false });
    expect(await actor(gone)).toBeUndefined();
    expect(await actor(id, 'https://elsewhere.test/')).toBeUndefined();
    expect(await actor(newId())).toBeUndefined();
  });

  test('says whether the person is locked out, the organization closed, and the fee paid', async () => {
    const id = await user({ disabled_at: now });
    await across(database, async (tx) => {
      await tx
        .updateTable('organisations')
        .set({ closed_at: now })
        .where('id', '=', organisationId)
        .execute();
      await tx
        .insertInto('billing_profiles')
        .values({ organisation_id: organisationId, initial_fee_paid: true })
        .execute();
    });
    expect(await actor(id)).toMatchObject({ disabled: true, closed: true, initialFeePaid: true });
    expect(await across(database, (tx) => findBrand(tx, organisationId))).toBeNull();
  });

  test('without a place gets one, once, unless removed; nobody else does', async () => {
    const empty = { organisation_id: null } as const;
    const [id, beside, gone] = [
      await user(empty),
      await user(empty),
      await user({ ...empty, removed_at: now }),
    ];
    const place = {
      ...{ organisationId, role: 'MSP_ADMIN' as const, customerId: null },
      ...{ email: 'a@example.com', emailVerified: true },
    };
    const put = (who: string) => across(database, (tx) => placeUser(tx, who, place));
    expect([await put(id), await put(id), await put(gone)]).toEqual([true, false, false]);
    expect(await actor(beside)).toMatchObject({ organisationId: null });
  });

  test('has a profile while it is not removed, in its own organization', async () => {
    const [id, gone] = [await user(), await user({ removed_at: now })];
    const profile = (userId: string) => tenant((tx) => findProfile(tx, { ...scope, userId } as Scope));
    expect(await profile(id)).toMatchObject({ userId: id, organization: 'Test' });
    expect(await profile(gone)).toBeUndefined();
  });

  test.each([
    ['MSP_OWNER', true, true],
    ['MSP_ADMIN', true, true],
    ['MSP_EMPLOYEE', false, true],
    ['MSP_CUSTOMER', false, false],
  ] as const)(
    'of an %s names the payment account: %s; tells of auto balance: %s',
    async (role, names, tells) => {
      const account = `acct_${newId()}`;
      const profile = {
        ...{ organisation_id: organisationId, payment_account_id: account, payment_account_ready: true },
        ...{
          initial_fee_paid: true,
          auto_topup: true,
          auto_topup_cents: 30_000,
          auto_topup_mark_cents: 7_000,
        },
      };
      await across(database, (tx) => tx.insertInto('billing_profiles').values(profile).execute());
      const customer_id = role === 'MSP_CUSTOMER' ? await customerRow(database, organisationId) : null;
      const userId = await user({ role, customer_id });
      expect(await tenant((tx) => findProfile(tx, { ...scope, userId } as Scope))).toMatchObject({
        ...{ stripeAccount: { id: names ? account : null, finishedRequirement: true }, paidInitialFee: true },
        autoBalance: tells
          ? { active: true, amount: 30_000, mark: 7_000 }
          : { active: false, amount: 10_000, mark: 5_000 },
      });
    },
  );

  test.each([
    ['is there', {}, false],
    ['was removed', { removed_at: now }, true],
    ['is locked out', { disabled_at: now }, true],
    ['is an administrator', { role: 'MSP_ADMIN' }, true],
  ] as const)(
    'of an administrator may close the organization unless an owner is there: one who %s',
    async (_who, change, may) => {
      await user({ role: 'MSP_OWNER', ...change });
      await userRow(database, await organisationRow(database), { role: 'MSP_OWNER' });
      const [userId, owner] = [
        await user({ role: 'MSP_ADMIN' }),
        await user({ role: 'MSP_OWNER', removed_at: now }),
      ];
      const permissions = async (id: string) =>
        (await tenant((tx) => findProfile(tx, { ...scope, userId: id } as Scope)))?.permissions ?? [];
      expect((await permissions(userId)).includes('organisation.close')).toBe(may);
      expect(await permissions(owner)).toEqual([]);
    },
  );

  test('before it happens reads the name and the logo of the organization', async () => {
    const brand = () => across(database, (tx) => findBrand(tx, organisationId));
    expect(await brand()).toEqual({ name: 'Test', logoPath: null });
    await tenant((tx) => tx.updateTable('organisations').set({ logo_key: 'a.png' }).execute());
    expect(await brand()).toEqual({ name: 'Test', logoPath: '/api/logo/a.png' });
    expect(await across(database, (tx) => findBrand(tx, newId()))).toBeNull();
  });
});

describe('the people of an organization', () => {
  test('are found, listed and counted until they are removed', async () => {
    const [id, gone] = [await user(), await user({ removed_at: now })];
    expect([(await read(id))?.userId, await read(gone)]).toEqual([id, undefined]);
    expect(await tenant((tx) => countUsers(tx, scope))).toBe(1);
    const { rows } = await tenant((tx) => listUsers(tx, scope, { pageSize: 10 }));
    expect(rows.map(({ userId }) => userId)).toEqual([id]);
  });

  test('are listed by address or by type, in pages or all at once, and found by address, name or customer', async () => {
    const contact = JSON.stringify({ organization: 'Zebra Ltd' });
    const customer_id = await customerRow(database, organisationId, { owner: contact });
    await user({ email: 'Cid@one.example', role: 'MSP_CUSTOMER', customer_id });
    await user({ email: 'bob@two.example', role: 'MSP_OWNER', username: 'Bobby' });
    await user({ email: 'ann@two.example', role: 'MSP_CUSTOMER', customer_id, username: 'ÄNNCHEN' });
    const list = async (query: Partial<PeopleQuery> = {}) => {
      const { rows, total } = await tenant((tx) => listUsers(tx, scope, { pageSize: 2, ...query }));
      return [total, ...rows.map(({ email }) => email.slice(0, 3))];
    };
    expect(await list()).toEqual([3, 'ann', 'bob', 'Cid']);
    expect(await list({ sort: 'email' })).toEqual([3, 'ann', 'bob', 'Cid']);
    expect(await list({ sort: '-email' })).toEqual([3, 'Cid', 'bob', 'ann']);
    expect(await list({ sort: 'type' })).toEqual([3, 'ann', 'Cid', 'bob']);
    expect(await list({ sort: '-type' })).toEqual([3, 'bob', 'ann', 'Cid']);
    expect(await list({ page: 1 })).toEqual([3, 'ann', 'bob']);
    expect(await list({ page: 2 })).toEqual([3, 'Cid']);
    expect(await list({ search: 'ONE.ex' })).toEqual([1, 'Cid']);
    expect(await list({ search: 'bobb' })).toEqual([1, 'bob']);
    for (const search of ['ännch', 'ÄNN']) expect(await list({ search })).toEqual([1, 'ann']);
    expect(await list({ search: 'ZEBRA' })).toEqual([2, 'ann', 'Cid']);
  });

  test('who remain to manage it: those of the role who are neither removed nor locked out, but for one', async () => {
    const admin = { role: 'MSP_ADMIN' as const };
    const me = await user(admin);
    await user(admin);
    await user({ ...admin, removed_at: now });
    await user({ ...admin, disabled_at: now });
    await user();
    expect(await tenant((tx) => countRole(tx, scope, ['MSP_ADMIN'], me))).toBe(1);
  });

  test('who get its letters: each address once of those who manage it and are neither removed nor locked out', async () => {
    const email = (name: string) => `${name}-${newId()}@msp.example`;
    const [owner, admin] = [email('owner'), email('Admin')];
    await user({ role: 'MSP_OWNER', email: owner });
    await user({ role: 'MSP_ADMIN', email: admin });
    // The same person signs in by two ways.
    await user({ role: 'MSP_ADMIN', email: admin.toLowerCase() });
    await user({ role: 'MSP_EMPLOYEE' });
    await user({ role: 'MSP_ADMIN', removed_at: now });
    await user({ role: 'MSP_OWNER', disabled_at: now });
    await userRow(database, await organisationRow(database), { role: 'MSP_OWNER' });
    const found = (await tenant((tx) => managersOf(tx, organisationId))).map((to) => to.toLowerCase());
    expect(found.sort()).toEqual([owner, admin.toLowerCase()].sort());
  });

  test('are removed one by one or with their customer, once', async () => {
    const customerId = await customerRow(database, organisationId);
    const ofCustomer = { role: 'MSP_CUSTOMER', customer_id: customerId } as const;
    const [id, beside] = [await user(), await user()];
    const [theirs] = [await user(ofCustomer), await user({ ...ofCustomer, removed_at: now })];
    const remove = (whom: Parameters<typeof markRemoved>[2]) =>
      tenant((tx) => markRemoved(tx, scope, whom, now));
    expect([await remove({ id }), await remove({ id })]).toEqual([[id], []]);
    expect(await remove({ customerId })).toEqual([theirs]);
    expect((await read(beside))?.userId).toBe(beside);
  });

  test('change role and limit one at a time, and not after they were removed', async () => {
    const [id, beside, gone] = [await user(), await user(), await user({ removed_at: now })];
    const change = { role: 'MSP_ADMIN' as const, customerId: null, dailyLimitCents: 5 };
    for (const who of [id, gone]) await tenant((tx) => updateUser(tx, scope, who, change));
    expect([(await read(id))?.type, (await read(beside))?.type]).toEqual(['MSP_ADMIN', 'MSP_EMPLOYEE']);
    const role = await across(database, (tx) =>
      tx.selectFrom('users').select('role').where('id', '=', gone).executeTakeFirst(),
    );
    expect(role).toEqual({ role: 'MSP_EMPLOYEE' });
  });

  test('may stand for a customer of the organization that lives', async () => {
    const [id, gone] = [
      await customerRow(database, organisationId),
      await customerRow(database, organisationId, { deleted_at: now }),
    ];
    const lives = (asked: string) => tenant((tx) => livingCustomer(tx, organisationId, asked));
    expect([await lives(id), await lives(gone), await lives(newId())]).toEqual([true, false, false]);
  });
});
