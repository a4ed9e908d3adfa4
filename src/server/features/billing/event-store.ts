import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { PaymentEvent } from '../../ports/payments.ts';
import { insertEvents } from './events.repo.ts';

/** Events written by one commit at most. */
const batchSize = 500;

interface Waiting {
  event: PaymentEvent;
  done: (isNew: boolean) => void;
  failed: (error: unknown) => void;
}

/**
 * Stores events once each, many per commit: whatever arrives while a commit runs goes with the next one. The promise
 * of an event resolves when its commit has, never before.
 */
export function createEventStore(systemDb: Db) {
  let waiting: Waiting[] = [];
  let writing = false;

  /** Returns whether the event was new. */
  function store(event: PaymentEvent): Promise<boolean> {
    return new Promise((done, failed) => {
      waiting.push({ event, done, failed });
      if (!writing) void writeAll();
    });
  }

  async function writeAll(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize);
      waiting = waiting.slice(batchSize);
      try {
        const fresh = await write(batch.map(({ event }) => event));
        // The same id twice in one batch: the first one is the new one.
        for (const { event, done } of batch) done(fresh.delete(event.id));
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    writing = false;
  }

  function write(events: readonly PaymentEvent[]): Promise<Set<string>> {
    return systemTransaction(systemDb, async (tx) => {
      const stored = await insertEvents(tx, events);
      // One job for all that wait; it runs if, and only if, the events are there.
      if (stored.size > 0) {
        await enqueueJob(tx, 'billing.apply-events', {}, { key: 'apply-events', queue: 'apply-events' });
      }
      return stored;
    });
  }

  return { store };
}
