import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { clockThatFails } from '../../../../tests/support/failing-clock.ts';
import { runsAt, takeJobs } from '../../../../tests/support/jobs.ts';
import {
  customerRow,
  domainRow,
  newName,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { AppError } from '../../../contracts/errors.ts';
import { adjust } from '../../ledger/ledger.ts';
import { jobScope } from './job-scope.ts';
import { createRenewals } from './renewals.service.ts';

/** What people are shown of what falls due, and which jobs and letters come of it; each in whole. */

const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
let database: TestDatabase;
let organisationId: string;
const place = vi.fn();

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
  place.mockReset();
  await takeJobs(database.url);
});

const asked: string[] = [];
const renewals = (clock = { now: () => now }) =>
  createRenewals({
    ...{ db: database.db, systemDb: database.systemDb, clock },
    orders: { place, engine: { advance: async () => undefined } as never },
    pricing: {
      price: async () => ({ priceCents: 12_00, costCents: 10_00, premium: false }),
      standardPriceCents: async (suffix: string, what: string) => {
        asked.push(`${suffix} ${what}`);
        return suffix === 'com' ? 12_00 : null;
      },
      premiumPriceCents: (cents: number) => cents + 9_00,
    } as never,
    ...{ pendingLimitCents: 0, renewDays: 30, reminderDays: [30, 7], graceDays: 40 },
    publicUrl: 'https://portal.test',
  });
const own = async (days: number, change: Parameters<typeof domainRow>[2] = {}) =>
  (await domainRow(database, organisationId, { auto_renew: true, expires_at: inDays(days), ...change }))
    .address;
const due = (days: number) => renewals().due(jobScope(organisationId), days);

test('what falls due is shown with its owner, its price, when it is renewed, and what the balance covers of it', async () => {
  const customerId = await customerRow(database, organisationId);
  await within(database, organisationId, (tx) =>
    adjust(tx, { organisationId, cents: 20_00, ref: 'start', actor: 'test', text: '' }),
  );
  const late = await own(45);
  const soon = await own(10, { customer_id: customerId });
  const manual = await own(5, { auto_renew: false });
  const unpriced = await own(50, { address: newName().replace('.com', '.example') });
  asked.length = 0;
  const row = (address: string, days: number, change: object) => ({
    ...{ address, customerId: null, customer: '', expireDate: inDays(days).toISOString(), autoRenew: true },
    ...{ state: 'planned', reason: null, price: 12, covered: true, ...change },
  });
  expect(await due(60)).toEqual({
    rows: [
      row(manual, 5, { autoRenew: false, state: 'manual', renewAt: null }),
      row(soon, 10, { customerId, customer: 'Example Ltd', renewAt: now.toISOString() }),
      // The balance is used up by then.
      row(late, 45, { renewAt: inDays(15).toISOString(), covered: false }),
      row(unpriced, 50, { renewAt: inDays(20).toISOString(), price: null, covered: false }),
    ],
    ...{ spendable: 20_00, total: 36, automaticTotal: 24, automaticCount: 3, unpriced: 1, missing: 4 },
    ...{ shortFrom: inDays(15).toISOString(), more: false },
  });
  // Each ending is asked about once.
  expect(asked.toSorted()).toEqual(['com renewal', 'example renewal']);
});

test('shown is what expires until that day, and what can still be renewed after it expired', async () => {
  const expired = await own(-39.9, { status: 'expired' });
  const last = await own(30);
  await own(-40, { status: 'expired' });
  await own(30.1);
  await own(10, { status: 'ended' });
  await own(10, { status: 'transferring' });
  await own(10, { missing_since: now });
  expect((await due(30)).rows.map(({ address }) => address)).toEqual([expired, last]);
});

test('each name whose time has come has a job of its own', async () => {
  const [first, second] = [await own(10), await own(30)];
  await own(31);
  await own(10, { auto_renew: false });
  await renewals().tasks['renewals.run']();
  const jobs = (await takeJobs(database.url)).filter(
    ({ payload }) => payload.organisationId === organisationId,
  );
  expect(jobs.map(({ task, payload }) => [task, payload.address]).toSorted()).toEqual(
    [
      ['renewals.renew', first],
      ['renewals.renew', second],
    ].toSorted(),
  );
  expect(jobs[0]?.payload).toEqual({ organisationId, address: jobs[0]?.payload.address });
});

test('a reminder that cannot be written keeps no other organization from being reminded', async () => {
  const first = organisationId;
  await own(5);
  organisationId = await organisationRow(database);
  await own(6);
  await database.systemDb.deleteFrom('renewal_reminders').execute();
  // Of what it does for each organization, the first time.
  const failing = clockThatFails(2, () => now);
  const told = async () =>
    (await takeJobs(database.url))
      .filter(({ task }) => task === 'billing.notify')
      .map(({ payload }) => payload.organisationId);
  await expect(renewals(failing).tasks['renewals.remind']()).rejects.toThrow('a date that is none');
  const before = await told();
  expect(before).toContain(organisationId);
  // It is made up for, and nobody is told twice.
  await renewals().tasks['renewals.remind']();
  const all = [...before, ...(await told())];
  expect(all).toContain(first);
  expect(new Set(all).size).toBe(all.length);
});

test('what could not be renewed is told a minute later, by one letter of all; only a short balance may be topped up', async () => {
  await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  const [poor, unfunded, gone] = [await own(10), await own(11), await own(12)];
  const refuse = (address: string, error: AppError) => {
    place.mockRejectedValueOnce(error);
    return renewals().tasks['renewals.renew']({ organisationId, address });
  };
  await refuse(poor, new AppError('insufficient_funds'));
  const tell = { task: 'renewals.tell-unable', payload: { organisationId } };
  const topUp = { task: 'billing.consider-auto-topup', payload: { organisationId } };
  const runAt = new Date(now.getTime() + 60_000);
  expect(await runsAt(database.url, `tell-unable:${organisationId}`)).toEqual(runAt);
  expect(await takeJobs(database.url)).toEqual([tell, topUp]);
  // The operator's own money at the registrar: no top-up of theirs helps.
  await refuse(unfunded, new AppError('registrar_unfunded'));
  expect(await takeJobs(database.url)).toEqual([tell]);
  // Renewed by somebody else, or not theirs any more: there is nothing to tell.
  await refuse(gone, new AppError('unprocessable'));
  expect(await takeJobs(database.url)).toEqual([]);
  await renewals().tasks['renewals.tell-unable']({ organisationId });
  const [letter] = await takeJobs(database.url);
  expect(letter).toMatchObject({
    ...{
      task: 'billing.notify',
      payload: { organisationId, letter: { subject: '2 domains could not be renewed' } },
    },
  });
  const text = JSON.stringify(letter?.payload);
  expect([poor, unfunded, gone].map((address) => text.includes(address))).toEqual([true, true, false]);
});
