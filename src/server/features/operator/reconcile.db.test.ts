import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dayMs } from '#contracts/values/time.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  topupRow,
  within,
} from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/logger.ts';
import { refundItem } from '../../ledger/ledger.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Payment } from '../../ports/payments.ts';
import { findingsOf } from '../recovery/recovery.repo.ts';
import type { Difference } from './compare.rules.ts';
import {
  beginRun,
  type EndedRun,
  endRun,
  itemsToCompare,
  livingNames,
  readReconciliation,
  topupsToCompare,
} from './reconcile.repo.ts';
import { createReconcile, type ReconcileDeps } from './reconcile.ts';

/** What is compared with the registrar and the payment provider, and what stays written of a difference. */

let database: TestDatabase;
let organisationId: string;
let orderId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  // Each test begins with books in which everything is long ago and nothing differs.
  await across(database, async (tx) => {
    const longAgo = new Date(0);
    await tx.updateTable('order_items').set({ updated_at: longAgo }).execute();
    await tx.updateTable('topups').set({ updated_at: longAgo, created_at: longAgo }).execute();
    await tx.updateTable('domains').set({ status: 'ended' }).execute();
    await tx
      .updateTable('reconciliation_differences')
      .set({ settled_at: longAgo })
      .where('settled_at', 'is', null)
      .execute();
  });
  organisationId = await organisationRow(database);
  orderId = await orderRow(database, organisationId);
});

const now = new Date('2026-11-22T12:00:00Z');
const earlier = (date: Date, ms = 1) => new Date(date.getTime() - ms);
const since = earlier(now, 3 * dayMs);
const settled = earlier(now, 15 * 60_000);
const system = <T>(run: Parameters<typeof across<T>>[1]) => across(database, run);
const differs = (subject: string): Difference => ({
  ...{ kind: 'charged-without-order', subject, organisationId, text: `${subject} differs` },
});
const run = (change: Partial<EndedRun> = {}): EndedRun => ({
  ...{ id: newId(), startedAt: now, endedAt: now, incomplete: null, differences: [] },
  ...{ items: 0, registrarOrders: 0, payments: 0, ...change },
});
async function ended(change: Partial<EndedRun> = {}) {
  const one = run(change);
  await system((tx) => beginRun(tx, { id: one.id, startedAt: one.startedAt, since }));
  return system((tx) => endRun(tx, one));
}

describe('items that are compared', () => {
  type Change = NonNullable<Parameters<typeof itemRow>[2]>;
  const over = { state: 'succeeded', updated_at: earlier(settled) } as const;
  const item = (change: Change = {}) =>
    itemRow(database, { organisationId, orderId }, { ...over, ...change });
  const compared = async () => {
    const items = await system((tx) => itemsToCompare(tx, since, settled));
    return items.filter((one) => one.organisation_id === organisationId);
  };
  const movedOf = async () => (await compared()).filter(({ moved }) => moved).map(({ id }) => id);

  test('are those that ended in the span: from its first moment on, and before both sides may differ', async () => {
    const [first, last] = [await item({ updated_at: since }), await item({ state: 'declined' })];
    await item({ updated_at: earlier(since) });
    await item({ updated_at: settled });
    for (const state of ['queued', 'sending', 'pending', 'unknown', 'review'] as const) {
      await item({ state });
    }
    expect((await movedOf()).toSorted()).toEqual([first, last].toSorted());
  });

  test('are also those that differed before, however old, until that is settled', async () => {
    const [old, settledOne] = [
      await item({ updated_at: new Date(0) }),
      await item({ updated_at: new Date(0) }),
    ];
    await ended({ differences: [differs(settledOne)], endedAt: earlier(now, dayMs) });
    await ended({ differences: [differs(old)] });
    expect(await movedOf()).toEqual([old]);
  });

  test('come with the others of their name, of any organization, that are not judged', async () => {
    const address = newName();
    const moved = await item({ address });
    const open = await item({ address, state: 'pending' });
    await item({ address: newName(), updated_at: new Date(0) });
    const other = await organisationRow(database);
    const theirs = await itemRow(
      database,
      { organisationId: other, orderId: await orderRow(database, other) },
      { address, state: 'succeeded', updated_at: new Date(0) },
    );
    const items = await system((tx) => itemsToCompare(tx, since, settled));
    const ofName = items.filter((one) => one.address === address).map(({ id, moved: is }) => [id, is]);
    expect(ofName.toSorted()).toEqual(
      [
        [moved, true],
        [open, false],
        [theirs, false],
      ].toSorted(),
    );
  });

  test('say whether their price went back', async () => {
    const [kept, refunded] = [await item(), await item()];
    await within(database, organisationId, (tx) =>
      refundItem(tx, { organisationId, itemId: refunded, cents: 1_000, actor: 'test', text: '' }),
    );
    const items = await compared();
    const said = Object.fromEntries(items.map((one) => [one.id, one.refunded]));
    expect(said).toEqual({ [kept]: false, [refunded]: true });
  });
});

