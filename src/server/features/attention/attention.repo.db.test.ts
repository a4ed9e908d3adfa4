import type { Insertable } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AttentionCause, attentionCauses } from '#contracts/values/attention.ts';
import type { AttentionQuestion, AttentionSources } from '#kernel/attention.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import type { Database } from '#kernel/db/schema.ts';
import { newId } from '#kernel/ids.ts';
import { createLogger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  customerRow,
  domainRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import * as repo from './attention.repo.ts';
import type { StatedItem } from './attention.rules.ts';
import { changeItem, isColleague } from './change.repo.ts';
import { dueReaders } from './digests.repo.ts';
import { createReconciler } from './reconcile.ts';

/** Each condition by which entries are found, counted, written and closed, beside one that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let other: string;
let scope: Scope;
let customerId: string;
const now = new Date('2026-11-23T12:00:00Z');
const inMs = (ms: number) => new Date(now.getTime() + ms);
const tenant = <T>(run: (tx: Tx) => Promise<T>) => within(database, organisationId, run);
const system = <T>(run: (tx: Tx) => Promise<T>) => across(database, run);
const causes = attentionCauses;

beforeAll(async () => {
  database = await createTestDatabase();
  [organisationId, other] = [await organisationRow(database), await organisationRow(database)];
  customerId = await customerRow(database, organisationId);
  const userId = await userRow(database, organisationId);
  const reach = { kind: 'organisation' };
  scope = { organisationId, userId, role: 'MSP_OWNER', reach } as unknown as Scope;
});
afterAll(() => database.close());
beforeEach(() =>
  system(async (tx) => {
    await sql`DELETE FROM attention_items`.execute(tx);
    await sql`DELETE FROM attention_marks`.execute(tx);
  }),
);

let entries = 0;
async function entry(change: Partial<Insertable<Database['attention_items']>> = {}): Promise<string> {
  entries += 1;
  // Numbers made in the same millisecond are in no order.
  const id = newId(now.getTime() + entries);
  await system((tx) =>
    tx
      .insertInto('attention_items')
      .values({
        ...{ id, organisation_id: organisationId, cause: 'order', object: `object ${entries}`, rank: 1 },
        ...{ customer_id: null, address: null, deadline: null, facts: '{}', opened_at: now, closed_at: null },
        ...{ owner_id: null, snoozed_until: null, ...change },
      } as never)
      .execute(),
  );
  return id;
}
const mark = (of: string, cause: string) =>
  system((tx) =>
    sql`INSERT INTO attention_marks (organisation_id, cause) VALUES (${of}, ${cause})`.execute(tx),
  );
const list = async (
  filter: Partial<repo.ItemFilter> = {},
  { as = scope, ...page }: { as?: Scope; after?: string; limit?: number } = {},
) =>
  (await tenant((tx) => repo.listItems(tx, as, { causes, ...filter }, { limit: 51, now, ...page }))).map(
    ({ id }) => id,
  );

describe('marks', () => {
  const all = async () =>
    (
      await system((tx) =>
        sql<{
          of: string;
          cause: string;
        }>`SELECT organisation_id AS of, cause FROM attention_marks ORDER BY id`.execute(tx),
      )
    ).rows.map(({ of, cause }) => [of, cause]);

  test('are told by cause, of one organization or of all', async () => {
    await mark(organisationId, 'order');
    await mark(organisationId, 'order');
    await mark(other, 'renewal');
    expect(await system((tx) => repo.markedCauses(tx, null))).toEqual([
      { cause: 'order', organisationIds: [organisationId] },
      { cause: 'renewal', organisationIds: [other] },
    ]);
    expect(await system((tx) => repo.markedCauses(tx, other))).toEqual([
      { cause: 'renewal', organisationIds: [other] },
    ]);
  });

  test('are taken of one cause, and of the organizations that are asked about', async () => {
    await mark(organisationId, 'order');
    await mark(organisationId, 'renewal');
    await mark(other, 'order');
    await system((tx) => repo.takeMarks(tx, 'order', { organisationIds: [organisationId], now }));
    expect(await all()).toEqual([
      [organisationId, 'renewal'],
      [other, 'order'],
    ]);
    await system((tx) => repo.takeMarks(tx, 'order', { organisationIds: null, now }));
    expect(await all()).toEqual([[organisationId, 'renewal']]);
  });
});

test('a domain that goes to another customer, leaves, or is found again, marks all that is shown of it', async () => {
  const { id } = await domainRow(database, organisationId);
  const marked = async (change: object) => {
    await system((tx) => sql`DELETE FROM attention_marks`.execute(tx));
    await tenant((tx) => tx.updateTable('domains').set(change).where('id', '=', id).execute());
    return (await system((tx) => repo.markedCauses(tx, organisationId))).map(({ cause }) => cause);
  };
  expect(await marked({ customer_id: customerId })).toEqual(
    expect.arrayContaining(['health', 'move-dns', 'zone-write', 'renewal']),
  );
  expect(await marked({ expires_at: now })).not.toContain('health');
  expect(await marked({ missing_since: now })).toEqual(
    expect.arrayContaining(['health', 'registrant', 'renewal', 'restore']),
  );
  expect(await marked({ missing_since: new Date(now.getTime() + 1) })).toEqual([]);
  expect(await marked({ missing_since: null })).toEqual(
    expect.arrayContaining(['health', 'registrant', 'renewal', 'restore']),
  );
  expect(await marked({ status: 'ended', ended_at: now })).toEqual(
    expect.arrayContaining(['health', 'move-dns', 'zone-write', 'renewal']),
  );
});

describe('what is stated', () => {
  const stated = (object: string, more: Partial<StatedItem> = {}): StatedItem => ({
    ...{ organisationId, object, rank: 1, customerId, address: 'a.com', deadline: now, facts: { at: 'x' } },
    ...more,
  });
  const write = (items: StatedItem[], close: string[], at = now) =>
    system((tx) => repo.writeDifference(tx, 'order', { write: items, close }, at));
  const row = async (object: string) => {
    const { rows } = await system((tx) =>
      sql<Record<string, unknown>>`SELECT * FROM attention_items WHERE object = ${object}`.execute(tx),
    );
    expect(rows.length).toBeLessThan(2);
    return rows[0];
  };

  test('opens an entry, changes it where it stands, closes it, and opens the same one again', async () => {
    await write([stated('one')], []);
    const first = await row('one');
    expect(first).toMatchObject({ rank: 1, customer_id: customerId, opened_at: now, closed_at: null });
    await write([stated('one', { rank: 0, address: 'b.com', customerId: null })], [], inMs(1));
    expect(await row('one')).toMatchObject({
      ...{ id: first?.id, rank: 0, address: 'b.com', customer_id: null, opened_at: now },
    });
    const beside = await entry();
    await write([], [String(first?.id)], inMs(2));
    expect(await row('one')).toMatchObject({ closed_at: inMs(2) });
    await write([], [String(first?.id)], inMs(3));
    expect(await row('one')).toMatchObject({ closed_at: inMs(2) });
    expect(await list()).toEqual([beside]);
    await write([stated('one')], [], inMs(4));
    expect(await row('one')).toMatchObject({ id: first?.id, closed_at: null, opened_at: inMs(4) });
  });

  test('shows an entry again that was put off and presses more by now', async () => {
    await write([stated('two')], []);
    const { id } = (await row('two')) ?? {};
    await tenant((tx) => changeItem(tx, scope, String(id), { snoozed_until: inMs(9) }));
    await write([stated('two', { address: 'b.com' })], []);
    expect((await row('two'))?.snoozed_until).toEqual(inMs(9));
    await write([stated('two', { rank: 0 })], []);
    expect((await row('two'))?.snoozed_until).toBeNull();
  });

  test('shows an entry about the health of a domain again that was put off, once a finding joins', async () => {
    let place = '';
    const found = (kinds: string, cause: 'health' | 'order' = 'health') =>
      system((tx) =>
        repo.writeDifference(tx, cause, { write: [stated(place, { facts: { kinds } })], close: [] }, now),
      );
    const putOff = async (object: string, kinds: string, cause: 'health' | 'order' = 'health') => {
      place = object;
      await found(kinds, cause);
      const { id } = (await row(place)) ?? {};
      await tenant((tx) => changeItem(tx, scope, String(id), { snoozed_until: inMs(9) }));
      return String(id);
    };
    const until = async () => (await row(place))?.snoozed_until;
    await putOff('a domain', 'spf dmarc');
    await found('dmarc spf');
    await found('spf');
    expect(await until()).toEqual(inMs(9));
    await found('spf site');
    expect(await until()).toBeNull();
    // While nothing was wrong the row was closed: it knows still what was seen.
    const id = await putOff('another domain', 'spf');
    const close = () => system((tx) => repo.writeDifference(tx, 'health', { write: [], close: [id] }, now));
    await close();
    await found('spf');
    expect(await until()).toEqual(inMs(9));
    await close();
    await found('site');
    expect(await until()).toBeNull();
    // Of another cause, words that change are no news.
    await putOff('an order', 'spf', 'order');
    await found('spf site', 'order');
    expect(await until()).toEqual(inMs(9));
  });

  const says = async (cause: AttentionCause, facts: object, more: Partial<StatedItem> = {}) => {
    const write = [stated('it', { rank: 0, facts, ...more })];
    await system((tx) => repo.writeDifference(tx, cause, { write, close: [] }, now));
    return (await row('it'))?.snoozed_until;
  };
  const putOffIt = async () =>
    tenant(async (tx) => {
      const { rows } = await sql<{ id: string }>`SELECT id FROM attention_items WHERE object = 'it'`.execute(
        tx,
      );
      await changeItem(tx, scope, String(rows[0]?.id), { snoozed_until: inMs(9) });
    });

  /** What each cause says beside its deadline and how pressing it is: another matter, or one that is worse. */
  const news: [AttentionCause, was: object, is: object][] = [
    ['transfer', { state: 'release', late: true }, { state: 'failed', late: false }],
    ['change', { state: 'paused', note: '' }, { state: 'partly', note: '' }],
    ['change', { state: 'paused', note: '' }, { state: 'paused', note: 'has no access' }],
    ['move-dns', { held: 'Please wait', differs: 0 }, { held: null, differs: 2 }],
    ['move-dns', { held: null, differs: 2 }, { held: 'Please wait', differs: 2 }],
    ['move-dns', { held: null, differs: 2 }, { held: null, differs: 10 }],
    ['renewal', { state: 'planned', reason: null }, { state: 'unable', reason: 'refused' }],
    ['renewal', { state: 'planned', reason: null }, { state: 'manual', reason: null }],
    ['renewal', { state: 'unable', reason: 'no money' }, { state: 'unable', reason: 'refused' }],
    ['certificate', { kind: 'proof', text: 'a' }, { kind: 'expired', text: 'b' }],
    ['certificate', { kind: 'waiting', text: 'approve' }, { kind: 'waiting', text: 'the record is gone' }],
    [
      'certificate',
      { kind: 'expired', text: 'A renewal is in progress.', underWay: true },
      { kind: 'expired', text: 'Order a new one', underWay: false },
    ],
    [
      'certificate',
      { kind: 'waiting', text: 'a', underWay: false },
      { kind: 'expired', text: 'b', underWay: true },
    ],
    ['acme', { text: 'no', others: 0 }, { text: 'no', others: 1 }],
    ['acme', { text: 'no', others: 9 }, { text: 'no', others: 10 }],
    ['registrant', { suspended: false, bounced: false }, { suspended: true, bounced: false }],
    ['registrant', { suspended: false, bounced: false }, { suspended: false, bounced: true }],
    ['charge', { cents: 900, retries: true }, { cents: 900, retries: false }],
    ['charge', { cents: 900, retries: false }, { cents: 1000, retries: false }],
    ['payment', { waits: 'person' }, { waits: 'declined' }],
  ];
  test.each(news)(
    'shows an entry of %s again that was put off, once it says something else: %o -> %o',
    async (cause, was, is) => {
      await says(cause, was);
      await putOffIt();
      expect(await says(cause, { ...was, at: 'y' })).toEqual(inMs(9));
      expect(await says(cause, is)).toBeNull();
      // Who has seen that puts it off as before.
      await putOffIt();
      expect(await says(cause, { ...is, at: 'z' })).toEqual(inMs(9));
    },
  );

  const versionOf = async (object: string) => Number((await row(object))?.version);

  test.each(news)(
    'raises the version of an entry of %s that says something else: %o -> %o',
    async (cause, was, is) => {
      await says(cause, was);
      const seen = await versionOf('it');
      await says(cause, { ...was, at: 'y' });
      expect(await versionOf('it')).toBe(seen);
      await says(cause, is);
      expect(await versionOf('it')).toBe(seen + 1);
    },
  );

  test('raises the version of an entry that presses more, also where it was closed in between; not of one that presses less', async () => {
    await write([stated('three')], []);
    expect(await versionOf('three')).toBe(1);
    const { id } = (await row('three')) ?? {};
    await write([], [String(id)]);
    await write([stated('three', { rank: 0 })], []);
    expect(await versionOf('three')).toBe(2);
    await write([stated('three', { rank: 1, address: 'b.com', deadline: inMs(5) })], []);
    expect(await versionOf('three')).toBe(2);
  });

  test('leaves an entry of a certificate put off that presses less, and says so', async () => {
    await says('certificate', { kind: 'term', text: 'a' }, { rank: 0 });
    await putOffIt();
    expect(await says('certificate', { kind: 'term', text: 'b' }, { rank: 1 })).toEqual(inMs(9));
  });

  test('shows another change of a zone with an unknown outcome, though the one before was put off', async () => {
    await says('zone-write', { at: 'one' });
    await putOffIt();
    expect(await says('zone-write', { at: 'one' }, { address: 'b.com' })).toEqual(inMs(9));
    expect(await says('zone-write', { at: 'another' })).toBeNull();
  });

  test('shows other names that a machine got no certificate for; of several the one that asked last is no news', async () => {
    await says('acme', { others: 0 }, { address: 'a.com' });
    await putOffIt();
    expect(await says('acme', { others: 0 }, { address: 'b.com' })).toBeNull();
    await says('acme', { others: 1 }, { address: 'a.com' });
    await putOffIt();
    expect(await says('acme', { others: 1 }, { address: 'b.com' })).toEqual(inMs(9));
    expect(await says('acme', { others: 0 }, { address: 'a.com' })).toEqual(inMs(9));
  });

  test.each([
    ['registrant', { suspended: true, bounced: true }, { suspended: false, bounced: false }],
    ['charge', { cents: 900, retries: false }, { cents: 100, retries: true }],
    [
      'certificate',
      { kind: 'expired', text: 'Order a new one', underWay: false },
      { kind: 'expired', text: 'A renewal is in progress.', underWay: true },
    ],
    ['move-dns', { held: null, differs: 10 }, { held: null, differs: 9 }],
    ['refund', { cents: 900, error: 'one' }, { cents: 900, error: 'another' }],
    ['order', { at: 'one' }, { at: 'another' }],
    ['import', { good: 3, faulty: 2 }, { good: 2, faulty: 2 }],
    ['move', { names: 3 }, { names: 4 }],
    ['restore', { until: 'one' }, { until: 'another' }],
  ] as [AttentionCause, object, object][])(
    'leaves an entry of %s put off that is milder, or says the same: %o -> %o',
    async (cause, was, is) => {
      await says(cause, was);
      await putOffIt();
      expect(await says(cause, is)).toEqual(inMs(9));
    },
  );

  test.each(attentionCauses)(
    'shows an entry of %s at its deadline, also where that has moved since',
    async (cause) => {
      await says(cause, {}, { deadline: inMs(20) });
      await putOffIt();
      expect(await says(cause, {}, { deadline: inMs(10) })).toEqual(inMs(9));
      expect(await says(cause, {}, { deadline: inMs(5) })).toEqual(inMs(5));
      expect(await says(cause, {}, { deadline: null })).toEqual(inMs(5));
      expect(await says(cause, {}, { deadline: inMs(30) })).toEqual(inMs(5));
      // One that had passed when it was put off is no news.
      await says(cause, {}, { deadline: inMs(-5) });
      await putOffIt();
      expect(await says(cause, {}, { deadline: inMs(-5), address: 'b.com' })).toEqual(inMs(9));
    },
  );

  test('leaves a transfer put off that has only gone on', async () => {
    const say = (state: string) =>
      system((tx) =>
        repo.writeDifference(tx, 'transfer', { write: [stated('t', { facts: { state } })], close: [] }, now),
      );
    await say('approval');
    const { id } = (await row('t')) ?? {};
    await tenant((tx) => changeItem(tx, scope, String(id), { snoozed_until: inMs(9) }));
    await say('release');
    expect((await row('t'))?.snoozed_until).toEqual(inMs(9));
  });

  test('is compared with the open entries of its cause, of these organizations or of all', async () => {
    const one = await entry();
    await entry({ cause: 'renewal' });
    await entry({ closed_at: now });
    const theirs = await entry({ organisation_id: other });
    const open = async (organisationIds: string[] | null) =>
      (await system((tx) => repo.openItems(tx, 'order', { organisationIds, now })))
        .map(({ id }) => id)
        .sort();
    expect(await open([organisationId])).toEqual([one]);
    expect(await open(null)).toEqual([one, theirs].sort());
  });

  test('is forgotten when it closed before a moment', async () => {
    const [old, young, open] = [
      await entry({ closed_at: inMs(-1) }),
      await entry({ closed_at: now }),
      await entry(),
    ];
    await system((tx) => repo.dropClosed(tx, now));
    const { rows } = await system((tx) => sql<{ id: string }>`SELECT id FROM attention_items`.execute(tx));
    expect(rows.map(({ id }) => id).sort()).toEqual([young, open].sort());
    expect(rows.map(({ id }) => id)).not.toContain(old);
  });
});

