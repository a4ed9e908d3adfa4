import { z } from 'zod';
import { AppError } from '#contracts/errors.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Db } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Logger } from '#kernel/logger.ts';
import { isOutage } from '../../ports/outcome.ts';
import { InvalidWebhook, type PaymentEvent, type Payments } from '../../ports/payments.ts';
import { createEventStore } from './event-store.ts';
import { lateEvents, noteTry, type StoredEvent, waitingEvent, waitingEvents } from './events.repo.ts';
import { accountOf, namesPayment, subjectOf } from './events.rules.ts';
import type { createTopups } from './topups.service.ts';

/** Things besides payments that an event can be about; each is re-read by who knows it. */
export interface EventListeners {
  /** Payments, customers and payment methods of a connected account. */
  connected?: (accountId: string, event: ConnectedNews) => Promise<void>;
  /** The state of a connected account itself. */
  account?: (accountId: string, event: { type: string }) => Promise<void>;
}

/** What the event named; everything is read again. */
export interface ConnectedNews {
  type: string;
  objectId: string | null;
  customerId: string | null;
  paymentMethodId: string | null;
}

export interface WebhookDeps {
  systemDb: Db;
  payments: Payments;
  topups: Pick<ReturnType<typeof createTopups>, 'refreshPayment'>;
  listeners: EventListeners;
  clock: Clock;
  logger: Logger;
}

/** Tries before an event waits for the hourly sweep. */
const maxAttempts = 10;
const batchSize = 1_000;
const sayEvery = 1_000;
/** Objects that are read again at the same time. */
const parallel = 8;

/**
 * Events are stored and answered; a job applies them by reading again what they are about. Duplicates, any order,
 * delays and losses change nothing. Many events about one object are one reading of it.
 */
export function createWebhooks(deps: WebhookDeps) {
  const { systemDb, payments, clock, logger } = deps;
  const { store } = createEventStore(systemDb);

  async function receive(rawBody: Buffer, signature: string): Promise<void> {
    let event: PaymentEvent;
    try {
      event = await payments.verifyWebhook(rawBody, signature);
    } catch (error) {
      if (error instanceof InvalidWebhook) throw new AppError('bad_request', { cause: error });
      throw error;
    }
    failpoint('webhook.verified');
    await store(event);
    failpoint('webhook.stored');
  }

  /** Applies what has arrived. Throws when the provider did not answer for all of it: the job comes back. */
  async function applyDue(): Promise<void> {
    const failed: string[] = [];
    for (;;) {
      const events = await waitingEvents(systemDb, { maxAttempts, limit: batchSize, without: failed });
      if (events.length === 0) break;
      failed.push(...(await applyAll(events)));
      if (failed.length >= batchSize) break;
    }
    if (failed.length > 0) throw new Error(`${failed.length} events could not be applied yet`);
  }

  /** Applies one stored event, whatever became of it before. */
  async function apply(eventId: string): Promise<void> {
    const event = await waitingEvent(systemDb, eventId);
    if (event) await applyTogether([event]);
  }

  /** Returns the ids of events that could not be applied. */
  async function applyAll(events: readonly StoredEvent[]): Promise<string[]> {
    const groups = [...Map.groupBy(events, subjectOf).values()];
    const failed: string[] = [];
    const work = async () => {
      for (let group = groups.shift(); group; group = groups.shift()) {
        const about = group;
        await applyTogether(about).catch((error: unknown) => {
          failed.push(...about.map(({ id }) => id));
          logger.warn({ err: error, eventId: about[0]?.id }, 'event not applied; it will be tried again');
        });
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
    return failed;
  }

  /** All events of one subject: what they are about is read once. */
  async function applyTogether(events: readonly StoredEvent[]): Promise<void> {
    const [first] = events;
    if (!first) return;
    const ids = events.map(({ id }) => id);
    try {
      await act(first);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      await noteTry(systemDb, ids, { error: text.slice(0, 500), now: clock.now() });
      throw error;
    }
    failpoint('webhook.applied');
    await noteTry(systemDb, ids, { error: null, now: clock.now() });
  }

  async function act(event: StoredEvent): Promise<void> {
    const account = accountOf(event);
    if (account) {
      await deps.listeners.account?.(account, { type: event.type });
    } else if (event.account) {
      const named = namedIn.parse(event.payload);
      await deps.listeners.connected?.(event.account, {
        type: event.type,
        objectId: event.object_id,
        ...named,
      });
    } else if (namesPayment(event.object_id)) {
      await deps.topups.refreshPayment(event.object_id);
    }
  }

  /** Finds events that never arrived and stored ones that were never applied. */
  async function sweep(since: Date): Promise<number> {
    let found = 0;
    const takeUpOurs = async () => {
      found = await takeUp(payments.eventsSince(since));
    };
    const applyLate = async () => applyAll(await lateEvents(systemDb, batchSize));
    await each([takeUpOurs, applyLate], (part) => part(), isOutage);
    return found;
  }

  /** The same for the payments, methods and mandates of one connected account; a job applies what is found. */
  function sweepAccount(accountId: string, since: Date): Promise<number> {
    return takeUp(payments.eventsSince(since, accountId));
  }

  async function takeUp(events: AsyncIterable<PaymentEvent>): Promise<number> {
    let found = 0;
    let seen = 0;
    await each(events, async (event) => {
      seen += 1;
      if (await store(event)) found += 1;
      if (seen % sayEvery === 0) logger.info({ seen, found }, 'catching up: events of the payment provider');
    });
    return found;
  }

  return { receive, apply, applyDue, sweep, sweepAccount };
}

const named = z.string().nullable().default(null);
const namedIn = z.object({ customerId: named, paymentMethodId: named });