test('top-ups are compared that changed in the span, were begun up to a week before it, or differed before', async () => {
  const old = new Date(0);
  const topup = (updated_at: Date, created_at = old) =>
    topupRow(database, organisationId, { created_at, updated_at });
  const weekBefore = earlier(since, 7 * dayMs);
  const [changed, begun, differed] = [await topup(since), await topup(old, weekBefore), await topup(old)];
  await topup(earlier(since), earlier(weekBefore));
  await ended({ differences: [differs(differed)] });
  const found = (await system((tx) => topupsToCompare(tx, since))).map(({ id }) => id);
  expect(found.toSorted()).toEqual([changed, begun, differed].toSorted());
});

test('a name counts as an organization’s until it has ended', async () => {
  const living: string[] = [];
  for (const status of ['active', 'expired', 'transferring', 'ended'] as const) {
    const { address } = await domainRow(database, organisationId, { status });
    if ((await system(livingNames)).some((name) => name.address === address)) living.push(status);
  }
  expect(living).toEqual(['active', 'expired', 'transferring']);
});

describe('a difference', () => {
  const open = async () => (await system(readReconciliation)).differences;
  const hour = (count: number) => new Date(now.getTime() + count * 3_600_000);

  test('is new once, keeps since when it is known, and says what it says last', async () => {
    const first = differs(organisationId);
    expect(await ended({ differences: [first] })).toEqual([first]);
    const later = { ...first, text: 'another text' };
    expect(await ended({ differences: [later], endedAt: hour(1) })).toEqual([]);
    const { kind, subject } = first;
    expect(await open()).toEqual([
      {
        ...{ kind, subject, organization: 'Test', text: 'another text' },
        ...{ firstSeenAt: now.toISOString(), lastSeenAt: hour(1).toISOString() },
      },
    ]);
  });

  test('is settled by a whole run that does not find it, and new when it comes again; another kind is another one', async () => {
    const one = differs(organisationId);
    const other: Difference = { ...one, kind: 'order-twice' };
    await ended({ differences: [one] });
    expect(await ended({ differences: [one, other], endedAt: hour(1) })).toEqual([other]);
    expect(await ended({ incomplete: 'payments', endedAt: hour(2) })).toEqual([]);
    expect(await open()).toHaveLength(2);
    expect(await ended({ differences: [other], endedAt: hour(3) })).toEqual([]);
    expect((await open()).map(({ kind }) => kind)).toEqual(['order-twice']);
    expect(await ended({ differences: [one], endedAt: hour(4) })).toEqual([one]);
    expect((await open()).map(({ kind }) => kind)).toEqual([one.kind]);
  });

  test('of a recovery about a name without an owner is settled by a whole run that does not find it either', async () => {
    const found = (subject: string, change: object = {}) => ({
      ...{ id: newId(), recovery_id: recoveryId, organisation_id: null, text: 't', settled_at: null },
      ...{ kind: 'name-unknown', subject, needs_person: false, found_at: earlier(now), ...change },
    });
    const recoveryId = newId();
    const [gone, here] = [newName(), newName()];
    const others = [
      found(newName(), { kind: 'name-missing' }),
      // It was not there yet to be looked for.
      found(newName(), { found_at: now }),
    ];
    await system((tx) =>
      tx
        .insertInto('recovery_findings')
        .values([found(gone), found(here.toUpperCase()), ...others])
        .execute(),
    );
    const left = async () => {
      const rows = await system((tx) => findingsOf(tx, recoveryId));
      return rows.filter((row) => row.settled_at === null).map(({ subject }) => subject);
    };
    const nobodys: Difference = { ...differs(here), kind: 'name-unknown' };
    await ended({ differences: [nobodys], incomplete: 'payments' });
    expect(await left()).toHaveLength(4);
    await ended({ differences: [nobodys] });
    expect((await left()).toSorted()).toEqual(
      [here.toUpperCase(), ...others.map(({ subject }) => subject)].toSorted(),
    );
  });

  test('is listed with the oldest first, and a run with what it looked at, the newest first', async () => {
    const [old, young] = [differs(`b ${organisationId}`), differs(`a ${organisationId}`)];
    await ended({ differences: [old], startedAt: hour(1) });
    const counts = { items: 3, registrarOrders: 4, payments: 5, incomplete: 'payments' };
    await ended({ differences: [old, young], startedAt: hour(2), endedAt: hour(3), ...counts });
    const { runs, differences } = await system(readReconciliation);
    expect(differences.map(({ subject }) => subject)).toEqual([old.subject, young.subject]);
    expect(runs.slice(0, 2)).toMatchObject([
      {
        ...{ startedAt: hour(2).toISOString(), endedAt: hour(3).toISOString(), since: since.toISOString() },
        ...{ ...counts, differences: 2 },
      },
      { startedAt: hour(1).toISOString(), differences: 1, incomplete: null },
    ]);
  });
});

