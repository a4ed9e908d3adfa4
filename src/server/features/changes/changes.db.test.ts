import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import type { Change, ChangeItem } from '#contracts/operations/changes.ts';
import { type ChangeRequest, mostChangeItems, type ZoneRequest } from '#contracts/values/changes.ts';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { recordData, recordKey } from '#contracts/values/dns-records.ts';
import { flatRecords, groupRecords } from '#contracts/values/zone-changes.ts';
import { inReading, inTransaction, sql } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { createLogger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { runsAt, takeJobs } from '../../../../tests/support/jobs.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { customerRow } from '../../../../tests/support/rows.ts';
import { codeOf, dnsProcess, ownDomain, ZoneRegistrar } from '../../../../tests/support/zone-registrar.ts';
import { recordOf } from '../../../../tests/support/zones.ts';
import type { DnsApi } from '../dns/index.ts';
import { listDomains } from '../domains/domains.repo.ts';
import { recordTransferStart } from '../domains/index.ts';
import { type ChangesApi, type ChangesDeps, createChanges } from './changes.service.ts';

let database: TestDatabase;
let people: People;
let scope: Scope;
let registrar: ZoneRegistrar;
let dns: DnsApi;
let changes: ChangesApi;
let deps: ChangesDeps;
/** Before each answer of the registrar. */
let onAnswer: () => Promise<void>;

const names = ['alder.com', 'birch.com', 'cedar.com', 'dogwood.com'];
const base = [
  recordOf({ type: 'A', subdomain: '', ip_address: '192.0.2.1' }),
  recordOf({ type: 'A', subdomain: 'www', ip_address: '192.0.2.1' }),
  recordOf({ type: 'MX', subdomain: '', priority: 10, hostname: 'mx1.old.example' }),
  recordOf({ type: 'TXT', subdomain: '', text: 'v=spf1 include:old.example -all' }),
];
const signedIn = () => undefined;
const dmarc: ZoneRequest = { kind: 'set-dmarc', text: 'v=DMARC1; p=quarantine', where: 'missing' };
const moving: ZoneRequest = {
  kind: 'replace-value',
  find: 'old.example',
  replacement: 'new.example',
  part: true,
};

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
/** A name is one organization's: the next test has it again. */
afterEach(() => sql`UPDATE domains SET status = 'ended'`.execute(database.systemDb));

beforeEach(async () => {
  ({ scope } = await people.organisation());
  onAnswer = async () => undefined;
  registrar = new ZoneRegistrar(() => onAnswer());
  dns = dnsProcess(database, registrar, people);
  deps = {
    ...{
      db: database.db,
      systemDb: database.systemDb,
      clock: people.clock,
      newId,
      parallel: 2,
      claimMs: 30_000,
      zones: dns.zones,
      templates: dns.templates,
      settings: {} as never,
      prices: {} as never,
    },
    logger: createLogger({ level: 'silent' }),
    domains: {
      list: (who, { expiringWithinDays: _days, ...query }) =>
        inReading(database.db, who, (tx) => listDomains(tx, who, query)),
    },
  };
  changes = createChanges(deps);
  for (const name of names) {
    await ownDomain(database, scope, name);
    registrar.zones.set(name, groupRecords(base));
    registrar.delegated.add(name);
  }
});

const ref = (change: Pick<Change, 'id'>) => ({ organisationId: scope.organisationId, changeId: change.id });

/** Described, and looked at by the job. */
async function looked(
  request: ZoneRequest,
  wanted: readonly string[] = names,
  title = 'A change',
): Promise<Change> {
  const targets = { kind: 'names' as const, names: [...wanted] };
  const change = await changes.create(scope, { title, reason: 'T-1', request, targets });
  await changes.tasks['changes.look'](ref(change));
  return changes.get(scope, change.id);
}
async function run(change: Pick<Change, 'id'>): Promise<Change> {
  await changes.tasks['changes.run'](ref(change));
  return changes.get(scope, change.id);
}
const apply = async (change: Change) =>
  run(await changes.start(scope, change.id, { act: 'apply', expected: change.counts.ready }, signedIn));
async function itemsOf(change: Pick<Change, 'id'>): Promise<Map<string, ChangeItem>> {
  const { items } = await changes.items(scope, change.id, { limit: 200 });
  return new Map(items.map((item) => [item.domain, item]));
}
const zoneOf = (name: string): DnsRecord[] => flatRecords(registrar.zones.get(name) ?? groupRecords([]));
const keys = (zone: readonly DnsRecord[]) => zone.map(recordKey).sort();
const edit = (name: string, record: DnsRecord, action: 'add' | 'remove' = 'add') =>
  dns.zones.change(scope, name, { records: [{ action, record }] });
/** Time goes on until what was put off is due. */
async function later(change: Pick<Change, 'id'>, ms = 120_000): Promise<Change> {
  people.clock.forward(ms);
  return run(change);
}

describe('a look', () => {
  test('shows for each domain what would become different, and changes nothing', async () => {
    await edit('birch.com', recordOf({ type: 'TXT', subdomain: '_dmarc', text: 'v=DMARC1; p=reject' }));
    registrar.delegated.delete('cedar.com');
    const writes = registrar.writes;
    const change = await looked(dmarc, [...names, 'https://Alder.com/', 'notours.com']);
    expect(change).toMatchObject({
      ...{ state: 'ready', sentence: 'Set DMARC to v=DMARC1; p=quarantine where it is missing' },
      counts: { total: 5, ready: 2, same: 1, barred: 2 },
    });
    const items = await itemsOf(change);
    expect(items.get('alder.com')).toMatchObject({
      ...{ state: 'ready', others: 4, needsTick: false },
      difference: {
        added: 1,
        changed: 0,
        removed: 0,
        first: [{ action: 'add', record: { subdomain: '_dmarc' } }],
      },
    });
    expect(items.get('birch.com')).toMatchObject({ state: 'same', difference: null });
    expect(items.get('cedar.com')).toMatchObject({
      state: 'barred',
      note: expect.stringContaining('elsewhere'),
    });
    expect(items.get('notours.com')).toMatchObject({
      state: 'barred',
      note: 'This is not among your domains.',
    });
    expect(registrar.writes).toBe(writes);
  });

  test('waits for a registrar that does not answer', async () => {
    registrar.unreadable = true;
    const change = await looked(dmarc);
    expect(change).toMatchObject({ state: 'draft', counts: { waiting: 4 } });
    // As soon as the first of them is due, and not before.
    const due = new Date(people.clock.now().getTime() + 2_000);
    expect(await runsAt(database.url, `change:${change.id}`)).toEqual(due);
    registrar.unreadable = false;
    people.clock.forward(60_000);
    await changes.tasks['changes.look'](ref(change));
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'ready', counts: { ready: 4 } });
  });

  test('that never comes to an answer bars the domain, and says why', async () => {
    registrar.unreadable = true;
    const change = await looked(dmarc, ['alder.com']);
    for (let tries = 1; tries < 7; tries += 1) {
      expect((await changes.get(scope, change.id)).counts).toMatchObject({ waiting: 1 });
      people.clock.forward(120_000);
      await changes.tasks['changes.look'](ref(change));
    }
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'ready', counts: { barred: 1 } });
    expect((await itemsOf(change)).get('alder.com')?.note).toMatch(/\w/);
  });

  test('that meets an error which nobody expected is made again', async () => {
    registrar.onRead = async () => {
      registrar.onRead = null;
      throw new TypeError('a bug');
    };
    const change = await looked(dmarc, ['alder.com']);
    expect(change).toMatchObject({ state: 'draft', counts: { waiting: 1 } });
    // Nobody is shown the words of a bug.
    expect((await itemsOf(change)).get('alder.com')?.note).not.toContain('a bug');
    people.clock.forward(2_000);
    await changes.tasks['changes.look'](ref(change));
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'ready', counts: { ready: 1 } });
  });

  test('again shows the zones as they are by then, in a round of its own', async () => {
    const change = await looked(moving);
    await edit(
      'alder.com',
      recordOf({ type: 'MX', subdomain: '', priority: 20, hostname: 'mx2.old.example' }),
    );
    const again = await changes.look(scope, change.id);
    expect(again).toMatchObject({ state: 'draft', round: change.round + 1, counts: { waiting: 4 } });
    await changes.tasks['changes.look'](ref(change));
    expect(await changes.get(scope, change.id)).toMatchObject({
      ...{ state: 'ready', title: 'A change', reason: 'T-1', request: moving },
    });
    expect((await itemsOf(change)).get('alder.com')?.difference).toMatchObject({ changed: 3 });
    expect((await itemsOf(change)).get('birch.com')?.difference).toMatchObject({ changed: 2 });
  });

  test('warns of a zone that was changed here within the last hour', async () => {
    await edit('alder.com', recordOf({ type: 'A', subdomain: 'new', ip_address: '192.0.2.7' }));
    const warned = async () => {
      const items = await itemsOf(await looked(dmarc, ['alder.com', 'birch.com']));
      return ['alder.com', 'birch.com'].map((name) => items.get(name)?.warnings);
    };
    people.clock.forward(3_599_999);
    expect(await warned()).toEqual([['Somebody changed this zone within the last hour.'], []]);
    people.clock.forward(1);
    expect(await warned()).toEqual([[], []]);
  });

  test('at a domain that is on its way here says that what is prepared is published later', async () => {
    const start = { address: 'elm.com', customerId: null, autoRenew: false, privacy: false };
    await inTransaction(database.db, scope, (tx) =>
      recordTransferStart(tx, {
        ...start,
        ...{ organisationId: scope.organisationId, credentialsSealed: null, now: people.clock.now() },
      }),
    );
    const change = await looked(dmarc, ['elm.com', 'alder.com']);
    const notes = [...(await itemsOf(change)).values()].map(({ domain, note }) => [domain, note]);
    expect(notes).toEqual([
      ['alder.com', ''],
      ['elm.com', 'Published when its transfer is complete.'],
    ]);
    expect(await apply(change)).toMatchObject({ state: 'done', counts: { done: 2 } });
    expect(registrar.zones.has('elm.com')).toBe(false);
    expect((await dns.zones.versions(scope, 'elm.com'))[0]).toMatchObject({ state: 'staged' });
  });

  test('of more domains than a change may have is refused', async () => {
    const asked: unknown[] = [];
    const many = (total: number) =>
      createChanges({
        ...deps,
        domains: {
          list: async (_who, query) => {
            asked.push(query);
            return { rows: [{ address: 'alder.com' }], total } as never;
          },
        },
      });
    const body = { title: 'All', reason: '', request: dmarc, targets: { kind: 'all' as const } };
    await expect(many(mostChangeItems + 1).create(scope, body)).rejects.toMatchObject({
      ...{ code: 'unprocessable' },
      message: 'At most 2000 domains can be changed at once. Please choose fewer.',
    });
    expect(await many(mostChangeItems).create(scope, body)).toMatchObject({ counts: { total: 1 } });
    expect(asked).toEqual([1, 2].map(() => ({ page: 1, pageSize: mostChangeItems })));
  });

  test('described differently, nothing of the earlier look counts', async () => {
    const change = await looked(dmarc);
    const again = await changes.describe(scope, change.id, { title: 'Mail', reason: '', request: moving });
    expect(again).toMatchObject({ state: 'draft', title: 'Mail', counts: { waiting: 4, ready: 0 } });
    await changes.tasks['changes.look'](ref(change));
    expect((await itemsOf(change)).get('alder.com')?.difference).toMatchObject({ changed: 2 });
  });

  test('all and a filter are the list of domains as it is', async () => {
    const body = { title: 'All', reason: '', request: dmarc };
    const everything = await changes.create(scope, { ...body, targets: { kind: 'all' } });
    expect(everything.counts.total).toBe(4);
    const some = await changes.create(scope, {
      ...body,
      targets: { kind: 'filter', filter: { search: 'birch' } },
    });
    expect(some.counts.total).toBe(1);
    const none = changes.create(scope, {
      ...body,
      targets: { kind: 'filter', filter: { search: 'nothing' } },
    });
    await expect(none).rejects.toMatchObject({ code: 'unprocessable' });
  });
});

