import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayMs } from '#contracts/values/time.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { runsAt, takeJobs } from '../../../../tests/support/jobs.ts';
import { across, organisationRow, topupRow, userRow, within } from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import {
  autoTopupsSince,
  endPause,
  endRefused,
  endUncharged,
  oldestUncharged,
  openAutoTopup,
  pauseUntil,
  storeDecline,
  storeSetting,
  wasToppedUpSince,
} from './auto-topup.repo.ts';
import { billingProfile } from './profile.repo.ts';
import {
  findTopup,
  insertSecondPayment,
  isInitialFeePaid,
  lockTopup,
  openTopups,
  storePayment,
  topupNamedBy,
  topupOfPayment,
} from './topups.repo.ts';

/** Each condition of the statements about top-ups, beside a row that differs in it alone. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
const [before, later] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
const tenant = <T>(organisationId: string, run: Parameters<typeof within<T>>[2]) =>
  within(database, organisationId, run);
const topup = (organisationId: string, change: Parameters<typeof topupRow>[2] = {}) =>
  topupRow(database, organisationId, change);
const organisation = () => organisationRow(database);

describe('the initial fee', () => {
  const paid = async (change: Parameters<typeof topupRow>[2]) => {
    const organisationId = await organisation();
    await topup(organisationId, { cents: 100_00, state: 'succeeded', ...change });
    return tenant(organisationId, (tx) => isInitialFeePaid(tx, organisationId));
  };

  test.each([
    ['arrived', {}],
    ['is on its way', { state: 'processing' }],
    ['was given back in part', { state: 'reversed', reversed_cents: 99_99 }],
  ] as const)('counts as paid by a top-up of 100 dollars that %s', async (_what, change) => {
    expect(await paid(change)).toBe(true);
  });

  test.each([
    ['a cent less', { cents: 99_99 }],
    ['was taken back as a whole', { state: 'reversed', reversed_cents: 100_00 }],
    ['failed', { state: 'failed' }],
    ['was begun only', { state: 'requested' }],
  ] as const)('is not paid by a top-up: %s', async (_what, change) => {
    expect(await paid(change)).toBe(false);
  });

  test('is not paid by another organization’s', async () => {
    await paid({});
    const organisationId = await organisation();
    expect(await across(database, (tx) => isInitialFeePaid(tx, organisationId))).toBe(false);
  });
});

describe('what may have ended without a word', () => {
  const isOpen = async (change: Parameters<typeof topupRow>[2]) => {
    const id = await topup(await organisation(), {
      payment_intent: `pi_${newId()}`,
      created_at: before,
      ...change,
    });
    return (await across(database, (tx) => openTopups(tx, now))).some((open) => open.id === id);
  };

  test.each(['requested', 'requires_action', 'processing'] as const)('is %s', async (state) => {
    expect(await isOpen({ state })).toBe(true);
  });

  test.each([
    ['has ended', { state: 'succeeded' }],
    ['the provider has not heard of', { payment_intent: null }],
    ['is of just now', { created_at: now }],
  ] as const)('is nothing that %s', async (_what, change) => {
    expect(await isOpen(change)).toBe(false);
  });

  test('comes with what was begun last first', async () => {
    const organisationId = await organisation();
    const begun = (state: 'requires_action' | 'processing', daysAgo: number) =>
      topup(organisationId, {
        ...{ payment_intent: `pi_${newId()}`, state },
        created_at: new Date(before.getTime() - daysAgo * dayMs),
      });
    const [lying, late] = [await begun('requires_action', 40), await begun('requires_action', 20)];
    const debit = await begun('processing', 60);
    const open = await across(database, (tx) => openTopups(tx, now));
    const own = open.map(({ id }) => id).filter((id) => [lying, late, debit].includes(id));
    expect(own).toEqual([late, lying, debit]);
  });
});

test('a payment leads to its own top-up, and to none when it is nobody’s', async () => {
  const [mine, other] = [await organisation(), await organisation()];
  const id = await topup(mine, { payment_intent: 'pi_mine' });
  await topup(other, { payment_intent: 'pi_other' });
  await topup(other);
  const of = (payment: string) => across(database, (tx) => topupOfPayment(tx, payment));
  expect(await of('pi_mine')).toEqual({ topupId: id, organisationId: mine });
  expect(await of('pi_unknown')).toBeUndefined();
});

test('a top-up is found, locked and counted by its own number, across organizations; an unknown one is none', async () => {
  const organisations = [await organisation(), await organisation()];
  for (const [index, organisationId] of organisations.entries()) {
    const id = await topup(organisationId, { version: index + 1 });
    const beside = await topup(organisationId, { version: 9 });
    expect(await across(database, (tx) => lockTopup(tx, id))).toMatchObject({ id, version: index + 1 });
    expect(await across(database, (tx) => lockTopup(tx, beside))).toMatchObject({ id: beside });
    // Its own organization's profile is locked with it.
    const profiles = tenant(organisationId, (tx) => tx.selectFrom('billing_profiles').selectAll().execute());
    expect(await profiles).toMatchObject([{ organisation_id: organisationId }]);
    expect(await tenant(organisationId, (tx) => findTopup(tx, organisationId, beside))).toMatchObject({
      version: 9,
    });
  }
  expect(await across(database, (tx) => lockTopup(tx, newId()))).toBeUndefined();
});

test('a payment’s own top-up goes before the one that its metadata names, within the organization', async () => {
  const [mine, other] = [await organisation(), await organisation()];
  const named = await topup(mine);
  const own = await topup(mine, { payment_intent: 'pi_second' });
  const find = async (id: string, organisationId = mine) =>
    (await across(database, (tx) => topupNamedBy(tx, organisationId, { id, topupId: named })))?.id;
  expect(await find('pi_second')).toBe(own);
  expect(await find('pi_elsewhere')).toBe(named);
  expect(await find('pi_second', other)).toBeUndefined();
});

test('a second payment becomes a top-up of its own, once', async () => {
  const organisationId = await organisation();
  const payment = { id: 'pi_extra', amountCents: 30_00, createdAt: now } as never;
  const userId = await userRow(database, organisationId);
  const second = () =>
    tenant(organisationId, (tx) => insertSecondPayment(tx, { organisationId, userId, payment }));
  expect([await second(), await second()]).toEqual([true, false]);
  const rows = await tenant(organisationId, (tx) =>
    tx.selectFrom('topups').selectAll().where('payment_intent', '=', 'pi_extra').execute(),
  );
  expect(rows).toMatchObject([{ kind: 'manual', cents: 30_00, state: 'requested', user_id: userId }]);
});

test('what a payment is goes into its own top-up; what the provider does not say stays', async () => {
  const organisationId = await organisation();
  const [id, beside] = [await topup(organisationId), await topup(organisationId)];
  const payment = {
    ...{ id: 'pi_stored', state: 'succeeded' as const, amountCents: 20_00, reversedCents: 7_00 },
    ...{ feeCents: null, method: null, failure: 'Declined before' },
  };
  const known = { id, fee_cents: 88, method: 'card' };
  await tenant(organisationId, (tx) =>
    storePayment(tx, known, { payment: payment as never, state: 'succeeded', pendingCents: 5_00, now }),
  );
  const read = (one: string) => tenant(organisationId, (tx) => findTopup(tx, organisationId, one));
  expect(await read(id)).toMatchObject({
    ...{ state: 'succeeded', rank: 4, version: 1, fee_cents: 88, method: 'card' },
    ...{ payment_intent: 'pi_stored', updated_at: now, pending_cents: 5_00, reversed_cents: 7_00 },
    failure: 'Declined before',
  });
  const told = { ...payment, feeCents: 90, method: 'us_bank_account', failure: null };
  await tenant(organisationId, (tx) =>
    storePayment(tx, known, { payment: told as never, state: 'reversed', pendingCents: 0, now }),
  );
  expect(await read(id)).toMatchObject({
    ...{ state: 'reversed', rank: 5, version: 2, fee_cents: 90, method: 'us_bank_account', failure: null },
  });
  expect(await read(beside)).toMatchObject({ state: 'requested', version: 0, payment_intent: null });
});

describe('auto balance', () => {
  const profile = (organisationId: string) =>
    tenant(organisationId, (tx) => billingProfile(tx, organisationId));
  const setting = { enabled: true, amount: 50_00, mark: 20_00 } as const;
  async function enabled() {
    const organisationId = await organisation();
    await profile(organisationId);
    await tenant(organisationId, (tx) => storeSetting(tx, organisationId, setting, now));
    return organisationId;
  }
  const made = { kind: 'auto', created_at: now, updated_at: now } as const;

  test('turned off keeps its amounts, and forgets declines and pause', async () => {
    const organisationId = await enabled();
    await tenant(organisationId, (tx) =>
      tx
        .updateTable('billing_profiles')
        .set({ auto_topup_declines: 2, auto_topup_paused_until: later })
        .execute(),
    );
    await tenant(organisationId, (tx) => storeSetting(tx, organisationId, { enabled: false }, now));
    expect(await profile(organisationId)).toMatchObject({
      ...{ auto_topup: false, auto_topup_cents: 50_00, auto_topup_mark_cents: 20_00 },
      ...{ auto_topup_declines: 0, auto_topup_paused_until: null },
    });
  });

  test('a person ends its pause, and not that of one that is off', async () => {
    const [on, off] = [await enabled(), await enabled()];
    await tenant(off, (tx) => storeSetting(tx, off, { enabled: false }, now));
    for (const id of [on, off]) {
      await tenant(id, (tx) => pauseUntil(tx, id, later));
      await tenant(id, (tx) => endPause(tx, id, now));
    }
    expect((await profile(on)).auto_topup_paused_until).toBeNull();
    expect((await profile(off)).auto_topup_paused_until).toEqual(later);
  });

  test.each([
    ['requested', 'failed'],
    ['requires_action', 'failed'],
    ['processing', 'processing'],
    ['succeeded', 'succeeded'],
  ] as const)('a declined charge leaves its top-up, which was %s, as %s', async (from, to) => {
    const organisationId = await enabled();
    const [id, beside] = [await topup(organisationId, { ...made, state: from }), await topup(organisationId)];
    expect(await tenant(organisationId, (tx) => endRefused(tx, id, later))).toBe(from !== to);
    const read = (one: string) => tenant(organisationId, (tx) => findTopup(tx, organisationId, one));
    expect(await read(id)).toMatchObject({ state: to, version: from === to ? 0 : 1 });
    expect(await read(beside)).toMatchObject({ state: 'requested' });
    // An operator who has it tried again sees that it was.
    expect(await tenant(organisationId, (tx) => wasToppedUpSince(tx, organisationId, later))).toBe(
      from !== to,
    );
  });

  test('a decline is counted for its organization, and auto balance looks again after the pause', async () => {
    const [organisationId, beside] = [await enabled(), await enabled()];
    await takeJobs(database.url);
    const after = { declines: 1, enabled: true, pausedUntil: later };
    await tenant(organisationId, (tx) => storeDecline(tx, organisationId, after));
    expect(await profile(organisationId)).toMatchObject({
      ...{ auto_topup: true, auto_topup_declines: 1, auto_topup_paused_until: later },
    });
    expect(await profile(beside)).toMatchObject({ auto_topup_declines: 0, auto_topup_paused_until: null });
    // Not while it lasts: that look would do nothing, and no other follows.
    const at = await runsAt(database.url, `auto-topup-after-pause:${organisationId}`);
    expect(at).toEqual(new Date(later.getTime() + 60_000));
    expect(await takeJobs(database.url)).toEqual([
      { task: 'billing.consider-auto-topup', payload: { organisationId } },
    ]);
  });

  test('counts what it made itself after a moment, and knows the last of it at that moment', async () => {
    const organisationId = await enabled();
    const count = (since: Date) => tenant(organisationId, (tx) => autoTopupsSince(tx, organisationId, since));
    const was = (since: Date) => tenant(organisationId, (tx) => wasToppedUpSince(tx, organisationId, since));
    await topup(organisationId, { ...made, kind: 'manual' });
    expect([await count(before), await was(now)]).toEqual([0, false]);
    await topup(organisationId, made);
    expect([await count(before), await count(now)]).toEqual([1, 0]);
    expect([await was(now), await was(later)]).toEqual([true, false]);
  });

  test('takes up again what it began, and nothing that the provider knows or a person began', async () => {
    const open = (organisationId: string) =>
      tenant(organisationId, (tx) => openAutoTopup(tx, organisationId));
    for (const change of [
      { kind: 'manual' },
      { kind: 'auto', state: 'failed' },
      { kind: 'auto', payment_intent: 'pi_known' },
    ] as const) {
      const organisationId = await enabled();
      await topup(organisationId, change);
      expect(await open(organisationId)).toBeUndefined();
    }
    const organisationId = await enabled();
    const id = await topup(organisationId, { kind: 'auto', cents: 77_00 });
    expect(await open(organisationId)).toEqual({ id, cents: 77_00 });
  });

  test('ends what it began and never charged: of its own, without a payment, in the span, and claimed by nobody since', async () => {
    const [since, until] = [new Date(now.getTime() - 10_000), new Date(now.getTime() - 1_000)];
    const begun = { kind: 'auto', state: 'requested', created_at: since } as const;
    const isEnded = async (change: Parameters<typeof topupRow>[2]) => {
      const organisationId = await organisation();
      const id = await topup(organisationId, { ...begun, ...change });
      const whose = await across(database, (tx) =>
        endUncharged(tx, { since, before: until, except: [] }, now),
      );
      const row = await tenant(organisationId, (tx) => findTopup(tx, organisationId, id));
      expect(whose).toEqual(row?.state === 'cancelled' ? [organisationId] : []);
      if (row?.state === 'cancelled') expect(row).toMatchObject({ rank: 3, version: 1, updated_at: now });
      // The next one finds it no more.
      await across(database, (tx) =>
        tx.updateTable('topups').set({ state: 'failed' }).where('id', '=', id).execute(),
      );
      return row?.state === 'cancelled';
    };
    const moment = (date: Date, ms: number) => new Date(date.getTime() + ms);
    for (const change of [{}, { created_at: moment(until, -1) }, { claimed_at: moment(until, -1) }]) {
      expect([change, await isEnded(change)]).toEqual([change, true]);
    }
    for (const change of [
      { kind: 'manual' as const },
      { kind: 'initial' as const },
      { state: 'processing' as const },
      { payment_intent: `pi_${newId()}` },
      { created_at: moment(since, -1) },
      { created_at: until },
      { claimed_at: until },
    ]) {
      expect([change, await isEnded(change)]).toEqual([change, false]);
    }
  });

  test('knows since when the oldest waits that it began and never charged', async () => {
    await across(database, (tx) =>
      tx.updateTable('topups').set({ state: 'failed' }).where('kind', '=', 'auto').execute(),
    );
    const oldest = () => across(database, oldestUncharged);
    const begun = { kind: 'auto', state: 'requested', created_at: before } as const;
    expect(await oldest()).toBeNull();
    await topup(await organisation(), { ...begun, kind: 'manual' });
    await topup(await organisation(), { ...begun, state: 'processing' });
    await topup(await organisation(), { ...begun, payment_intent: `pi_${newId()}` });
    expect(await oldest()).toBeNull();
    await topup(await organisation(), { ...begun, created_at: now });
    await topup(await organisation(), { ...begun, created_at: later });
    expect(await oldest()).toEqual(now);
  });
});