describe('a run', () => {
  const silent = () => Promise.reject(new UpstreamUnavailable('no answer'));
  async function* none() {
    // The provider has nothing.
  }
  async function* failing(): AsyncGenerator<never> {
    yield await silent();
  }
  const payment = (id: string): Payment => ({
    ...{ id, state: 'succeeded', amountCents: 20_00, feeCents: null, reversedCents: 0, method: 'card' },
    disputes: [],
    ...{ paymentMethod: null, failure: null, failureCode: null, createdAt: earlier(settled) },
    ...{ topupId: null, organisationId, chargeId: null },
  });
  const asked: unknown[] = [];
  const reconcile = (change: { payments?: object; registrar?: object }) => {
    asked.length = 0;
    const registrar = {
      ordersFor: async () => [],
      certificateOrdersFor: async () => [],
      expiring: (from: Date, to: Date) => {
        asked.push([from, to]);
        return none();
      },
      ...change.registrar,
    } as unknown as ReconcileDeps['registrar'];
    const payments = {
      payment: async () => null,
      paymentsSince: (from: Date) => {
        asked.push(from);
        return none();
      },
      ...change.payments,
    } as unknown as ReconcileDeps['payments'];
    const logger = createLogger({ level: 'silent' });
    return createReconcile({
      ...{ systemDb: database.systemDb, clock: { now: () => now }, logger, registrar, payments },
    }).run();
  };
  const ofHere = ({ differences }: { differences: Difference[] }) =>
    differences.filter((one) => one.kind !== 'ledger').map(({ kind, subject }) => [kind, subject]);
  const credited = (payment_intent: string | null) =>
    topupRow(database, organisationId, { state: 'succeeded', payment_intent, updated_at: earlier(settled) });

  test('asks for the payments of three days, and for all names that can be held', async () => {
    await reconcile({});
    expect(asked).toEqual([since, [earlier(now, 40 * dayMs), new Date(now.getTime() + 11 * 365 * dayMs)]]);
  });

  test('that gets no answer about one payment names no difference of it, and says that it was not asked', async () => {
    const id = await credited('pi_silent');
    const unanswered = await reconcile({ payments: { payment: silent } });
    expect([ofHere(unanswered), unanswered.incomplete]).toEqual([[], 'payment pi_silent']);
    const gone = await reconcile({ payments: { payment: async () => null } });
    expect([ofHere(gone), gone.incomplete]).toEqual([[['credit-without-payment', id]], null]);
    const there = await reconcile({ payments: { payment: async (wanted: string) => payment(wanted) } });
    expect([ofHere(there), there.incomplete]).toEqual([[], null]);
  });

  test('names a credit that stands for no payment at all, and asks nobody for it', async () => {
    const id = await credited(null);
    const found = await reconcile({ payments: { payment: silent } });
    expect([ofHere(found), found.incomplete]).toEqual([[['credit-without-payment', id]], null]);
  });

  test('that gets no answer about payments or names is incomplete, and names what else it finds', async () => {
    const { address } = await domainRow(database, organisationId, {
      ...{ expires_at: new Date(now.getTime() + dayMs), created_at: new Date(0) },
    });
    const id = await credited('pi_gone');
    const blind = await reconcile({ payments: { paymentsSince: failing } });
    expect([ofHere(blind), blind.incomplete]).toEqual([[['name-missing', address]], 'payments']);
    const nameless = await reconcile({ registrar: { expiring: failing } });
    expect([ofHere(nameless), nameless.incomplete]).toEqual([
      [['credit-without-payment', id]],
      'the names at the registrar',
    ]);
  });

  test('asks for a name’s orders and its certificates’ orders by themselves, each once', async () => {
    const address = newName();
    const bought = { address, state: 'succeeded', updated_at: earlier(settled) } as const;
    for (const kind of ['domain', 'renewal', 'certificate'] as const) {
      await itemRow(database, { organisationId, orderId }, { ...bought, kind });
    }
    const orders: string[] = [];
    const told = (what: string) => async (name: string) => {
      orders.push(`${what} ${name}`);
      return [];
    };
    await reconcile({
      registrar: { ordersFor: told('names'), certificateOrdersFor: told('certificates') },
    });
    expect(orders.filter((order) => order.includes(address)).toSorted()).toEqual([
      `certificates ${address}`,
      `names ${address}`,
    ]);
  });
});
