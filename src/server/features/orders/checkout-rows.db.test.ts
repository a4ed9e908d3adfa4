import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { rightsOfRole, type Scope, wholeOrganisation } from '#kernel/scope.ts';
import { createSeal } from '#kernel/seal.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import {
  customerRow,
  domainRow,
  newName,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { adjust, balances } from '../../ledger/ledger.ts';
import { createCheckout } from './checkout.ts';
import { secretsContext } from './item.ts';
import { type Line, lineOf, requestOf } from './lines.ts';
import { itemsOfOrder } from './orders.repo.ts';

/** What an order leaves behind before anything of it is sent, kind by kind: by this alone it is sent, found and paid. */

const now = new Date('2026-11-22T12:00:00Z');
const expiresAt = new Date('2026-12-10T00:00:00Z');
const seal = createSeal([{ number: 1, secret: 'test' }]);
let database: TestDatabase;
let scope: Scope;
let customerId: string;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  const organisationId = await organisationRow(database);
  const userId = await userRow(database, organisationId);
  customerId = await customerRow(database, organisationId);
  scope = {
    ...{ organisationId, userId, email: 'ann@msp.example', role: 'MSP_EMPLOYEE', reach: wholeOrganisation },
    ...{ rights: rightsOfRole, ip: null, requestId: 'test' },
  };
  await tenant((tx) => adjust(tx, { organisationId, cents: 500_00, ref: 'start', actor: 'test', text: '' }));
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, scope.organisationId, run);
/** `premium`: the registry asks more for each name. */
const buy = (lines: Line[], seenCents: number, { premium = false } = {}) =>
  createCheckout({
    ...{ db: database.db, clock: { now: () => now }, seal, pendingLimitCents: 0 },
    customers: { contactsForOrder: async (_tx, _scope, id) => (id === customerId ? contactsOf() : null) },
    pricing: {
      domains: { price: async () => ({ priceCents: 12_31, costCents: 10_00, premium }) } as never,
      certificates: {
        known: async () => null,
        price: async () => ({ priceCents: 50_00, costCents: 40_00 }),
      } as never,
    },
    readCsr: async (pem, use) => ({ pem: `read ${pem} for ${use?.domain}`, names: [pem] }) as never,
    requireRegistrarFunds: async () => undefined,
  })(scope, requestOf(lines, seenCents), null);
const itemsOf = (orderId: string) => tenant((tx) => itemsOfOrder(tx, scope, orderId));
const readOrder = (orderId: string) =>
  tenant((tx) => tx.selectFrom('orders').selectAll().where('id', '=', orderId).executeTakeFirstOrThrow());
const unsealed = (id: string, sealed: Buffer | null) =>
  sealed &&
  (JSON.parse(seal.open(sealed, secretsContext(scope.organisationId, id))) as Record<string, string>);

test('an order and each kind of item are written in whole, and its money is held', async () => {
  const { organisationId } = scope;
  const owned = await domainRow(database, organisationId, { customer_id: customerId, expires_at: expiresAt });
  const gone = await domainRow(database, organisationId, {
    ...{ customer_id: customerId, status: 'expired', expires_at: expiresAt, restorable_until: expiresAt },
  });
  const [fresh, moved, safe] = [newName(), newName(), newName()];
  const bought = { customerId, autoRenew: true };
  const { orderId, itemIds, replay } = await buy(
    [
      lineOf({ ...bought, kind: 'domain', address: fresh, years: 3, privacy: true }),
      lineOf({ kind: 'renewal', address: owned.address, years: 2, autoRenew: false }),
      lineOf({ ...bought, kind: 'transfer', address: moved, authCode: 'code-1' }),
      lineOf({ kind: 'redemption', address: gone.address }),
      lineOf({
        ...{ kind: 'certificate', address: safe, customerId, years: 2 },
        certificate: {
          ...{ provider: 'digicert', productType: 'rapidssl', csr: safe, validation: 'Email' },
          ...{ approverEmail: `admin@${safe}`, regType: 'new', acmeAccessId: 'access-1' },
        },
      }),
    ],
    4 * 12_31 + 50_00,
  );
  const totalCents = 4 * 12_31 + 50_00;
  expect(replay).toBeNull();
  expect(await readOrder(orderId)).toMatchObject({
    ...{ organisation_id: organisationId, user_id: scope.userId, source: 'cart', state: 'held' },
    ...{ total_cents: totalCents, attached: [], created_at: now, ended_at: null },
  });
  const items = await itemsOf(orderId);
  expect(items.map(({ id }) => id)).toEqual(itemIds);
  const common = {
    ...{ id: expect.any(String), organisationId, orderId, customerId, years: 1, priceCents: 12_31 },
    ...{ costCents: 10_00, state: 'queued', attempt: 0, checks: 0, sentAt: null, unknownSince: null },
    ...{ registrarOrderId: null, expiryYear: null, publicError: null, outcomeNote: null },
    ...{ secretsSealed: null, createdAt: now, updatedAt: now },
  };
  const contacts = contactsOf();
  expect(items).toEqual([
    {
      ...{ ...common, kind: 'domain', address: fresh, years: 3, secretsSealed: expect.any(Buffer) },
      details: { privacy: true, autoRenew: true, contacts },
    },
    {
      ...{ ...common, kind: 'renewal', address: owned.address, years: 2, expiryYear: 2026 },
      details: { privacy: false, autoRenew: false },
    },
    {
      ...{ ...common, kind: 'transfer', address: moved, secretsSealed: expect.any(Buffer) },
      details: { privacy: false, autoRenew: true, contacts },
    },
    { ...common, kind: 'redemption', address: gone.address, details: { privacy: false } },
    {
      ...{ ...common, kind: 'certificate', address: safe, years: 2, priceCents: 50_00, costCents: 40_00 },
      details: {
        ...{ privacy: false, contacts },
        certificate: {
          ...{
            provider: 'digicert',
            productType: 'rapidssl',
            csr: `read ${safe} for ${safe}`,
            validation: 'Email',
          },
          ...{ approverEmail: `admin@${safe}`, renewsOrderId: null, acmeAccessId: 'access-1' },
        },
      },
    },
  ]);
  expect(await tenant((tx) => balances(tx, organisationId))).toEqual({
    ...{ balanceCents: 500_00 - totalCents, heldCents: totalCents, pendingCents: 0 },
  });
  const looks = await tenant((tx) =>
    tx.selectFrom('order_items').select('next_check_at').where('order_id', '=', orderId).execute(),
  );
  // What lost its process before it was sent is found by then.
  expect(new Set(looks.map((look) => look.next_check_at?.getTime()))).toEqual(
    new Set([now.getTime() + 15_000]),
  );
});

