import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import {
  certificateRow,
  customerRow,
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { AppError } from '../../../contracts/errors.ts';
import { jobActions } from '../../../contracts/values/audit-actions.ts';
import { sql } from '../../kernel/db/database.ts';
import { isClosedOrganisation } from '../../kernel/db/open-organisation.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '../../kernel/scope.ts';
import { createSeal } from '../../kernel/seal.ts';
import { adjust, balances, expectTopUp } from '../../ledger/ledger.ts';
import { createCheckout } from './checkout.ts';
import { type Line, lineOf, requestOf } from './lines.ts';
import { itemsOfOrder, listOrders } from './orders.repo.ts';
import { createOrders } from './orders.service.ts';

/** From lines to an order with held money: what is refused before anything is held, and what is written with it. */

const cost = 10_00;
const price = 12_31;
let database: TestDatabase;
let scope: Scope;
let customerId: string;
const requireRegistrarFunds = vi.fn(async (_costCents: number) => undefined);
const clock = { now: () => new Date('2026-11-22T12:00:00Z') };

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
  await tenant((tx) => adjust(tx, { organisationId, cents: 100_00, ref: 'start', actor: 'test', text: '' }));
  requireRegistrarFunds.mockReset();
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, scope.organisationId, run);
const checkout = (pendingLimitCents = 0) =>
  createCheckout({
    ...{ db: database.db, clock, seal: createSeal([{ number: 1, secret: 'test' }]), pendingLimitCents },
    customers: { contactsForOrder: async (_tx, _scope, id) => (id === customerId ? contactsOf() : null) },
    pricing: {
      domains: { price: async () => ({ priceCents: price, costCents: cost, premium: false }) } as never,
      certificates: {
        known: async () => null,
        price: async (_type: string, years: number) => ({
          priceCents: price * years,
          costCents: cost * years,
        }),
      } as never,
    },
    // A stand-in for a request: its names, one after the other.
    readCsr: async (pem: string) => {
      if (pem === 'WRONG') throw new AppError('unprocessable', { message: 'This CSR is wrong' });
      return { pem, names: pem.split(' ') } as never;
    },
    requireRegistrarFunds,
  });
const certificateOf = (change: Partial<NonNullable<Line['certificate']>> = {}) => ({
  ...{ provider: 'RapidSSL', productType: 'rapidssl', csr: 'CSR', validation: 'DNS' as const },
  ...{ approverEmail: null, regType: 'new' as const, ...change },
});
const domain = (change: Partial<Line> = {}) =>
  lineOf({ kind: 'domain', address: newName(), customerId, ...change });
const buy = (lines: Line[], options: { key?: string; source?: 'cart' | 'auto_renew'; seen?: number } = {}) =>
  checkout()(scope, requestOf(lines, options.seen ?? price * lines.length), options.key ?? null, {
    source: options.source ?? 'cart',
  });
const limit = (cents: number | null) =>
  tenant((tx) =>
    tx.updateTable('users').set({ daily_limit_cents: cents }).where('id', '=', scope.userId).execute(),
  );
const figures = () => tenant((tx) => balances(tx, scope.organisationId));
/** The renewal of a domain whose expiry has moved by a year since it was seen. */
async function seenBefore(): Promise<Line> {
  const change = { expires_at: new Date('2027-12-10T00:00:00Z') };
  const { address } = await domainRow(database, scope.organisationId, change);
  return lineOf({ kind: 'renewal', address, seenExpiry: new Date('2026-12-10T00:00:00Z') });
}

