import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChangeState } from '#contracts/values/changes.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { changeAttention } from './attention.repo.ts';
import * as repo from './changes.repo.ts';
import { eraseChangeAuthors } from './privacy.repo.ts';

/** Each condition by which changes are found, counted and moved on, beside one that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let scope: Scope;
const now = new Date('2026-11-23T12:00:00Z');
const inMs = (ms: number) => new Date(now.getTime() + ms);
const clock = { now: () => now };
const tenant = <T>(run: (tx: Tx) => Promise<T>) => within(database, organisationId, run);
const states: ChangeState[] = [
  'draft',
  'ready',
  'running',
  'paused',
  'done',
  'partly',
  'cancelled',
  'undone',
];

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  const userId = await userRow(database, organisationId);
  scope = { organisationId, userId, email: 'a@b.example' } as unknown as Scope;
});
afterAll(() => database.close());
beforeEach(() => across(database, (tx) => sql`DELETE FROM changes`.execute(tx)));

/** Numbers made in the same millisecond are in no order. */
let made = 0;
async function change(
  state: ChangeState,
  more: { undoes?: string; endedAt?: Date | null; request?: object } = {},
): Promise<string> {
  made += 1;
  const id = newId(now.getTime() + made);
  const { undoes = null, endedAt = null, request = { kind: 'privacy', enabled: true } } = more;
  await tenant((tx) =>
    sql`INSERT INTO changes (id, organisation_id, user_id, author, title, reason, request, state, created_at, undoes, ended_at)
      VALUES (${id}, ${organisationId}, ${scope.userId}, 'a@b.example', 'One', '', ${JSON.stringify(request)}, ${state},
        ${now}, ${undoes}, ${endedAt})`.execute(tx),
  );
  return id;
}

async function item(
  changeId: string,
  state: string,
  more: { nextAt?: Date; warned?: boolean; address?: string } = {},
) {
  const id = newId();
  const { address = `${id}.com` } = more;
  const warnings = JSON.stringify(more.warned ? ['It is signed.'] : []);
  await tenant((tx) =>
    sql`INSERT INTO change_items (id, organisation_id, change_id, address, state, next_at, warnings)
      VALUES (${id}, ${organisationId}, ${changeId}, ${address}, ${state}, ${more.nextAt ?? null}, ${warnings})`.execute(
      tx,
    ),
  );
  return id;
}

const find = (id: string) => tenant((tx) => repo.findChange(tx, scope, id));