test('a registration and a transfer have a login of their own at the registrar, sealed, and a transfer its code', async () => {
  const { orderId } = await buy(
    [
      lineOf({ kind: 'domain', address: newName(), customerId }),
      lineOf({ kind: 'transfer', address: newName(), customerId, authCode: 'code-1' }),
    ],
    2 * 12_31,
  );
  const [registration, transfer] = (await itemsOf(orderId)).map(({ id, secretsSealed }) =>
    unsealed(id, secretsSealed),
  );
  const login = {
    username: expect.stringMatching(/^[0-9a-f]{20}$/),
    password: expect.stringMatching(/^[A-Za-z0-9_~]{20}$/),
  };
  expect(registration).toEqual(login);
  expect(transfer).toEqual({ ...login, authCode: 'code-1' });
  expect(transfer?.username).not.toBe(registration?.username);
  expect(transfer?.password).not.toBe(registration?.password);
});

test('a premium name is kept as one, with the cost at which it was quoted', async () => {
  const { orderId } = await buy([lineOf({ kind: 'domain', address: newName(), customerId })], 12_31, {
    premium: true,
  });
  expect(await itemsOf(orderId)).toMatchObject([
    { costCents: 10_00, details: { privacy: false, premium: true, contacts: contactsOf() } },
  ]);
});

test('the log says of each thing what it is, for whom, for how long and how much, under the name of its act', async () => {
  const { organisationId } = scope;
  const owned = await domainRow(database, organisationId, { expires_at: expiresAt });
  const gone = await domainRow(database, organisationId, {
    ...{ customer_id: customerId, status: 'expired', expires_at: expiresAt, restorable_until: expiresAt },
  });
  const [fresh, moved] = [newName(), newName()];
  const { orderId, itemIds } = await buy(
    [
      lineOf({ kind: 'domain', address: fresh, customerId, years: 3 }),
      lineOf({ kind: 'transfer', address: moved, customerId, authCode: 'code-1' }),
      lineOf({ kind: 'renewal', address: owned.address, years: 2 }),
      lineOf({ kind: 'redemption', address: gone.address }),
    ],
    4 * 12_31,
  );
  const expected = [
    ['orders.purchase', fresh, 'domain', 3, customerId],
    ['orders.transfer', moved, 'transfer', 1, customerId],
    // A name of no customer is about none.
    ['orders.renew', owned.address, 'renewal', 2, null],
    ['orders.restore', gone.address, 'redemption', 1, customerId],
  ] as const;
  for (const [index, [action, object, kind, years, about]] of expected.entries()) {
    expect(await logged(database.db, scope, action)).toEqual([
      {
        ...{ by: scope.userId, kind: 'order item', object, before: null },
        after: { order: orderId, item: itemIds[index], kind, years, priceCents: 12_31 },
      },
    ]);
    expect(await loggedAbout(database.db, scope, action)).toEqual([about]);
  }
  const moments = await tenant((tx) =>
    tx.selectFrom('audit_log').select('at').where('object_kind', '=', 'order item').execute(),
  );
  expect(moments).toEqual(expected.map(() => ({ at: now })));
});

test('a cart of which everything is being bought already is an order that has ended, follows it, and costs nothing', async () => {
  const line = lineOf({ kind: 'domain', address: newName(), customerId });
  const first = await buy([line], 12_31);
  const second = await buy([line], 12_31);
  expect(second.itemIds).toEqual([]);
  expect(await readOrder(second.orderId)).toMatchObject({
    ...{ state: 'settled', total_cents: 0, attached: first.itemIds, ended_at: now },
  });
  expect((await tenant((tx) => balances(tx, scope.organisationId))).heldCents).toBe(12_31);
  expect(await logged(database.db, scope, 'orders.purchase')).toHaveLength(1);
});
