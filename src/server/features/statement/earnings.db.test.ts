import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Billed, createBilled, type Line } from '../../../../tests/support/billed.ts';
import { type BillingStand, openBillingStand } from '../../../../tests/support/billing-stand.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import { inTransaction, sql, systemTransaction } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import * as ledger from '../../ledger/ledger.ts';
import { createEarnings } from './earnings.service.ts';

let stand: BillingStand;
let billed: Billed;
let earnings: ReturnType<typeof createEarnings>;

beforeAll(async () => {
  stand = await openBillingStand();
  billed = createBilled(stand);
  earnings = createEarnings({ db: stand.database.db, clock: stand.clock });
});
afterAll(() => stand.close());

/** Buys for a customer as the engine does: held, captured, and then charged to the customer directly where the chip is Active. */
async function buy(scope: Scope, customerId: string, lines: Line[]) {
  const { organisationId } = scope;
  await systemTransaction(stand.database.systemDb, (tx) =>
    ledger.adjust(tx, { organisationId, cents: 50_000, ref: newId(), actor: 'test', text: 'credit' }),
  );
  const { orderId, items } = await billed.bought(scope, customerId, lines);
  await inTransaction(stand.database.db, scope, async (tx) => {
    for (const [at, itemId] of items.entries()) {
      const cents = lines[at]?.cents ?? 1_200;
      await ledger.hold(tx, { organisationId, items: [{ itemId, cents }], pendingLimitCents: 0 });
      await ledger.capture(tx, { organisationId, itemId, costCents: 900, actor: 'orders', text: 'x' });
    }
  });
  await stand.settle();
  return { orderId, items };
}

/** What the books themselves say: the wallet's purchases and refunds, and what the charges hold now. */
async function books(scope: Scope) {
  return inTransaction(stand.database.db, scope, async (tx) => {
    const { rows } = await sql<{ cost: number; received: number }>`SELECT
      (SELECT coalesce(-sum(p.cents), 0)::bigint FROM postings p JOIN journal j ON j.id = p.journal_id
        WHERE p.organisation_id = ${scope.organisationId} AND p.account = 'wallet'
          AND j.kind IN ('purchase', 'refund')) AS cost,
      (SELECT coalesce(sum(cents - refunded_cents), 0)::bigint FROM direct_charges
        WHERE organisation_id = ${scope.organisationId} AND state = 'succeeded') AS received`.execute(tx);
    return rows[0];
  });
}

async function sums(scope: Scope, by: 'month' | 'customer' | 'kind') {
  const rows = await earnings.list(scope, { by });
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0);
  return { cost: sum((row) => row.cost + row.otherCost), received: sum((row) => row.received) };
}

const today = () => new Date().toISOString().slice(0, 10);

test('what was earned adds up with the ledger and the charges, to the cent, in each grouping', async () => {
  const { scope, customer } = await billed.active();
  await buy(scope, customer.customerId, [{ cents: 1_199 }, { kind: 'renewal', cents: 1_001 }]);
  const other = await stand.customers.create(
    scope,
    {
      contacts: contactsOf({ organization: 'By invoice' }),
      billing: { billDirectly: false, email: '', allowChangeBilling: false },
    },
    null,
  );
  await buy(scope, other.customerId, [{ kind: 'certificate', cents: 4_999 }]);
  const whole = await books(scope);
  for (const by of ['month', 'customer', 'kind'] as const) expect(await sums(scope, by)).toEqual(whole);
  // 11.99 + 10 % is 13.19, 10.01 + 2.50 is 12.51.
  expect(await earnings.list(scope, { by: 'kind' })).toEqual([
    { key: 'certificate', label: 'Certificate', items: 1, cost: 0, otherCost: 4_999, received: 0, earned: 0 },
    {
      key: 'domain',
      label: 'Registration',
      items: 1,
      cost: 1_199,
      otherCost: 0,
      received: 1_319,
      earned: 120,
    },
    { key: 'renewal', label: 'Renewal', items: 1, cost: 1_001, otherCost: 0, received: 1_251, earned: 250 },
  ]);
  const [month, ...others] = await earnings.list(scope, { by: 'month' });
  expect(others).toEqual([]);
  expect(month).toMatchObject({ key: today().slice(0, 7), items: 3, received: 2_570, earned: 370 });
  // What was taken belongs to its day as what it cost does, in the list and in the file.
  for (const span of [{ from: '2030-01-01' }, { to: '2020-01-01' }]) {
    expect(await earnings.list(scope, { by: 'month', ...span })).toEqual([]);
    expect(
      String(await earnings.csv(scope, span))
        .trim()
        .split('\n'),
    ).toHaveLength(1);
  }
  // Of one customer alone; of one that is not ours nothing.
  const ofOne = (customerId: string) => earnings.list(scope, { by: 'customer', customerId });
  expect(await ofOne(customer.customerId)).toEqual([
    expect.objectContaining({
      key: customer.customerId,
      items: 2,
      cost: 2_200,
      received: 2_570,
      earned: 370,
    }),
  ]);
  expect(await ofOne(other.customerId)).toEqual([
    expect.objectContaining({ items: 1, cost: 0, otherCost: 4_999, received: 0 }),
  ]);
  const stranger = await billed.active();
  expect(await ofOne(stranger.customer.customerId)).toEqual([]);
});