describe('changes', () => {
  test('that are not finished are counted', async () => {
    for (const state of states) await change(state);
    expect(await tenant((tx) => repo.countOpen(tx, scope))).toBe(5);
  });

  test('are found by their number, with what undoes them and what their request names', async () => {
    const customerId = await customerRow(database, organisationId);
    await customerRow(database, organisationId);
    const template = async (name: string) => {
      const id = newId();
      await tenant((tx) =>
        sql`INSERT INTO dns_templates (id, organisation_id, name, records, created_at)
          VALUES (${id}, ${organisationId}, ${name}, '{}', ${now})`.execute(tx),
      );
      return id;
    };
    await template('Another');
    const templateId = await template('Post Mail');
    await template('A third');
    const filled = await change('done', { request: { kind: 'apply-template', templateId } });
    expect((await find(filled))?.named).toBe('Post Mail');
    const one = await change('done', { request: { kind: 'customer', customerId } });
    const other = await change('done');
    const earlier = await change('done', { undoes: one });
    const undo = await change('draft', { undoes: one });
    // One that was ended may have left things as they were.
    await change('cancelled', { undoes: one });
    expect(await find(one)).toMatchObject({ id: one, undoneBy: undo, named: expect.stringMatching(/\w/) });
    expect(await find(other)).toMatchObject({ id: other, undoneBy: null, named: null });
    expect(await find(newId())).toBeUndefined();
    await tenant((tx) => repo.deleteChange(tx, scope, undo));
    expect(await find(one)).toMatchObject({ undoneBy: earlier });
    expect(await find(undo)).toBeUndefined();
  });

  test('say how many domains still have them once their undo is done, and not before', async () => {
    const one = await change('done');
    for (const name of ['a.com', 'b.com']) await item(one, 'done', { address: name });
    const undos = await Promise.all(states.map((state) => change(state, { undoes: one })));
    await item(undos[states.indexOf('done')] ?? '', 'done', { address: 'a.com' });
    const found = [];
    // The last one counts. One that was ended or taken back stands for nothing.
    for (const id of undos.toReversed()) {
      const { undoneBy, leftByUndo } = (await find(one)) ?? {};
      found.push([states[undos.indexOf(undoneBy ?? '')], leftByUndo]);
      await tenant((tx) => repo.deleteChange(tx, scope, id));
    }
    expect(found).toEqual([
      ...[
        ['partly', null],
        ['partly', null],
        ['partly', null],
        ['done', 1],
      ],
      ...[
        ['paused', null],
        ['running', null],
        ['ready', null],
        ['draft', null],
      ],
    ]);
    const undone = await change('undone');
    await item(undone, 'done');
    const by = await change('undone', { undoes: undone });
    expect(await find(undone)).toMatchObject({ undoneBy: by, leftByUndo: null });
    await change('done', { undoes: undone });
    expect(await find(undone)).toMatchObject({ leftByUndo: null });
  });

  test('have an open undo as long as it has not ended', async () => {
    const open = await Promise.all(
      states.map(async (state) => {
        const id = await change('done');
        await change(state, { undoes: id });
        return tenant((tx) => repo.hasOpenUndo(tx, scope, id));
      }),
    );
    expect(states.filter((_state, index) => open[index])).toEqual([
      ...['draft', 'ready', 'running', 'paused', 'partly'],
    ]);
    const id = await change('done');
    await change('draft', { undoes: id });
    const stranger = { organisationId: await organisationRow(database) };
    expect(await tenant((tx) => repo.hasOpenUndo(tx, stranger, id))).toBe(false);
  });

  test('are listed from the newest on, by state, page by page', async () => {
    const [a, b, c] = [await change('done'), await change('ready'), await change('done')];
    const list = async (page: { state?: ChangeState; after?: string; limit: number }) =>
      (await tenant((tx) => repo.listChanges(tx, scope, page))).map(({ id }) => id);
    expect(await list({ limit: 10 })).toEqual([c, b, a]);
    expect(await list({ limit: 2 })).toEqual([c, b]);
    expect(await list({ limit: 10, after: b })).toEqual([a]);
    expect(await list({ limit: 10, after: newId() })).toEqual([]);
    expect(await list({ limit: 10, state: 'done' })).toEqual([c, a]);
  });

  test('have their items counted by state', async () => {
    const [one, other] = [await change('ready'), await change('ready')];
    await item(one, 'ready');
    await item(one, 'ready', { warned: true });
    await item(one, 'same', { warned: true });
    await item(other, 'left-out');
    const counts = await tenant((tx) => repo.countsOf(tx, scope, [one]));
    expect(counts(one)).toMatchObject({ total: 3, ready: 2, warned: 1, same: 1, leftOut: 0 });
    expect(counts(other)).toMatchObject({ total: 0, leftOut: 0 });
  });

  test('note when they were looked at, began and ended; one that goes on has not ended', async () => {
    const [one, other] = [await change('draft'), await change('draft')];
    const times = async (id: string) => {
      const { rows } = await tenant((tx) =>
        sql<
          Record<string, unknown>
        >`SELECT state, looked_at, started_at, ended_at FROM changes WHERE id = ${id}`.execute(tx),
      );
      return Object.values(rows[0] ?? {});
    };
    const set = (state: ChangeState, at: Date) =>
      tenant((tx) => repo.setState(tx, scope, one, { state, at }));
    await set('ready', now);
    expect(await times(one)).toEqual(['ready', now, null, null]);
    await set('running', inMs(1));
    await set('paused', inMs(2));
    await set('running', inMs(3));
    expect(await times(one)).toEqual(['running', now, inMs(1), null]);
    await set('partly', inMs(4));
    expect(await times(one)).toEqual(['partly', now, inMs(1), inMs(4)]);
    await set('running', inMs(5));
    expect(await times(one)).toEqual(['running', now, inMs(1), null]);
    for (const state of ['done', 'cancelled'] as const) {
      await set(state, inMs(6));
      expect((await times(one))[3]).toEqual(inMs(6));
    }
    expect(await times(other)).toEqual(['draft', null, null, null]);
  });

  test('say why they wait only as long as they do', async () => {
    const id = await change('running');
    const set = (state: ChangeState, note?: string) =>
      tenant((tx) => repo.setState(tx, scope, id, { state, at: now, ...(note ? { note } : {}) }));
    await set('paused', 'Away');
    expect(await find(id)).toMatchObject({ state: 'paused', note: 'Away' });
    await set('running');
    expect(await find(id)).toMatchObject({ state: 'running', note: '' });
    await set('paused', 'Away');
    await tenant((tx) =>
      repo.beginLook(tx, scope, id, { title: 'T', reason: '', request: { kind: 'keep-dmarc' } }),
    );
    expect(await find(id)).toMatchObject({ state: 'draft', note: '' });
  });

  test('go on with the token of who had the last word, or with none', async () => {
    const id = await change('ready');
    const tokenId = newId();
    const act = (as: Scope) => tenant((tx) => repo.setActor(tx, as, id));
    await act({ ...scope, tokenId });
    expect((await find(id))?.tokenId).toBe(tokenId);
    await act(scope);
    expect((await find(id))?.tokenId).toBeNull();
  });

  test('of a person who is forgotten keep what was done, and none of their words', async () => {
    const other = await userRow(database, organisationId);
    const contacts = { kind: 'contacts', roles: ['tech'], contact: { email: 'tess@marsh.example' } };
    const undo = { kind: 'undo', changeId: newId(), title: 'For Tess', of: 'lock' };
    const [plain, ofContacts, undoing, kept] = [
      await change('done'),
      await change('done', { request: contacts }),
      await change('done', { request: undo }),
      await change('done', { request: contacts }),
    ];
    await tenant((tx) => repo.setActor(tx, { ...scope, userId: other, email: 'o@b.example' }, kept));
    await tenant((tx) => eraseChangeAuthors(tx, scope, [scope.userId]));
    const erased = { author: 'Erased user', title: 'A change', reason: '', state: 'done' };
    expect(await find(plain)).toMatchObject({ ...erased, request: { kind: 'privacy', enabled: true } });
    expect((await find(ofContacts))?.request).toEqual({ kind: 'contacts', roles: [], contact: null });
    expect((await find(undoing))?.request).toEqual({ ...undo, title: 'A change' });
    expect(await find(kept)).toMatchObject({ author: 'o@b.example', title: 'One', request: contacts });
  });

  test('are described differently one by one, and go on in the name of who had the last word', async () => {
    const [one, other] = [await change('ready'), await change('ready')];
    const userId = await userRow(database, organisationId);
    const given = { title: 'Two', reason: 'T-1', request: { kind: 'privacy', enabled: false } as const };
    await tenant((tx) => repo.beginLook(tx, scope, one, given));
    await tenant((tx) => repo.setActor(tx, { ...scope, userId, email: 'b@b.example' }, one));
    expect(await find(one)).toMatchObject({
      ...given,
      state: 'draft',
      round: 2,
      userId,
      author: 'b@b.example',
    });
    expect(await find(other)).toMatchObject({ title: 'One', state: 'ready', round: 1, userId: scope.userId });
  });

  test('that ended before a moment are forgotten, those that may go on are not', async () => {
    const old = await Promise.all(states.map((state) => change(state, { endedAt: inMs(-1) })));
    const young = await change('done', { endedAt: now });
    await across(database, (tx) => repo.dropEnded(tx, now));
    const left = (await Promise.all([...old, young].map(find))).filter((one) => one !== undefined);
    expect(left.map((one) => one.state)).toEqual(['draft', 'ready', 'running', 'paused', 'done']);
  });
});

