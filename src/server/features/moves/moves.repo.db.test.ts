import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  customerRow,
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { moveAttention, moveDnsAttention } from './attention.repo.ts';
import { findHead, listHeads, type MoveListQuery } from './heads.repo.ts';
import type { Line } from './line.ts';
import * as repo from './moves.repo.ts';
import { isAnyDue, takeDue } from './moves.repo.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => across(database, (tx) => sql`DELETE FROM moves`.execute(tx)));

const now = new Date('2026-11-23T12:00:00Z');
const at = (ms: number) => new Date(now.getTime() + ms);

/** A list whose lines are due at these moments; null: never. */
async function moveOf(organisationId: string, dues: readonly (Date | null)[]): Promise<void> {
  const [customerId, userId] = [
    await customerRow(database, organisationId),
    await userRow(database, organisationId),
  ];
  await across(database, async (tx) => {
    const id = newId();
    await sql`INSERT INTO moves (id, organisation_id, customer_id, author_id, created_at)
      VALUES (${id}, ${organisationId}, ${customerId}, ${userId}, ${now})`.execute(tx);
    for (const [number, due] of dues.entries()) {
      await sql`INSERT INTO move_lines (id, organisation_id, move_id, number, address, state, next_at)
        VALUES (${newId()}, ${organisationId}, ${id}, ${number}, ${`name-${number}.com`}, 'unchecked', ${due})`.execute(
        tx,
      );
    }
  });
}

const take = (served: string | null, when = now) => across(database, (tx) => takeDue(tx, when, served));

/** Whose lines a job takes, one after another, as the sweep does. */
async function taken(most = 100): Promise<string[]> {
  const organisations: string[] = [];
  for (let served: string | null = null; organisations.length < most; ) {
    const line = await take(served);
    if (!line) break;
    served = line.organisationId;
    organisations.push(served);
  }
  return organisations;
}

describe('lines that are due', () => {
  test('are taken an organization at a time: a long list does not keep the short ones waiting', async () => {
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push(await organisationRow(database));
    const [a = '', b = '', c = ''] = ids.sort();
    await moveOf(b, Array(5).fill(at(-3_600_000)));
    await moveOf(a, [at(-1), at(-1)]);
    await moveOf(c, [now]);
    expect(await taken()).toEqual([a, b, c, a, b, b, b, b]);
    expect(await across(database, (tx) => isAnyDue(tx, now))).toBe(false);
  });

  test('go on behind the organization that was served last, and begin again after the last one', async () => {
    const [a = '', b = ''] = [await organisationRow(database), await organisationRow(database)].sort();
    await moveOf(a, [now, now]);
    await moveOf(b, [now, now]);
    expect((await take(a))?.organisationId).toBe(b);
    expect((await take(b))?.organisationId).toBe(a);
  });

  test('are those whose time has come; what was taken is due again after three minutes, and not before', async () => {
    const a = await organisationRow(database);
    await moveOf(a, [at(1), null]);
    expect(await take(null)).toBeUndefined();
    expect(await across(database, (tx) => isAnyDue(tx, now))).toBe(false);
    expect(await across(database, (tx) => isAnyDue(tx, at(1)))).toBe(true);
    expect((await take(null, at(1)))?.until).toEqual(at(180_001));
    expect(await take(null, at(180_000))).toBeUndefined();
    expect(await take(null, at(180_001))).toBeDefined();
  });

  test('of one organization go by their time, and two who take at once never take the same', async () => {
    const a = await organisationRow(database);
    await moveOf(a, [at(-1), at(-3), at(-2)]);
    const first = await take(null);
    const { rows } = await across(database, (tx) =>
      sql<{ number: number }>`SELECT number FROM move_lines WHERE id = ${first?.id}`.execute(tx),
    );
    expect(rows).toEqual([{ number: 1 }]);
    const both = await across(database, async (tx) => [await takeDue(tx, now, null), await take(null)]);
    expect(new Set(both.map((line) => line?.id)).size).toBe(2);
    expect(both).not.toContain(undefined);
  });
});