test('a refund takes away what it gives back, and the shares of a charge add up to the cent', async () => {
  const { scope, account, customer } = await billed.active();
  const { items } = await buy(scope, customer.customerId, [
    { cents: 1_000 },
    { kind: 'certificate', cents: 1_001 },
  ]);
  const before = await books(scope);
  const [payment] = await billed.paymentsAt(account);
  await stand.sandbox.stripe.refunds.create(
    { payment_intent: payment?.id ?? '', amount: 333 },
    { stripeAccount: account },
  );
  await stand.settle();
  await inTransaction(stand.database.db, scope, (tx) =>
    ledger.refundItem(tx, {
      ...{ organisationId: scope.organisationId, itemId: items[1] ?? '', cents: 1_001 },
      ...{ actor: 'orders', text: 'the order was declined' },
    }),
  );
  const whole = await books(scope);
  expect(whole).toEqual({ cost: 1_000, received: (before?.received ?? 0) - 333 });
  for (const by of ['month', 'customer', 'kind'] as const) expect(await sums(scope, by)).toEqual(whole);
});

test('a declined charge is a cost without earnings, and the days asked for begin and end in UTC', async () => {
  const { scope, customer } = await billed.active('pm_card_chargeCustomerFail');
  await buy(scope, customer.customerId, [{ cents: 1_200 }]);
  const row = { cost: 1_200, otherCost: 0, received: 0, earned: -1_200 };
  expect(await earnings.list(scope, { by: 'customer' })).toMatchObject([row]);
  expect(await earnings.list(scope, { by: 'month', from: today(), to: today() })).toMatchObject([row]);
  expect(await earnings.list(scope, { by: 'month', from: '2030-01-01' })).toEqual([]);
  expect(await earnings.list(scope, { by: 'month', to: '2020-01-01' })).toEqual([]);
});

test('a month stays as it was when an item that came to nothing leaves its charge later, alone or beside others', async () => {
  const { scope, customer } = await billed.active('pm_card_chargeCustomerFail');
  const lines: Line[] = [{ cents: 1_200 }, { kind: 'certificate', cents: 4_999 }];
  const beside = await buy(scope, customer.customerId, lines);
  const alone = await buy(scope, customer.customerId, [{ cents: 700 }]);
  const before = await earnings.list(scope, { by: 'kind' });
  expect(before).toMatchObject([
    { cost: 4_999, otherCost: 0 },
    { cost: 1_900, otherCost: 0 },
  ]);
  // As the wallet's refund tells it.
  const { organisationId } = scope;
  for (const itemId of [beside.items[1] ?? '', alone.items[0] ?? '']) {
    const told = { organisationId, itemId, reason: 'the order was declined' };
    await stand.direct.tasks['orders.after-refund'](told);
  }
  await stand.settle();
  expect((await billed.charges(scope)).map(({ state, amount }) => [state, amount]).toSorted()).toEqual([
    ['failed', 13.2],
    ['waived', 7.7],
  ]);
  expect(await earnings.list(scope, { by: 'kind' })).toEqual(before);
});

test('the CSV has a line for each month, customer and kind, and no cell that a spreadsheet would calculate', async () => {
  const { scope, customer } = await billed.active();
  await buy(scope, customer.customerId, [{ cents: 1_200 }]);
  const rows = parse(await earnings.csv(scope, {}), { bom: true, columns: true }) as Record<string, string>[];
  expect(rows).toEqual([
    {
      'Month (UTC)': today().slice(0, 7),
      Customer: customer.contacts.owner.organization,
      ...{ Kind: 'Registration', Items: '1', 'Received USD': '13.20', 'Cost USD': '12.00' },
      ...{ 'Earned USD': '1.20', 'Cost of items not billed directly USD': '0.00' },
    },
  ]);
});

test('another organization sees nothing of it', async () => {
  const { scope, customer } = await billed.active();
  await buy(scope, customer.customerId, [{}]);
  const theirs = await stand.organisation();
  expect(await earnings.list(theirs, { by: 'month' })).toEqual([]);
});

test('a cent that one charge gave back is shared among its kinds without being lost', async () => {
  const { scope, account, customer } = await billed.active();
  const lines: Line[] = [
    { cents: 1_000 },
    { kind: 'renewal', cents: 1_000 },
    { kind: 'certificate', cents: 1_000 },
  ];
  await buy(scope, customer.customerId, lines);
  const paid = (await billed.charges(scope))[0]?.paymentId ?? '';
  const giveBack = { payment_intent: paid, amount: 1 };
  await stand.sandbox.stripe.refunds.create(giveBack, { stripeAccount: account });
  await stand.settle();
  const whole = await books(scope);
  expect((await billed.charges(scope))[0]).toMatchObject({ refunded: 0.01 });
  for (const by of ['month', 'customer', 'kind'] as const) expect(await sums(scope, by)).toEqual(whole);
});