describe('an order is refused, and holds nothing,', () => {
  const nothingHeld = async () => expect((await figures()).heldCents).toBe(0);

  test('above the daily limit of an employee, which may be used up to the last cent', async () => {
    await limit(price);
    await buy([domain()]);
    await expect(buy([domain()])).rejects.toMatchObject({ code: 'daily_limit' });
    expect((await figures()).heldCents).toBe(price);
  });

  test.each([
    ['2026-11-21T23:59:59.999Z', 'taken'],
    ['2026-11-22T00:00:00.000Z', 'daily_limit'],
  ])('above that limit with what was ordered since midnight UTC: at %s, it is %s', async (at, end) => {
    const { organisationId, userId } = scope;
    const earlier = { user_id: userId, created_at: new Date(at) };
    const orderId = await orderRow(database, organisationId, earlier);
    await itemRow(database, { organisationId, orderId }, { state: 'succeeded', price_cents: 1 });
    await limit(price);
    const bought = buy([domain()]).then(
      () => 'taken',
      (error: AppError) => error.code,
    );
    expect(await bought).toBe(end);
  });

  test('for everything of an employee whose daily limit is nothing', async () => {
    await limit(0);
    await expect(buy([domain()])).rejects.toMatchObject({ code: 'daily_limit' });
    await nothingHeld();
  });

  test('when the registrar would refuse it for want of our own funds, asked by what it costs us', async () => {
    requireRegistrarFunds.mockRejectedValueOnce(new AppError('registrar_unfunded'));
    await expect(buy([domain(), domain()])).rejects.toMatchObject({ code: 'registrar_unfunded' });
    expect(requireRegistrarFunds).toHaveBeenCalledWith(2 * cost);
    await nothingHeld();
  });

  test('of an organization that was closed meanwhile', async () => {
    await tenant((tx) => sql`UPDATE organisations SET closed_at = ${clock.now()}`.execute(tx));
    const error: unknown = await buy([domain()]).catch((refusal: unknown) => refusal);
    expect(error instanceof Error && isClosedOrganisation(error)).toBe(true);
    await nothingHeld();
  });

  test('at another price than was seen', async () => {
    await expect(buy([domain()], { seen: price - 1 })).rejects.toMatchObject({ code: 'price_changed' });
    await nothingHeld();
  });

  test.each(['domain', 'transfer'] as const)(
    'for a name that is in the account already (%s)',
    async (kind) => {
      const { address } = await domainRow(database, scope.organisationId);
      const bought = buy([domain({ kind, address, ...(kind === 'transfer' ? { authCode: 'x' } : {}) })]);
      await expect(bought).rejects.toMatchObject({
        ...{ code: 'unprocessable', message: `${address} is already in your account` },
      });
      await nothingHeld();
    },
  );

  test.each([
    ['domain', {}],
    ['transfer', { authCode: 'x' }],
    ['certificate', { certificate: certificateOf() }],
  ] as const)('for nobody (%s): without a customer, or with one of somebody else', async (kind, change) => {
    for (const whose of [null, await customerRow(database, await organisationRow(database))]) {
      const line = lineOf({ kind, address: newName(), customerId: whose, ...change });
      await expect(buy([line])).rejects.toMatchObject({
        ...{ code: 'not_found', message: `${line.address}: please choose a customer` },
      });
    }
    await nothingHeld();
  });

  test('to restore what the registry does not give back, or not any more, or what is not in the account', async () => {
    const expired = { status: 'expired', expires_at: new Date('2026-10-01T00:00:00Z') } as const;
    for (const change of [
      { ...expired, restorable_until: null },
      { ...expired, restorable_until: clock.now() },
      { status: 'active', restorable_until: new Date('2026-12-10T00:00:00Z') } as const,
    ]) {
      const { address } = await domainRow(database, scope.organisationId, change);
      await expect(buy([lineOf({ kind: 'redemption', address })])).rejects.toMatchObject({
        ...{ code: 'unprocessable', message: `${address} cannot be restored` },
      });
    }
    const { address } = await domainRow(database, await organisationRow(database));
    await expect(buy([lineOf({ kind: 'redemption', address })])).rejects.toMatchObject({
      ...{ code: 'not_found', message: `${address} is not in your account` },
    });
    await nothingHeld();
  });

  test('to renew what was deleted at the registry, while it can be restored', async () => {
    const expired = { status: 'expired', expires_at: new Date('2026-10-01T00:00:00Z') } as const;
    const until = { ...expired, restorable_until: new Date(clock.now().getTime() + 1) };
    const { address } = await domainRow(database, scope.organisationId, until);
    await expect(buy([lineOf({ kind: 'renewal', address })])).rejects.toMatchObject({
      message: `${address} was deleted at the registry. It cannot be renewed, but it can be restored.`,
    });
    await nothingHeld();
    const late = await domainRow(database, scope.organisationId, {
      ...expired,
      restorable_until: clock.now(),
    });
    await buy([lineOf({ kind: 'renewal', address: late.address })]);
  });

  test('to renew once more within ten minutes, unless it says which expiry it moves', async () => {
    const expires_at = new Date('2027-12-10T00:00:00Z');
    const { organisationId } = scope;
    const { address } = await domainRow(database, organisationId, { expires_at });
    const orderId = await orderRow(database, organisationId);
    const renewed = { kind: 'renewal', address, state: 'succeeded' } as const;
    const updated_at = new Date(clock.now().getTime() - 10 * 60_000 + 1);
    const itemId = await itemRow(database, { organisationId, orderId }, { ...renewed, updated_at });
    const line = lineOf({ kind: 'renewal', address });
    await expect(buy([line])).rejects.toMatchObject({
      ...{ code: 'unprocessable', data: { items: [{ renewed: false }] } },
      message: expect.stringContaining(`${address} was renewed a moment ago`),
    });
    await nothingHeld();
    await buy([{ ...line, seenExpiry: expires_at }]);
    const since = new Date(clock.now().getTime() - 10 * 60_000);
    await tenant(async (tx) => {
      await tx.updateTable('order_items').set({ state: 'declined' }).where('id', '<>', itemId).execute();
      await tx.updateTable('order_items').set({ updated_at: since }).where('id', '=', itemId).execute();
    });
    await buy([line]);
  });

  test('to renew a certificate that there is not', async () => {
    const address = newName();
    const other = await organisationRow(database);
    await certificateRow(database, other, {
      address,
      product_type: 'rapidssl',
      registrar_order_id: 'theirs',
    });
    const certificate = certificateOf({ regType: 'renew', csr: address });
    await expect(
      buy([lineOf({ kind: 'certificate', address, customerId, certificate })]),
    ).rejects.toMatchObject({
      ...{ code: 'not_found', message: `There is no certificate for ${address} to renew` },
    });
    await nothingHeld();
  });

  test('to renew or restore what has left the account', async () => {
    const change = { expires_at: new Date('2026-12-10T00:00:00Z'), missing_since: clock.now() };
    const { address } = await domainRow(database, scope.organisationId, change);
    for (const kind of ['renewal', 'redemption'] as const) {
      await expect(buy([lineOf({ kind, address })])).rejects.toMatchObject({
        message: `The registrar no longer has ${address} in this portal’s account.`,
      });
    }
    await nothingHeld();
  });

  test('for what was renewed since its expiry was seen, which the cart is told', async () => {
    const renewed = await seenBefore();
    const { address } = renewed;
    const message = `${address} was renewed in the meantime and now expires on Dec 10, 2027`;
    await expect(buy([domain(), renewed])).rejects.toMatchObject({
      ...{ code: 'unprocessable', message, details: [{ path: `renewal ${address}`, message }] },
      data: { items: [{ kind: 'renewal', address, message, renewed: true }] },
    });
    await nothingHeld();
  });

  test.each(['WRONG', 'CSR'])(
    'for all lines that cannot be bought together, each by its name: with the CSR %s',
    async (csr) => {
      const [renewed, absent] = [await seenBefore(), lineOf({ kind: 'renewal', address: newName() })];
      const asked = certificateOf({ csr });
      const certificate = lineOf({ kind: 'certificate', address: newName(), customerId, certificate: asked });
      const refused = await buy([certificate, renewed, domain(), absent]).catch((error: unknown) => error);
      const items = [
        { address: renewed.address, renewed: true },
        { address: absent.address, renewed: false, message: `${absent.address} is not in your account` },
      ];
      const wrong = { kind: 'certificate', address: certificate.address, message: 'This CSR is wrong' };
      const all = csr === 'WRONG' ? [wrong, ...items] : items;
      expect(refused).toMatchObject({
        ...{ code: 'unprocessable', data: { items: all } },
        message: `${all.length} items cannot be bought in their current form.`,
      });
      await nothingHeld();
    },
  );

  test('without the money for it, and auto balance looks whether to top up', async () => {
    await takeJobs(database.url);
    await expect(buy(Array.from({ length: 9 }, () => domain()))).rejects.toMatchObject({
      code: 'insufficient_funds',
    });
    await nothingHeld();
    expect(await takeJobs(database.url)).toEqual([
      { task: 'billing.consider-auto-topup', payload: { organisationId: scope.organisationId } },
    ]);
  });
});

