import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { takeJobs } from '../../../tests/support/jobs.ts';
import { across, itemRow, orderRow, topupRow } from '../../../tests/support/rows.ts';
import { inTransaction, sql, type Tx } from '../kernel/db/database.ts';
import { newId } from '../kernel/ids.ts';
import { considerTopUp } from './auto-balance.ts';
import * as ledger from './ledger.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

async function organisationWith(cents: number): Promise<string> {
  const organisationId = newId();
  await inTransaction(database.db, { organisationId }, async (tx) => {
    await tx.insertInto('organisations').values({ id: organisationId, name: 'Test' }).execute();
    await ledger.openWallet(tx, organisationId);
    if (cents > 0) {
      await ledger.adjust(tx, { organisationId, cents, ref: organisationId, actor: 'test', text: 'start' });
    }
  });
  return organisationId;
}

function holdOne(organisationId: string, cents: number, itemId = newId()) {
  return inTransaction(database.db, { organisationId }, (tx) =>
    ledger.hold(tx, { organisationId, items: [{ itemId, cents }], pendingLimitCents: 0 }),
  );
}

function figures(organisationId: string) {
  return inTransaction(database.db, { organisationId }, (tx) => ledger.balances(tx, organisationId));
}

test('fifty holds at once on money for one: one succeeds, never below zero', async () => {
  const organisationId = await organisationWith(1_000);
  const results = await Promise.all(Array.from({ length: 50 }, () => holdOne(organisationId, 1_000)));
  expect(results.filter(Boolean)).toHaveLength(1);
  expect(await figures(organisationId)).toEqual({ balanceCents: 0, pendingCents: 0, heldCents: 1_000 });
});

test('several items are held in one go, each with its own price, or none of them', async () => {
  const organisationId = await organisationWith(1_000);
  const [first, second] = [newId(), newId()];
  const hold = (cents: number) =>
    inTransaction(database.db, { organisationId }, (tx) =>
      ledger.hold(tx, {
        organisationId,
        items: [
          { itemId: first, cents: 600 },
          { itemId: second, cents },
        ],
        pendingLimitCents: 0,
      }),
    );
  const holds = () =>
    inTransaction(database.db, { organisationId }, (tx) =>
      tx.selectFrom('holds').select(['item_id', 'cents', 'state']).orderBy('cents', 'desc').execute(),
    );
  expect(await hold(401)).toBe(false);
  expect([await holds(), await figures(organisationId)]).toEqual([
    [],
    { balanceCents: 1_000, pendingCents: 0, heldCents: 0 },
  ]);
  expect(await hold(400)).toBe(true);
  expect(await holds()).toEqual([
    { item_id: first, cents: 600, state: 'open' },
    { item_id: second, cents: 400, state: 'open' },
  ]);
  expect(await figures(organisationId)).toEqual({ balanceCents: 0, pendingCents: 0, heldCents: 1_000 });
});

test('what may be spent is what is posted less what is held; without a wallet it is nothing', async () => {
  const organisationId = await organisationWith(1_000);
  await holdOne(organisationId, 300);
  expect(await figures(organisationId)).toEqual({ balanceCents: 700, pendingCents: 0, heldCents: 300 });
  expect(await figures(newId())).toEqual({ balanceCents: 0, pendingCents: 0, heldCents: 0 });
});