describe('a change under way that nobody works on', () => {
  const stalled = async () =>
    (await across(database, (tx) => repo.stalledChanges(tx, clock, 60_000))).map(({ changeId, act }) => [
      changeId,
      act,
    ]);

  test('is found a minute after its next item was due, and to be looked at or applied', async () => {
    const [draft, running] = [await change('draft'), await change('running')];
    for (const [id, state] of [
      [draft, 'waiting'],
      [running, 'queued'],
    ] as const) {
      await item(id, state, { nextAt: inMs(-60_000) });
      await item(id, 'done', { nextAt: now });
    }
    for (const state of ['ready', 'paused', 'done', 'partly', 'cancelled', 'undone'] as const) {
      await item(await change(state), 'queued', { nextAt: inMs(-90_000) });
    }
    expect(await stalled()).toEqual(
      expect.arrayContaining([
        [draft, 'look'],
        [running, 'run'],
      ]),
    );
    expect(await stalled()).toHaveLength(2);
    const soon = await change('running');
    for (const state of ['waiting', 'queued', 'applying']) {
      const id = await change('running');
      await item(id, state, { nextAt: inMs(-59_999) });
    }
    // Nothing is left of it: it only has to be ended.
    expect(await stalled()).toHaveLength(3);
    expect(await stalled()).toContainEqual([soon, 'run']);
  });

  test('is also one that was paused or ended while an item was cut off', async () => {
    const found: [string, string][] = [];
    for (const state of ['paused', 'cancelled'] as const) {
      const id = await change(state);
      await item(id, 'applying', { nextAt: inMs(-60_000) });
      found.push([id, 'run']);
      await item(await change(state), 'applying', { nextAt: inMs(-59_999) });
      await item(await change(state), 'queued', { nextAt: inMs(-60_000) });
      await item(await change('done'), 'applying', { nextAt: inMs(-60_000) });
    }
    expect((await stalled()).sort()).toEqual(found.sort());
  });
});