describe('an order that is taken', () => {
  test('may be paid with top-ups in processing, up to what is allowed of them', async () => {
    await tenant((tx) => expectTopUp(tx, { organisationId: scope.organisationId, cents: 50_00 }));
    const lines = Array.from({ length: 9 }, () => domain());
    const short = 9 * price - 100_00;
    const bought = (limitCents: number) =>
      checkout(limitCents)(scope, requestOf(lines, 9 * price), null, { source: 'cart' });
    await expect(bought(short - 1)).rejects.toMatchObject({ code: 'insufficient_funds' });
    await bought(short);
    expect(await figures()).toMatchObject({ heldCents: 9 * price, balanceCents: -short });
  });

  test.each(['domain', 'transfer'] as const)(
    'may be of a name that is on the list: what has left the account can be bought again (%s)',
    async (kind) => {
      const { address } = await domainRow(database, scope.organisationId, { missing_since: clock.now() });
      await buy([domain({ kind, address, ...(kind === 'transfer' ? { authCode: 'x' } : {}) })]);
      expect((await figures()).heldCents).toBe(price);
    },
  );

  test('is in the log, an entry for each thing that was ordered, by who ordered it', async () => {
    const [first, second] = [domain(), domain({ kind: 'transfer', authCode: 'x' })];
    await buy([first, second]);
    expect(await logged(database.db, scope, 'orders.purchase')).toMatchObject([
      { by: scope.userId, object: first.address, after: { kind: 'domain', priceCents: price } },
    ]);
    expect(await logged(database.db, scope, 'orders.transfer')).toMatchObject([{ object: second.address }]);
  });

  test('by a job is nobody’s, and so is its entry', async () => {
    const { address } = await domainRow(database, scope.organisationId, {
      ...{ status: 'active', expires_at: new Date('2026-12-10T00:00:00Z') },
    });
    const { orderId } = await buy([lineOf({ kind: 'renewal', address })], { source: 'auto_renew' });
    const { rows } = await tenant((tx) => listOrders(tx, scope, { pageSize: 1, id: orderId }));
    expect(rows).toMatchObject([{ by: 'Auto renew' }]);
    const order = await tenant((tx) =>
      tx.selectFrom('orders').select('user_id').where('id', '=', orderId).executeTakeFirstOrThrow(),
    );
    expect(order.user_id).toBeNull();
    const [entry] = await logged(database.db, scope, jobActions['renewals.renew'].action);
    expect(entry).toMatchObject({ object: address });
    expect(entry?.by).not.toBe(scope.userId);
  });

  test.each([
    ['renewal', { status: 'active', expires_at: new Date('2026-12-10T00:00:00Z') }],
    ['redemption', { status: 'expired', restorable_until: new Date('2026-12-10T00:00:00Z') }],
  ] as const)('to keep a name (%s) is for the customer whose name it is', async (kind, change) => {
    const { address } = await domainRow(database, scope.organisationId, {
      customer_id: customerId,
      ...change,
    });
    const { orderId } = await buy([lineOf({ kind, address })]);
    expect(await tenant((tx) => itemsOfOrder(tx, scope, orderId))).toMatchObject([{ kind, customerId }]);
  });

  test('holds for the engine what was chosen, and the balance is looked at', async () => {
    const chosen = domain({ privacy: true, autoRenew: true });
    const { orderId } = await buy([chosen, domain({ privacy: false, autoRenew: false })]);
    const items = await tenant((tx) => itemsOfOrder(tx, scope, orderId));
    expect(items.map(({ details }) => details)).toMatchObject([
      { privacy: true, autoRenew: true, contacts: contactsOf() },
      { privacy: false, autoRenew: false, contacts: contactsOf() },
    ]);
    const { rows: looks } = await sql`SELECT key FROM graphile_worker.jobs
      WHERE key = ${`auto-topup:${scope.organisationId}`}`.execute(database.systemDb);
    expect(looks).toHaveLength(1);
  });

  test('again under its key is the same order, and under it another request is refused', async () => {
    const line = domain();
    const { orderId } = await buy([line], { key: 'key-of-this-test' });
    expect(await buy([line], { key: 'key-of-this-test' })).toMatchObject({ orderId, itemIds: [] });
    await expect(buy([domain()], { key: 'key-of-this-test' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect((await figures()).heldCents).toBe(price);
  });

  test('is asked for by its key: running until each item was sent and answered, and absent for anybody else', async () => {
    const orders = createOrders({ db: database.db } as never);
    const key = 'asked-for';
    const absent = { state: 'absent', result: null, progress: null };
    expect(await orders.outcome(scope, key)).toEqual(absent);
    const { orderId } = await buy([domain(), domain()], { key });
    const [one, two] = await tenant((tx) => itemsOfOrder(tx, scope, orderId));
    const put = (id: string | undefined, state: 'sending' | 'pending') =>
      tenant((tx) =>
        tx
          .updateTable('order_items')
          .set({ state })
          .where('id', '=', id ?? '')
          .execute(),
      );
    const running = (done: number) => ({ state: 'running', result: null, progress: { done, of: 2 } });
    expect(await orders.outcome(scope, key)).toEqual(running(0));
    await put(one?.id, 'sending');
    expect(await orders.outcome(scope, key)).toEqual(running(0));
    await put(one?.id, 'pending');
    // The other one waits in line still.
    expect(await orders.outcome(scope, key)).toEqual(running(1));
    await put(two?.id, 'sending');
    expect(await orders.outcome(scope, key)).toEqual(running(1));
    await put(two?.id, 'pending');
    expect(await orders.outcome(scope, key)).toMatchObject({ state: 'done', result: { orderId } });
    const other = { ...scope, userId: await userRow(database, scope.organisationId) };
    expect(await orders.outcome(other, key)).toEqual(absent);
  });

  test('joins what is being bought already, and charges for what is its own only', async () => {
    const line = domain();
    const { orderId: first, itemIds } = await buy([line]);
    const { orderId: second } = await buy([line, domain()]);
    expect(await tenant((tx) => itemsOfOrder(tx, scope, second))).toHaveLength(2);
    await tenant((tx) =>
      tx.updateTable('order_items').set({ state: 'succeeded' }).where('id', 'in', itemIds).execute(),
    );
    const { rows } = await tenant((tx) => listOrders(tx, scope, { pageSize: 5 }));
    const charged = new Map(rows.map((order) => [order.orderId, order.charged]));
    expect([charged.get(first), charged.get(second)]).toEqual([12.31, 0]);
  });

  test('is found by a part of its names, to the letter, and as open until it has ended', async () => {
    const { orderId } = await buy([domain({ address: 'under-score.com' })]);
    const found = async (query: { search?: string; open?: boolean }) =>
      (await tenant((tx) => listOrders(tx, scope, { pageSize: 5, ...query }))).rows.map((row) => row.orderId);
    expect(await found({ search: ' UNDER-score ' })).toEqual([orderId]);
    // To the database these stand for any letter.
    expect(await found({ search: 'under_score' })).toEqual([]);
    expect(await found({ search: '%' })).toEqual([]);
    expect([await found({ open: true }), await found({ open: false })]).toEqual([[orderId], []]);
    await tenant((tx) => tx.updateTable('orders').set({ state: 'settled' }).execute());
    expect([await found({ open: true }), await found({ open: false })]).toEqual([[], [orderId]]);
  });

  test('prices a certificate for each of its years', async () => {
    const certificate = certificateOf();
    const line = lineOf({ kind: 'certificate', address: newName(), customerId, years: 2, certificate });
    await buy([line], { seen: 2 * price });
    expect((await figures()).heldCents).toBe(2 * price);
  });

  test.each([
    ['of the organization', true, false, { validation: 'DNS', approverEmail: null }],
    ['bought in the same order', false, true, { validation: 'DNS', approverEmail: null }],
    ['of somebody else', false, false, { validation: 'Email' }],
  ])('a certificate for a name %s is proven where it can be', async (_whose, isOwned, isBought, proven) => {
    const address = newName();
    if (isOwned) await domainRow(database, scope.organisationId, { address });
    const certificate = certificateOf({ csr: address, validation: 'Email' });
    const { orderId } = await buy([
      ...(isBought ? [domain({ address })] : []),
      lineOf({ kind: 'certificate', address, customerId, certificate }),
    ]);
    const items = await tenant((tx) => itemsOfOrder(tx, scope, orderId));
    const bought = items.find(({ kind }) => kind === 'certificate')?.details.certificate;
    expect(bought).toMatchObject({ approverEmail: `admin@${address}`, ...proven });
  });

  test('renews, of several certificates of an address, the one for the hosts of the request', async () => {
    const address = newName();
    for (const [host, ordered_at] of [
      ['www', new Date('2026-01-01')],
      ['mail', new Date('2026-02-01')],
    ] as const) {
      await certificateRow(database, scope.organisationId, {
        ...{ address, ordered_at, registrar_order_id: `order-of-${host}`, product_type: 'rapidssl' },
        host_names: [`${host}.${address}`],
      });
    }
    const certificate = certificateOf({ csr: `www.${address}`, regType: 'renew' });
    const line = lineOf({ kind: 'certificate', address, customerId, certificate });
    const { orderId } = await buy([line]);
    const [item] = await tenant((tx) => itemsOfOrder(tx, scope, orderId));
    expect(item?.details.certificate).toMatchObject({ renewsOrderId: 'order-of-www' });
    expect(item?.details.certificate).not.toHaveProperty('hostNames');
    // A caller who knows which one it renews is believed.
    await tenant((tx) => tx.updateTable('order_items').set({ state: 'declined' }).execute());
    const named = { ...line, certificate: { ...certificate, renewsOrderId: 'order-of-mail' } };
    const second = await buy([named]);
    expect(await tenant((tx) => itemsOfOrder(tx, scope, second.orderId))).toMatchObject([
      { details: { certificate: { renewsOrderId: 'order-of-mail' } } },
    ]);
    // A new one renews none, whatever there is.
    await tenant((tx) => tx.updateTable('order_items').set({ state: 'declined' }).execute());
    const fresh = await buy([{ ...line, certificate: { ...certificate, regType: 'new' } }]);
    expect(await tenant((tx) => itemsOfOrder(tx, scope, fresh.orderId))).toMatchObject([
      { details: { certificate: { renewsOrderId: null } } },
    ]);
  });
});