test('each entry says what was done, by whom, in what words, and what it is about; a repeat of it is refused', async () => {
  const organisationId = await organisationWith(0);
  const orderId = await orderRow(database, organisationId);
  const item = () => itemRow(database, { organisationId, orderId }, { state: 'succeeded' });
  const [bought, declined] = [await item(), await item()];
  const topupId = await topupRow(database, organisationId, { cents: 2_000, state: 'succeeded' });
  const run = (act: (tx: Tx) => Promise<unknown>) => inTransaction(database.db, { organisationId }, act);
  const of = (text: string) => ({ organisationId, actor: `by ${text}`, text });
  const acts: ((tx: Tx) => Promise<unknown>)[] = [
    (tx) => ledger.creditTopUp(tx, { ...of('credit'), topupId, cents: 2_000, pendingCents: 0, feeCents: 88 }),
    (tx) => ledger.bookTopUpFee(tx, { ...of('fee'), topupId, cents: 2, sequence: '1' }),
    (tx) => ledger.reverseTopUp(tx, { ...of('back'), topupId, cents: 50, sequence: '1' }),
    (tx) => ledger.reverseTopUp(tx, { ...of('won'), topupId, cents: -50, sequence: '2' }),
    (tx) => ledger.capture(tx, { ...of('capture'), itemId: bought, costCents: 300 }),
    (tx) => ledger.release(tx, { ...of('release'), itemId: declined }),
    (tx) => ledger.refundItem(tx, { ...of('refund'), itemId: bought, cents: 500 }),
    (tx) => ledger.adjust(tx, { ...of('adjust'), cents: -1, ref: 'ticket' }),
  ];
  await run((tx) => (acts[0] as (typeof acts)[number])(tx));
  await holdOne(organisationId, 500, bought);
  await holdOne(organisationId, 700, declined);
  for (const act of acts.slice(1)) await run(act);
  for (const act of acts) await expect(run(act)).rejects.toThrow();
  const rows = await run((tx) =>
    tx
      .selectFrom('journal')
      .select(['kind', 'ref', 'actor', 'text', 'order_item_id', 'topup_id'])
      .orderBy('id')
      .execute(),
  );
  const entry = (text: string, kind: string, ref: string, about: object) => ({
    ...{ kind, ref, actor: `by ${text}`, text, order_item_id: null, topup_id: null },
    ...about,
  });
  const [topup, ofBought] = [{ topup_id: topupId }, { order_item_id: bought }];
  expect(rows).toEqual([
    entry('credit', 'topup', `topup:${topupId}:succeeded`, topup),
    entry('fee', 'topup_fee', `topup:${topupId}:fee:1`, topup),
    entry('back', 'reversal', `topup:${topupId}:reversed:1`, topup),
    entry('won', 'reversal_returned', `topup:${topupId}:reversed:2`, topup),
    entry('capture', 'purchase', `item:${bought}:capture`, ofBought),
    entry('release', 'release', `item:${declined}:release`, { order_item_id: declined }),
    entry('refund', 'refund', `item:${bought}:refund`, ofBought),
    entry('adjust', 'adjustment', `adjust:${organisationId}:ticket`, {}),
  ]);
  expect(await figures(organisationId)).toEqual({ balanceCents: 1_999, pendingCents: 0, heldCents: 0 });
});

test('a captured hold moves the price to cost and revenue and can neither be captured nor released again', async () => {
  const organisationId = await organisationWith(2_000);
  const itemId = newId();
  await holdOne(organisationId, 1_500, itemId);
  const capture = () =>
    inTransaction(database.db, { organisationId }, (tx) =>
      ledger.capture(tx, { organisationId, itemId, costCents: 1_026, actor: 'test', text: '' }),
    );
  await capture();
  await expect(capture()).rejects.toThrow(ledger.LedgerViolation);
  await expect(
    inTransaction(database.db, { organisationId }, (tx) =>
      ledger.release(tx, { organisationId, itemId, actor: 'test', text: '' }),
    ),
  ).rejects.toThrow(ledger.LedgerViolation);
  expect(await figures(organisationId)).toEqual({ balanceCents: 500, pendingCents: 0, heldCents: 0 });
  const postings = await database.systemDb
    .selectFrom('postings')
    .select(['account', 'cents'])
    .where('organisation_id', '=', organisationId)
    .where('account', 'in', ['registrar_cost', 'revenue'])
    .orderBy('account')
    .execute();
  expect(postings).toEqual([
    { account: 'registrar_cost', cents: 1_026 },
    { account: 'revenue', cents: 474 },
  ]);
});