describe('an application', () => {
  test('changes each zone once, as a version of its own that names it', async () => {
    const change = await apply(await looked(moving));
    const at = people.clock.now().toISOString();
    expect(change).toMatchObject({ state: 'done', startedAt: at, endedAt: at, counts: { done: 4 } });
    expect((await itemsOf(change)).get('alder.com')).toMatchObject({ state: 'done', note: '', endedAt: at });
    expect(registrar.writes).toBe(4);
    for (const name of names) {
      expect(zoneOf(name).map(recordData)).toEqual(
        expect.arrayContaining(['10 mx1.new.example', 'v=spf1 include:new.example -all', '192.0.2.1']),
      );
    }
    const [version] = await dns.zones.versions(scope, 'alder.com');
    expect(version).toMatchObject({ state: 'applied', author: scope.email, reason: 'A change · T-1' });
    // A job that comes twice finds nothing to do.
    expect(await run(change)).toMatchObject({ state: 'done' });
    expect(registrar.writes).toBe(4);
  });

  test('leaves out what a person left out', async () => {
    const change = await looked(dmarc);
    const item = (await itemsOf(change)).get('birch.com');
    const chosen = await changes.choose(scope, change.id, { ids: [item?.id ?? ''], chosen: false });
    expect(chosen.counts).toMatchObject({ ready: 3, leftOut: 1 });
    await apply(chosen);
    expect(keys(zoneOf('birch.com'))).toEqual(keys(base));
  });

  test('begins only for as many domains as the person was shown', async () => {
    const change = await looked(dmarc);
    await expect(
      changes.start(scope, change.id, { act: 'apply', expected: 3 }, signedIn),
    ).rejects.toMatchObject({ code: 'conflict' });
    await changes.start(scope, change.id, { act: 'apply', expected: 4 }, signedIn);
    await expect(
      changes.start(scope, change.id, { act: 'apply', expected: 4 }, signedIn),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  test('begins only for what the person was shown, and not for what a colleague has described since', async () => {
    const shown = await looked(dmarc);
    const host: ZoneRequest = { kind: 'delete-host', subdomain: 'www', below: false };
    await changes.describe(scope, shown.id, { title: 'Other', reason: '', request: host });
    await changes.tasks['changes.look'](ref(shown));
    const { counts, round } = await changes.get(scope, shown.id);
    expect([counts.ready, round]).toEqual([4, shown.round + 1]);
    const start = (of: number) =>
      changes.start(scope, shown.id, { act: 'apply', expected: 4, round: of }, signedIn);
    await expect(start(shown.round)).rejects.toMatchObject({ code: 'conflict' });
    expect(await start(round)).toMatchObject({ state: 'running' });
  });

  test('is described differently only over what the person was shown: of two who edit it, the second hears of the first', async () => {
    const shown = await looked(dmarc);
    const host: ZoneRequest = { kind: 'delete-host', subdomain: 'www', below: false };
    const put = (title: string, round?: number) =>
      changes.describe(scope, shown.id, { title, reason: '', request: host, round });
    const first = await put('First', shown.round);
    expect(first).toMatchObject({ title: 'First', round: shown.round + 1 });
    await expect(put('Second', shown.round)).rejects.toMatchObject({
      ...{ code: 'conflict', message: 'This has changed since you looked at it. Please look again.' },
    });
    expect(await changes.get(scope, shown.id)).toMatchObject({ title: 'First', round: first.round });
    expect(await put('Second', first.round)).toMatchObject({ title: 'Second' });
    // Programs that never say what they were shown go on as they did.
    expect(await put('Third')).toMatchObject({ title: 'Third' });
  });

  test('needs a word for each zone that loses more than 30 % of its records', async () => {
    const change = await looked({ kind: 'remove-record', type: 'A', subdomain: '', value: null });
    expect(change.counts.warned).toBe(0);
    const host: ZoneRequest = { kind: 'delete-host', subdomain: 'www', below: false };
    await edit('alder.com', recordOf({ type: 'TXT', subdomain: 'www', text: 'x' }));
    const much = await looked(host);
    const items = await itemsOf(much);
    expect(items.get('alder.com')).toMatchObject({ needsTick: true, difference: { removed: 2 } });
    expect(items.get('birch.com')).toMatchObject({ needsTick: false });
    const refused = changes.start(scope, much.id, { act: 'apply', expected: 4 }, signedIn);
    await expect(refused).rejects.toThrow('One zone loses more than 30 % of the records');
    await changes.choose(scope, much.id, { ids: [items.get('alder.com')?.id ?? ''], ticked: true });
    expect(await apply(much)).toMatchObject({ state: 'done' });
  });

  test('says how many zones wait for such a word', async () => {
    for (const name of ['alder.com', 'birch.com'])
      await edit(name, recordOf({ type: 'TXT', subdomain: 'www', text: 'x' }));
    const much = await looked({ kind: 'delete-host', subdomain: 'www', below: false });
    await expect(changes.start(scope, much.id, { act: 'apply', expected: 4 }, signedIn)).rejects.toThrow(
      '2 zones lose more than 30 % of the records',
    );
  });

  test('a word for a zone counts only for the difference that the person was shown', async () => {
    await edit('alder.com', recordOf({ type: 'TXT', subdomain: 'www', text: 'x' }));
    const shown = await looked({ kind: 'delete-host', subdomain: 'www', below: false });
    const ids = [(await itemsOf(shown)).get('alder.com')?.id ?? ''];
    const all: ZoneRequest = { kind: 'remove-record', type: 'A', subdomain: '', value: null };
    await edit('alder.com', recordOf({ type: 'A', subdomain: '', ip_address: '192.0.2.2' }));
    await changes.describe(scope, shown.id, { title: 'Other', reason: '', request: all });
    await changes.tasks['changes.look'](ref(shown));
    const tick = (round: number) => changes.choose(scope, shown.id, { ids, ticked: true, round });
    await expect(tick(shown.round)).rejects.toMatchObject({
      ...{ code: 'conflict', message: 'This has changed since you looked at it. Please look again.' },
    });
    expect((await itemsOf(shown)).get('alder.com')).toMatchObject({ needsTick: true, ticked: false });
    await tick(shown.round + 1);
    expect((await itemsOf(shown)).get('alder.com')).toMatchObject({ ticked: true });
  });

  test('tries again only what the person was shown: of two who press it, the second sees what came of the first', async () => {
    const change = await looked(moving);
    await edit(
      'alder.com',
      recordOf({ type: 'MX', subdomain: '', priority: 20, hostname: 'mx2.old.example' }),
    );
    const shown = await apply(change);
    expect(shown).toMatchObject({ state: 'partly', counts: { moved: 1 } });
    // The page from before it was applied shows an earlier difference.
    expect(shown.round).toBeGreaterThan(change.round);
    const retry = (round: number) =>
      changes.start(scope, change.id, { act: 'retry', expected: 1, round }, signedIn);
    await retry(shown.round);
    await edit(
      'alder.com',
      recordOf({ type: 'MX', subdomain: '', priority: 30, hostname: 'mx3.old.example' }),
    );
    const again = await run(change);
    expect(again).toMatchObject({ state: 'partly', counts: { moved: 1 } });
    await expect(retry(shown.round)).rejects.toMatchObject({ code: 'conflict' });
    await retry(again.round);
    expect(await run(change)).toMatchObject({ state: 'done', counts: { done: 4 } });
  });

  test('keeps what others changed in between, and merges it', async () => {
    const change = await looked(moving);
    const other = recordOf({ type: 'A', subdomain: 'new', ip_address: '192.0.2.77' });
    await edit('alder.com', other);
    expect(await apply(change)).toMatchObject({ state: 'done' });
    expect(keys(zoneOf('alder.com'))).toContain(recordKey(other));
    expect(zoneOf('alder.com').map(recordData)).toContain('10 mx1.new.example');
  });

  test('looks again where others changed the same records, and waits for a person', async () => {
    const change = await looked(moving);
    const second = recordOf({ type: 'MX', subdomain: '', priority: 20, hostname: 'mx2.old.example' });
    await edit('alder.com', second);
    const partly = await apply(change);
    expect(partly).toMatchObject({ state: 'partly', counts: { done: 3, moved: 1 } });
    expect(keys(zoneOf('alder.com'))).toEqual(keys([...base, second]));
    const item = (await itemsOf(change)).get('alder.com');
    expect(item).toMatchObject({
      ...{
        difference: { changed: 3 },
        note: 'Somebody changed these records in between. Please look again.',
      },
    });
    await changes.start(scope, change.id, { act: 'retry', expected: 1 }, signedIn);
    expect(await run(change)).toMatchObject({ state: 'done', counts: { done: 4 } });
    expect(zoneOf('alder.com').map(recordData)).toContain('20 mx2.new.example');
  });

  test('says where there is nothing left to do', async () => {
    const change = await looked(dmarc);
    await edit('alder.com', recordOf({ type: 'TXT', subdomain: '_dmarc', text: 'v=DMARC1; p=reject' }));
    expect(await apply(change)).toMatchObject({ state: 'done', counts: { done: 3, same: 1 } });
    expect(zoneOf('alder.com').filter(({ subdomain }) => subdomain === '_dmarc')).toHaveLength(1);
  });

  test('what the registrar refuses says so, is tried again on request, and can be given up', async () => {
    const change = await looked(dmarc);
    registrar.refusal = 'Zone is frozen';
    const partly = await apply(change);
    expect(partly).toMatchObject({ state: 'partly', counts: { failed: 4 } });
    expect((await itemsOf(change)).get('alder.com')?.note).toContain('Zone is frozen');
    registrar.refusal = null;
    const item = (await itemsOf(change)).get('birch.com');
    await changes.choose(scope, change.id, { ids: [item?.id ?? ''], chosen: false });
    await changes.start(scope, change.id, { act: 'retry', expected: 3 }, signedIn);
    expect(await run(change)).toMatchObject({ state: 'done', counts: { done: 3, leftOut: 1 } });
  });

  test('takes in nothing any more once it was applied: what was left out stays left out', async () => {
    const change = await looked(dmarc);
    const ids = [(await itemsOf(change)).get('birch.com')?.id ?? ''];
    registrar.refusal = 'Zone is frozen';
    const partly = await apply(await changes.choose(scope, change.id, { ids, chosen: false }));
    expect(partly).toMatchObject({ state: 'partly', counts: { failed: 3, leftOut: 1 } });
    const taking = changes.choose(scope, change.id, { ids, chosen: true });
    await expect(taking).rejects.toMatchObject({
      code: 'conflict',
      message: 'This change was applied already. What was left out stays left out.',
    });
    expect(await changes.get(scope, change.id)).toEqual(partly);
  });

  test.each(['after', 'before', 'late'] as const)(
    'an answer that never came (%s) ends in one change',
    async (silence) => {
      const change = await looked(dmarc, ['alder.com']);
      registrar.silence = silence;
      await apply(change);
      registrar.strike();
      await later(change);
      expect(await later(change)).toMatchObject({ state: 'done', counts: { done: 1 } });
      expect(zoneOf('alder.com').filter(({ subdomain }) => subdomain === '_dmarc')).toHaveLength(1);
      const versions = await dns.zones.versions(scope, 'alder.com');
      expect(versions.filter(({ state }) => state === 'applied')).toHaveLength(1);
    },
  );

  test('is paused, resumed and ended: what is done stays done', async () => {
    const change = await looked(dmarc);
    await changes.start(scope, change.id, { act: 'apply', expected: 4 }, signedIn);
    await changes.pause(scope, change.id);
    expect(await run(change)).toMatchObject({ state: 'paused', counts: { queued: 4 } });
    expect(registrar.writes).toBe(0);
    // In the middle of it: three zones are being read when somebody pauses.
    await changes.resume(scope, change.id, signedIn);
    const paused = Promise.withResolvers<void>();
    let reading = 0;
    onAnswer = async () => {
      reading += 1;
      if (reading === 3) paused.resolve(changes.pause(scope, change.id).then(() => undefined));
      await paused.promise;
    };
    expect(await run(change)).toMatchObject({ state: 'paused', counts: { done: 3, queued: 1 } });
    expect(await changes.cancel(scope, change.id)).toMatchObject({
      ...{ state: 'cancelled', counts: { done: 3, cancelled: 1 } },
    });
    expect(await run(change)).toMatchObject({ counts: { done: 3, cancelled: 1 } });
  });

  test('begins only with as many domains as the person was shown', async () => {
    const change = await looked(dmarc);
    for (const expected of [3, 5]) {
      await expect(
        changes.start(scope, change.id, { act: 'apply', expected }, signedIn),
      ).rejects.toMatchObject({ code: 'conflict' });
    }
    expect((await run(change)).state).toBe('ready');
    expect(registrar.writes).toBe(0);
  });

  test('is acted on only in a state for it', async () => {
    const change = await looked(dmarc);
    for (const work of [
      () => changes.pause(scope, change.id),
      () => changes.resume(scope, change.id, signedIn),
      () => changes.cancel(scope, change.id),
      () => changes.undo(scope, change.id),
      () => changes.start(scope, change.id, { act: 'retry', expected: 0 }, signedIn),
    ]) {
      await expect(work()).rejects.toMatchObject({ code: 'conflict' });
    }
    expect((await changes.get(scope, change.id)).state).toBe('ready');
  });

  test('runs in the name of who had the last word: who has started it, or resumes it after its person has left', async () => {
    const [{ scope: colleague }, { scope: third }] = [
      await people.join(scope, { type: 'MSP_EMPLOYEE' }),
      await people.join(scope, { type: 'MSP_EMPLOYEE' }),
    ];
    const change = await looked(dmarc);
    expect(change.author).toBe(scope.email);
    const go = { act: 'apply', expected: 4 } as const;
    expect(await changes.start(colleague, change.id, go, signedIn)).toMatchObject({
      author: colleague.email,
    });
    const stop = { removed_at: new Date() };
    await database.systemDb.updateTable('users').set(stop).where('id', '=', colleague.userId).execute();
    expect(await run(change)).toMatchObject({ state: 'paused', note: expect.stringContaining('no access') });
    const resumed = await changes.resume(third, change.id, signedIn);
    expect(resumed).toMatchObject({ state: 'running', author: third.email, note: '' });
    expect(await run(change)).toMatchObject({ state: 'done', counts: { done: 4 } });
    expect((await dns.zones.versions(scope, 'alder.com'))[0]).toMatchObject({ author: third.email });
  });

  test('needs the right to change zones from everybody who describes, starts, resumes or undoes it', async () => {
    const rights = { kind: 'named' as const, permissions: ['changes.manage' as const] };
    const limited: Scope = { ...scope, rights };
    const change = await looked(dmarc);
    const body = { title: 'T', reason: '', request: dmarc };
    const go = { act: 'apply', expected: 4 } as const;
    const refused = async (work: Promise<unknown>) => expect(await codeOf(work)).toBe('forbidden');
    await refused(changes.create(limited, { ...body, targets: { kind: 'names', names } }));
    await refused(changes.describe(limited, change.id, body));
    await refused(changes.start(limited, change.id, go, signedIn));
    await changes.start(scope, change.id, go, signedIn);
    await changes.pause(limited, change.id);
    await refused(changes.resume(limited, change.id, signedIn));
    await changes.resume(scope, change.id, signedIn);
    await run(change);
    await refused(changes.undo(limited, change.id));
    expect((await changes.undo(scope, change.id)).counts.total).toBe(4);
  });

  test('stops when the person in whose name it runs has become a customer’s user', async () => {
    const change = await looked(dmarc);
    await changes.start(scope, change.id, { act: 'apply', expected: 4 }, signedIn);
    const customerId = await customerRow(database, scope.organisationId);
    const become = { role: 'MSP_CUSTOMER' as const, customer_id: customerId };
    await database.systemDb.updateTable('users').set(become).where('id', '=', scope.userId).execute();
    expect(await run(change)).toMatchObject({ state: 'paused', note: expect.stringContaining('no access') });
    expect(registrar.writes).toBe(0);
  });

  test('that was not looked at yet goes with its person', async () => {
    const targets = { kind: 'names' as const, names };
    const change = await changes.create(scope, { title: 'A change', reason: '', request: dmarc, targets });
    const gone = { removed_at: new Date() };
    await database.systemDb.updateTable('users').set(gone).where('id', '=', scope.userId).execute();
    await changes.tasks['changes.look'](ref(change));
    await expect(changes.get(scope, change.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('stops when the person in whose name it runs has no access any more', async () => {
    const change = await looked(dmarc);
    await changes.start(scope, change.id, { act: 'apply', expected: 4 }, signedIn);
    const gone = { removed_at: new Date() };
    await database.systemDb.updateTable('users').set(gone).where('id', '=', scope.userId).execute();
    expect(await run(change)).toMatchObject({ state: 'paused', note: expect.stringContaining('no access') });
    expect(registrar.writes).toBe(0);
  });
});

describe('an undo', () => {
  test('is a change of its own that brings every zone back, and says of the first that it is undone', async () => {
    const change = await apply(await looked(moving));
    const undo = await changes.undo(scope, change.id);
    expect(undo).toMatchObject({ title: 'Undo A change', undoes: change.id, sentence: 'Undo “A change”' });
    await expect(changes.undo(scope, change.id)).rejects.toMatchObject({ code: 'unprocessable' });
    await changes.tasks['changes.look'](ref(undo));
    expect(await apply(await changes.get(scope, undo.id))).toMatchObject({
      state: 'done',
      counts: { done: 4 },
    });
    for (const name of names) expect(keys(zoneOf(name))).toEqual(keys(base));
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'undone', undoneBy: undo.id });
  });

  test('is called after the change, as far as there is room, with its ticket, and is not described differently', async () => {
    const change = await apply(await looked(dmarc, names, 'x'.repeat(100)));
    const undo = await changes.undo(scope, change.id);
    expect(undo).toMatchObject({ title: `Undo ${'x'.repeat(95)}`, reason: 'T-1' });
    expect(undo.request).toEqual({
      ...{ kind: 'undo', changeId: change.id, title: change.title, of: 'set-dmarc' },
    });
    const body = { title: 'Mail', reason: '', request: dmarc };
    await expect(changes.describe(scope, undo.id, body)).rejects.toMatchObject({
      ...{ code: 'conflict', message: 'What an undo does is not described.' },
    });
  });

  test('of what has changed nothing is none', async () => {
    const change = await looked(dmarc);
    registrar.refusal = 'Zone is frozen';
    await apply(change);
    const none = { code: 'unprocessable', message: 'There are no such domains.' };
    await expect(changes.undo(scope, change.id)).rejects.toMatchObject(none);
  });

  test('keeps later edits', async () => {
    const change = await apply(await looked(moving));
    const added = recordOf({ type: 'A', subdomain: 'later', ip_address: '192.0.2.50' });
    const spf = recordOf({ type: 'TXT', subdomain: '', text: 'another=1' });
    await edit('alder.com', added);
    await edit('alder.com', spf);
    const undo = await changes.undo(scope, change.id);
    await changes.tasks['changes.look'](ref(undo));
    await apply(await changes.get(scope, undo.id));
    const now = zoneOf('alder.com').map(recordData);
    expect(now).toEqual(expect.arrayContaining(['192.0.2.50', 'another=1', '10 mx1.old.example']));
    expect(now).toContain('v=spf1 include:new.example -all');
    expect(keys(zoneOf('birch.com'))).toEqual(keys(base));
  });

  test('that fails in part leaves the first one done: it is not undone', async () => {
    const change = await apply(await looked(moving));
    const undo = await changes.undo(scope, change.id);
    await changes.tasks['changes.look'](ref(undo));
    const other = recordOf({ type: 'MX', subdomain: '', priority: 10, hostname: 'mx1.third.example' });
    const present = zoneOf('alder.com').find(({ type }) => type === 'MX');
    if (present) await edit('alder.com', present, 'remove');
    await edit('alder.com', other);
    expect((await apply(await changes.get(scope, undo.id))).state).toBe('partly');
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'done', undoneBy: undo.id });
  });

  /** Made and looked at. */
  async function undoOf(change: Pick<Change, 'id'>): Promise<Change> {
    people.clock.forward(1_000);
    const undo = await changes.undo(scope, change.id);
    await changes.tasks['changes.look'](ref(undo));
    return changes.get(scope, undo.id);
  }
  const leaveOut = async (change: Change, name: string) => {
    const ids = [(await itemsOf(change)).get(name)?.id ?? ''];
    return changes.choose(scope, change.id, { ids, chosen: false });
  };

  test('warns of what came after the change that it takes back, and not of that change itself', async () => {
    const noticed = 'Somebody changed this zone within the last hour.';
    const change = await apply(await looked(dmarc));
    people.clock.forward(60_000);
    // A colleague, another change of many zones, and somebody at the registrar.
    await edit('alder.com', recordOf({ type: 'A', subdomain: 'new', ip_address: '192.0.2.7' }));
    await apply(await looked(moving, ['birch.com']));
    registrar.zones.set(
      'cedar.com',
      groupRecords([
        ...zoneOf('cedar.com'),
        recordOf({ type: 'A', subdomain: 'x', ip_address: '192.0.2.8' }),
      ]),
    );
    const warned = async (of: Change) =>
      [...(await itemsOf(of)).values()].map(({ domain, warnings }) => [domain, warnings]);
    const undo = await undoOf(change);
    expect(await warned(undo)).toEqual([
      ['alder.com', [noticed]],
      ['birch.com', [noticed]],
      ['cedar.com', [noticed]],
      ['dogwood.com', []],
    ]);
    // So it is for the undo of an undo. A change that is no undo hears of both.
    const again = await apply(undo);
    expect((await warned(await undoOf(again))).map(([, warnings]) => warnings)).toEqual([[], [], [], []]);
    expect(await warned(await looked(dmarc, ['dogwood.com']))).toEqual([['dogwood.com', [noticed]]]);
  });

  test('that leaves a domain out does not make the first one undone: another takes back what is left', async () => {
    const change = await apply(await looked(moving));
    const first = await apply(await leaveOut(await undoOf(change), 'alder.com'));
    expect(first).toMatchObject({ state: 'done', counts: { done: 3, leftOut: 1 } });
    const partly = { state: 'done', undoneBy: first.id, leftByUndo: 1 };
    expect(await changes.get(scope, change.id)).toMatchObject(partly);
    const second = await undoOf(change);
    expect(second.counts).toMatchObject({ ready: 1, same: 3 });
    await expect(changes.undo(scope, change.id)).rejects.toMatchObject({ code: 'unprocessable' });
    expect(await changes.get(scope, change.id)).toMatchObject({ undoneBy: second.id, leftByUndo: null });
    await apply(second);
    for (const name of names) expect(keys(zoneOf(name))).toEqual(keys(base));
    const undone = { state: 'undone', undoneBy: second.id, leftByUndo: null };
    expect(await changes.get(scope, change.id)).toMatchObject(undone);
    await expect(changes.undo(scope, change.id)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('that cannot change a domain does not make the first one undone', async () => {
    const change = await apply(await looked(moving));
    registrar.delegated.delete('cedar.com');
    expect(await apply(await undoOf(change))).toMatchObject({
      state: 'done',
      counts: { done: 3, barred: 1 },
    });
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'done', leftByUndo: 1 });
    registrar.delegated.add('cedar.com');
    await apply(await undoOf(change));
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'undone' });
  });

  test('of which the rest is left out has ended: another can be made', async () => {
    const change = await apply(await looked(moving));
    const undo = await undoOf(change);
    await edit(
      'alder.com',
      recordOf({ type: 'MX', subdomain: '', priority: 20, hostname: 'mx.third.example' }),
    );
    expect(await apply(undo)).toMatchObject({ state: 'partly', counts: { done: 3, moved: 1 } });
    await expect(changes.undo(scope, change.id)).rejects.toMatchObject({ code: 'unprocessable' });
    expect(await leaveOut(undo, 'alder.com')).toMatchObject({ state: 'done', counts: { leftOut: 1 } });
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'done', leftByUndo: 1 });
    const second = await undoOf(change);
    expect(second.counts).toMatchObject({ ready: 1, same: 3 });
    await apply(second);
    expect(zoneOf('alder.com').map(recordData)).toContain('v=spf1 include:old.example -all');
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'undone' });
  });

  test('says nothing of what the first one has changed since, and leaves it running', async () => {
    const change = await looked(moving);
    await edit(
      'alder.com',
      recordOf({ type: 'MX', subdomain: '', priority: 20, hostname: 'mx2.old.example' }),
    );
    expect(await apply(change)).toMatchObject({ state: 'partly', counts: { done: 3, moved: 1 } });
    const undo = await undoOf(change);
    expect(undo.counts.total).toBe(3);
    await changes.start(scope, change.id, { act: 'retry', expected: 1 }, signedIn);
    await apply(undo);
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'running' });
    await run(change);
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'done', leftByUndo: 1 });
    await apply(await undoOf(change));
    expect(zoneOf('alder.com').map(recordData)).toContain('20 mx2.old.example');
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'undone' });
  });

  test('is made once when two people ask for it at once', async () => {
    const change = await apply(await looked(moving));
    const asked = await Promise.allSettled([1, 2].map(() => changes.undo(scope, change.id)));
    expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('that was taken back itself stands in the way of no other', async () => {
    const change = await apply(await looked(moving));
    const undo = await apply(await leaveOut(await undoOf(change), 'alder.com'));
    await apply(await undoOf(undo));
    expect(await changes.get(scope, undo.id)).toMatchObject({ state: 'undone' });
    expect(await changes.get(scope, change.id)).toMatchObject({ undoneBy: null, leftByUndo: null });
    expect((await undoOf(change)).counts).toMatchObject({ ready: 4 });
  });

  test('takes back a zone that struck without an answer and was left out after', async () => {
    const change = await looked(dmarc, ['alder.com']);
    registrar.silence = 'after';
    registrar.onWire = async () => {
      registrar.unreadable = true;
    };
    await apply(change);
    for (let tries = 1; tries < 7; tries += 1) await later(change);
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'partly', counts: { failed: 1 } });
    expect(await leaveOut(change, 'alder.com')).toMatchObject({ state: 'done', counts: { leftOut: 1 } });
    registrar.unreadable = false;
    expect(keys(zoneOf('alder.com'))).not.toEqual(keys(base));
    await apply(await undoOf(change));
    expect(keys(zoneOf('alder.com'))).toEqual(keys(base));
  });

  test('takes back a zone whose answer came after the change was ended', async () => {
    const change = await looked(dmarc, ['alder.com']);
    registrar.silence = 'late';
    await apply(change);
    expect(await changes.cancel(scope, change.id)).toMatchObject({ counts: { cancelled: 1 } });
    registrar.strike();
    expect(keys(zoneOf('alder.com'))).not.toEqual(keys(base));
    const undo = await changes.undo(scope, change.id);
    people.clock.forward(120_000);
    await changes.tasks['changes.look'](ref(undo));
    expect(await apply(await changes.get(scope, undo.id))).toMatchObject({ counts: { done: 1 } });
    expect(keys(zoneOf('alder.com'))).toEqual(keys(base));
  });

  test('that was ended can be made again, for what it left', async () => {
    const change = await apply(await looked(moving));
    const first = await changes.undo(scope, change.id);
    await changes.tasks['changes.look'](ref(first));
    await changes.start(scope, first.id, { act: 'apply', expected: 4 }, signedIn);
    await changes.pause(scope, first.id);
    await changes.cancel(scope, first.id);
    const second = await changes.undo(scope, change.id);
    await changes.tasks['changes.look'](ref(second));
    await apply(await changes.get(scope, second.id));
    for (const name of names) expect(keys(zoneOf(name))).toEqual(keys(base));
    expect(await changes.get(scope, change.id)).toMatchObject({ state: 'undone', undoneBy: second.id });
  });

  test('can be discarded, and then be made again', async () => {
    const change = await apply(await looked(moving));
    const undo = await changes.undo(scope, change.id);
    await changes.discard(scope, undo.id);
    await expect(changes.get(scope, undo.id)).rejects.toMatchObject({ code: 'not_found' });
    await changes.undo(scope, change.id);
    await expect(changes.discard(scope, change.id)).rejects.toMatchObject({ code: 'conflict' });
  });
});

