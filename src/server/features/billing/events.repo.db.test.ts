import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { across } from '../../../../tests/support/rows.ts';
import type { PaymentEvent } from '../../ports/payments.ts';
import { createEventStore } from './event-store.ts';
import { insertEvents, lateEvents, noteTry, waitingEvent, waitingEvents } from './events.repo.ts';

/** Each condition of what the job applies, beside an event that differs in it alone. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
let count = 0;
async function stored(change: { attempts?: number; received_at?: Date } = {}): Promise<string> {
  count += 1;
  const id = `evt_${count}`;
  const event = { id, type: 'payment_intent.succeeded', account: null, objectId: 'pi_1' } as PaymentEvent;
  await across(database, (tx) => insertEvents(tx, [event]));
  if (Object.keys(change).length > 0) {
    await across(database, (tx) =>
      tx.updateTable('webhook_events').set(change).where('id', '=', id).execute(),
    );
  }
  return id;
}
const ids = (events: readonly { id: string }[]) => events.map(({ id }) => id);
const waiting = async (without: readonly string[] = []) =>
  ids(await waitingEvents(database.systemDb, { maxAttempts: 3, limit: 100, without }));
const late = async () => ids(await lateEvents(database.systemDb, 100));
const applied = (id: string) => noteTry(database.systemDb, [id], { error: null, now });

test('an event is new once', async () => {
  const event = { id: 'evt_once', type: 'x', account: null, objectId: null } as PaymentEvent;
  const store = () => across(database, (tx) => insertEvents(tx, [event]));
  expect([...(await store())]).toEqual(['evt_once']);
  expect([...(await store())]).toEqual([]);
});

test('what an event is about is kept with it: its payment before its object, and whom it names', async () => {
  const event = {
    ...{ id: 'evt_whole', type: 'charge.refunded', account: 'acct_1', objectId: 'ch_1', createdAt: now },
    ...{ paymentId: 'pi_9', customerId: 'cus_1', paymentMethodId: 'pm_1' },
  };
  const bare = { ...event, id: 'evt_bare', paymentId: null, customerId: null, paymentMethodId: null };
  await across(database, (tx) => insertEvents(tx, [event, bare]));
  const kept = {
    type: 'charge.refunded',
    account: 'acct_1',
    applied_at: null,
    attempts: 0,
    last_error: null,
  };
  expect(await waitingEvent(database.systemDb, 'evt_whole')).toMatchObject({
    ...{ ...kept, object_id: 'pi_9', payload: { customerId: 'cus_1', paymentMethodId: 'pm_1' } },
  });
  expect(await waitingEvent(database.systemDb, 'evt_bare')).toMatchObject({
    ...{ ...kept, object_id: 'ch_1', payload: { customerId: null, paymentMethodId: null } },
  });
});

test('what is applied waits no longer; a failed try waits on, and is counted', async () => {
  const [done, failed, beside] = [await stored(), await stored(), await stored()];
  await applied(done);
  await noteTry(database.systemDb, [failed], { error: 'busy', now });
  expect(await waiting()).toEqual(expect.arrayContaining([failed, beside]));
  expect(await waiting()).not.toContain(done);
  expect(await waitingEvent(database.systemDb, done)).toBeUndefined();
  expect(await waitingEvent(database.systemDb, failed)).toMatchObject({ attempts: 1, last_error: 'busy' });
  await applied(failed);
  const row = await database.systemDb
    .selectFrom('webhook_events')
    .select(['attempts', 'last_error', 'applied_at'])
    .where('id', '=', failed)
    .executeTakeFirst();
  expect(row).toEqual({ attempts: 2, last_error: null, applied_at: now });
  expect(await waitingEvent(database.systemDb, beside)).toMatchObject({ id: beside, attempts: 0 });
});

test('an event waits until its last try, and not while it is left out', async () => {
  const [last, spent] = [await stored({ attempts: 2 }), await stored({ attempts: 3 })];
  expect(await waiting()).toContain(last);
  expect(await waiting()).not.toContain(spent);
  expect(await waiting([last])).not.toContain(last);
});

test('what was not applied for a minute is late, however often it was tried', async () => {
  const long = new Date('2026-01-01T00:00:00Z');
  const [old, spent, fresh, done] = [
    await stored({ received_at: long }),
    await stored({ received_at: long, attempts: 99 }),
    await stored(),
    await stored({ received_at: long }),
  ];
  await applied(done);
  const found = await late();
  expect(found).toEqual(expect.arrayContaining([old, spent]));
  expect(found).not.toContain(fresh);
  expect(found).not.toContain(done);
});

test('the oldest is applied first, and no more than asked for', async () => {
  const oldest = await stored({ received_at: new Date('2024-01-01T00:00:00Z') });
  expect(ids(await lateEvents(database.systemDb, 1))).toEqual([oldest]);
  const first = await waitingEvents(database.systemDb, { maxAttempts: 3, limit: 1, without: [] });
  expect(ids(first)).toEqual([oldest]);
});

test('what was tried in vain keeps no other one out, however many there are', async () => {
  const long = new Date('2020-01-01T00:00:00Z');
  for (let count = 0; count < 3; count += 1) await stored({ received_at: long, attempts: 10 });
  const waits = await stored({ received_at: new Date('2020-01-02T00:00:00Z'), attempts: 9 });
  const found = await lateEvents(database.systemDb, 100);
  expect(ids(found)).toContain(waits);
  const tries = found.map(({ attempts }) => attempts);
  expect(tries).toEqual(tries.toSorted((a, b) => a - b));
});

describe('the store', () => {
  const event = (id: string): PaymentEvent => ({
    ...{ id, type: 'payment_intent.succeeded', account: null, objectId: 'pi_1', createdAt: now },
    ...{ paymentId: 'pi_1', customerId: null, paymentMethodId: null },
  });
  const applies = async () => (await takeJobs(database.url)).map(({ task }) => task);

  test('says of each event whether it is new, also of two of one id that come together, and has new ones applied', async () => {
    const { store } = createEventStore(database.systemDb);
    await takeJobs(database.url);
    const together = await Promise.all(
      ['evt_s1', 'evt_s2', 'evt_s2', 'evt_s1'].map((id) => store(event(id))),
    );
    expect(together).toEqual([true, true, false, false]);
    expect(await applies()).toEqual(['billing.apply-events']);
    expect(await store(event('evt_s1'))).toBe(false);
    expect(await applies()).toEqual([]);
    expect(await store(event('evt_s3'))).toBe(true);
    expect(await applies()).toEqual(['billing.apply-events']);
  });

  test('that could not write says so to each who waits, keeps nothing of it, and writes what comes next', async () => {
    const { store } = createEventStore(database.systemDb);
    // The second of a batch has no type, which its column refuses.
    const broken = { ...event('evt_b2'), type: null } as never;
    const first = store(event('evt_b1'));
    const batch = [store(event('evt_b3')), store(broken), store(event('evt_b4'))];
    expect(await first).toBe(true);
    const outcomes = await Promise.allSettled(batch);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    for (const id of ['evt_b2', 'evt_b3', 'evt_b4'])
      expect(await waitingEvent(database.systemDb, id)).toBeUndefined();
    expect(await store(event('evt_b3'))).toBe(true);
  });
});