test('ending one hold leaves the others open, each with its own price', async () => {
  const organisationId = await organisationWith(1_300);
  const [first, second] = [newId(), newId()];
  await holdOne(organisationId, 1_000, first);
  await holdOne(organisationId, 300, second);
  const end = { organisationId, actor: 'test', text: '' };
  const run = <T>(act: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(database.db, { organisationId }, act);
  await run((tx) => ledger.release(tx, { ...end, itemId: first }));
  expect(await figures(organisationId)).toMatchObject({ balanceCents: 1_000, heldCents: 300 });
  await run((tx) => ledger.capture(tx, { ...end, itemId: second, costCents: 200 }));
  expect(await figures(organisationId)).toMatchObject({ balanceCents: 1_000, heldCents: 0 });
});

test('a hold says when it was ended, and none that is open does', async () => {
  const organisationId = await organisationWith(1_300);
  const [released, captured, open] = [newId(), newId(), newId()];
  for (const itemId of [released, captured, open]) await holdOne(organisationId, 300, itemId);
  const end = { organisationId, actor: 'test', text: '' };
  await inTransaction(database.db, { organisationId }, async (tx) => {
    await ledger.release(tx, { ...end, itemId: released });
    await ledger.capture(tx, { ...end, itemId: captured, costCents: 200 });
  });
  const rows = await database.systemDb
    .selectFrom('holds')
    .select(['item_id', 'ended_at'])
    .where('organisation_id', '=', organisationId)
    .execute();
  const endedAt = new Map(rows.map((row) => [row.item_id, row.ended_at]));
  expect(endedAt.get(released)).toBeInstanceOf(Date);
  expect(endedAt.get(captured)).toBeInstanceOf(Date);
  expect(endedAt.get(open)).toBeNull();
});

test('money in processing is spendable up to the limit and no further', async () => {
  const organisationId = await organisationWith(0);
  await inTransaction(database.db, { organisationId }, (tx) =>
    ledger.expectTopUp(tx, { organisationId, cents: 1_000 }),
  );
  const hold = (cents: number, pendingLimitCents: number) =>
    inTransaction(database.db, { organisationId }, (tx) =>
      ledger.hold(tx, { organisationId, items: [{ itemId: newId(), cents }], pendingLimitCents }),
    );
  expect(await hold(600, 500)).toBe(false);
  expect(await hold(500, 500)).toBe(true);
  expect(await hold(1, 500)).toBe(false);
  // No top-up row stands behind this money: take it back, so that the checker below has nothing to find.
  await inTransaction(database.db, { organisationId }, (tx) =>
    ledger.dropTopUp(tx, { organisationId, pendingCents: 1_000 }),
  );
  await database.systemDb
    .updateTable('holds')
    .set({ state: 'released' })
    .where('organisation_id', '=', organisationId)
    .execute();
  await database.systemDb
    .updateTable('wallets')
    .set({ held_cents: 0 })
    .where('organisation_id', '=', organisationId)
    .execute();
});

test('a top-up that arrived is money of the wallet, and counts as pending no longer', async () => {
  const organisationId = await organisationWith(0);
  const topupId = await topupRow(database, organisationId, { cents: 1_000, state: 'succeeded' });
  const run = (act: Parameters<typeof inTransaction<void>>[2]) =>
    inTransaction(database.db, { organisationId }, act);
  await run((tx) => ledger.expectTopUp(tx, { organisationId, cents: 1_000 }));
  const arrived = { organisationId, topupId, cents: 1_000, pendingCents: 1_000, feeCents: 30 };
  await run((tx) => ledger.creditTopUp(tx, { ...arrived, actor: 'test', text: '' }));
  expect(await figures(organisationId)).toEqual({ balanceCents: 1_000, pendingCents: 0, heldCents: 0 });
});

test('what the provider kept of a top-up is booked as its fee, and the wallet gets the whole sum', async () => {
  const organisationId = await organisationWith(0);
  const topupId = await topupRow(database, organisationId, { cents: 1_000, state: 'succeeded' });
  const arrived = { organisationId, topupId, cents: 1_000, pendingCents: 0, feeCents: 30 };
  await inTransaction(database.db, { organisationId }, (tx) =>
    ledger.creditTopUp(tx, { ...arrived, actor: 'test', text: '' }),
  );
  const postings = await database.systemDb
    .selectFrom('postings')
    .select(['account', 'cents'])
    .where('organisation_id', '=', organisationId)
    .orderBy('account')
    .execute();
  expect(postings).toEqual([
    { account: 'payment_fees', cents: -30 },
    { account: 'payments_clearing', cents: -970 },
    { account: 'wallet', cents: 1_000 },
  ]);
});

test('a fee that is known later is booked once, each change of it too, and no wallet changes', async () => {
  const organisationId = await organisationWith(0);
  const topupId = await topupRow(database, organisationId, { cents: 1_000, state: 'succeeded' });
  const fee = { organisationId, topupId, actor: 'test', text: '' };
  const book = (cents: number, sequence: string) =>
    inTransaction(database.db, { organisationId }, (tx) =>
      ledger.bookTopUpFee(tx, { ...fee, cents, sequence }),
    );
  await book(30, '1');
  await expect(book(30, '1')).rejects.toMatchObject({ code: '23505' });
  await book(-10, '2');
  const kept = await across(database, (tx) =>
    tx
      .selectFrom('postings')
      .select('cents')
      .where('organisation_id', '=', organisationId)
      .where('account', '=', 'payment_fees')
      .execute(),
  );
  expect(kept.map(({ cents }) => cents).sort((one, next) => one - next)).toEqual([-30, 10]);
  expect(await figures(organisationId)).toEqual({ balanceCents: 0, pendingCents: 0, heldCents: 0 });
});

test('a top-up that never was pending leaves what is pending of others alone', async () => {
  const organisationId = await organisationWith(0);
  const topupId = await topupRow(database, organisationId, { cents: 1_000, state: 'succeeded' });
  await topupRow(database, organisationId, { cents: 700, state: 'processing', pending_cents: 700 });
  await inTransaction(database.db, { organisationId }, async (tx) => {
    await ledger.expectTopUp(tx, { organisationId, cents: 700 });
    const arrived = { organisationId, topupId, cents: 1_000, pendingCents: 0, feeCents: 30 };
    await ledger.creditTopUp(tx, { ...arrived, actor: 'test', text: '' });
  });
  expect(await figures(organisationId)).toEqual({ balanceCents: 1_000, pendingCents: 700, heldCents: 0 });
});

test('one top-up may be taken back in parts, each part once', async () => {
  const organisationId = await organisationWith(1_000);
  const topupId = await topupRow(database, organisationId, { cents: 1_000, state: 'reversed' });
  const takeBack = (cents: number, sequence: string) =>
    inTransaction(database.db, { organisationId }, (tx) =>
      ledger.reverseTopUp(tx, { organisationId, topupId, cents, sequence, actor: 'test', text: '' }),
    );
  await takeBack(300, '1');
  await takeBack(500, '2');
  await expect(takeBack(500, '2')).rejects.toMatchObject({ code: '23505' });
  expect((await figures(organisationId)).balanceCents).toBe(200);
  await takeBack(-500, '3');
  const kinds = await database.systemDb
    .selectFrom('journal')
    .select('kind')
    .where('topup_id', '=', topupId)
    .orderBy('ref')
    .execute();
  expect(kinds.map(({ kind }) => kind)).toEqual(['reversal', 'reversal', 'reversal_returned']);
});

test('a reference of a correction is used once in an organization, and again in another', async () => {
  const [mine, other] = [await organisationWith(0), await organisationWith(0)];
  const correct = (organisationId: string) =>
    inTransaction(database.db, { organisationId }, (tx) =>
      ledger.adjust(tx, { organisationId, cents: 100, ref: 'ticket-7', actor: 'test', text: '' }),
    );
  await correct(mine);
  await correct(other);
  await expect(correct(mine)).rejects.toMatchObject({ code: '23505' });
});

test('auto balance looks at each organization whose money became less, and once at each', async () => {
  const [mine, other] = [await organisationWith(0), await organisationWith(0)];
  await takeJobs(database.url);
  for (const organisationId of [mine, other, mine]) {
    await inTransaction(database.db, { organisationId }, (tx) => considerTopUp(tx, organisationId));
  }
  const looked = (await takeJobs(database.url)).map(({ payload }) => payload.organisationId);
  expect(looked.sort()).toEqual([mine, other].sort());
});

test('an organization without a wallet cannot be paid into', async () => {
  const organisationId = newId();
  const entry = { organisationId, cents: 1, ref: 'x', actor: 'test', text: '' };
  const adjusted = inTransaction(database.systemDb, { organisationId }, (tx) => ledger.adjust(tx, entry));
  await expect(adjusted).rejects.toThrow(ledger.LedgerViolation);
});

test('postings that do not sum to zero never commit', async () => {
  const organisationId = await organisationWith(0);
  await expect(
    inTransaction(database.db, { organisationId }, async (tx) => {
      const id = newId();
      await tx
        .insertInto('journal')
        .values({ id, organisation_id: organisationId, kind: 'x', ref: id, actor: 'test' })
        .execute();
      await tx
        .insertInto('postings')
        .values({ journal_id: id, organisation_id: organisationId, account: 'wallet', cents: 1 })
        .execute();
    }),
  ).rejects.toThrow(/do not sum to zero/);
});

test('neither role of the application can change or delete what was posted', async () => {
  for (const db of [database.db, database.systemDb]) {
    for (const statement of [
      'UPDATE postings SET cents = 5',
      'DELETE FROM postings',
      'DELETE FROM journal',
    ]) {
      await expect(sql.raw(statement).execute(db)).rejects.toMatchObject({ code: '42501' });
    }
  }
});

test('another organisation sees and moves nothing, even without a condition in the query', async () => {
  const mine = await organisationWith(1_000);
  const other = await organisationWith(0);
  await inTransaction(database.db, { organisationId: other }, async (tx) => {
    expect(await tx.selectFrom('wallets').selectAll().execute()).toHaveLength(1);
    const stolen = await tx
      .updateTable('wallets')
      .set({ posted_cents: 0 })
      .where('organisation_id', '=', mine)
      .executeTakeFirst();
    expect(stolen.numUpdatedRows).toBe(0n);
  });
  expect((await figures(mine)).balanceCents).toBe(1_000);
});

test('receipts are numbered within each organization, one an order, even by who sees all of them', async () => {
  const charged = async (organisationId: string, orderId: string) => {
    const itemId = await itemRow(database, { organisationId, orderId }, { state: 'succeeded' });
    await holdOne(organisationId, 100, itemId);
    const item = { organisationId, itemId, costCents: 80, actor: 'test', text: '' };
    await across(database, (tx) => ledger.capture(tx, item));
    const row = await across(database, (tx) =>
      tx.selectFrom('receipts').select('number').where('order_id', '=', orderId).executeTakeFirst(),
    );
    return row?.number;
  };
  const [mine, other] = [await organisationWith(1_000), await organisationWith(1_000)];
  const [first, second] = [await orderRow(database, mine), await orderRow(database, mine)];
  expect([await charged(mine, first), await charged(mine, second), await charged(mine, first)]).toEqual([
    1, 2, 1,
  ]);
  expect(await charged(other, await orderRow(database, other))).toBe(1);
});
