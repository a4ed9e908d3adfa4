import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OrderItemState } from '#kernel/db/schema.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { attemptsOf, takeJobs } from '../../../../tests/support/jobs.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { domainRow, itemRow, orderRow, organisationRow } from '../../../../tests/support/rows.ts';
import { ownDomain } from '../../../../tests/support/zone-registrar.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarEvent } from '../../ports/registrar.ts';
import { createRegistrarWatch } from './index.ts';

let database: TestDatabase;
let people: People;
let scope: Scope;
/** The registrar's queue; acknowledged events leave it. */
let queue: RegistrarEvent[];
let acknowledged: string[];
/** What happens when an event is to be acknowledged. */
let onAcknowledge: (id: string) => Promise<void>;
let account: { balanceCents: number; heldCents: number } | 'silent' | 'refuses' | 'broken';
let asked: number;
let warnings: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  ({ scope } = await people.organisation());
});
afterAll(() => database.close());
beforeEach(async () => {
  [queue, acknowledged, warnings, asked] = [[], [], [], 0];
  onAcknowledge = async () => undefined;
  account = { balanceCents: 1_000_00, heldCents: 0 };
  await database.systemDb.deleteFrom('registrar_events').execute();
  await database.systemDb
    .updateTable('registrar_account')
    .set({ alarmed_at: null, alarmed_level: null })
    .execute();
  await takeJobs(database.url);
});

function watch() {
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  return createRegistrarWatch({
    ...{ systemDb: database.systemDb, clock: people.clock, logger, alarmCents: 500_00 },
    registrar: {
      events: async (limit) => queue.slice(0, limit),
      acknowledgeEvent: async (id) => {
        await onAcknowledge(id);
        queue = queue.filter((event) => event.id !== id);
        acknowledged.push(id);
      },
      balance: async () => {
        asked += 1;
        if (account === 'silent') throw new UpstreamUnavailable('no answer');
        if (account === 'refuses') throw new UpstreamRefused('forbidden', '401', 'No.');
        if (account === 'broken') throw new TypeError('a mistake');
        return account;
      },
    },
  });
}

const event = (id: string, kind: string, data: Record<string, string>): RegistrarEvent => {
  const [object = '', name = ''] = kind.split(' ');
  return { id, object, event: name, at: null, domain: data.domain_name ?? null, restorableUntil: null, data };
};
const renewed = (id: string, domain: string) => event(id, 'DOMAIN RENEWED', { domain_name: domain });
const kept = () => database.systemDb.selectFrom('registrar_events').selectAll().orderBy('id').execute();

