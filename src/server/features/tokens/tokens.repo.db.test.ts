import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import type { AuditAction } from '../../../contracts/values/audit-actions.ts';
import { newId } from '../../kernel/ids.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '../../kernel/scope.ts';
import {
  countLiving,
  customerIsLiving,
  endLiving,
  eraseTokens,
  findToken,
  insertToken,
  listTokens,
  markUsed,
  revokeToken,
} from './tokens.repo.ts';
import { createTokens } from './tokens.service.ts';

/** Each condition by which a token opens the API or is ended, beside a token that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const scopeOf = (userId: string) => ({ organisationId, userId }) as Scope;

async function token(
  change: { organisationId?: string; userId?: string; customerId?: string; expiresAt?: Date; at?: Date } = {},
) {
  const own = change.organisationId ?? organisationId;
  const userId = change.userId ?? (await userRow(database, own));
  const [id, tokenHash] = [newId(), randomBytes(32)];
  const reach = change.customerId ? ('customer' as const) : ('organisation' as const);
  const limits = { reach, customerId: change.customerId ?? null, expiresAt: change.expiresAt ?? null };
  const made = { id, name: 'script', tokenHash, permissions: ['domains.read' as const] };
  const given = { ...made, now: change.at ?? now, ...limits };
  await within(database, own, (tx) => insertToken(tx, { organisationId: own, userId } as Scope, given));
  const opens = async () => (await findToken(database.systemDb, tokenHash, now))?.id === id;
  return { id, userId, tokenHash, opens };
}
/** Under whose key the log keeps what it says of these acts. */
const subjectsOf = (own: string, actions: readonly AuditAction[]) =>
  within(database, own, async (tx) => {
    const rows = await tx
      .selectFrom('audit_log')
      .select(['before', 'after'])
      .where('action', 'in', [...actions])
      .execute();
    const values = rows.flatMap(({ before, after }) => [before, after]) as ({ sealedFor: string } | null)[];
    return values.filter((value) => value !== null).map(({ sealedFor }) => sealedFor);
  });
const set = (table: 'users' | 'organisations' | 'customers', id: string, change: object) =>
  across(database, (tx) => tx.updateTable(table).set(change).where('id', '=', id).execute());

describe('a secret', () => {
  test('opens the API as its own token, and no other does', async () => {
    const [mine, other] = [await token(), await token()];
    expect(await mine.opens()).toBe(true);
    expect(await other.opens()).toBe(true);
    expect(await findToken(database.systemDb, randomBytes(32), now)).toBeUndefined();
  });

  test('opens until its last moment, and not at it', async () => {
    expect(await (await token({ expiresAt: new Date(now.getTime() + 1) })).opens()).toBe(true);
    expect(await (await token({ expiresAt: now })).opens()).toBe(false);
  });

  test.each([{ removed_at: now }, { disabled_at: now }])('ends with its person: %o', async (change) => {
    const mine = await token();
    await set('users', mine.userId, change);
    expect(await mine.opens()).toBe(false);
  });

  test('ends with a person who belongs to another organization now', async () => {
    const mine = await token();
    await set('users', mine.userId, { organisation_id: await organisationRow(database) });
    expect(await mine.opens()).toBe(false);
  });

  test('ends with the customer that it is for, and with the customer of its person', async () => {
    const [customerId, ofPerson] = [
      await customerRow(database, organisationId),
      await customerRow(database, organisationId),
    ];
    const userId = await userRow(database, organisationId, { role: 'MSP_CUSTOMER', customer_id: ofPerson });
    // One that names no customer still has no more than its person.
    const [mine, other] = [await token({ customerId }), await token({ userId })];
    expect([await mine.opens(), await other.opens()]).toEqual([true, true]);
    await set('customers', customerId, { deleted_at: now });
    expect([await mine.opens(), await other.opens()]).toEqual([false, true]);
    await set('customers', ofPerson, { deleted_at: now });
    expect(await other.opens()).toBe(false);
  });

  test('is used at most a minute after that was last written down, by its own token alone', async () => {
    const [mine, beside] = [await token(), await token()];
    const isStale = async (at = now) => (await findToken(database.systemDb, mine.tokenHash, at))?.stale;
    expect(await isStale()).toBe(true);
    await markUsed(database.systemDb, mine.id, now);
    expect(await isStale()).toBe(false);
    expect(await isStale(new Date(now.getTime() + 60_000))).toBe(false);
    expect(await isStale(new Date(now.getTime() + 60_001))).toBe(true);
    expect((await findToken(database.systemDb, beside.tokenHash, now))?.stale).toBe(true);
  });

  test('says whether the organization has made its first payment', async () => {
    const own = await organisationRow(database);
    const mine = await token({ organisationId: own });
    const paid = async () => (await findToken(database.systemDb, mine.tokenHash, now))?.initialFeePaid;
    expect(await paid()).toBe(false);
    const row = { organisation_id: own, initial_fee_paid: true };
    await within(database, own, (tx) => tx.insertInto('billing_profiles').values(row).execute());
    expect(await paid()).toBe(true);
  });

  test('ends with an organization that was closed', async () => {
    const closed = await organisationRow(database);
    const mine = await token({ organisationId: closed });
    expect(await mine.opens()).toBe(true);
    await set('organisations', closed, { closed_at: now });
    expect(await mine.opens()).toBe(false);
  });
});

