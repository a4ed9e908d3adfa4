import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  customerRow,
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { sql } from '../../kernel/db/database.ts';
import type { Scope } from '../../kernel/scope.ts';
import { eraseFromRenewals } from './privacy.repo.ts';
import {
  domainsToRenew,
  dueDomains,
  type Expiring,
  expiringUnreminded,
  type Intent,
  insertIntent,
  itemOfOrder,
  lockedIntent,
  moveIntent,
  noteReminders,
  premiumCosts,
  takeUntold,
  tryNow,
} from './renewals.repo.ts';

/** Each condition of the automatic renewal's statements, beside a row that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
});
afterAll(() => database.close());

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const now = new Date('2026-11-22T12:00:00Z');
const after = new Date('2026-10-13T12:00:00Z');
const until = new Date('2026-12-22T12:00:00Z');
const inSpan = new Date('2026-12-01T00:00:00Z');

async function intentOf(address = newName(), expiresAt = inSpan): Promise<Intent> {
  const place = { organisationId, address };
  await tenant((tx) => insertIntent(tx, place, { expiresAt, priceCents: 1_200, now }));
  const intent = await tenant((tx) => lockedIntent(tx, place, expiresAt.getUTCFullYear()));
  if (!intent) throw new Error('no intent');
  return intent;
}
const read = ({ address, expiry_year }: Intent) =>
  tenant((tx) => lockedIntent(tx, { organisationId, address }, expiry_year));

describe('what is to be renewed', () => {
  const due = { auto_renew: true, expires_at: inSpan } as const;
  const isDue = async (address: string) => {
    const found = await across(database, (tx) => domainsToRenew(tx, { after, until }, now));
    return found.some((place) => place.address === address && place.organisationId === organisationId);
  };

  test.each([
    ['active', due],
    ['expired', { ...due, status: 'expired' as const }],
    ['at the last moment of the span', { ...due, expires_at: until }],
    ['just inside its beginning', { ...due, expires_at: new Date(after.getTime() + 1) }],
  ])('%s: it is', async (_what, row) => {
    expect(await isDue((await domainRow(database, organisationId, row)).address)).toBe(true);
  });

  test.each([
    ['auto renew off', { ...due, auto_renew: false }],
    ['on its way here', { ...due, status: 'transferring' as const }],
    ['behind the span', { ...due, expires_at: new Date(until.getTime() + 1) }],
    ['past its grace', { ...due, expires_at: after }],
    ['no longer in the account', { ...due, missing_since: now }],
  ])('%s: it is not', async (_what, row) => {
    expect(await isDue((await domainRow(database, organisationId, row)).address)).toBe(false);
  });

  test('with auto renew off only what was ordered before, until its outcome is known', async () => {
    const { address } = await domainRow(database, organisationId, { ...due, auto_renew: false });
    const intent = await intentOf(address);
    expect(await isDue(address)).toBe(false);
    await tenant((tx) => moveIntent(tx, intent, ['intended'], { state: 'ordered' }));
    expect(await isDue(address)).toBe(true);
    await tenant((tx) => moveIntent(tx, intent, ['ordered'], { state: 'dropped' }));
    expect(await isDue(address)).toBe(false);
  });

  test('nothing of an organization that was closed', async () => {
    const closed = await organisationRow(database);
    const { address } = await domainRow(database, closed, due);
    await across(database, (tx) =>
      tx.updateTable('organisations').set({ closed_at: now }).where('id', '=', closed).execute(),
    );
    const found = await across(database, (tx) => domainsToRenew(tx, { after, until }, now));
    expect(found.map((place) => place.address)).not.toContain(address);
  });

  test('what was refused waits for its next try; that of an earlier year holds up nothing', async () => {
    const { address } = await domainRow(database, organisationId, due);
    const later = new Date(now.getTime() + 1);
    const lastYear = await intentOf(address, new Date('2025-12-01T00:00:00Z'));
    await tenant((tx) => moveIntent(tx, lastYear, ['intended'], { state: 'unable', next_try_at: later }));
    expect(await isDue(address)).toBe(true);
    const intent = await intentOf(address);
    await tenant((tx) => moveIntent(tx, intent, ['intended'], { state: 'unable', next_try_at: later }));
    expect(await isDue(address)).toBe(false);
    await tenant((tx) => moveIntent(tx, intent, ['unable'], { next_try_at: now }));
    expect(await isDue(address)).toBe(true);
  });
});

describe('an intent', () => {
  test('is written once a year of a name', async () => {
    const { address } = await intentOf();
    const again = (expiresAt: Date) =>
      tenant((tx) => insertIntent(tx, { organisationId, address }, { expiresAt, priceCents: 1, now }));
    expect(await again(inSpan)).toBe(false);
    expect(await again(new Date('2027-12-01T00:00:00Z'))).toBe(true);
  });

  test('moves from the state it is in, by its own attempt, of its own year, and alone', async () => {
    const [intent, beside] = [await intentOf(), await intentOf()];
    const nextYear = await intentOf(intent.address, new Date('2027-12-01T00:00:00Z'));
    const move = (one: Intent, from: Intent['state'][]) =>
      tenant((tx) => moveIntent(tx, one, from, { state: 'dropped' }));
    expect(await move(intent, ['ordered', 'unable'])).toBe(false);
    expect(await move({ ...intent, attempt: intent.attempt + 1 }, ['intended'])).toBe(false);
    expect(await move({ ...intent, expiry_year: 2030 }, ['intended'])).toBe(false);
    expect(await move(intent, ['intended'])).toBe(true);
    expect([await read(intent), await read(beside), await read(nextYear)]).toMatchObject([
      { state: 'dropped' },
      { state: 'intended' },
      { state: 'intended' },
    ]);
  });

  test('that waits for its next try has it now where a person asks, of that name alone', async () => {
    const [waiting, beside] = [await intentOf(), await intentOf()];
    const other = await organisationRow(database);
    const next_try_at = new Date(now.getTime() + 3_600_000);
    const refuse = (intent: Intent) =>
      tenant((tx) => moveIntent(tx, intent, ['intended'], { state: 'unable', next_try_at }));
    const ask = (organisation = organisationId) =>
      across(database, (tx) => tryNow(tx, { organisationId: organisation, address: waiting.address }, now));
    expect(await ask()).toBe(false);
    for (const intent of [waiting, beside]) await refuse(intent);
    expect(await ask(other)).toBe(false);
    expect(await ask()).toBe(true);
    expect([(await read(waiting))?.next_try_at, (await read(beside))?.next_try_at]).toEqual([
      now,
      next_try_at,
    ]);
    for (const state of ['ordered', 'done', 'dropped'] as const) {
      await tenant((tx) => moveIntent(tx, waiting, ['unable', 'ordered', 'done'], { state }));
      expect(await ask()).toBe(false);
    }
  });

  test('that could not be carried out is told once', async () => {
    const [unable, told] = [await intentOf(), await intentOf()];
    await intentOf();
    await tenant((tx) => moveIntent(tx, unable, ['intended'], { state: 'unable' }));
    await tenant((tx) => moveIntent(tx, told, ['intended'], { state: 'unable', told_at: now }));
    const take = async () =>
      (await tenant((tx) => takeUntold(tx, organisationId, now))).map((one) => one.address);
    expect(await take()).toContain(unable.address);
    const again = await take();
    expect(again).not.toContain(unable.address);
    expect(again).not.toContain(told.address);
    const other = await organisationRow(database);
    const theirs = { organisationId: other, address: newName() };
    await within(database, other, async (tx) => {
      await insertIntent(tx, theirs, { expiresAt: inSpan, priceCents: 1, now });
      const intent = await lockedIntent(tx, theirs, inSpan.getUTCFullYear());
      if (intent) await moveIntent(tx, intent, ['intended'], { state: 'unable' });
    });
    const mine = await across(database, (tx) => takeUntold(tx, organisationId, now));
    expect(mine.map((one) => one.address)).not.toContain(theirs.address);
    // What is still to be renewed, or was, is no failure.
    const [intended, done] = [await intentOf(), await intentOf()];
    await tenant((tx) => moveIntent(tx, done, ['intended'], { state: 'done' }));
    const both = await take();
    expect(both).not.toContain(intended.address);
    expect(both).not.toContain(done.address);
  });
});

describe('what became of the order', () => {
  const placed = async (change: Parameters<typeof itemRow>[2], attachedTo = false) => {
    const address = newName();
    const first = await orderRow(database, organisationId);
    const id = await itemRow(
      database,
      { organisationId, orderId: first },
      { kind: 'renewal', address, ...change },
    );
    const orderId = attachedTo ? await orderRow(database, organisationId, { attached: [id] }) : first;
    const found = await tenant((tx) => itemOfOrder(tx, { organisationId, address }, orderId));
    return found?.id === id;
  };

  test('is read from its item, or from the item it joined', async () => {
    expect(await placed({})).toBe(true);
    expect(await placed({}, true)).toBe(true);
  });

  test('is not read from another kind, another name or another order', async () => {
    expect(await placed({ kind: 'domain' })).toBe(false);
    expect(await placed({ address: newName() })).toBe(false);
    const address = newName();
    const orderId = await orderRow(database, organisationId);
    await itemRow(database, { organisationId, orderId }, { kind: 'renewal', address });
    const other = await orderRow(database, organisationId);
    expect(await tenant((tx) => itemOfOrder(tx, { organisationId, address }, other))).toBeUndefined();
  });
});

describe('what is reminded of', () => {
  const policy = { now, days: [30, 7], graceDays: 40 };
  const days = (count: number) => new Date(now.getTime() + count * 86_400_000);
  const own = (expiresAt: Date, status: 'active' | 'expired' | 'ended' | 'transferring' = 'active') =>
    domainRow(database, organisationId, { status, expires_at: expiresAt });
  const found = async (address: string) =>
    (await across(database, (tx) => expiringUnreminded(tx, policy))).find((one) => one.address === address);

  test('is the last policy date that a domain has reached, and none before the first one', async () => {
    const at = async (count: number) => (await found((await own(days(count))).address))?.days;
    expect(await Promise.all([31, 30, 8, 7, -39].map(at))).toEqual([undefined, 30, 30, 7, 7]);
    expect(await at(-40)).toBeUndefined();
  });

  test('is a name that has expired too, and none that is gone', async () => {
    const [expired, ended] = [await own(days(-2), 'expired'), await own(days(-2), 'ended')];
    expect((await found(expired.address))?.days).toBe(7);
    expect(await found(ended.address)).toBeUndefined();
    expect(await found((await own(days(-2), 'transferring')).address)).toBeUndefined();
  });

  test('is none of an organization that was closed, and the first to expire comes first', async () => {
    const [closed, open] = [await organisationRow(database), await organisationRow(database)];
    const { address } = await domainRow(database, closed, { expires_at: days(5) });
    await across(database, (tx) =>
      tx.updateTable('organisations').set({ closed_at: now }).where('id', '=', closed).execute(),
    );
    expect(await found(address)).toBeUndefined();
    const names = ['b', 'a', 'c'].map((letter) => `${letter}-${newName()}`);
    for (const [at, name] of names.entries()) {
      await domainRow(database, open, { address: name, expires_at: days(at === 2 ? 2 : 6) });
    }
    const due = await across(database, (tx) => expiringUnreminded(tx, policy));
    const mine = due.filter((one) => one.organisation_id === open).map((one) => one.address);
    expect(mine).toEqual([names[2], names[1], names[0]]);
  });

  test('is no name that has left the account, until it is there again', async () => {
    const { address } = await own(days(5));
    const miss = (missing_since: Date | null) =>
      tenant((tx) =>
        tx.updateTable('domains').set({ missing_since }).where('address', '=', address).execute(),
      );
    await miss(now);
    expect(await found(address)).toBeUndefined();
    await miss(null);
    expect((await found(address))?.days).toBe(7);
  });

  test('is reminded of once, and not of an earlier date again when its expiry moves within the year', async () => {
    const { address } = await own(days(5));
    const domain = await found(address);
    if (!domain) throw new Error('not found');
    const beside = { ...domain, address: newName() };
    const note = (...those: Expiring[]) => tenant((tx) => noteReminders(tx, organisationId, those, now));
    expect(await note(domain)).toEqual([domain]);
    expect(await note(beside, domain)).toEqual([beside]);
    expect(await note(domain, beside)).toEqual([]);
    expect(await found(address)).toBeUndefined();
    const moveTo = (expires_at: Date) =>
      tenant((tx) => tx.updateTable('domains').set({ expires_at }).where('address', '=', address).execute());
    await moveTo(days(20));
    expect(await found(address)).toBeUndefined();
    // The next year is another one.
    await moveTo(new Date('2027-01-01T00:00:00Z'));
    const next = await across(database, (tx) =>
      expiringUnreminded(tx, { ...policy, now: new Date('2026-12-31T00:00:00Z') }),
    );
    expect(next.some((one) => one.address === address)).toBe(true);
  });
});

test('a premium name costs what its renewal for one year was last quoted at', async () => {
  const address = newName();
  const quote = (change: object) =>
    across(database, (tx) =>
      tx
        .insertInto('cost_quotes')
        .values({
          ...{ address, kind: 'renewal', years: 1, premium: true, cost_cents: 90_00, quoted_at: now },
          ...change,
        } as never)
        .execute(),
    );
  await quote({ years: 2, cost_cents: 180_00 });
  await quote({ kind: 'new', cost_cents: 500_00 });
  expect((await tenant((tx) => premiumCosts(tx, [address]))).size).toBe(0);
  await quote({});
  expect(await tenant((tx) => premiumCosts(tx, [address, newName()]))).toEqual(new Map([[address, 90_00]]));
});

test('of names that expire at one moment the first by name comes first, each with its customer and what was tried this year', async () => {
  const own = await organisationRow(database);
  const customer_id = await customerRow(database, own);
  const [b, a] = ['b', 'a'].map((letter) => `${letter}-${newName()}`) as [string, string];
  for (const address of [b, a]) await domainRow(database, own, { address, customer_id, expires_at: inSpan });
  await within(database, own, async (tx) => {
    for (const [address, expiresAt, reason] of [
      [a, inSpan, 'This year'],
      [b, new Date('2025-12-01T00:00:00Z'), 'Last year'],
    ] as const) {
      const place = { organisationId: own, address };
      await insertIntent(tx, place, { expiresAt, priceCents: 1, now });
      const intent = await lockedIntent(tx, place, expiresAt.getUTCFullYear());
      if (intent) await moveIntent(tx, intent, ['intended'], { state: 'unable', reason });
    }
  });
  const scope = { organisationId: own } as Scope;
  const { domains } = await within(database, own, (tx) => dueDomains(tx, scope, { from: after, until }));
  const named = { customerId: customer_id, customer: 'Example Ltd', expiresAt: inSpan, autoRenew: false };
  expect(domains).toEqual([
    { ...named, address: a, attempt: { state: 'unable', reason: 'This year' } },
    { ...named, address: b, attempt: null },
  ]);
});

test('the erasure of a customer takes the reasons of their names, and of none that is another’s by now', async () => {
  const [customerId, another] = [
    await customerRow(database, organisationId),
    await customerRow(database, organisationId),
  ];
  const tried = async (...rows: Parameters<typeof domainRow>[2][]) => {
    const address = newName();
    for (const row of rows) await domainRow(database, organisationId, { address, ...row });
    const intent = await intentOf(address);
    await tenant((tx) =>
      moveIntent(tx, intent, ['intended'], { state: 'unable', reason: 'ada@example.com' }),
    );
    return intent;
  };
  const [mine, bought, former, sold, others] = [
    await tried({ customer_id: customerId }),
    await tried({ customer_id: another, status: 'ended' }, { customer_id: customerId }),
    await tried({ customer_id: customerId, status: 'ended' }),
    await tried({ customer_id: customerId, status: 'ended' }, { customer_id: another }),
    await tried({ customer_id: another }),
  ];
  const silent = await intentOf(
    (await domainRow(database, organisationId, { customer_id: customerId })).address,
  );
  await tenant((tx) => eraseFromRenewals(tx, { organisationId }, customerId));
  const reasons = await Promise.all([mine, bought, former, sold, others, silent].map(read));
  expect(reasons.map((intent) => intent?.reason)).toEqual([
    ...['Erased', 'Erased', 'Erased', 'ada@example.com', 'ada@example.com', null],
  ]);
});

test('of what falls due the first 5,000 are read, and it is said whether there are more', async () => {
  const many = await organisationRow(database);
  const scope = { organisationId: many } as Scope;
  const read = () => within(database, many, (tx) => dueDomains(tx, scope, { from: after, until }));
  const add = (from: number, to: number) =>
    within(database, many, (tx) =>
      sql`INSERT INTO domains (id, organisation_id, address, status, expires_at)
        SELECT gen_random_uuid(), ${many}::uuid, 'n' || n || '.com', 'active', ${inSpan}::timestamptz + make_interval(secs => n)
        FROM generate_series(${from}::int, ${to}::int) n`.execute(tx),
    );
  await add(1, 5_000);
  const whole = await read();
  expect([whole.domains.length, whole.more]).toEqual([5_000, false]);
  await add(0, 0);
  const cut = await read();
  expect([cut.domains.length, cut.more, cut.domains[0]?.address]).toEqual([5_000, true, 'n0.com']);
  expect(cut.domains.at(-1)?.address).toBe('n4999.com');
});