describe('the list', () => {
  test('has what is open, the pressing first, then by deadline, page by page', async () => {
    const [late, soon, pressing] = [
      await entry({ deadline: inMs(2) }),
      await entry({ deadline: inMs(1) }),
      await entry({ rank: 0, deadline: inMs(9) }),
    ];
    await entry({ closed_at: now });
    await entry({ organisation_id: other });
    expect(await list()).toEqual([pressing, soon, late]);
    expect(await list({}, { after: pressing })).toEqual([soon, late]);
    expect(await list({}, { after: soon })).toEqual([late]);
    expect(await list({}, { after: await entry({ organisation_id: other }) })).toEqual([]);
  });

  test('is filtered by cause, severity, customer and owner, and kept within the reach', async () => {
    const [plain, renewal, pressing, customers, own] = [
      await entry(),
      await entry({ cause: 'renewal' }),
      await entry({ rank: 0 }),
      await entry({ customer_id: customerId }),
      await entry({ owner_id: scope.userId }),
    ];
    expect(await list({ causes: ['renewal'] })).toEqual([renewal]);
    expect((await list({ causes: ['renewal', 'order'] })).length).toBe(5);
    expect(await list({ causes: ['order', 'move'] })).not.toContain(renewal);
    expect(await list({ severity: 'now' })).toEqual([pressing]);
    expect(await list({ severity: 'soon' })).toEqual([plain, renewal, customers, own].sort());
    expect(await list({ customerId })).toEqual([customers]);
    expect(await list({ mine: true })).toEqual([own]);
    const limited = { ...scope, reach: { kind: 'customers', ids: [customerId] } } as unknown as Scope;
    expect(await list({}, { as: limited })).toEqual([customers]);
  });

  test('has what is put off apart until its moment, in the list and in the counts', async () => {
    const [asleep, awake, plain] = [
      await entry({ snoozed_until: inMs(1) }),
      await entry({ snoozed_until: now }),
      await entry({ owner_id: scope.userId, customer_id: customerId }),
    ];
    await entry({ closed_at: now });
    await entry({ cause: 'renewal' });
    expect(await list({ snoozed: true })).toEqual([asleep]);
    expect(await list({ causes: ['order'] })).toEqual([awake, plain]);
    const counted = async (as: Scope, more: { customerId?: string } = {}) =>
      (await tenant((tx) => repo.countItems(tx, as, { causes: ['order'], ...more }, now))).map(
        ({ snoozed, mine, count }) => [snoozed, mine, count],
      );
    expect((await counted(scope)).sort()).toEqual(
      [
        [false, false, 1],
        [false, true, 1],
        [true, false, 1],
      ].sort(),
    );
    expect(await counted(scope, { customerId })).toEqual([[false, true, 1]]);
    const limited = { ...scope, reach: { kind: 'customers', ids: [customerId] } } as unknown as Scope;
    expect(await counted(limited)).toEqual([[false, true, 1]]);
  });

  test('has what staff put off for a customer’s own user all the same, in the list and in the counts', async () => {
    const asleep = await entry({ snoozed_until: inMs(1), customer_id: customerId });
    const reach = { kind: 'customers', ids: [customerId] };
    const user = { ...scope, role: 'MSP_CUSTOMER', reach } as unknown as Scope;
    expect([await list({}, { as: user }), await list({ snoozed: true }, { as: user })]).toEqual([
      [asleep],
      [],
    ]);
    const counted = (as: Scope) => tenant((tx) => repo.countItems(tx, as, { causes }, now));
    expect(await counted(user)).toMatchObject([{ snoozed: false, count: 1 }]);
    expect(await counted(scope)).toMatchObject([{ snoozed: true, count: 1 }]);
  });

  test('says whether something of the organization was marked since', async () => {
    await entry();
    const marked = async () =>
      (await tenant((tx) => repo.listItems(tx, scope, { causes }, { limit: 51, now })))[0]?.marked;
    await mark(other, 'order');
    expect(await marked()).toBe(false);
    await mark(organisationId, 'order');
    expect(await marked()).toBe(true);
  });

  test('gives at least as many as are asked for, by few statements', async () => {
    for (let n = 0; n < 60; n += 1) await entry();
    expect(await list({}, { limit: 51 })).toHaveLength(51);
    expect((await list({}, { limit: 52 })).length).toBeGreaterThanOrEqual(52);
    expect((await list({}, { limit: 5 })).length).toBeGreaterThanOrEqual(5);
  });
});