describe('events of the registrar', () => {
  test('have the domain read again, and are acknowledged only after that is stored', async () => {
    await ownDomain(database, scope, 'renewed.com');
    await takeJobs(database.url);
    queue = [renewed('e1', 'renewed.com')];
    onAcknowledge = async () => {
      expect((await kept()).map(({ id, effect }) => [id, effect])).toEqual([['e1', 'sync']]);
    };
    expect(await watch().events.poll()).toBe(1);
    expect(acknowledged).toEqual(['e1']);
    expect(await takeJobs(database.url)).toEqual([
      { task: 'domains.sync', payload: { organisationId: scope.organisationId, address: 'renewed.com' } },
    ]);
  });

  test('that could not be acknowledged come again, do nothing twice, and are acknowledged then', async () => {
    await ownDomain(database, scope, 'again.com');
    await takeJobs(database.url);
    queue = [renewed('e1', 'again.com')];
    onAcknowledge = () => Promise.reject(new UpstreamUnavailable('cut off'));
    await expect(watch().events.poll()).rejects.toThrow('cut off');
    expect(await takeJobs(database.url)).toHaveLength(1);
    onAcknowledge = async () => undefined;
    expect(await watch().events.poll()).toBe(0);
    expect(acknowledged).toEqual(['e1']);
    expect(await takeJobs(database.url)).toEqual([]);
  });

  test('of a kind nobody knows are kept, logged and acknowledged; the ones behind them come through', async () => {
    await ownDomain(database, scope, 'behind.com');
    await takeJobs(database.url);
    queue = [event('e1', 'DOMAIN TELEPORTED', { domain_name: 'behind.com' }), renewed('e2', 'behind.com')];
    await watch().events.poll();
    expect(acknowledged).toEqual(['e1', 'e2']);
    expect((await kept()).map(({ effect }) => effect)).toEqual(['unknown', 'sync']);
    expect(warnings.join()).toContain('DOMAIN TELEPORTED');
    expect(await takeJobs(database.url)).toHaveLength(1);
  });

  test('that cannot be kept or acknowledged keep none behind them from being taken, over the pages; the job fails', async () => {
    await ownDomain(database, scope, 'behind.com');
    await takeJobs(database.url);
    const broken = Array.from({ length: 49 }, (_, at) => event(`b${at}`, 'DOMAIN\u0000 RENEWED', {}));
    queue = [renewed('stays', 'nobodys.com'), ...broken, renewed('e1', 'behind.com')];
    onAcknowledge = async (id) => {
      if (id === 'stays') throw new UpstreamRefused('not-found', '404', 'No such event.');
    };
    // The registrar shows what was not acknowledged first; one more place is free where one is gone.
    queue.splice(10, 1);
    await expect(watch().events.poll()).rejects.toThrow(/49 of 50 failed: No such event/);
    expect(acknowledged).toEqual(['e1']);
    expect(await takeJobs(database.url)).toHaveLength(1);
  });

  test('of which one gets no answer when it is acknowledged, each time, do not wait behind it; three without one are an outage', async () => {
    await ownDomain(database, scope, 'behind.com');
    await takeJobs(database.url);
    queue = [renewed('mute', 'nobodys.com'), renewed('e1', 'behind.com')];
    const noAnswer = new UpstreamUnavailable('400 Command failed');
    onAcknowledge = async (id) => {
      if (id === 'mute') throw noAnswer;
    };
    await expect(watch().events.poll()).rejects.toBe(noAnswer);
    expect(acknowledged).toEqual(['e1']);
    expect(await takeJobs(database.url)).toHaveLength(1);
    const tried: string[] = [];
    queue = Array.from({ length: 5 }, (_, at) => renewed(`f${at}`, 'nobodys.com'));
    onAcknowledge = async (id) => {
      tried.push(id);
      throw noAnswer;
    };
    await expect(watch().events.poll()).rejects.toBe(noAnswer);
    expect(tried).toEqual(['f0', 'f1', 'f2']);
  });

  test('are asked for no longer where none of a page can be taken, and the ones behind when there is room again', async () => {
    queue = Array.from({ length: 60 }, (_, at) => renewed(`e${at}`, 'nobodys.com'));
    const left = new Set(['e7', 'e55']);
    onAcknowledge = async (id) => {
      if (left.has(id)) throw new UpstreamRefused('not-found', '404', 'No such event.');
    };
    await expect(watch().events.poll()).rejects.toThrow('2 of 60 failed');
    expect(acknowledged).toHaveLength(58);
    expect(queue.map(({ id }) => id)).toEqual(['e7', 'e55']);
  });

  test('about names that are nobody’s here plan nothing', async () => {
    queue = [
      renewed('e1', 'nobodys.com'),
      event('e2', 'TRANSFER STATUS_CHANGE', { domain_name: 'nobodys.com' }),
    ];
    await watch().events.poll();
    expect(acknowledged).toEqual(['e1', 'e2']);
    expect(await takeJobs(database.url)).toEqual([]);
  });

  test('about an order have its item looked at, also one that waits for a person; not one that has ended, nor another', async () => {
    const { organisationId } = scope;
    const order = { organisationId, orderId: await orderRow(database, organisationId) };
    for (const state of ['sending', 'pending', 'unknown', 'review'] as const) {
      const itemId = await itemRow(database, order, { state, registrar_order_id: `R-${state}` });
      queue = [event(`of ${state}`, 'ORDER STATUS_CHANGE', { order_id: `R-${state}` })];
      await watch().events.poll();
      // No sweep asks again about one in review: the look must outlast a registrar that is away for a day.
      expect(await attemptsOf(database.url, 'orders.seek-end')).toEqual([25]);
      expect(await takeJobs(database.url)).toEqual([
        { task: 'orders.seek-end', payload: { organisationId, itemId } },
      ]);
    }
    for (const state of ['succeeded', 'declined', 'queued'] as const) {
      await itemRow(database, order, { state, registrar_order_id: `R-${state}` });
      queue = [event(`of ${state}`, 'ORDER STATUS_CHANGE', { order_id: `R-${state}` })];
      await watch().events.poll();
    }
    queue = [event('of none', 'ORDER STATUS_CHANGE', { order_id: 'R-none' })];
    await watch().events.poll();
    expect(await takeJobs(database.url)).toEqual([]);
    await ended();
  });

  test('about a transfer have its own state asked for, that of the one that runs; of one that has ended nothing', async () => {
    const { organisationId } = scope;
    const transfer = async (address: string, change: { completed_at?: Date; failed_at?: Date } = {}) => {
      const id = newId();
      await database.systemDb
        .insertInto('transfers')
        .values({
          ...{ id, organisation_id: organisationId, address, customer_id: null },
          ...{ requested_at: people.clock.now(), registrar_status: null, status_since: null, asked_at: null },
          ...{ nameservers_before: null, nameservers_after: null, compared_at: null },
          ...{ completed_at: null, failed_at: null, reason: null, ...change },
        })
        .execute();
      return id;
    };
    const changed = (id: string, domain: string) =>
      event(id, 'TRANSFER STATUS_CHANGE', { domain_name: domain });
    const at = people.clock.now();
    await transfer('moving.com', { failed_at: at });
    const itemId = await transfer('moving.com');
    await transfer('moved.com', { completed_at: at });
    await transfer('failed.com', { failed_at: at });
    queue = [changed('e1', 'moving.com')];
    await watch().events.poll();
    // A schedule asks again: this look is only sooner.
    expect(await attemptsOf(database.url, 'transfers.ask')).toEqual([5]);
    expect(await takeJobs(database.url)).toEqual([
      { task: 'transfers.ask', payload: { organisationId, itemId } },
    ]);
    queue = [changed('e2', 'moved.com'), changed('e3', 'failed.com'), changed('e4', 'elsewhere.com')];
    await watch().events.poll();
    expect(await takeJobs(database.url)).toEqual([]);
  });

  test('about a name are for the organization that has it now, and for nobody when it is gone', async () => {
    const other = await organisationRow(database);
    await domainRow(database, scope.organisationId, { address: 'sold.com', status: 'ended' });
    await domainRow(database, other, { address: 'sold.com' });
    await domainRow(database, other, { address: 'gone.com', status: 'ended' });
    await takeJobs(database.url);
    queue = [renewed('e1', 'sold.com'), renewed('e2', 'gone.com')];
    await watch().events.poll();
    expect(await takeJobs(database.url)).toEqual([
      { task: 'domains.sync', payload: { organisationId: other, address: 'sold.com' } },
    ]);
  });

  test('are kept as they came, with when they came', async () => {
    const at = new Date('2026-11-20T08:00:00.000Z');
    queue = [{ ...renewed('e1', 'kept.com'), at, data: { domain_name: 'kept.com', period: '2' } }];
    await watch().tasks['registrar.poll-events']();
    expect(await kept()).toMatchObject([
      {
        ...{ id: 'e1', object: 'DOMAIN', event: 'RENEWED', at, address: 'kept.com', effect: 'sync' },
        ...{ data: { domain_name: 'kept.com', period: '2' }, received_at: people.clock.now() },
      },
    ]);
  });

  test('of more than one page are all taken', async () => {
    queue = Array.from({ length: 120 }, (_, index) => renewed(`e${index}`, `n${index}.com`));
    expect(await watch().events.poll()).toBe(120);
    expect(queue).toEqual([]);
  });

  test('a deletion keeps until when the domain can be restored; whether it is gone is read', async () => {
    await ownDomain(database, scope, 'deleted.com');
    const restorableUntil = new Date('2026-12-20T00:00:00.000Z');
    queue = [{ ...event('e1', 'DOMAIN DELETED', { domain_name: 'deleted.com' }), restorableUntil }];
    await watch().events.poll();
    const row = await database.systemDb
      .selectFrom('domains')
      .select(['restorable_until', 'status'])
      .where('address', '=', 'deleted.com')
      .executeTakeFirstOrThrow();
    // The news may be older than a restoration.
    expect(row).toEqual({ restorable_until: restorableUntil, status: 'active' });
    expect((await takeJobs(database.url)).map(({ task }) => task)).toContain('domains.sync');
    // A later event that does not say until when takes nothing away, and no other event says it.
    const later = new Date('2026-12-30T00:00:00.000Z');
    queue = [
      event('e2', 'DOMAIN DELETED', { domain_name: 'deleted.com' }),
      { ...renewed('e3', 'deleted.com'), restorableUntil: later },
    ];
    await watch().events.poll();
    const left = await database.systemDb
      .selectFrom('domains')
      .select('restorable_until')
      .where('address', '=', 'deleted.com')
      .executeTakeFirst();
    expect(left?.restorable_until).toEqual(restorableUntil);
  });

  test('are forgotten after four months, and not before', async () => {
    queue = [renewed('e1', 'old.com')];
    await watch().events.poll();
    people.clock.forward(86_400_000);
    queue = [renewed('e2', 'old.com')];
    await watch().events.poll();
    people.clock.forward(119 * 86_400_000);
    await watch().tasks['registrar.forget-events']();
    expect((await kept()).map(({ id }) => id)).toEqual(['e1', 'e2']);
    people.clock.forward(1);
    await watch().tasks['registrar.forget-events']();
    expect((await kept()).map(({ id }) => id)).toEqual(['e2']);
  });
});

