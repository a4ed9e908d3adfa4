import type { Insertable } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql, type Tx } from '#kernel/db/database.ts';
import type { ChangeItemsTable } from '#kernel/db/schema/changes.ts';
import { newId } from '#kernel/ids.ts';
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
import { saveUse } from '../dns/template-uses.repo.ts';
import { insertTemplate } from '../dns/templates.repo.ts';
import * as items from './items.repo.ts';
import { eraseFromChanges } from './privacy.repo.ts';

/** Each condition by which items of a change are found, taken and changed, beside one that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let scope: Scope;
let customerId: string;
let changeId: string;
const now = new Date('2026-11-23T12:00:00Z');
const clock = { now: () => now };
const inMs = (ms: number) => new Date(now.getTime() + ms);
const tenant = <T>(run: (tx: Tx) => Promise<T>) => within(database, organisationId, run);

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
  const userId = await userRow(database, organisationId);
  const reach = { kind: 'organisation' };
  scope = { organisationId, userId, email: 'a@b.example', role: 'MSP_OWNER', reach } as unknown as Scope;
});
afterAll(() => database.close());
beforeEach(async () => {
  await across(database, (tx) => sql`DELETE FROM changes`.execute(tx));
  changeId = await changeRow('running');
});

async function changeRow(state: string, request: object = { kind: 'privacy', enabled: true }) {
  const id = newId();
  await tenant((tx) =>
    sql`INSERT INTO changes (id, organisation_id, user_id, author, title, reason, request, state, created_at)
      VALUES (${id}, ${organisationId}, ${scope.userId}, 'a@b.example', 'One', '', ${JSON.stringify(request)}, ${state}, ${now})`.execute(
      tx,
    ),
  );
  return id;
}

let names = 0;
async function item(change: Partial<Insertable<ChangeItemsTable>> = {}): Promise<string> {
  names += 1;
  const id = newId();
  await tenant((tx) =>
    tx
      .insertInto('change_items')
      .values({
        ...{ id, organisation_id: organisationId, change_id: changeId, domain_id: null, customer_id: null },
        ...{
          address: `name-${String(names).padStart(4, '0')}.com`,
          state: 'ready',
          before: null,
          after: null,
        },
        ...{ version: null, others: null, removed: null, warnings: '[]', next_at: null, ended_at: null },
        ...change,
      })
      .execute(),
  );
  return id;
}
const states = (...ids: string[]) =>
  tenant(async (tx) => {
    const rows = await tx.selectFrom('change_items').select(['id', 'state']).where('id', 'in', ids).execute();
    return ids.map((id) => rows.find((row) => row.id === id)?.state ?? 'gone');
  });
const listed = async (filter: Partial<items.ItemFilter> = {}, of = changeId) =>
  (await tenant((tx) => items.listItems(tx, scope, of, { limit: 100, ...filter }))).map(({ id }) => id);

describe('items are listed', () => {
  test('by name, those with nothing to change last; pages follow each other without a gap or a repeat', async () => {
    const [same, ready, other, last] = [
      await item({ state: 'same', address: 'a.com' }),
      await item({ address: 'b.com' }),
      await item({ state: 'barred', address: 'c.com' }),
      await item({ state: 'same', address: 'd.com' }),
    ];
    const all = [ready, other, same, last];
    expect(await listed()).toEqual(all);
    expect(await listed({ limit: 3 })).toEqual(all.slice(0, 3));
    expect(await listed({ after: 'b.com' })).toEqual([other, same, last]);
    expect(await listed({ after: 'c.com' })).toEqual([same, last]);
    expect(await listed({ after: 'a.com' })).toEqual([last]);
    expect(await listed({ after: 'd.com' })).toEqual([]);
    // A name of the same text in another change says nothing about the place in this one.
    const mine = changeId;
    changeId = await changeRow('draft');
    await item({ state: 'same', address: 'c.com' });
    expect(await listed({ after: 'c.com' }, mine)).toEqual([same, last]);
  });

  test('of one change, by state, warning and a part of the name', async () => {
    const [ready, warned, ticked, same] = [
      await item({ address: 'alder.com' }),
      await item({ address: 'birch.com', warnings: '["It is signed."]' }),
      await item({ address: 'cedar.com', needs_tick: true }),
      await item({ address: 'dogwood.com', state: 'same' }),
    ];
    expect(await listed({ state: 'ready' })).toEqual([ready, warned, ticked]);
    expect(await listed({ state: 'same' })).toEqual([same]);
    expect(await listed({ warned: true })).toEqual([warned, ticked]);
    expect(await listed({ search: 'EDA' })).toEqual([ticked]);
    expect(await listed({}, await changeRow('draft'))).toEqual([]);
  });
});

describe('what is kept of a change', () => {
  test('names that are none of ours, have ended or are out of reach are barred, each with that word', async () => {
    const other = await customerRow(database, organisationId);
    const [mine, ended, theirs] = [
      await domainRow(database, organisationId, { customer_id: customerId }),
      await domainRow(database, organisationId, { customer_id: customerId, status: 'ended' }),
      await domainRow(database, organisationId, { customer_id: other }),
    ];
    const named = [mine, ended, theirs].map(({ address }) => ({ id: newId(), address }));
    const limited = { ...scope, reach: { kind: 'customers', ids: [customerId] } } as unknown as Scope;
    await tenant((tx) => items.insertItems(tx, limited, changeId, named, clock));
    expect(await states(...named.map(({ id }) => id))).toEqual(['waiting', 'barred', 'barred']);
  });

  test('what was done to a domain, and to which, is that of this change', async () => {
    const done = { state: 'done', before: '{"on": false}', after: '{"on": true}' } as const;
    await item({ ...done, address: 'b.com' });
    const itemId = await item({ ...done, address: 'a.com' });
    await item({ ...done, state: 'failed', address: 'c.com' });
    const first = changeId;
    changeId = await changeRow('done');
    await item({ ...done, address: 'd.com', after: '{"on": "other"}' });
    const of = (address: string, id = first) => tenant((tx) => items.doneTo(tx, scope, id, address));
    expect(await of('a.com')).toEqual({ itemId, before: { on: false }, after: { on: true }, inUse: false });
    expect([await of('c.com'), await of('d.com')]).toEqual([undefined, undefined]);
    expect((await of('d.com', changeId))?.after).toEqual({ on: 'other' });
    expect(await tenant((tx) => items.addressesDone(tx, scope, first))).toEqual(['a.com', 'b.com']);
  });

  test('a setting may have been changed by each try but for a single one that was refused; a zone has versions', async () => {
    const tried = { before: '{"on": false}', after: '{"on": true}' } as const;
    await item({ ...tried, state: 'failed', attempts: 1, address: 'a.com' });
    await item({ ...tried, state: 'failed', attempts: 2, address: 'b.com' });
    await item({ ...tried, state: 'queued', attempts: 1, address: 'c.com' });
    await item({ ...tried, state: 'cancelled', attempts: 0, address: 'd.com' });
    await item({ before: '[]', after: '[]', state: 'failed', attempts: 2, address: 'e.com' });
    // A refusal that was left out; one that found the work of others; and one whose earlier tries had no answer.
    for (const [index, state] of (['left-out', 'moved'] as const).entries()) {
      for (const attempts of [0, 1, 2])
        await item({ ...tried, state, attempts, address: `f${index}${attempts}.com` });
    }
    expect(await tenant((tx) => items.addressesDone(tx, scope, changeId))).toEqual([
      ...['b.com', 'c.com', 'f02.com', 'f12.com'],
    ]);
  });

  test('domains still have it where the change that takes it back has not come to its end', async () => {
    const sides = { before: '[]', after: '[]' } as const;
    const ends = ['done', 'same', 'left-out', 'barred', 'failed', 'cancelled'] as const;
    for (const end of ends) await item({ ...sides, state: 'done', address: `${end}.com` });
    await item({ ...sides, state: 'done', address: 'later.com' });
    await item({ ...sides, state: 'left-out', address: 'never.com' });
    const first = changeId;
    changeId = await changeRow('done');
    for (const state of ends) await item({ state, address: `${state}.com` });
    const other = await changeRow('done');
    const count = (undone: string, by: string) => tenant((tx) => items.countLeft(tx, scope, undone, by));
    expect([await count(first, changeId), await count(first, other), await count(other, changeId)]).toEqual([
      ...[5, 7, 0],
    ]);
    const stranger = { organisationId: await organisationRow(database) };
    expect(await tenant((tx) => items.countLeft(tx, stranger, first, changeId))).toBe(0);
  });

  test('a template is in use where this change has applied it', async () => {
    const here = await domainRow(database, organisationId);
    const there = await domainRow(database, organisationId);
    const done = { state: 'done', before: '[]', after: '[]' } as const;
    await item({ ...done, domain_id: here.id, address: here.address });
    await item({ ...done, domain_id: there.id, address: there.address });
    const first = changeId;
    changeId = await changeRow('done');
    await item({ ...done, domain_id: here.id, address: here.address });
    const [templateId, use] = [newId(), { version: 1, filled: {}, owned: [] }];
    await tenant(async (tx) => {
      await insertTemplate(tx, scope, templateId, { name: 'Mail', records: {} as never, variables: [] });
      await saveUse(tx, scope, { templateId, address: here.address, changeId: first, use }, now);
    });
    const inUse = (id: string, { address }: { address: string }) =>
      tenant(async (tx) => (await items.doneTo(tx, scope, id, address))?.inUse);
    expect([await inUse(first, here), await inUse(first, there), await inUse(changeId, here)]).toEqual([
      ...[true, false, false],
    ]);
  });

  test('something is on its way as long as one of its items is being applied', async () => {
    const isApplying = (id: string) => tenant((tx) => items.isApplying(tx, scope, id));
    for (const state of ['queued', 'done', 'cancelled'] as const) await item({ state });
    const first = changeId;
    changeId = await changeRow('running');
    await item({ state: 'applying' });
    expect([await isApplying(first), await isApplying(changeId)]).toEqual([false, true]);
  });

  test('customers that it names are called by their name', async () => {
    const other = await customerRow(database, organisationId, {
      owner: JSON.stringify({ organization: 'Red Plum Ltd' }),
    });
    const sides = { before: { customerId }, after: { customerId: newId() } };
    const nameOf = await tenant((tx) => items.customersOf(tx, scope, [sides as never]));
    expect(nameOf(customerId)).not.toBe('A customer of earlier');
    expect([nameOf(other), nameOf(sides.after.customerId)]).toEqual(Array(2).fill('A customer of earlier'));
  });
});

describe('a person chooses', () => {
  const choose = (ids: string[], chosen?: boolean, ticked?: boolean) =>
    tenant((tx) => items.choose(tx, scope, changeId, { ids, chosen, ticked }));

  test('what is left out, and what is taken in again as long as nothing was tried', async () => {
    const all = [
      await item(),
      await item({ state: 'failed' }),
      await item({ state: 'moved' }),
      await item({ state: 'done' }),
      await item({ state: 'same' }),
    ];
    const beside = await item();
    await choose(all, false);
    expect(await states(...all, beside)).toEqual([
      ...['left-out', 'left-out', 'left-out', 'done', 'same', 'ready'],
    ]);
    const tried = await item({ state: 'left-out', attempts: 1 });
    const unnamed = await item({ state: 'left-out' });
    await choose([...all, tried], true);
    expect(await states(...all, tried)).toEqual(['ready', 'ready', 'ready', 'done', 'same', 'left-out']);
    expect(await states(unnamed)).toEqual(['left-out']);
  });

  test('to apply: what is in these states of this change', async () => {
    const [ready, failed] = [await item({ attempts: 3, note: 'No' }), await item({ state: 'failed' })];
    const first = changeId;
    changeId = await changeRow('ready');
    const elsewhere = await item();
    await tenant((tx) => items.queueItems(tx, scope, first, ['ready'], clock));
    expect(await states(ready, failed, elsewhere)).toEqual(['queued', 'failed', 'ready']);
  });

  test('to try again: what was tried more than once begins as at its second try', async () => {
    const tries = [
      await item({ state: 'failed', attempts: 1 }),
      await item({ state: 'failed', attempts: 7 }),
      await item({ state: 'moved', attempts: 2 }),
    ];
    await tenant((tx) => items.queueItems(tx, scope, changeId, ['failed', 'moved'], clock));
    const rows = await tenant((tx) => tx.selectFrom('change_items').select(['id', 'attempts']).execute());
    expect(tries.map((id) => rows.find((row) => row.id === id)?.attempts)).toEqual([0, 1, 1]);
  });

  test('ticks only what asks for it, and what is not ticked is counted', async () => {
    const [asks, other, plain] = [
      await item({ needs_tick: true }),
      await item({ needs_tick: true, state: 'failed' }),
      await item(),
    ];
    const open = (...of: ('ready' | 'failed')[]) => tenant((tx) => items.unticked(tx, scope, changeId, of));
    const first = changeId;
    changeId = await changeRow('ready');
    await item({ needs_tick: true });
    changeId = first;
    expect([await open('ready'), await open('failed'), await open('ready', 'failed')]).toEqual([1, 1, 2]);
    await choose([asks, plain], undefined, true);
    expect([await open('ready'), await open('failed')]).toEqual([0, 1]);
    const { ticked } = await tenant((tx) =>
      tx.selectFrom('change_items').select('ticked').where('id', '=', plain).executeTakeFirstOrThrow(),
    );
    expect(ticked).toBe(false);
    await choose([asks, other], undefined, false);
    expect(await open('ready', 'failed')).toBe(2);
  });

  test('to look again: all but names that are none of ours', async () => {
    const domain = await domainRow(database, organisationId, { customer_id: customerId });
    const [ours, nobodys] = [
      await item({ domain_id: domain.id, state: 'same' }),
      await item({ state: 'barred' }),
    ];
    const another = await domainRow(database, organisationId);
    const first = changeId;
    changeId = await changeRow('ready');
    const elsewhere = await item({ domain_id: another.id });
    await tenant((tx) => items.lookAgain(tx, scope, first, clock));
    expect(await states(ours, nobodys, elsewhere)).toEqual(['waiting', 'barred', 'ready']);
    const row = await tenant((tx) =>
      tx.selectFrom('change_items').select('customer_id').where('id', '=', ours).executeTakeFirstOrThrow(),
    );
    expect(row.customer_id).toBe(customerId);
  });

  test('to end it: what has not begun is not done any more', async () => {
    const all = [
      await item({ state: 'queued' }),
      await item({ state: 'failed' }),
      await item({ state: 'moved' }),
      await item({ state: 'applying' }),
      await item({ state: 'done' }),
    ];
    const first = changeId;
    changeId = await changeRow('running');
    const elsewhere = await item({ state: 'queued' });
    await tenant((tx) => items.cancelItems(tx, scope, first));
    expect(await states(elsewhere)).toEqual(['queued']);
    expect(await states(...all)).toEqual(['cancelled', 'cancelled', 'cancelled', 'applying', 'done']);
  });
});

describe('a job takes', () => {
  const take = (act: 'look' | 'run', at = now) =>
    tenant((tx) =>
      items.takeItem(tx, { organisationId, changeId }, { act, claimMs: 1_000, clock: { now: () => at } }),
    );

  test('what is due, the first by name, once; it is due again when the claim has run out', async () => {
    const second = await item({ state: 'queued', address: 'b.com', next_at: now });
    const first = await item({ state: 'queued', address: 'a.com', next_at: now });
    await item({ state: 'queued', address: '0.com', next_at: inMs(1_001) });
    const mine = changeId;
    changeId = await changeRow('running');
    await item({ state: 'queued', address: '0.com', next_at: inMs(-1) });
    changeId = mine;
    expect((await take('run'))?.id).toBe(first);
    expect((await take('run'))?.id).toBe(second);
    expect(await take('run')).toBeUndefined();
    expect(await take('run', inMs(999))).toBeUndefined();
    const again = await take('run', inMs(1_000));
    expect([again?.id, again?.attempts]).toEqual([first, 2]);
  });

  test('while the change runs; what was cut off is brought to its end whatever the change is by now', async () => {
    const queued = await item({ state: 'queued', next_at: now });
    const cut = await item({ state: 'applying', next_at: now });
    await tenant((tx) => sql`UPDATE changes SET state = 'paused' WHERE id = ${changeId}`.execute(tx));
    expect((await take('run'))?.id).toBe(cut);
    expect(await take('run')).toBeUndefined();
    expect(await take('look')).toBeUndefined();
    expect(await states(queued)).toEqual(['queued']);
  });

  test('to look: what waits of a draft, and nothing else', async () => {
    changeId = await changeRow('draft');
    await item({ state: 'queued', next_at: now });
    const waits = await item({ state: 'waiting', next_at: now });
    expect((await take('look'))?.id).toBe(waits);
    expect(await take('look')).toBeUndefined();
    changeId = await changeRow('ready');
    await item({ state: 'waiting', next_at: now });
    expect(await take('look')).toBeUndefined();
  });
});

describe('what a try found counts', () => {
  const looked = { state: 'ready' as const, note: '', version: null, plan: null };

  test('for the try and the description that it was made for', async () => {
    const ids = [
      await item({ state: 'waiting', attempts: 1 }),
      await item({ state: 'waiting', attempts: 2 }),
      await item({ state: 'done', attempts: 1 }),
    ];
    const beside = await item({ state: 'waiting', attempts: 1 });
    const described = await changeRow('draft');
    await tenant((tx) => sql`UPDATE changes SET round = 2 WHERE id = ${described}`.execute(tx));
    for (const id of ids) {
      await tenant((tx) => items.noteLook(tx, scope, { id, attempts: 1 }, looked as never, 1));
    }
    expect(await states(beside)).toEqual(['waiting']);
    expect(await states(...ids)).toEqual(['ready', 'waiting', 'done']);
    const later = await item({ state: 'waiting', attempts: 1 });
    await tenant((tx) => items.noteLook(tx, scope, { id: later, attempts: 1 }, looked as never, 2));
    expect(await states(later)).toEqual(['waiting']);
  });

  test('and has to be confirmed again, whatever was confirmed before', async () => {
    const confirmed = { attempts: 1, needs_tick: true, ticked: true } as const;
    const ids = [
      await item({ ...confirmed, state: 'waiting' }),
      await item({ ...confirmed, state: 'applying' }),
    ];
    const open = () => tenant((tx) => items.unticked(tx, scope, changeId, ['ready', 'moved']));
    expect(await open()).toBe(0);
    const plan = { before: [], after: [], others: 1, removed: 9, needsTick: true, warnings: [] };
    for (const [index, state] of (['ready', 'moved'] as const).entries()) {
      const found = { ...looked, state, plan };
      await tenant((tx) => items.noteLook(tx, scope, { id: ids[index] ?? '', attempts: 1 }, found, 1));
    }
    expect(await states(...ids)).toEqual(['ready', 'moved']);
    expect(await open()).toBe(2);
    // What was looked at for the first time has not been tried; what moved while it was applied has.
    const rows = await tenant((tx) => tx.selectFrom('change_items').selectAll().execute());
    expect(ids.map((id) => rows.find((row) => row.id === id))).toMatchObject(
      [0, 1].map((attempts) => ({ attempts, others: 1, removed: 9, before: [], after: [], next_at: null })),
    );
  });

  test('at its end only while nobody else has it', async () => {
    const ids = [
      await item({ state: 'applying', attempts: 1 }),
      await item({ state: 'applying', attempts: 2 }),
      await item({ state: 'cancelled', attempts: 1 }),
    ];
    const beside = await item({ state: 'applying', attempts: 1 });
    const ended = [];
    for (const id of ids) {
      ended.push(
        await tenant((tx) =>
          items.endItem(tx, scope, { id, attempts: 1 }, { state: 'done', note: 'Well' }, now),
        ),
      );
    }
    expect(ended).toEqual([true, false, false]);
    const [row] = await tenant((tx) =>
      tx
        .selectFrom('change_items')
        .selectAll()
        .where('id', '=', ids[0] ?? '')
        .execute(),
    );
    expect(row).toMatchObject({ note: 'Well', ended_at: now, next_at: null });
    expect(await states(...ids, beside)).toEqual(['done', 'applying', 'cancelled', 'applying']);
  });

  test('and what is tried again later is nobody’s until then', async () => {
    const ids = [
      await item({ state: 'applying', attempts: 1 }),
      await item({ state: 'waiting', attempts: 1 }),
      await item({ state: 'applying', attempts: 2 }),
      await item({ state: 'done', attempts: 1 }),
    ];
    const beside = await item({ state: 'applying', attempts: 1 });
    const put = { note: 'Later', afterMs: 5_000, clock };
    for (const id of ids) await tenant((tx) => items.putOff(tx, scope, { id, attempts: 1 }, put));
    expect(await states(...ids, beside)).toEqual(['queued', 'waiting', 'applying', 'done', 'applying']);
    const rows = await tenant((tx) =>
      tx.selectFrom('change_items').select(['id', 'note', 'next_at']).where('note', '<>', '').execute(),
    );
    const due = { note: 'Later', next_at: inMs(5_000) };
    expect(rows.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
      ids
        .slice(0, 2)
        .toSorted()
        .map((id) => ({ id, ...due })),
    );
  });
});

test('the next item is due as soon as the first of those that are left', async () => {
  const due = () => tenant((tx) => items.nextDueMs(tx, { organisationId, changeId }, clock));
  expect(await due()).toBeNull();
  await item({ state: 'done', next_at: inMs(1) });
  expect(await due()).toBeNull();
  await item({ state: 'queued', next_at: inMs(5_000) });
  expect(await due()).toBe(5_000);
  await item({ state: 'applying', next_at: inMs(-5_000) });
  expect(await due()).toBe(0);
});

describe('a customer is erased', () => {
  test('with what was done to their domains while they were theirs, also where somebody else has them now, and with what gave or took one', async () => {
    const other = await customerRow(database, organisationId);
    const mine = await domainRow(database, organisationId, { customer_id: customerId });
    const handed = await domainRow(database, organisationId, { customer_id: customerId });
    const gained = await domainRow(database, organisationId, { customer_id: other });
    const insert = (...addresses: string[]) =>
      tenant((tx) => {
        const named = addresses.map((address) => ({ id: newId(), address }));
        return items.insertItems(tx, scope, changeId, named, clock);
      });
    await insert(mine.address, handed.address, gained.address);
    const given = await item({
      before: JSON.stringify({ customerId }),
      after: JSON.stringify({ customerId: other }),
    });
    const taken = await item({
      before: JSON.stringify({ customerId: other }),
      after: JSON.stringify({ customerId }),
    });
    const between = await item({
      before: JSON.stringify({ customerId: other }),
      after: JSON.stringify({ customerId: null }),
    });
    // Domains change hands on their own screens too.
    await tenant((tx) => sql`UPDATE domains SET customer_id = ${other} WHERE id = ${handed.id}`.execute(tx));
    await tenant((tx) =>
      sql`UPDATE domains SET customer_id = ${customerId} WHERE id = ${gained.id}`.execute(tx),
    );
    await tenant((tx) => eraseFromChanges(tx, scope, customerId));
    const left = await tenant((tx) => tx.selectFrom('change_items').select(['id', 'address']).execute());
    expect(left.map(({ address }) => address)).toEqual(expect.arrayContaining([gained.address]));
    expect(left).toHaveLength(2);
    expect(await states(given, taken, between)).toEqual(['gone', 'gone', 'ready']);
  });

  test('with contacts that were typed for their domains, and no others', async () => {
    const contacts = { kind: 'contacts', roles: ['tech'], contact: { email: 'tess@marsh.example' } };
    const requestOf = async (id: string) =>
      (
        await tenant((tx) =>
          tx.selectFrom('changes').select('request').where('id', '=', id).executeTakeFirst(),
        )
      )?.request;
    const ofOthers = await changeRow('done', contacts);
    changeId = ofOthers;
    await item({ customer_id: await customerRow(database, organisationId) });
    const theirs = await changeRow('done', contacts);
    changeId = theirs;
    await item({ customer_id: customerId });
    const privacy = await changeRow('done');
    changeId = privacy;
    await item({ customer_id: customerId });
    await tenant((tx) => eraseFromChanges(tx, scope, customerId));
    expect(await requestOf(theirs)).toMatchObject({ roles: [], contact: null });
    expect(await requestOf(ofOthers)).toEqual(contacts);
    expect(await requestOf(privacy)).toEqual({ kind: 'privacy', enabled: true });
  });
});
