import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import {
  countLiving,
  customerIsLiving,
  endLiving,
  findToken,
  insertToken,
  listTokens,
  revokeToken,
} from './tokens.repo.ts';

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

async function token(change: { userId?: string; customerId?: string; expiresAt?: Date } = {}) {
  const userId = change.userId ?? (await userRow(database, organisationId));
  const [id, tokenHash] = [newId(), randomBytes(32)];
  const reach = change.customerId ? ('customer' as const) : ('organisation' as const);
  const limits = { reach, customerId: change.customerId ?? null, expiresAt: change.expiresAt ?? null };
  const given = { id, name: 'script', tokenHash, permissions: ['domains.read' as const], now, ...limits };
  await tenant((tx) => insertToken(tx, scopeOf(userId), given));
  const opens = async () => (await findToken(database.systemDb, tokenHash, now))?.id === id;
  return { id, userId, tokenHash, opens };
}
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

  test('ends with an organization that was closed', async () => {
    const closed = await organisationRow(database);
    const userId = await userRow(database, closed);
    const [id, tokenHash] = [newId(), randomBytes(32)];
    const given = {
      id,
      name: 'script',
      tokenHash,
      permissions: ['domains.read' as const],
      now,
      expiresAt: null,
    };
    await within(database, closed, (tx) =>
      insertToken(tx, { organisationId: closed, userId } as Scope, {
        ...given,
        reach: 'organisation',
        customerId: null,
      }),
    );
    expect(await findToken(database.systemDb, tokenHash, now)).toMatchObject({ id });
    await set('organisations', closed, { closed_at: now });
    expect(await findToken(database.systemDb, tokenHash, now)).toBeUndefined();
  });
});

describe('an end', () => {
  test('revoked: the token that is meant, once, of the own organization', async () => {
    const [mine, beside] = [await token(), await token()];
    const revoke = (scope: Scope) => tenant((tx) => revokeToken(tx, scope, mine.id, now));
    expect(await revoke({ ...scopeOf(mine.userId), organisationId: newId() })).toBeUndefined();
    expect(await revoke(scopeOf(mine.userId))).toBe('script');
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