const alarms = async () =>
  (await takeJobs(database.url))
    .filter(({ task }) => task === 'operator.alert')
    .map(({ payload }) => payload);

describe('our balance at the registrar', () => {
  test('raises one alarm below the mark, again after a day, and none when it is enough', async () => {
    await watch().balance.watch();
    expect(await alarms()).toEqual([]);
    account = { balanceCents: 600_00, heldCents: 100_01 };
    await watch().balance.watch();
    await watch().balance.watch();
    const [alarm, ...others] = await alarms();
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({ kind: 'registrar balance' });
    expect(alarm?.text).toContain('below the threshold of $500.00');
    expect(alarm?.text).toContain('left $499.99');
    people.clock.forward(86_400_000);
    await watch().balance.watch();
    expect(await alarms()).toHaveLength(1);
    account = { balanceCents: 900_00, heldCents: 0 };
    await watch().balance.watch();
    account = { balanceCents: 400_00, heldCents: 0 };
    await watch().balance.watch();
    expect(await alarms()).toHaveLength(1);
  });

  test('counts the cost of orders under way, of every organization', async () => {
    account = { balanceCents: 600_00, heldCents: 0 };
    await openItem(150_00);
    expect(await watch().balance.watch()).toMatchObject({ openCents: 150_00 });
    expect((await alarms())[0]?.text).toContain('orders under way $150.00, left $450.00');
    expect(await watch().balance.account()).toEqual({
      ...{ balance: 600_00, held: 0, open: 150_00, available: 450_00, level: 'low', threshold: 500_00 },
      readAt: people.clock.now().toISOString(),
    });
    await ended();
  });

  test('has to pay for what is open in whatever state, and for nothing that has ended', async () => {
    account = { balanceCents: 600_00, heldCents: 0 };
    for (const state of ['queued', 'sending', 'pending', 'unknown', 'review'] as const) {
      await openItem(10_00, state);
    }
    for (const state of ['succeeded', 'declined'] as const) await openItem(100_00, state);
    expect(await watch().balance.watch()).toMatchObject({ openCents: 50_00 });
    expect(await watch().balance.account()).toMatchObject({ open: 50_00 });
    await ended();
  });

  test('is not known before it was read: then it stops nothing, and the screen says so', async () => {
    const owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    await owner.query('DELETE FROM registrar_account').finally(() => owner.end());
    await openItem(10_00);
    expect(await watch().balance.account()).toEqual({
      ...{ balance: null, held: null, open: 10_00, available: null, threshold: 500_00 },
      ...{ level: null, readAt: null },
    });
    account = { balanceCents: 0, heldCents: 0 };
    await watch().balance.requireFunds(1_000_00);
    expect(asked).toBe(0);
    await watch().tasks['registrar.watch-balance']();
    expect(await watch().balance.account()).toMatchObject({ balance: 0, level: 'short' });
    expect((await alarms())[0]?.text).toContain('cannot pay for the orders under way');
    await ended();
  });

  test('what is under way is paid for before a further order, and so is what the registrar holds', async () => {
    account = { balanceCents: 100_00, heldCents: 30_00 };
    await openItem(50_00);
    await watch().balance.watch();
    await watch().balance.requireFunds(20_00);
    await alarms();
    await expect(watch().balance.requireFunds(20_01)).rejects.toMatchObject({ code: 'registrar_unfunded' });
    const [alarm] = await alarms();
    expect(alarm).toMatchObject({ kind: 'registrar balance' });
    expect(alarm?.text).toContain(
      'Balance $100.00, held by the registrar $30.00, orders under way $50.00, left $20.00.',
    );
    await ended();
  });

  test('is asked for once more where an order would leave less than the mark, and not where it leaves the mark', async () => {
    account = { balanceCents: 600_00, heldCents: 0 };
    await watch().balance.watch();
    asked = 0;
    await watch().balance.requireFunds(100_00);
    expect(asked).toBe(0);
    await watch().balance.requireFunds(100_01);
    expect(asked).toBe(1);
  });

  test('decides for half an hour after it was read', async () => {
    account = { balanceCents: 1_00, heldCents: 0 };
    await watch().balance.watch();
    people.clock.forward(30 * 60_000 - 1);
    await expect(watch().balance.requireFunds(1_01)).rejects.toMatchObject({ code: 'registrar_unfunded' });
    // It was read again just now, and decides again.
    people.clock.forward(1);
    await expect(watch().balance.requireFunds(1_01)).rejects.toMatchObject({ code: 'registrar_unfunded' });
  });

  test('a purchase that it cannot pay for is refused before anything is held, with the reason', async () => {
    account = { balanceCents: 20_00, heldCents: 0 };
    await watch().balance.watch();
    await alarms();
    await expect(watch().balance.requireFunds(20_01)).rejects.toMatchObject({
      ...{ code: 'registrar_unfunded', status: 422 },
      message: expect.stringContaining('You were not charged'),
    });
    expect((await alarms())[0]?.text).toContain('An order of $20.01 was refused');
    await watch().balance.requireFunds(20_00);
  });

  test('topped up a moment ago, it is asked for once more instead of refusing', async () => {
    account = { balanceCents: 20_00, heldCents: 0 };
    await watch().balance.watch();
    account = { balanceCents: 2_000_00, heldCents: 0 };
    await watch().balance.requireFunds(100_00);
  });

  test('is not asked for where it is ample, and stops nothing where it is old or cannot be read', async () => {
    account = { balanceCents: 5_000_00, heldCents: 0 };
    await watch().balance.watch();
    asked = 0;
    await watch().balance.requireFunds(100_00);
    expect(asked).toBe(0);
    account = { balanceCents: 1_00, heldCents: 0 };
    await watch().balance.watch();
    for (const failure of ['silent', 'refuses'] as const) {
      account = failure;
      await watch().balance.requireFunds(100_00);
    }
    account = 'broken';
    // A mistake of ours is not the registrar's silence.
    await expect(watch().balance.requireFunds(100_00)).rejects.toThrow(TypeError);
    people.clock.forward(30 * 60_000);
    asked = 0;
    await watch().balance.requireFunds(100_00);
    expect(asked).toBe(0);
  });
});

/** An order of some organization, whose outcome is open unless said otherwise. */
async function openItem(costCents: number, state: OrderItemState = 'pending'): Promise<void> {
  const organisationId = await organisationRow(database);
  const orderId = await orderRow(database, organisationId);
  await itemRow(database, { organisationId, orderId }, { state, cost_cents: costCents });
}

async function ended(): Promise<void> {
  await database.systemDb.updateTable('order_items').set({ state: 'declined' }).execute();
}
