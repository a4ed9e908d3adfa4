import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across } from '../../../../tests/support/rows.ts';
import type { PaymentEvent } from '../../ports/payments.ts';
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

test('what is applied waits no longer; a failed try waits on, and is counted', async () => {
  const [done, failed, beside] = [await stored(), await stored(), await stored()];
  await applied(done);
  await noteTry(database.systemDb, [failed], { error: 'busy', now });
  expect(await waiting()).toEqual(expect.arrayContaining([failed, beside]));
  expect(await waiting()).not.toContain(done);
  expect(await waitingEvent(database.systemDb, done)).toBeUndefined();
  expect(await waitingEvent(database.systemDb, failed)).toMatchObject({ attempts: 1, last_error: 'busy' });
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
  const oldest = await stored({ received_at: new Date('2025-01-01T00:00:00Z') });
  const first = await waitingEvents(database.systemDb, { maxAttempts: 3, limit: 1, without: [] });
  expect(ids(first)).toEqual([oldest]);
});