describe('an end', () => {
  test('revoked: the token that is meant, once, of the own organization', async () => {
    const [mine, beside] = [await token(), await token()];
    const revoke = (scope: Scope) => tenant((tx) => revokeToken(tx, scope, mine.id, now));
    expect(await revoke({ ...scopeOf(mine.userId), organisationId: newId() })).toBeUndefined();
    expect(await revoke(scopeOf(mine.userId))).toEqual({
      ...{ name: 'script', customer_id: null, user_id: mine.userId },
    });
    expect(await revoke(scopeOf(mine.userId))).toBeUndefined();
    expect([await mine.opens(), await beside.opens()]).toEqual([false, true]);
  });

  test('with a person or a customer: what is theirs and still lives, and its first reason stays', async () => {
    const customerId = await customerRow(database, organisationId);
    const [mine, ofCustomer, beside] = [await token(), await token({ customerId }), await token()];
    const end = (whose: Parameters<typeof endLiving>[2]) =>
      tenant((tx) => endLiving(tx, { organisationId }, whose, 'person_removed', now));
    expect(await end({ userId: mine.userId })).toMatchObject([{ id: mine.id }]);
    expect(await end({ customerId })).toMatchObject([{ id: ofCustomer.id }]);
    expect(await end({ userId: mine.userId })).toEqual([]);
    expect([await mine.opens(), await ofCustomer.opens(), await beside.opens()]).toEqual([
      false,
      false,
      true,
    ]);
  });
});

test('the list holds what lives and what was ended by its time or a change since; what a person revoked is gone', async () => {
  const since = new Date(now.getTime() - 1_000);
  const [living, ended, before, revoked] = [await token(), await token(), await token(), await token()];
  const end = (userId: string, at: Date) =>
    tenant((tx) => endLiving(tx, { organisationId }, { userId }, 'person_removed', at));
  await end(ended.userId, now);
  await end(before.userId, since);
  await tenant((tx) => revokeToken(tx, scopeOf(revoked.userId), revoked.id, now));
  // Their time was over at the same moments; living ones come first, whether they have an end or not.
  const [late, longOver] = [await token({ expiresAt: now }), await token({ expiresAt: since })];
  const last = await token({ expiresAt: new Date(now.getTime() + 1) });
  await tenant((tx) => endLiving(tx, { organisationId }, { userId: longOver.userId }, 'person_removed', now));
  const listed = (await tenant((tx) => listTokens(tx, scopeOf(living.userId), now, { since }))).map(
    ({ id }) => id,
  );
  expect([late, longOver, last].map(({ id }) => listed.includes(id))).toEqual([true, false, true]);
  const places = [living, last, late, ended].map(({ id }) => listed.indexOf(id));
  expect(Math.max(...places.slice(0, 2))).toBeLessThan(Math.min(...places.slice(2)));
  expect([living, ended, before, revoked].map(({ id }) => listed.includes(id))).toEqual([
    ...[true, true],
    ...[false, false],
  ]);
});