describe('one entry', () => {
  test('is found in reach and of causes that may be seen, also a moment after it closed', async () => {
    const [one, theirs] = [await entry({ closed_at: now }), await entry({ customer_id: customerId })];
    const find = async (id: string, as = scope, of = causes as readonly repo.ShownItem['cause'][]) =>
      (await tenant((tx) => repo.findItem(tx, as, of, id)))?.id;
    expect([await find(one), await find(theirs), await find(newId())]).toEqual([one, theirs, undefined]);
    expect(await find(one, scope, ['renewal'])).toBeUndefined();
    const limited = { ...scope, reach: { kind: 'customers', ids: [customerId] } } as unknown as Scope;
    expect([await find(one, limited), await find(theirs, limited)]).toEqual([undefined, theirs]);
  });

  test('is changed alone', async () => {
    const [one, beside] = [await entry(), await entry()];
    await tenant((tx) => changeItem(tx, scope, one, { owner_id: scope.userId }));
    expect(await list({ mine: true })).toEqual([one]);
    expect(await list()).toContain(beside);
  });

  test('is changed only as it was seen, where the change says so', async () => {
    const one = await entry();
    const takeOver = (version?: number) =>
      tenant((tx) => changeItem(tx, scope, one, { owner_id: scope.userId }, { version }));
    expect([await takeOver(2), await list({ mine: true })]).toEqual([false, []]);
    expect([await takeOver(1), await list({ mine: true })]).toEqual([true, [one]]);
    expect(await takeOver()).toBe(true);
  });

  test('is taken over or handed back only from whom it was seen with, and by whom it became so already', async () => {
    const [one, ben, leaver] = [
      await entry(),
      await userRow(database, organisationId, { username: 'ben' }),
      await userRow(database, organisationId, { username: 'left', removed_at: now }),
    ];
    const give = (owner_id: string | null, ownerId?: string | null) =>
      tenant((tx) => changeItem(tx, scope, one, { owner_id }, { ownerId }));
    const owner = async () => (await tenant((tx) => repo.findItem(tx, scope, causes, one)))?.ownerId;
    expect([await give(scope.userId ?? '', null), await owner()]).toEqual([true, scope.userId]);
    // Ben takes it over from them, who hand it back by a list that they read before.
    expect([await give(ben, scope.userId), await owner()]).toEqual([true, ben]);
    expect([await give(null, scope.userId), await owner()]).toEqual([false, ben]);
    // Somebody whose list says that it is nobody's.
    expect([await give(scope.userId ?? '', null), await owner()]).toEqual([false, ben]);
    // A second press, or a second tab of Ben's.
    expect([await give(ben, null), await owner()]).toEqual([true, ben]);
    // What somebody had who has left is shown as nobody's.
    await give(leaver);
    expect([await give(ben, null), await owner()]).toEqual([true, ben]);
  });

  test('is nobody’s again when who took it over has left, or works for a customer now', async () => {
    const [one, leaver] = [await entry(), await userRow(database, organisationId, { username: 'leaver' })];
    await tenant((tx) => changeItem(tx, scope, one, { owner_id: leaver }));
    const owner = async () => {
      const [listed] = await tenant((tx) => repo.listItems(tx, scope, { causes }, { limit: 51, now }));
      const alone = await tenant((tx) => repo.findItem(tx, scope, causes, one));
      expect(alone?.ownerId).toBe(listed?.ownerId);
      return [listed?.ownerId, listed?.ownerName];
    };
    expect(await owner()).toEqual([leaver, 'leaver']);
    for (const change of [{ removed_at: now }, { role: 'MSP_CUSTOMER', customer_id: customerId }] as const) {
      const before = { removed_at: null, role: 'MSP_EMPLOYEE', customer_id: null } as const;
      const set = (values: object) =>
        system((tx) => tx.updateTable('users').set(values).where('id', '=', leaver).execute());
      await set(change);
      expect(await owner()).toEqual([null, null]);
      await set(before);
    }
  });

  test('is given to colleagues alone', async () => {
    const [removed, customers, strangers] = [
      await userRow(database, organisationId, { removed_at: now }),
      await userRow(database, organisationId, { role: 'MSP_CUSTOMER', customer_id: customerId }),
      await userRow(database, other),
    ];
    const may = (id: string) => tenant((tx) => isColleague(tx, scope, id));
    expect(await may(scope.userId)).toBe(true);
    for (const id of [removed, customers, strangers, newId()]) expect(await may(id)).toBe(false);
  });
});

