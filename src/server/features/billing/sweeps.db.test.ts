import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { createSweeps } from './sweeps.ts';

/** From when on sweeps read, given which of them came to their end. */

let database: TestDatabase;
let now = new Date();
const dayMs = 86_400_000;
const began = Date.UTC(2026, 10, 1);
const day = (number: number) => new Date(began + number * dayMs);
const topups = vi.fn(async (_since: Date) => undefined);
const events = vi.fn(async (_since: Date) => undefined);
const eventsOf = vi.fn(async (_account: string, _since: Date) => undefined);
const logged: unknown[] = [];

beforeEach(async () => {
  for (const asked of [topups, events, eventsOf]) asked.mockReset();
  database = await createTestDatabase();
});
afterEach(() => database.close());

const sweeps = () =>
  createSweeps({
    ...{ systemDb: database.systemDb, clock: { now: () => now } },
    topups: { sweep: topups },
    webhooks: { sweep: events, sweepAccount: eventsOf },
    accounts: {
      // As theirs: one account that fails stops no other.
      sweep: async (more) => {
        for (const id of ['acct_1', 'acct_2']) await more(id).catch((error) => logged.push(error));
      },
    },
  });
const sweepOn = (number: number) => {
  now = day(number);
  return sweeps().sweep();
};
const sinceOf = () => ({
  payments: topups.mock.calls.map(([since]) => since),
  events: events.mock.calls.map(([since]) => since),
  accounts: eventsOf.mock.calls,
});

test('each looks back three days before the beginning of the last one that came to its end; the first one a month', async () => {
  await sweepOn(0);
  topups.mockImplementationOnce(async () => {
    // It takes a day; what happens meanwhile may be missed.
    now = day(2);
  });
  await sweepOn(1);
  await sweepOn(9);
  const since = [day(-30), day(-3), day(-2)];
  expect(sinceOf()).toMatchObject({ payments: since, events: since });
  // The accounts' own sweeps begin after ours.
  expect(eventsOf.mock.calls.filter(([id]) => id === 'acct_1')).toEqual([
    ['acct_1', day(-30)],
    ['acct_1', day(-3)],
    ['acct_1', day(-1)],
  ]);
});

test.each([
  ['payments', topups],
  ['events', events],
])(
  'one whose %s were not all read has reached nothing: the next one looks as far back',
  async (_what, asked) => {
    await sweepOn(0);
    asked.mockRejectedValueOnce(new Error('no answer'));
    await expect(sweepOn(5)).rejects.toThrow('no answer');
    await sweepOn(10);
    expect(asked.mock.calls.map(([since]) => since)).toEqual([day(-30), day(-3), day(-3)]);
  },
);

test('a part that fails keeps no other one waiting, and is told of; without the provider none of the rest begins', async () => {
  const error = new RangeError('an amount that is none');
  topups.mockRejectedValueOnce(error);
  await expect(sweepOn(0)).rejects.toBe(error);
  const since = day(-30);
  expect(sinceOf()).toMatchObject({
    ...{ payments: [since], events: [since] },
    accounts: [
      ['acct_1', since],
      ['acct_2', since],
    ],
  });
  const outage = new UpstreamUnavailable('no answer');
  topups.mockRejectedValueOnce(outage);
  await expect(sweepOn(1)).rejects.toBe(outage);
  expect([events, eventsOf].map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
});

test('an account that did not answer is read from where it was; the others and our own are not', async () => {
  await sweepOn(0);
  eventsOf.mockImplementation(async (id) => {
    if (id === 'acct_1') throw new Error('no answer');
  });
  await sweepOn(10);
  eventsOf.mockReset();
  topups.mockReset();
  await sweepOn(12);
  expect(sinceOf()).toMatchObject({
    payments: [day(7)],
    accounts: [
      ['acct_1', day(-3)],
      ['acct_2', day(7)],
    ],
  });
});

test('after a month without any, payments of half a year are read again: their events are forgotten', async () => {
  await sweepOn(0);
  await sweepOn(40);
  expect(sinceOf()).toMatchObject({ payments: [day(-30), day(-180)], events: [day(-30), day(-3)] });
});

test('of two at once, the later one counts, whichever ends first', async () => {
  await sweepOn(0);
  topups.mockImplementationOnce(async () => {
    await sweepOn(20);
  });
  await sweepOn(10);
  topups.mockReset();
  await sweepOn(21);
  expect(sinceOf().payments).toEqual([day(17)]);
});

test('a recovery reads since its own moment, and says nothing of what is reached', async () => {
  await sweepOn(10);
  now = day(11);
  await sweeps().sweepSince(day(-100));
  await sweepOn(12);
  const since = [day(-20), day(-100), day(7)];
  expect(sinceOf()).toMatchObject({ payments: since, events: since });
  expect(eventsOf.mock.calls.filter(([id]) => id === 'acct_2').map(([, at]) => at)).toEqual(since);
});