test('of those that live the newest comes first, and each names its person and its customer', async () => {
  const own = await organisationRow(database);
  const contact = JSON.stringify({ organization: 'Zebra Ltd' });
  const customerId = await customerRow(database, own, { owner: contact });
  const userId = await userRow(database, own, { role: 'MSP_ADMIN', email: 'ann@msp.example' });
  const at = (minute: number) => new Date(now.getTime() - minute * 60_000);
  const make = (minute: number, change = {}) =>
    token({ organisationId: own, userId, at: at(minute), ...change });
  const [old, newest, middle] = [await make(3), await make(1, { customerId }), await make(2)];
  const list = (which: Parameters<typeof listTokens>[3]) =>
    within(database, own, (tx) => listTokens(tx, { organisationId: own } as Scope, now, which));
  const rows = await list({ since: at(9) });
  expect(rows.map(({ id }) => id)).toEqual([newest.id, middle.id, old.id]);
  expect(rows[0]).toMatchObject({
    ...{ email: 'ann@msp.example', role: 'MSP_ADMIN', customerId, customer: 'Zebra Ltd', created_at: at(1) },
  });
  expect(rows[1]).toMatchObject({ customerId: null, customer: null });
  expect((await list({ id: old.id })).map(({ id }) => id)).toEqual([old.id]);
});