test('the mail of a day is for people who have access still, also where one of them is asked about', async () => {
  const [reads, removed, disabled] = [
    await userRow(database, organisationId),
    await userRow(database, organisationId, { removed_at: now }),
    await userRow(database, organisationId, { disabled_at: now }),
  ];
  for (const id of [reads, removed, disabled]) {
    await system((tx) =>
      sql`INSERT INTO attention_digests (user_id, organisation_id) VALUES (${id}, ${organisationId})`.execute(
        tx,
      ),
    );
  }
  const due = async (id?: string) =>
    (await system((tx) => dueReaders(tx, '2026-11-23', id))).map(({ userId }) => userId);
  expect(await due()).toEqual([reads]);
  expect([await due(reads), await due(removed), await due(disabled)]).toEqual([[reads], [], []]);
});

describe('a round over many organizations', () => {
  test('asks each once, by parts, and what was marked by twenty at a time', async () => {
    const many = await createTestDatabase();
    try {
      const ids: string[] = [];
      for (let place = 0; place < 41; place += 1) ids.push(await organisationRow(many));
      const asked: string[][] = [];
      const source = {
        present: async (_: Tx, question: AttentionQuestion) => {
          asked.push([...(question.organisationIds ?? ids)]);
          return [];
        },
      };
      const sources = Object.fromEntries(attentionCauses.map((cause) => [cause, source]));
      let minute = 0;
      const reconciler = createReconciler({
        ...{ db: many.db, systemDb: many.systemDb, logger: createLogger({ level: 'silent' }) },
        clock: { now: () => new Date(now.getTime() + minute * 60_000) },
        sources: sources as unknown as AttentionSources,
      });
      for (minute = 0; minute < 3; minute += 1) await reconciler.sweep();
      expect(asked).toHaveLength(3 * attentionCauses.length);
      expect(Math.max(...asked.map((part) => part.length))).toBe(14);
      const times = asked.flat().length / ids.length;
      expect([times, new Set(asked.flat()).size]).toEqual([attentionCauses.length, ids.length]);

      asked.length = 0;
      await across(many, (tx) => sql`DELETE FROM attention_marks`.execute(tx));
      await across(many, (tx) =>
        sql`INSERT INTO attention_marks (organisation_id, cause)
          SELECT unnest(${ids}::uuid[]), 'order'`.execute(tx),
      );
      await reconciler.settle();
      expect(asked.map((part) => part.length)).toEqual([20, 20, 1]);
      expect(new Set(asked.flat()).size).toBe(ids.length);
    } finally {
      await many.close();
    }
  });
});