test('another organisation sees none of it', async () => {
  const change = await looked(dmarc);
  const { scope: stranger } = await people.organisation();
  for (const work of [
    () => changes.get(stranger, change.id),
    () => changes.items(stranger, change.id, { limit: 10 }),
    () => changes.start(stranger, change.id, { act: 'apply', expected: 4 }, signedIn),
    () => changes.discard(stranger, change.id),
  ]) {
    await expect(work()).rejects.toBeInstanceOf(AppError);
    await expect(work()).rejects.toMatchObject({ code: 'not_found' });
  }
  const { changes: theirs } = await changes.list(stranger, { limit: 50 });
  expect(theirs).toEqual([]);
  const page = async (after: string) => (await changes.list(scope, { limit: 50, after })).changes.length;
  people.clock.forward(1_000);
  const second = await looked(dmarc);
  expect(await page(second.id)).toBe(1);
  const foreign = await changes.create(stranger, {
    ...{ title: 'Foreign', reason: '', request: dmarc, targets: { kind: 'names', names } },
  });
  expect(foreign.counts).toMatchObject({ barred: 4 });
  // The id of another's change pages as one that never was.
  expect(await page(foreign.id)).toBe(0);
  expect(await page(newId())).toBe(0);
});

test('each act is in the log, with what was before and after; what was refused is not', async () => {
  const change = await looked(dmarc);
  const entriesOf = async (action: Parameters<typeof logged>[2], object = change.id) => {
    const by = { by: scope.userId, kind: 'change', object };
    const entries = await logged(database.db, scope, action);
    for (const entry of entries) expect(entry).toMatchObject(by);
    return entries.map(({ before, after }) => [before, after]);
  };
  const described = { title: 'A change', reason: 'T-1', request: dmarc as ChangeRequest };
  expect(await entriesOf('changes.create')).toEqual([[null, { ...described, domains: 4 }]]);

  const other = { title: 'Mail', reason: 'T-2', request: moving };
  await changes.describe(scope, change.id, other);
  await changes.tasks['changes.look'](ref(change));
  expect(await entriesOf('changes.describe')).toEqual([[described, other]]);

  const items = await itemsOf(change);
  const ids = ['alder.com', 'birch.com'].map((name) => items.get(name)?.id ?? '');
  await changes.choose(scope, change.id, { ids, chosen: false });
  await changes.choose(scope, change.id, { ids: ids.slice(0, 1), chosen: true, ticked: true });
  expect(await entriesOf('changes.choose')).toEqual([
    [null, { domains: 2, chosen: false }],
    [null, { domains: 1, chosen: true, ticked: true }],
  ]);

  await codeOf(changes.start(scope, change.id, { act: 'apply', expected: 4 }, signedIn));
  expect(await entriesOf('changes.apply')).toEqual([]);
  await changes.start(scope, change.id, { act: 'apply', expected: 3 }, signedIn);
  const began = { state: 'running', domains: 3 };
  expect(await entriesOf('changes.apply')).toEqual([[{ state: 'ready' }, began]]);

  await changes.pause(scope, change.id);
  await changes.resume(scope, change.id, signedIn);
  const [running, paused] = [{ state: 'running' }, { state: 'paused' }];
  expect(await entriesOf('changes.pause')).toEqual([[running, paused]]);
  expect(await entriesOf('changes.resume')).toEqual([[paused, running]]);

  registrar.refusal = 'Zone is frozen';
  await run(change);
  await changes.start(scope, change.id, { act: 'retry', expected: 3 }, signedIn);
  expect(await entriesOf('changes.retry')).toEqual([[{ state: 'partly' }, began]]);
  await run(change);
  await changes.cancel(scope, change.id);
  expect(await entriesOf('changes.cancel')).toEqual([[{ state: 'partly' }, { state: 'cancelled' }]]);

  registrar.refusal = null;
  const done = await apply(await looked(moving, names, 'Another'));
  const undo = await changes.undo(scope, done.id);
  await changes.discard(scope, undo.id);
  const { title, reason, request } = undo;
  const told = { title, reason, request };
  expect(await entriesOf('changes.undo', undo.id)).toEqual([
    [null, { ...told, domains: 4, undoes: done.id }],
  ]);
  expect(await entriesOf('changes.discard', undo.id)).toEqual([[told, null]]);
});

