import { dayMs } from '#contracts/values/time.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import { unfenced } from '#kernel/fence.ts';
import { enqueueJob, type JobOptions } from '#kernel/jobs.ts';
import type { Logger } from '#kernel/logger.ts';
import { isOutageOfAll } from '../../ports/outcome.ts';
import type { RegistrarEvent, RegistrarEvents } from '../../ports/registrar.ts';
import { enqueueSync, noteRestorableUntil } from '../domains/index.ts';
import { forgetEvents, itemOfOrder, keepEvent, openTransferOf, ownerOf } from './events.repo.ts';
import { type Effect, effectOf } from './events.rules.ts';

export interface EventsDeps {
  systemDb: Db;
  registrar: Pick<RegistrarEvents, 'events' | 'acknowledgeEvent'>;
  clock: Clock;
  logger: Logger;
}

const pageSize = 50;
/** A round ends here, so that it never runs into many of the next ones; what is left comes with the next. */
const mostPages = 20;
/** Long enough to find out what happened to a domain in the last renewal season. */
const keptMs = 120 * dayMs;

/** Takes the registrar's events from its queue. Each is stored with its effect first, and acknowledged afterwards. */
export function createEvents(deps: EventsDeps) {
  const { systemDb, registrar, clock, logger } = deps;

  /** Returns how many events were new. */
  async function poll(): Promise<number> {
    let fresh = 0;
    const takeOff = async (event: RegistrarEvent) => {
      if (await take(event)) fresh += 1;
      // What cannot be acknowledged comes again, and finds its row.
      await registrar.acknowledgeEvent(event.id, unfenced('news-are-stored-already'));
    };
    await each(waiting(), takeOff, isOutageOfAll);
    return fresh;
  }

  /** The queue, as far as one round goes. What could not be taken off it stays in front, and is met once in a round. */
  async function* waiting(): AsyncGenerator<RegistrarEvent> {
    const seen = new Set<string>();
    for (let page = 0; page < mostPages; page += 1) {
      const events = await registrar.events(pageSize);
      const unseen = events.filter(({ id }) => !seen.has(id));
      for (const event of unseen) {
        seen.add(event.id);
        yield event;
      }
      if (events.length < pageSize || unseen.length === 0) return;
    }
  }

  async function take(event: RegistrarEvent): Promise<boolean> {
    const effect = effectOf(event);
    const isNew = await systemTransaction(systemDb, async (tx) => {
      if (!(await keepEvent(tx, event, effect, clock.now()))) return false;
      await carryOut(tx, effect);
      return true;
    });
    if (isNew && effect.kind === 'unknown') {
      logger.warn(
        { event: `${event.object} ${event.event}`, id: event.id },
        'an event of the registrar nobody knows',
      );
    }
    return isNew;
  }

  /** Only plans what is to be read: the event itself is never believed. */
  async function carryOut(tx: Tx, effect: Effect): Promise<void> {
    switch (effect.kind) {
      case 'sync':
      case 'deleted': {
        const { address } = effect;
        const organisationId = await ownerOf(tx, address);
        if (!organisationId) return;
        if (effect.kind === 'deleted' && effect.restorableUntil) {
          await noteRestorableUntil(tx, { organisationId, address, restorableUntil: effect.restorableUntil });
        }
        return enqueueSync(tx, { organisationId, address });
      }
      case 'transfer': {
        const transfer = await openTransferOf(tx, effect.address);
        // The registrar is asked about open transfers again by a schedule; this look is only sooner.
        if (transfer) await enqueueFor(tx, 'transfers.ask', transfer, { maxAttempts: 5 });
        return;
      }
      case 'order': {
        const item = await itemOfOrder(tx, effect.registrarOrderId);
        // No sweep asks about an item in review: nothing but this takes it to the end that it has come to.
        if (item) await enqueueFor(tx, 'orders.seek-end', item);
        return;
      }
      case 'nothing':
      case 'unknown':
        return;
    }
  }

  function enqueueFor(
    tx: Tx,
    task: 'orders.seek-end' | 'transfers.ask',
    { id, organisation_id }: { id: string; organisation_id: string },
    options: Pick<JobOptions, 'maxAttempts'> = {},
  ) {
    const payload = { organisationId: organisation_id, itemId: id };
    return enqueueJob(tx, task, payload, { key: `${task}:${id}`, ...options });
  }

  return {
    poll,
    tasks: {
      'registrar.poll-events': async () => void (await poll()),
      'registrar.forget-events': async () => {
        const before = new Date(clock.now().getTime() - keptMs);
        await systemTransaction(systemDb, (tx) => forgetEvents(tx, before));
      },
    },
  };
}