test('of an erased person or customer tokens end and lose their names; an end that was before stays, and so do others', async () => {
  const customerId = await customerRow(database, organisationId);
  const before = new Date(now.getTime() - 1_000);
  const [mine, ended, ofCustomer, beside] = [
    await token(),
    await token(),
    await token({ customerId }),
    await token({ customerId: await customerRow(database, organisationId) }),
  ];
  await tenant((tx) => revokeToken(tx, scopeOf(ended.userId), ended.id, before));
  const read = async ({ id }: { id: string }) =>
    across(database, (tx) =>
      tx
        .selectFrom('api_tokens')
        .select(['name', 'revoked_at', 'ended_because'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
    );
  const erase = (whose: Parameters<typeof eraseTokens>[2]) =>
    tenant((tx) => eraseTokens(tx, { organisationId }, whose, now));
  const living = { name: 'script', revoked_at: null, ended_because: null };
  const erased = { name: 'Erased', revoked_at: now, ended_because: 'erased' };
  await erase({ userIds: [mine.userId, ended.userId], customerId: null });
  expect(await Promise.all([mine, ended, ofCustomer, beside].map(read))).toEqual([
    ...[erased, { ...erased, revoked_at: before }, living, living],
  ]);
  await erase({ userIds: [], customerId });
  expect(await Promise.all([ofCustomer, beside].map(read))).toEqual([erased, living]);
});

describe('the tokens of an organization', () => {
  let [own, userId, at] = ['', '', now];
  const tokens = () =>
    createTokens({ db: database.db, systemDb: database.systemDb, clock: { now: () => at }, newId });
  const scope = (): Scope => ({
    ...{ organisationId: own, userId, email: 'ann@msp.example', role: 'MSP_ADMIN', rights: rightsOfRole },
    ...{ reach: wholeOrganisation, ip: null, requestId: 'test' },
  });
  beforeEach(async () => {
    own = await organisationRow(database);
    userId = await userRow(database, own, { role: 'MSP_ADMIN', email: `ann-${own}@msp.example` });
    at = now;
  });
  const wish = { name: 'Backup', permissions: ['domains.read', 'domains.read', 'orders.read'] as never };

  test('have each right once, and end so many days after they are made, or never', async () => {
    const made = await tokens().create(scope(), { ...wish, validDays: 30 });
    expect(made).toMatchObject({
      ...{ permissions: ['domains.read', 'orders.read'], opens: ['domains.read', 'orders.read'] },
      ...{ expiresAt: '2026-12-22T12:00:00.000Z', createdAt: now.toISOString(), lastUsedAt: null },
      ...{ customerId: null, customer: '', createdBy: `ann-${own}@msp.example`, ended: null },
    });
    expect((await tokens().create(scope(), wish)).expiresAt).toBeNull();
    const given = { name: 'Backup', permissions: ['domains.read', 'orders.read'], customerId: null };
    expect((await logged(database.db, scope(), 'tokens.create')).map(({ after }) => after)).toEqual([
      { ...given, expiresAt: '2026-12-22T12:00:00.000Z' },
      { ...given, expiresAt: null },
    ]);
  });

  test('are for a living customer of the organization alone', async () => {
    const gone = await customerRow(database, own, { deleted_at: now });
    for (const customerId of [gone, newId(), await customerRow(database, organisationId)]) {
      await expect(tokens().create(scope(), { ...wish, customerId })).rejects.toMatchObject({
        code: 'not_found',
      });
    }
    expect(await tokens().list(scope())).toEqual([]);
  });

  test('are shown for 90 days after their time is over', async () => {
    await tokens().create(scope(), { ...wish, validDays: 1 });
    const shown = async (days: number, ms: number) => {
      at = new Date(now.getTime() + days * 86_400_000 + ms);
      return (await tokens().list(scope())).map(({ opens, ended }) => [opens, ended?.because ?? null]);
    };
    expect(await shown(1, -1)).toEqual([[['domains.read', 'orders.read'], null]]);
    expect(await shown(1, 0)).toEqual([[[], 'It expired']]);
    expect(await shown(91, -1)).toEqual([[[], 'It expired']]);
    expect(await shown(91, 0)).toEqual([]);
  });

  test('act in the name of their person, who is named with them, by the rights that they were given', async () => {
    const { id, token: secret } = await tokens().create(scope(), wish);
    expect(await tokens().loadByToken(secret)).toEqual({
      actor: {
        ...{ userId, organisationId: own, email: `ann-${own}@msp.example (Backup)`, tokenId: id },
        ...{ role: 'MSP_ADMIN', reach: wholeOrganisation },
        rights: { kind: 'named', permissions: ['domains.read', 'orders.read'] },
      },
      initialFeePaid: false,
    });
    expect((await tokens().list(scope()))[0]?.lastUsedAt).toBe(now.toISOString());
    expect(await tokens().loadByToken(`${secret}x`)).toBeNull();
  });

  test('that are revoked or end are logged for their customer and under the key of their person, also when another person ends them', async () => {
    const customerId = await customerRow(database, own);
    const [revoked, ended] = [
      await tokens().create(scope(), { ...wish, customerId }),
      await tokens().create(scope(), { ...wish, customerId }),
    ];
    const colleague = { ...scope(), userId: await userRow(database, own, { role: 'MSP_ADMIN' }) };
    await tokens().revoke(colleague, revoked.id);
    await expect(tokens().revoke(colleague, revoked.id)).rejects.toMatchObject({ code: 'not_found' });
    const place = (customer: string | null) => ({ role: 'MSP_CUSTOMER' as const, customerId: customer });
    await within(database, own, (tx) =>
      tokens().personChanged(tx, colleague, userId, place(customerId), place(newId())),
    );
    const entry = { by: colleague.userId, kind: 'api token', before: { name: 'Backup' } };
    expect(await logged(database.db, colleague, 'tokens.revoke')).toEqual([
      { ...entry, object: revoked.id, after: null },
    ]);
    expect(await logged(database.db, colleague, 'tokens.end')).toEqual([
      { ...entry, object: ended.id, after: { because: 'person_changed_customer' } },
    ]);
    for (const action of ['tokens.create', 'tokens.revoke', 'tokens.end'] as const) {
      expect(new Set(await loggedAbout(database.db, colleague, action))).toEqual(new Set([customerId]));
    }
    const keys = await subjectsOf(own, ['tokens.create', 'tokens.revoke', 'tokens.end']);
    expect(new Set(keys)).toEqual(new Set([userId]));
    expect((await tokens().list(colleague)).map(({ ended: end }) => end?.because)).toEqual([
      `ann-${own}@msp.example moved to another customer`,
    ]);
  });
});

test('the limit counts what lives in the own organization', async () => {
  const own = await organisationRow(database);
  const count = () => within(database, own, (tx) => countLiving(tx, { organisationId: own } as Scope, now));
  expect(await count()).toBe(0);
  const mine = await token();
  const living = await tenant((tx) => countLiving(tx, scopeOf(mine.userId), now));
  await token({ expiresAt: now });
  await tenant((tx) => revokeToken(tx, scopeOf(mine.userId), mine.id, now));
  expect(await tenant((tx) => countLiving(tx, scopeOf(mine.userId), now))).toBe(living - 1);
  await token({ expiresAt: new Date(now.getTime() + 1) });
  expect(await tenant((tx) => countLiving(tx, scopeOf(mine.userId), now))).toBe(living);
});

test('a token is for a living customer of the own organization', async () => {
  const customerId = await customerRow(database, organisationId);
  const lives = (id: string) => tenant((tx) => customerIsLiving(tx, scopeOf(newId()), id));
  expect([await lives(customerId), await lives(newId())]).toEqual([true, false]);
  await set('customers', customerId, { deleted_at: now });
  expect(await lives(customerId)).toBe(false);
});