test('changes and their domains come part by part, and say whether more follow', async () => {
  const made: string[] = [];
  for (const request of [dmarc, moving, dmarc]) {
    people.clock.forward(1_000);
    made.unshift((await looked(request)).id);
  }
  const list = async (query: Omit<Parameters<typeof changes.list>[1], 'limit'>, limit: number) => {
    const { changes: found, more } = await changes.list(scope, { ...query, limit });
    return [...found.map(({ id }) => made.indexOf(id)), more];
  };
  expect(await list({}, 3)).toEqual([0, 1, 2, false]);
  expect(await list({}, 2)).toEqual([0, 1, true]);
  expect(await list({ after: made[1] }, 2)).toEqual([2, false]);
  await changes.start(scope, made[1] ?? '', { act: 'apply', expected: 4 }, signedIn);
  expect([await list({ state: 'running' }, 3), await list({ state: 'ready' }, 1)]).toEqual([
    [1, false],
    [0, true],
  ]);
  expect((await changes.list(scope, { limit: 3 })).changes.map(({ counts }) => counts.ready)).toEqual([
    ...[4, 0, 4],
  ]);

  await edit('cedar.com', recordOf({ type: 'TXT', subdomain: '_dmarc', text: 'v=DMARC1; p=reject' }));
  const { id } = await looked(dmarc);
  await sql`UPDATE change_items SET warnings = '["Look"]' WHERE address = 'birch.com'`.execute(
    database.systemDb,
  );
  const items = async (query: Omit<Parameters<typeof changes.items>[2], 'limit'>, limit: number) => {
    const { items: found, more } = await changes.items(scope, id, { ...query, limit });
    return [...found.map(({ domain }) => domain.replace('.com', '')), more];
  };
  expect(await items({}, 4)).toEqual(['alder', 'birch', 'dogwood', 'cedar', false]);
  expect(await items({}, 3)).toEqual(['alder', 'birch', 'dogwood', true]);
  expect(await items({ after: 'dogwood.com' }, 3)).toEqual(['cedar', false]);
  expect(await items({ warned: 'true' }, 3)).toEqual(['birch', false]);
  expect(await items({ state: 'same' }, 3)).toEqual(['cedar', false]);
  expect(await items({ search: 'DOG' }, 3)).toEqual(['dogwood', false]);
});

test('the sweep takes up what nobody works on', async () => {
  const change = await looked(dmarc);
  await changes.start(scope, change.id, { act: 'apply', expected: 4 }, signedIn);
  const waiting = async () =>
    (await takeJobs(database.url)).filter(
      ({ task, payload }) => task === 'changes.run' && payload.changeId === change.id,
    ).length;
  expect(await waiting()).toBe(1);
  await changes.tasks['changes.sweep']({});
  // Somebody may be at work on it yet.
  expect(await waiting()).toBe(0);
  people.clock.forward(120_000);
  await changes.tasks['changes.sweep']({});
  expect(await waiting()).toBe(1);
});

test('what ended is forgotten after more than a year', async () => {
  const change = await apply(await looked(dmarc));
  people.clock.forward(399 * 86_400_000);
  await changes.tasks['changes.forget']({});
  expect(await changes.get(scope, change.id)).toMatchObject({ state: 'done' });
  people.clock.forward(2 * 86_400_000);
  await changes.tasks['changes.forget']({});
  await expect(changes.get(scope, change.id)).rejects.toMatchObject({ code: 'not_found' });
});