test('nobody acts any more who was removed, or whose sign-in was switched off', async () => {
  const ids = [
    await userRow(database, organisationId),
    await userRow(database, organisationId, { removed_at: now }),
    await userRow(database, organisationId, { disabled_at: now }),
  ];
  const found = await Promise.all(ids.map((id) => tenant((tx) => repo.findPerson(tx, scope, id))));
  expect(found.map((person) => person?.email)).toEqual([`${ids[0]}@example.com`, undefined, undefined]);
});

describe('a person is told of changes', () => {
  const told = () =>
    across(database, (tx) => changeAttention.present(tx, { organisationIds: [organisationId], now }));
  const set = (id: string, times: { looked?: Date; started?: Date; ended?: Date; note?: string }) =>
    tenant((tx) =>
      sql`UPDATE changes SET looked_at = ${times.looked ?? null}, started_at = ${times.started ?? null},
        ended_at = ${times.ended ?? null}, note = ${times.note ?? ''} WHERE id = ${id}`.execute(tx),
    );

  test('that are paused or done in part, with how much of them is left and since when', async () => {
    const found = new Map<string, string>();
    for (const state of states) found.set(await change(state), state);
    expect((await told()).map(({ object }) => found.get(object)).sort()).toEqual(['partly', 'paused']);
    const [paused, partly] = [...found].flatMap(([id, state]) =>
      state === 'paused' || state === 'partly' ? [id] : [],
    );
    const left = ['ready', 'queued', 'applying', 'failed', 'moved'];
    for (const state of [...left, 'waiting', 'left-out', 'same', 'barred', 'done', 'cancelled']) {
      await item(partly ?? '', state);
    }
    await set(paused ?? '', { looked: inMs(-3), started: inMs(-2), note: 'Away' });
    await set(partly ?? '', { looked: inMs(-3), started: inMs(-2), ended: inMs(-1) });
    const at = (object = '', facts: object) => ({
      ...{ organisationId, object, customerId: null, address: null, deadline: null },
      facts: { changeId: object, title: 'One', ...facts },
    });
    expect((await told()).toSorted((a, b) => a.object.localeCompare(b.object))).toEqual(
      [
        at(paused, { state: 'paused', note: 'Away', left: 0, at: inMs(-2).toISOString() }),
        at(partly, { state: 'partly', note: '', left: 5, at: inMs(-1).toISOString() }),
      ].toSorted((a, b) => a.object.localeCompare(b.object)),
    );
  });

  test('that were looked at ten minutes ago and not applied, if there is something to apply', async () => {
    const [old, young, empty] = [await change('ready'), await change('ready'), await change('ready')];
    await set(old, { looked: inMs(-600_000) });
    await set(young, { looked: inMs(-599_999) });
    await set(empty, { looked: inMs(-600_000) });
    for (const id of [old, young]) await item(id, 'ready');
    await item(empty, 'same');
    expect((await told()).map(({ object, facts }) => [object, facts.left, facts.at])).toEqual([
      [old, 1, inMs(-600_000).toISOString()],
    ]);
    const stranger = await organisationRow(database);
    const theirs = await across(database, (tx) =>
      changeAttention.present(tx, { organisationIds: [stranger], now }),
    );
    expect(theirs).toEqual([]);
  });
});