describe('the lines of a list', () => {
  let organisationId: string;
  let scope: Scope;
  let moveId: string;
  let orderId: string;
  const tenant = <T>(run: (tx: Tx) => Promise<T>) => within(database, organisationId, run);
  const until = at(180_000);
  const facts = {
    hindrance: null,
    priceCents: 1,
    nameservers: null,
    signed: false,
    registrar: null,
    expiresAt: null,
  };

  beforeAll(async () => {
    organisationId = await organisationRow(database);
    scope = { organisationId, userId: await userRow(database, organisationId) } as unknown as Scope;
    orderId = await orderRow(database, organisationId);
  });
  beforeEach(async () => {
    moveId = await moveRow();
  });

  async function moveRow(created = now): Promise<string> {
    const id = newId();
    const customerId = await customerRow(database, organisationId);
    await tenant((tx) =>
      sql`INSERT INTO moves (id, organisation_id, customer_id, author_id, created_at)
        VALUES (${id}, ${organisationId}, ${customerId}, ${scope.userId}, ${created})`.execute(tx),
    );
    return id;
  }
  let numbers = 0;
  async function line(change: Record<string, unknown> = {}): Promise<string> {
    numbers += 1;
    const id = newId();
    const row = {
      ...{ id, organisation_id: organisationId, move_id: moveId, number: numbers, address: newName() },
      ...{ state: 'checked', left_out: false, dns: 'keep', dns_chosen: false, ...change },
    };
    await tenant((tx) =>
      tx
        .insertInto('move_lines')
        .values(row as never)
        .execute(),
    );
    return id;
  }
  const rowOf = async (id: string) => {
    const { rows } = await across(database, (tx) =>
      sql<Record<string, unknown>>`SELECT * FROM move_lines WHERE id = ${id}`.execute(tx),
    );
    return rows[0];
  };
  const item = (change: object = {}) =>
    itemRow(database, { organisationId, orderId }, { kind: 'transfer', ...change });

  test('count as unordered lists only those without any order', async () => {
    const count = () => tenant((tx) => repo.countMoves(tx, scope));
    expect(await count()).toBe(1);
    await line();
    expect(await count()).toBe(1);
    await line({ item_id: await item() });
    expect(await count()).toBe(0);
    moveId = await moveRow();
    expect(await count()).toBe(1);
  });

  const listed = async (query: Partial<MoveListQuery> = {}) => {
    const { rows, total } = await tenant((tx) => listHeads(tx, scope, { page: 1, pageSize: 10, ...query }));
    return { ids: rows.map(({ id }) => id), total };
  };

  test('are listed by page, newest first or last, and found by part of a name in any case', async () => {
    await across(database, (tx) => sql`DELETE FROM moves WHERE id = ${moveId}`.execute(tx));
    const lists: string[] = [];
    for (const [minutes, address] of [
      [3, 'blue-fig.com'],
      [2, 'bluexfig.com'],
      [1, 'fig-tree.com'],
    ] as const) {
      moveId = await moveRow(at(-minutes * 60_000));
      lists.push(moveId);
      await line({ address });
      await line();
    }
    const [old, middle, young] = lists;
    expect(await listed()).toEqual({ ids: [young, middle, old], total: 3 });
    expect(await listed({ sort: 'createdAt' })).toEqual({ ids: [old, middle, young], total: 3 });
    expect(await listed({ pageSize: 2 })).toEqual({ ids: [young, middle], total: 3 });
    expect(await listed({ pageSize: 2, page: 2 })).toEqual({ ids: [old], total: 3 });
    expect(await listed({ search: ' BLUE ' })).toEqual({ ids: [middle, old], total: 2 });
    expect(await listed({ search: 'fig', pageSize: 1, page: 3 })).toEqual({ ids: [old], total: 3 });
    // What LIKE knows as a wildcard is a sign like any other.
    expect(await listed({ search: 'blue_fig' })).toEqual({ ids: [], total: 0 });
    // A list of others is not one of theirs, whatever they search for.
    const other = await organisationRow(database);
    await moveOf(other, [null]);
    expect(await listed({ search: 'name-0' })).toEqual({ ids: [], total: 0 });
    expect((await listed()).total).toBe(3);
  });

  test('are those of the named lists, with their codes', async () => {
    const mine = [await line({ code_sealed: Buffer.from('a') }), await line()];
    const first = moveId;
    moveId = await moveRow();
    const other = await line({ code_sealed: Buffer.from('b') });
    const ids = (lines: Line[]) => lines.map(({ id }) => id);
    expect(ids(await tenant((tx) => repo.linesOf(tx, scope, [first])))).toEqual(mine);
    expect(ids(await tenant((tx) => repo.linesOf(tx, scope, [first, moveId])))).toEqual([...mine, other]);
    for (const id of [first, moveId]) {
      expect((await tenant((tx) => findHead(tx, scope, id)))?.id).toBe(id);
    }
    const codes = await tenant((tx) => repo.codesOf(tx, scope, mine));
    expect([...codes.keys()]).toEqual([mine[0]]);
    const counted = await tenant((tx) => repo.countSigns(tx, scope, [first]));
    expect(counted.map(({ moveId: of, count }) => [of, count])).toEqual([[first, 2]]);
  });

  test('have the signs of each line, and are counted together where those are the same', async () => {
    const plain = { facts: JSON.stringify(facts) };
    await line(plain);
    await line(plain);
    await line({ ...plain, facts: JSON.stringify({ ...facts, hindrance: { kind: 'locked', text: '' } }) });
    await line({ state: 'unchecked' });
    await line({ ...plain, dns: 'bring' });
    await line({ ...plain, dns: 'bring', zone: '{}' });
    await line({ problem: 'No name' });
    await line({ ...plain, left_out: true, code_problem: 'Too short' });
    await line({ state: 'settled', item_id: await item({ state: 'succeeded' }), differences: '[]' });
    await line({
      state: 'ordered',
      item_id: await item({ state: 'succeeded' }),
      held: 'It is signed.',
      differences: '[{}]',
    });
    const counted = await tenant((tx) => repo.countSigns(tx, scope, [moveId]));
    const no = {
      ...{ item: null, problem: false, leftOut: false, codeProblem: false, checked: true, hindered: false },
      ...{ zoneUnknown: false, held: false, differs: false, settled: false },
    };
    const expected = [
      [{ ...no }, 3],
      [{ ...no, hindered: true }, 1],
      [{ ...no, checked: false }, 1],
      [{ ...no, zoneUnknown: true }, 1],
      [{ ...no, checked: false, problem: true }, 1],
      [{ ...no, leftOut: true, codeProblem: true }, 1],
      [{ ...no, checked: false, item: 'succeeded', settled: true }, 1],
      [{ ...no, checked: false, item: 'succeeded', held: true, differs: true }, 1],
    ];
    const known = counted.map(({ signs, count }) => [signs, count]);
    expect(known).toHaveLength(expected.length);
    for (const one of expected) expect(known).toContainEqual(one);
  });

  test('wait for a person to order them where they are ready, and not where their records cannot come along', async () => {
    const waiting = async () => {
      const rows = await across(database, (tx) =>
        moveAttention.present(tx, { organisationIds: [organisationId], now }),
      );
      return rows.map(({ object, facts }) => [object, facts.names]);
    };
    const plain = { facts: JSON.stringify(facts) };
    const marked = async () => {
      const { rows } = await across(database, (tx) =>
        sql<{ cause: string }>`DELETE FROM attention_marks WHERE organisation_id = ${organisationId}
          RETURNING cause`.execute(tx),
      );
      return rows.map(({ cause }) => cause);
    };
    const unread = await line({ ...plain, dns: 'bring', dns_chosen: true });
    expect(await waiting()).toEqual([]);
    await line({ ...plain, dns: 'bring', zone: '{}' });
    await line({ ...plain, dns: 'keep' });
    expect(await waiting()).toEqual([[moveId, 2]]);
    await marked();
    await tenant((tx) => repo.chooseLines(tx, scope, { moveId, ids: [unread], dns: 'keep', now }));
    expect(await marked()).toEqual(['move']);
    expect(await waiting()).toEqual([[moveId, 3]]);
  });

  test('wait for a person only while each thing about them is in order, and of the lists that are asked about', async () => {
    const plain = { facts: JSON.stringify(facts) };
    const hindered = JSON.stringify({ ...facts, hindrance: { kind: 'locked', text: '' } });
    await line(plain);
    for (const other of [
      { ...plain, problem: 'No name' },
      { ...plain, left_out: true },
      { ...plain, code_problem: 'Too short' },
      { ...plain, state: 'unchecked' },
      { ...plain, state: 'ordered', item_id: await item() },
      { facts: hindered },
      { state: 'checked' },
    ]) {
      await line(other);
    }
    const present = async (organisationIds: string[]) =>
      across(database, (tx) => moveAttention.present(tx, { organisationIds, now }));
    const rows = await present([organisationId]);
    expect(rows).toMatchObject([
      {
        ...{ organisationId, object: moveId, address: null, deadline: null },
        facts: { moveId, names: 1, at: now.toISOString() },
      },
    ]);
    expect(rows[0]?.customerId).not.toBeNull();
    expect(await present([await organisationRow(database)])).toEqual([]);
  });

  test('whose domain has come need a person while its DNS is held or differs, and the domain is here', async () => {
    const came = async (change: object, status: 'active' | 'expired' | 'ended' | null = 'active') => {
      const address = newName();
      if (status) await domainRow(database, organisationId, { address, status });
      const id = await line({ address, state: 'ordered', item_id: await item({ address }), ...change });
      return { id, address };
    };
    const held = await came({ held: 'It is signed.', staged_at: at(-3) });
    const differs = await came(
      { differences: '[{}, {}]', compared_at: at(-1), switched_at: at(-2) },
      'expired',
    );
    await came({ differences: '[]' });
    await came({});
    await came({ held: 'It is signed.' }, 'ended');
    const elsewhere = await came({ held: 'It is signed.' }, null);
    await domainRow(database, await organisationRow(database), { address: elsewhere.address });
    await came({ held: 'It is signed.', item_id: null });
    const present = async (organisationIds: string[]) =>
      across(database, (tx) => moveDnsAttention.present(tx, { organisationIds, now }));
    const rows = new Map((await present([organisationId])).map((row) => [row.object, row]));
    expect([...rows.keys()].sort()).toEqual([held.id, differs.id].sort());
    expect(rows.get(held.id)).toMatchObject({
      ...{ organisationId, address: held.address, deadline: null },
      facts: { moveId, held: 'It is signed.', differs: 0, at: at(-3).toISOString() },
    });
    expect(rows.get(differs.id)?.facts).toEqual({
      ...{ moveId, held: null, differs: 2, at: at(-1).toISOString() },
    });
    expect(await present([await organisationRow(database)])).toEqual([]);
  });

  test('are chosen for by name, of their list', async () => {
    const [named, beside] = [await line(), await line()];
    const first = moveId;
    moveId = await moveRow();
    const elsewhere = await line();
    const choice = { moveId: first, ids: [named, elsewhere], leftOut: true, now };
    expect(await tenant((tx) => repo.chooseLines(tx, scope, choice))).toBe(1);
    const out = async (id: string) => (await rowOf(id))?.left_out;
    expect([await out(named), await out(beside), await out(elsewhere)]).toEqual([true, false, false]);
    const settled = { ...{ state: 'settled', compared_at: now, differences: '[]' } };
    const [done, waits] = [await line(settled), await line({ state: 'checked' })];
    const differences = [{ name: 'acme.com' }];
    const changed = await line({
      state: 'ordered',
      held: 'It changed.',
      differences: JSON.stringify(differences),
    });
    const kept = await line({ state: 'ordered', held: 'It changed.', accepted: '[]', differences: '[{}]' });
    const ids = [done, waits, changed];
    const accepted = [{ id: changed, differences: differences as never }];
    await tenant((tx) => repo.chooseLines(tx, scope, { moveId, ids, dns: 'bring', accepted, now }));
    await tenant((tx) => repo.chooseLines(tx, scope, { moveId, ids: [kept], dns: 'keep', now }));
    // What it waited for a person to know of is known now, where its records are to be served all the same.
    expect(await rowOf(changed)).toMatchObject({ held: null, differences: null, accepted: differences });
    expect(await rowOf(kept)).toMatchObject({ held: null, differences: null, accepted: [] });
    expect(await rowOf(done)).toMatchObject({ accepted: null });
    expect(await rowOf(done)).toMatchObject({
      ...{
        state: 'ordered',
        dns: 'bring',
        dns_chosen: true,
        next_at: now,
        compared_at: null,
        differences: null,
      },
    });
    expect(await rowOf(waits)).toMatchObject({ state: 'checked', dns: 'bring', next_at: null });
  });

  test('take another code while they are not under way', async () => {
    const put = (id: string) =>
      tenant((tx) => repo.putCode(tx, scope, { id, codeSealed: Buffer.from('x'), codeProblem: null, now }));
    const declined = await item({ state: 'declined' });
    const [plain, failed, running, unreadable, beside] = [
      await line(),
      await line({ state: 'settled', item_id: declined, held: 'It failed.', staged_at: now, accepted: '[]' }),
      await line({ state: 'ordered', item_id: await item({ state: 'pending' }) }),
      await line({ problem: 'No name' }),
      await line(),
    ];
    expect([await put(plain), await put(failed), await put(running), await put(unreadable)]).toEqual([
      ...[true, true, false, false],
    ]);
    expect(await rowOf(failed)).toMatchObject({
      state: 'unchecked',
      item_id: null,
      held: null,
      staged_at: null,
      accepted: null,
      next_at: now,
    });
    expect(await rowOf(beside)).toMatchObject({ state: 'checked', code_sealed: null });
  });

  test('are asked about again: before the order from the start, after it where it ended', async () => {
    const [plain, settled, unreadable, beside] = [
      await line(),
      await line({ state: 'settled', item_id: newId(), held: 'It is signed.' }),
      await line({ problem: 'No name' }),
      await line(),
    ];
    const first = moveId;
    moveId = await moveRow();
    const elsewhere = await line();
    const ids = [plain, settled, unreadable, elsewhere];
    expect(await tenant((tx) => repo.askAgain(tx, scope, { moveId: first, ids, now }))).toBe(3);
    expect(await rowOf(plain)).toMatchObject({ state: 'unchecked', next_at: now });
    expect(await rowOf(settled)).toMatchObject({ state: 'ordered', held: null, next_at: now });
    expect(await rowOf(unreadable)).toMatchObject({ state: 'checked', next_at: null });
    for (const id of [beside, elsewhere])
      expect(await rowOf(id)).toMatchObject({ state: 'checked', next_at: null });
  });

  test('are tied to the items of their order by their name, once, when they were checked', async () => {
    const address = newName();
    const [out, tied, unchecked, ordered, unnamed] = [
      await line({ address, left_out: true }),
      await line({ address, code_sealed: Buffer.from('a') }),
      await line({ address, state: 'unchecked' }),
      await line({ address, item_id: newId() }),
      await line({ address }),
    ];
    const first = moveId;
    moveId = await moveRow();
    const elsewhere = await line({ address });
    const ids = [out, tied, unchecked, ordered, elsewhere];
    const tie = (of: string) =>
      tenant((tx) => repo.tieToOrder(tx, scope, { moveId: first, ids, orderId: of, now }));
    await item({ address: newName() });
    await itemRow(database, { organisationId, orderId }, { kind: 'renewal', address });
    expect(await tie(orderId)).toBe(0);
    const itemId = await item({ address });
    expect(await tie(await orderRow(database, organisationId))).toBe(0);
    expect(await tie(orderId)).toBe(1);
    expect(await rowOf(tied)).toMatchObject({
      item_id: itemId,
      code_sealed: null,
      state: 'ordered',
      next_at: now,
    });
    expect(await rowOf(unchecked)).toMatchObject({ item_id: null });
    for (const id of [out, unnamed, elsewhere]) expect(await rowOf(id)).toMatchObject({ item_id: null });
  });

  test('go on request where they are not ordered, and the list with the last of them', async () => {
    const [plain, ordered] = [await line(), await line({ item_id: newId() })];
    const first = moveId;
    moveId = await moveRow();
    const empty = moveId;
    moveId = await moveRow();
    const other = await line();
    expect(await tenant((tx) => repo.dropUnordered(tx, scope, first))).toBe(1);
    expect([await rowOf(plain), (await rowOf(ordered))?.id, (await rowOf(other))?.id]).toEqual([
      ...[undefined, ordered, other],
    ]);
    const heads = async () => (await listed()).ids.sort();
    expect(await heads()).toEqual([first, empty, moveId].sort());
    await tenant((tx) => repo.dropUnordered(tx, scope, moveId));
    expect(await heads()).toEqual([first, empty].sort());
  });

  test('are forgotten after their time where they are not ordered', async () => {
    moveId = await moveRow(at(-1));
    const [old, ordered] = [await line(), await line({ item_id: newId() })];
    const kept = moveId;
    moveId = await moveRow(at(-1));
    const empty = moveId;
    moveId = await moveRow(now);
    const young = await line();
    const youngMove = moveId;
    const youngEmpty = await moveRow(now);
    await across(database, (tx) => repo.forgetUnordered(tx, now));
    expect([await rowOf(old), (await rowOf(ordered))?.id, (await rowOf(young))?.id]).toEqual([
      ...[undefined, ordered, young],
    ]);
    const { ids: heads } = await listed();
    expect(heads).toEqual(expect.arrayContaining([kept, youngMove, youngEmpty]));
    expect(heads).not.toContain(empty);
  });

  test('are kept for the time of a code that was entered later than their list', async () => {
    moveId = await moveRow(at(-2));
    const failed = { state: 'settled', item_id: await item({ state: 'declined' }) };
    const [renewed, plain] = [await line(failed), await line()];
    const put = { id: renewed, codeSealed: Buffer.from('x'), codeProblem: null, now: at(-1) };
    await tenant((tx) => repo.putCode(tx, scope, put));
    await across(database, (tx) => repo.forgetUnordered(tx, at(-1)));
    expect([(await rowOf(renewed))?.id, await rowOf(plain)]).toEqual([renewed, undefined]);
    await across(database, (tx) => repo.forgetUnordered(tx, now));
    expect(await rowOf(renewed)).toBeUndefined();
  });

  test('keep what a check found only as they were taken', async () => {
    const found = { at: at(-1), facts, zone: null, dns: 'bring' as const };
    const ids = [
      await line({ state: 'unchecked', next_at: until }),
      await line({ state: 'unchecked', next_at: until, dns_chosen: true }),
      await line({ state: 'unchecked', next_at: now }),
      await line({ state: 'checked', next_at: until }),
    ];
    const beside = await line({ state: 'unchecked', next_at: until });
    for (const id of ids) await across(database, (tx) => repo.recordCheck(tx, { id, until }, found));
    const kept = await Promise.all([...ids, beside].map(rowOf));
    expect(kept.map((row) => row?.checked_at)).toEqual([at(-1), at(-1), null, null, null]);
    expect(kept.map((row) => [row?.state, row?.dns, row?.facts !== null])).toEqual([
      ...[
        ['checked', 'bring', true],
        ['checked', 'keep', true],
        ['unchecked', 'keep', false],
      ],
      ...[
        ['checked', 'keep', false],
        ['unchecked', 'keep', false],
      ],
    ]);
  });

  test('keep how far they are; what was changed meanwhile is looked at as soon as that asked for', async () => {
    const [taken, hurried, checked, beside] = [
      await line({ state: 'ordered', next_at: until }),
      await line({ state: 'ordered', next_at: now }),
      await line({ state: 'checked', next_at: until }),
      await line({ state: 'ordered', next_at: until }),
    ];
    const zone = { how: 'whole' as const, records: [], leftOut: [] };
    for (const id of [taken, hurried, checked]) {
      await across(database, (tx) =>
        repo.recordProgress(tx, { id, until }, { staged: now, zone, checked: now, nextAt: at(600_000) }),
      );
    }
    const known = { staged_at: now, zone, checked_at: now };
    expect(await rowOf(taken)).toMatchObject({ ...known, next_at: at(600_000), state: 'ordered' });
    expect(await rowOf(hurried)).toMatchObject({ staged_at: now, next_at: now });
    expect(await rowOf(checked)).toMatchObject({ staged_at: null, next_at: until });
    expect(await rowOf(beside)).toMatchObject({ staged_at: null, next_at: until });
    // Somebody chose otherwise while the last look was under way: that look does not end it.
    const chosen = await line({ state: 'ordered', next_at: until });
    await tenant((tx) => repo.chooseLines(tx, scope, { moveId, ids: [chosen], dns: 'bring', now }));
    await across(database, (tx) =>
      repo.recordProgress(
        tx,
        { id: chosen, until },
        { compared: { at: now, differences: [] }, nextAt: null },
      ),
    );
    expect(await rowOf(chosen)).toMatchObject({ state: 'ordered', dns: 'bring', next_at: now });
    await across(database, (tx) =>
      repo.recordProgress(
        tx,
        { id: taken, until: at(600_000) },
        { compared: { at: now, differences: [] }, nextAt: null },
      ),
    );
    expect(await rowOf(taken)).toMatchObject({
      ...{ state: 'settled', zone, checked_at: now },
      compared_at: now,
      differences: [],
      next_at: null,
    });
  });

  test('are put off only as they were taken', async () => {
    const [taken, changed, beside] = [
      await line({ next_at: until }),
      await line({ next_at: now }),
      await line({ next_at: until }),
    ];
    for (const id of [taken, changed])
      await across(database, (tx) => repo.postpone(tx, { id, until }, at(1)));
    const next = async (id: string) => (await rowOf(id))?.next_at;
    expect([await next(taken), await next(changed), await next(beside)]).toEqual([at(1), now, until]);
  });

  test('go on in the name of who acted last, with what they may do', async () => {
    const id = await line();
    const first = moveId;
    const other = await moveRow();
    const colleague = await userRow(database, organisationId, { disabled_at: now });
    await tenant((tx) => repo.setAuthor(tx, { ...scope, userId: colleague }, first));
    const authorOf = async (of: string) => {
      const { rows } = await across(database, (tx) =>
        sql<{ id: string }>`SELECT author_id AS id FROM moves WHERE id = ${of}`.execute(tx),
      );
      return rows[0]?.id;
    };
    expect([await authorOf(first), await authorOf(other)]).toEqual([colleague, scope.userId]);
    const taken = await across(database, (tx) => repo.takenLine(tx, id));
    expect([taken?.line.id, taken?.author]).toEqual([
      id,
      {
        id: colleague,
        email: `${colleague}@example.com`,
        role: 'MSP_EMPLOYEE',
        customerId: null,
        hasLeft: true,
      },
    ]);
    expect(await across(database, (tx) => repo.takenLine(tx, newId()))).toBeUndefined();
  });

  test('are of a domain that the organization has', async () => {
    const { address } = await domainRow(database, organisationId);
    const ended = await domainRow(database, organisationId, { status: 'ended' });
    const of = (name: string) => tenant((tx) => repo.domainOf(tx, organisationId, name));
    expect((await of(address))?.status).toBe('active');
    expect(await of(ended.address)).toBeUndefined();
    expect(await of(newName())).toBeUndefined();
  });
});
