import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import { sql } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createSeal } from '#kernel/seal.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { across, customerRow, itemRow, orderRow, within } from '../../../../tests/support/rows.ts';
import { codeOf } from '../../../../tests/support/zone-registrar.ts';
import { openTransfer } from '../domains/index.ts';
import { createLooking } from './looking.ts';
import { createMoves } from './moves.service.ts';
import { createOrdering, type OrderingDeps } from './ordering.ts';
import { eraseMoves } from './privacy.repo.ts';
import { codeContext } from './sealed.repo.ts';

/** What people do with a list: it is pasted, changed, ordered, dropped. What the jobs do is a matter of `sweep.db.test.ts`. */

let database: TestDatabase;
let people: People;
let scope: Scope;
const seal = createSeal([{ number: 1, secret: 'test' }]);
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  ({ scope } = await people.organisation());
});
afterAll(() => database.close());

function ordering(place: OrderingDeps['orders']['place']) {
  const { db } = database;
  const { clock } = people;
  const looking = createLooking({ ...{ db, clock, managed: [] }, transferTimes: {} as never });
  const orders = {
    place,
    begin: async () => undefined,
    outcome: async () => ({ state: 'absent', result: null, progress: null }),
  };
  return createOrdering({ ...{ db, clock, seal }, orders: orders as OrderingDeps['orders'] }, looking);
}

/** A list of one name that costs ten dollars. `checkedMs`: how long ago it was checked. */
async function readyLine(checkedMs = 0): Promise<{
  moveId: string;
  lineId: string;
  state: () => Promise<string | undefined>;
}> {
  const { organisationId } = scope;
  const [moveId, lineId] = [newId(), newId()];
  const customerId = await customerRow(database, organisationId);
  const facts = {
    hindrance: null,
    priceCents: 10_00,
    nameservers: [],
    signed: false,
    registrar: null,
    expiresAt: null,
  };
  const code = seal.seal('Right-Code-42', codeContext(organisationId, lineId));
  await across(database, async (tx) => {
    await sql`INSERT INTO moves (id, organisation_id, customer_id, author_id, created_at)
      VALUES (${moveId}, ${organisationId}, ${customerId}, ${scope.userId}, now())`.execute(tx);
    await sql`INSERT INTO move_lines (id, organisation_id, move_id, number, address, state, facts, code_sealed, checked_at)
      VALUES (${lineId}, ${organisationId}, ${moveId}, 1, 'acme.com', 'checked', ${JSON.stringify(facts)}::jsonb, ${code},
        ${new Date(people.clock.now().getTime() - checkedMs)})`.execute(tx);
  });
  const state = async () => {
    const { rows } = await across(database, (tx) =>
      sql<{ state: string }>`SELECT state FROM move_lines WHERE id = ${lineId}`.execute(tx),
    );
    return rows[0]?.state;
  };
  return { moveId, lineId, state };
}

const refusing = (code: 'price_changed' | 'insufficient_funds') =>
  ordering(() => Promise.reject(new AppError(code)));

test('a list whose prices have changed is checked again, so that the new ones are seen', async () => {
  const { moveId, lineId, state } = await readyLine();
  const order = refusing('price_changed')(scope, moveId, { lineIds: [lineId], price: 10 }, null);
  await expect(order).rejects.toMatchObject({ code: 'price_changed' });
  expect(await state()).toBe('unchecked');
});

test('a list that was checked more than a day ago is checked again, and not ordered', async () => {
  const day = 86_400_000;
  const { moveId, lineId, state } = await readyLine(day + 1);
  const place = () => Promise.reject(new Error('placed all the same'));
  await expect(ordering(place)(scope, moveId, { lineIds: [lineId], price: 10 }, null)).rejects.toMatchObject({
    code: 'unprocessable',
    message:
      'These names were checked more than a day ago. They are checked again now. Please look at the list again.',
  });
  expect(await state()).toBe('unchecked');
  const young = await readyLine(day);
  const order = ordering(place)(scope, young.moveId, { lineIds: [young.lineId], price: 10 }, null);
  await expect(order).rejects.toThrow('placed all the same');
});

test('a list is left as it is where the price was never its own, or something else is in the way', async () => {
  const { moveId, lineId, state } = await readyLine();
  for (const [code, price] of [
    ['price_changed', 9.99],
    ['insufficient_funds', 10],
  ] as const) {
    const order = refusing(code)(scope, moveId, { lineIds: [lineId], price }, null);
    await expect(order).rejects.toMatchObject({ code });
  }
  expect(await state()).toBe('checked');
});

test('an order that has no item for a line of its own is not placed', async () => {
  const { moveId, lineId, state } = await readyLine();
  const order = ordering(async (_scope, _request, _key, { also } = {}) => {
    await across(database, async (tx) => also?.(tx, { orderId: newId(), itemIds: [], totalCents: 0 }));
    throw new Error('placed all the same');
  });
  await expect(order(scope, moveId, { lineIds: [lineId, lineId], price: 10 }, null)).rejects.toMatchObject({
    code: 'unprocessable',
  });
  expect(await state()).toBe('checked');
});

const sweepPlanned = { task: 'moves.sweep', payload: {} };
/** Orders that were placed, in order; each has one item for each line, or is refused. */
let placed: Parameters<OrderingDeps['orders']['place']>[];
let begun: unknown[][];
/** What is known of a key. */
let outcome: 'absent' | 'running' | 'done';
beforeEach(async () => {
  [placed, begun, outcome] = [[], [], 'absent'];
  await takeJobs(database.url);
});

function moves() {
  const place: OrderingDeps['orders']['place'] = async (...told) => {
    placed.push(told);
    const [{ organisationId }, { lines }, , options] = told;
    const orderId = await orderRow(database, organisationId);
    const itemIds: string[] = [];
    for (const { address } of lines) {
      const item = { kind: 'transfer', address, state: 'pending' } as const;
      itemIds.push(await itemRow(database, { organisationId, orderId }, item));
    }
    await within(database, organisationId, async (tx) =>
      options?.also?.(tx, { orderId, itemIds, totalCents: 0 }),
    );
    return { orderId, itemIds, totalCents: 0 } as never;
  };
  return createMoves({
    ...{ db: database.db, systemDb: database.systemDb, clock: people.clock, newId, seal, managed: [] },
    ...{ customers: people.customers, transferTimes: { approvalDays: 1, releaseDays: 5 } },
    orders: {
      ...{ place, outcome: async () => ({ state: outcome, result: null, progress: null }) as never },
      begin: async (...told: unknown[]) => void begun.push(told),
    },
    ...{ dns: {}, zoneSource: {}, domains: {}, pricing: {}, rdap: {}, logger: {} },
  } as never);
}

interface Row {
  id: string;
  number: number;
  address: string;
  problem: string | null;
  code_problem: string | null;
  state: string;
  code_sealed: Buffer | null;
  left_out: boolean;
  item_id: string | null;
  next_at: Date | null;
}
const rowsOf = async (moveId: string) =>
  (
    await across(database, (tx) =>
      sql<Row>`SELECT * FROM move_lines WHERE move_id = ${moveId} ORDER BY number`.execute(tx),
    )
  ).rows;
const authorOf = async (moveId: string) =>
  (
    await across(database, (tx) =>
      sql<{ author_id: string }>`SELECT author_id FROM moves WHERE id = ${moveId}`.execute(tx),
    )
  ).rows[0]?.author_id;
const opened = (row: Row | undefined) =>
  row?.code_sealed && seal.open(row.code_sealed, codeContext(scope.organisationId, row.id));
let names = 0;

/** A list of names that are ready at 12.31 each, of this customer. */
async function readyList(count: number) {
  const customerId = await customerRow(database, scope.organisationId);
  const addresses = Array.from({ length: count }, () => {
    names += 1;
    return `fig-${names}.com`;
  });
  const text = addresses.map((address) => `${address}, Right-Code-${address}`).join('\n');
  const { id } = await moves().create(scope, { customerId, text });
  const facts = {
    ...{ hindrance: null, priceCents: 12_31, nameservers: ['ns1.old.net'], signed: false },
    ...{ registrar: null, expiresAt: null },
  };
  await across(database, (tx) =>
    sql`UPDATE move_lines SET state = 'checked', facts = ${JSON.stringify(facts)}::jsonb, dns = 'keep',
      checked_at = ${people.clock.now()}, next_at = NULL WHERE move_id = ${id}`.execute(tx),
  );
  await takeJobs(database.url);
  return { id, customerId, lineIds: (await rowsOf(id)).map((row) => row.id), addresses };
}
const change = (id: string, what: string) =>
  across(database, (tx) => sql`UPDATE move_lines SET ${sql.raw(what)} WHERE id = ${id}`.execute(tx));
const colleague = async () => (await people.join(scope, { type: 'MSP_EMPLOYEE' })).scope;

describe('a pasted list', () => {
  test('is kept line by line, each code for its own line, and checked by the next round', async () => {
    const customerId = await customerRow(database, scope.organisationId);
    const long = 'x'.repeat(301);
    const text = `a-list.com, Code-for-a\nb-list.com Code-for-b\nnot a name\nc-list.com\nd-list.com, ${long}`;
    const { id } = await moves().create(scope, { customerId, text });
    const rows = await rowsOf(id);
    expect(rows.map((row) => [row.number, row.address, row.state, row.next_at, opened(row)])).toEqual([
      [1, 'a-list.com', 'unchecked', people.clock.now(), 'Code-for-a'],
      [2, 'b-list.com', 'unchecked', people.clock.now(), 'Code-for-b'],
      [3, 'not', 'checked', null, 'a name'],
      [4, 'c-list.com', 'unchecked', people.clock.now(), null],
      // What is too long for a code is none, and is not kept.
      [5, 'd-list.com', 'unchecked', people.clock.now(), null],
    ]);
    expect(rows.map((row) => [row.problem !== null, row.code_problem !== null])).toEqual([
      ...[
        [false, false],
        [false, false],
      ],
      ...[
        [true, true],
        [false, true],
        [false, true],
      ],
    ]);
    expect(await takeJobs(database.url)).toEqual([sweepPlanned]);
    expect(await authorOf(id)).toBe(scope.userId);
    expect((await logged(database.db, scope, 'moves.create')).at(-1)).toEqual({
      ...{ by: scope.userId, kind: 'move', object: id, before: null, after: { lines: 5 } },
    });
    expect((await loggedAbout(database.db, scope, 'moves.create')).at(-1)).toBe(customerId);
  });

  test.each([
    [' \n', 'Please paste names with their codes'],
    [
      Array.from({ length: 201 }, (_, n) => `n${n}.com,c`).join('\n'),
      'A list has at most 200 names; this one has 201',
    ],
  ])('that has no names or too many is refused at its field', async (text, message) => {
    const customerId = await customerRow(database, scope.organisationId);
    await expect(moves().create(scope, { customerId, text })).rejects.toMatchObject({
      ...{ code: 'validation_failed', message, details: [{ path: 'text', message }] },
    });
    expect(await takeJobs(database.url)).toEqual([]);
  });

  test('is of a customer that is there, of one’s own organization', async () => {
    const { scope: stranger } = await people.organisation();
    const theirs = await customerRow(database, stranger.organisationId);
    for (const customerId of [newId(), theirs]) {
      await expect(moves().create(scope, { customerId, text: 'a.com, Code-123' })).rejects.toMatchObject({
        ...{ code: 'not_found', message: 'Please choose a customer' },
      });
    }
    expect(await takeJobs(database.url)).toEqual([]);
  });
});

describe('a list', () => {
  test('costs what its ready lines cost, and says how many are where', async () => {
    const { id, lineIds, addresses } = await readyList(4);
    await change(lineIds[1] ?? '', 'left_out = true');
    await change(lineIds[2] ?? '', "state = 'unchecked'");
    const { total, counts, lines, customer } = await moves().get(scope, id);
    expect([total, counts, customer]).toEqual([
      24.62,
      { ready: 2, 'left-out': 1, checking: 1 },
      'Example Ltd',
    ]);
    expect(lines.map(({ domain, price }) => [domain, price])).toEqual(
      addresses.map((address) => [address, 12.31]),
    );
    const { rows } = await moves().list(scope, { page: 1, pageSize: 50 });
    expect(rows.find((head) => head.id === id)?.counts).toEqual(counts);
    expect(JSON.stringify(lines)).not.toContain('Right-Code');
  });

  test('of another organization is none, nor is a line of another list', async () => {
    const [{ id, lineIds }, other] = [await readyList(1), await readyList(1)];
    const [foreign = ''] = other.lineIds;
    const { scope: stranger } = await people.organisation();
    for (const act of [
      () => moves().get(stranger, id),
      () => moves().zone(stranger, id, lineIds[0] ?? ''),
      () => moves().change(stranger, id, { lineIds, leftOut: true }),
      () => moves().setCode(stranger, id, lineIds[0] ?? '', 'Code-123'),
      () => moves().look(stranger, id, lineIds),
      () => moves().drop(stranger, id),
      () => moves().order(stranger, id, { lineIds, price: 12.31 }, null),
      () => moves().zone(scope, id, foreign),
      () => moves().change(scope, id, { lineIds: [...lineIds, foreign], leftOut: true }),
      () => moves().setCode(scope, id, foreign, 'Code-123'),
      () => moves().look(scope, id, [foreign]),
      () => moves().order(scope, id, { lineIds: [foreign], price: 12.31 }, null),
    ]) {
      expect(await codeOf(act())).toBe('not_found');
    }
    const untouched = [...(await rowsOf(id)), ...(await rowsOf(other.id))];
    expect(untouched.map((row) => [row.left_out, row.state])).toEqual([
      [false, 'checked'],
      [false, 'checked'],
    ]);
    expect([placed, await takeJobs(database.url)]).toEqual([[], []]);
  });

  test('is changed where that was chosen, by who chose it, with what was so before in the log', async () => {
    const { id, lineIds, addresses, customerId } = await readyList(2);
    const who = await colleague();
    await takeJobs(database.url);
    const chosen = [lineIds[1] ?? ''];
    const after = await moves().change(who, id, { lineIds: chosen, leftOut: true, dns: 'bring' });
    expect(after.lines.map(({ stage, dns }) => [stage, dns])).toEqual([
      ['ready', 'keep'],
      ['left-out', 'bring'],
    ]);
    const of = { domain: addresses[1] };
    expect((await logged(database.db, scope, 'moves.change')).at(-1)).toEqual({
      ...{ by: who.userId, kind: 'move', object: id },
      before: { lines: [{ ...of, dns: 'keep', leftOut: false }] },
      after: { lines: [{ ...of, dns: 'bring', leftOut: true }] },
    });
    expect((await loggedAbout(database.db, scope, 'moves.change')).at(-1)).toBe(customerId);
    await moves().change(scope, id, { lineIds: chosen, leftOut: false });
    expect((await logged(database.db, scope, 'moves.change')).at(-1)?.after).toEqual({
      lines: [{ ...of, dns: 'bring', leftOut: false }],
    });
    expect(await takeJobs(database.url)).toContainEqual(sweepPlanned);
    expect(await authorOf(id)).toBe(scope.userId);
  });

  test('takes another code for a line, which is checked again in the name of who entered it', async () => {
    const { id, lineIds, addresses } = await readyList(2);
    const who = await colleague();
    await takeJobs(database.url);
    const [lineId = ''] = lineIds;
    for (const code of ['', 'short', 'two words']) {
      await expect(moves().setCode(who, id, lineId, code)).rejects.toMatchObject({
        ...{ code: 'validation_failed', details: [{ path: 'code' }] },
      });
    }
    expect([await authorOf(id), await takeJobs(database.url)]).toEqual([scope.userId, []]);
    const after = await moves().setCode(who, id, lineId, 'Another-Code');
    expect(after.lines.map(({ stage }) => stage)).toEqual(['checking', 'ready']);
    expect((await rowsOf(id)).map(opened)).toEqual(['Another-Code', `Right-Code-${addresses[1]}`]);
    expect(await authorOf(id)).toBe(who.userId);
    expect((await logged(database.db, scope, 'moves.setCode')).at(-1)).toEqual({
      ...{ by: who.userId, kind: 'move', object: addresses[0], before: null, after: null },
    });
    expect(await takeJobs(database.url)).toEqual([sweepPlanned]);
  });

  test('takes no code for a line that is under way, and nothing of that is in the log', async () => {
    const { id, lineIds, addresses } = await readyList(1);
    await moves().order(scope, id, { lineIds, price: 12.31 }, null);
    const who = await colleague();
    await expect(moves().setCode(who, id, lineIds[0] ?? '', 'Another-Code')).rejects.toMatchObject({
      ...{ code: 'unprocessable', message: `The transfer of ${addresses[0]} is under way already.` },
    });
    expect(await authorOf(id)).toBe(scope.userId);
    expect((await logged(database.db, scope, 'moves.setCode')).map(({ object }) => object)).not.toContain(
      addresses[0],
    );
  });

  test('is looked at again in the name of who asked for it', async () => {
    const { id, lineIds } = await readyList(2);
    const who = await colleague();
    await takeJobs(database.url);
    const after = await moves().look(who, id, lineIds.slice(0, 1));
    expect(after.lines.map(({ stage }) => stage)).toEqual(['checking', 'ready']);
    expect([await authorOf(id), await takeJobs(database.url)]).toEqual([who.userId, [sweepPlanned]]);
  });

  test('that is dropped loses what is not ordered, which the log names, and keeps the rest', async () => {
    const { id, lineIds, addresses, customerId } = await readyList(2);
    await moves().order(scope, id, { lineIds: lineIds.slice(0, 1), price: 12.31 }, null);
    await moves().drop(scope, id);
    expect((await moves().get(scope, id)).lines.map(({ domain }) => domain)).toEqual(addresses.slice(0, 1));
    expect((await logged(database.db, scope, 'moves.drop')).at(-1)).toEqual({
      ...{ by: scope.userId, kind: 'move', object: id, before: { domains: addresses.slice(1) }, after: null },
    });
    expect((await loggedAbout(database.db, scope, 'moves.drop')).at(-1)).toBe(customerId);
    const whole = await readyList(1);
    await moves().drop(scope, whole.id);
    expect(await codeOf(moves().get(scope, whole.id))).toBe('not_found');
  });
});

test('a line that is under way says how far it is, by when the next step is expected, and when that has passed', async () => {
  const { id, lineIds } = await readyList(1);
  await moves().order(scope, id, { lineIds, price: 12.31 }, null);
  const [row] = await rowsOf(id);
  const start = people.clock.now();
  await within(database, scope.organisationId, (tx) =>
    openTransfer(tx, {
      ...{ itemId: row?.item_id ?? '', organisationId: scope.organisationId, address: row?.address ?? '' },
      ...{ customerId: null, now: start },
    }),
  );
  const said = async () => {
    const [line] = (await moves().get(scope, id)).lines;
    const { rows } = await moves().list(scope, { page: 1, pageSize: 50 });
    expect(rows.find((head) => head.id === id)?.counts).toEqual({ [line?.stage ?? '']: 1 });
    return [line?.stage, line?.expectedBy, line?.late];
  };
  const inDays = (days: number) => new Date(start.getTime() + days * 86_400_000);
  expect(await said()).toEqual(['approval', inDays(1).toISOString(), false]);
  people.clock.forward(86_400_001);
  expect(await said()).toEqual(['approval', inDays(1).toISOString(), true]);
  await across(database, (tx) =>
    sql`UPDATE transfers SET registrar_status = 'pending_registry', status_since = ${inDays(1)}
      WHERE id = ${row?.item_id}`.execute(tx),
  );
  expect(await said()).toEqual(['release', inDays(6).toISOString(), false]);
});

describe('an order of a list', () => {
  test('is one order of its chosen lines, at the price and with the codes that were shown, under its key', async () => {
    const { id, lineIds, addresses, customerId } = await readyList(3);
    const who = await colleague();
    await takeJobs(database.url);
    const chosen = lineIds.slice(0, 2);
    const after = await moves().order(who, id, { lineIds: chosen, price: 24.62 }, 'a-key');
    const [[by, request, key]] = placed as [(typeof placed)[number]];
    expect([placed.length, by, key]).toEqual([1, who, 'a-key']);
    expect(request.seenTotalCents).toBe(24_62);
    expect(request.lines).toMatchObject(
      addresses.slice(0, 2).map((address) => ({
        ...{ kind: 'transfer', address, customerId, years: 1, seenCents: 12_31 },
        authCode: `Right-Code-${address}`,
      })),
    );
    expect(after.lines.map(({ stage }) => stage)).toEqual(['ordered', 'ordered', 'ready']);
    const rows = await rowsOf(id);
    expect(rows.map((row) => [row.item_id !== null, row.code_sealed !== null])).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ]);
    expect(begun).toEqual([[scope.organisationId, rows.slice(0, 2).map((row) => row.item_id)]]);
    expect([await authorOf(id), await takeJobs(database.url)]).toEqual([who.userId, [sweepPlanned]]);
  });

  test('of the same lines in another order is the same request, and at another price another one', async () => {
    const { id, lineIds } = await readyList(2);
    const refuse = () => Promise.reject(new AppError('insufficient_funds'));
    const hashOf = async (ids: string[], price: number) => {
      let hash = '';
      const order = ordering((_scope, request) => {
        hash = request.hash;
        return refuse();
      });
      await codeOf(order(scope, id, { lineIds: ids, price }, null));
      return hash;
    };
    const first = await hashOf(lineIds, 24.62);
    expect(first).not.toBe('');
    expect(await hashOf(lineIds.toReversed(), 24.62)).toBe(first);
    expect(await hashOf(lineIds, 24.63)).not.toBe(first);
    expect(await hashOf(lineIds.slice(1), 24.62)).not.toBe(first);
  });

  test.each([
    ['is left out', 'left_out = true'],
    ['is not checked', "state = 'unchecked'"],
    ['has no code that could be one', "code_problem = 'Too short'"],
    ['has no code any more', 'code_sealed = NULL'],
    ['waits for its records', "dns = 'bring', zone = NULL"],
  ])('of which a line %s is refused as a whole, naming it', async (_what, state) => {
    const { id, lineIds, addresses } = await readyList(2);
    await change(lineIds[1] ?? '', state);
    await expect(moves().order(scope, id, { lineIds, price: 24.62 }, null)).rejects.toMatchObject({
      code: 'unprocessable',
      message: `${addresses[1]} is not ready to be ordered. Please look at the list again.`,
    });
    expect([placed, begun, await takeJobs(database.url)]).toEqual([[], [], []]);
  });

  test.each([
    [1, ' was ordered in the meantime. Please look at the list again.'],
    [2, ' were ordered in the meantime. Please look at the list again.'],
    [7, ' and 2 more were ordered in the meantime. Please look at the list again.'],
  ])('of which others have ordered lines says which, and how many more: %i', async (count, said) => {
    const { id, lineIds, addresses } = await readyList(count);
    const price = Math.round(1231 * count) / 100;
    await moves().order(scope, id, { lineIds, price }, null);
    const named = new RegExp(`^${addresses.slice(0, 5).join('(, | and |, and )')}.*${said}$`);
    const again = moves().order(scope, id, { lineIds, price }, null);
    await expect(again).rejects.toMatchObject({ message: expect.stringMatching(named) });
  });

  test('that meets another one at once says which lines were left, ordered or deleted meanwhile', async () => {
    const { id, lineIds, addresses } = await readyList(3);
    const [first = '', second = '', third = ''] = lineIds;
    const { organisationId } = scope;
    // Between what was looked at and what is written: one is ordered, one is deleted.
    const meanwhile = ordering(async (_scope, _request, _key, { also } = {}) => {
      await moves().order(scope, id, { lineIds: [first], price: 12.31 }, null);
      await across(database, (tx) => sql`DELETE FROM move_lines WHERE id = ${second}`.execute(tx));
      const orderId = await orderRow(database, organisationId);
      const item = { kind: 'transfer', address: addresses[2] ?? '', state: 'pending' } as const;
      await itemRow(database, { organisationId, orderId }, item);
      await within(database, organisationId, async (tx) =>
        also?.(tx, { orderId, itemIds: [], totalCents: 0 }),
      );
      throw new Error('placed all the same');
    });
    await expect(meanwhile(scope, id, { lineIds, price: 36.93 }, null)).rejects.toMatchObject({
      code: 'unprocessable',
      message: `${addresses[0]} was ordered in the meantime. ${addresses[1]} is not ready to be ordered. Please look at the list again.`,
    });
    expect((await rowsOf(id)).map((row) => [row.id, row.state])).toEqual([
      [first, 'ordered'],
      [third, 'checked'],
    ]);
  });

  test('whose codes another one has taken says that its lines were ordered', async () => {
    const { id, lineIds, addresses } = await readyList(2);
    const { db } = database;
    const { clock } = people;
    const looking = createLooking({ ...{ db, clock, managed: [] }, transferTimes: {} as never });
    const orders = { place: () => Promise.reject(new Error('placed')), begin: async () => undefined };
    const order = createOrdering(
      { ...{ db, clock, seal }, orders: orders as never },
      {
        ...looking,
        found: async (...of) => {
          const seen = await looking.found(...of);
          await moves().order(scope, id, { lineIds, price: 24.62 }, null);
          return seen;
        },
      },
    );
    await expect(order(scope, id, { lineIds, price: 24.62 }, null)).rejects.toMatchObject({
      message: `${addresses[0]} and ${addresses[1]} were ordered in the meantime. Please look at the list again.`,
    });
  });

  test('that is repeated under its key finds its lines ordered; under another key, or none, it is refused', async () => {
    const { id, lineIds } = await readyList(1);
    const order = (key: string | null) => moves().order(scope, id, { lineIds, price: 12.31 }, key);
    await order('a-key');
    await expect(order('another-key')).rejects.toMatchObject({
      message: expect.stringMatching(/ was ordered in the meantime\. Please look at the list again\.$/),
    });
    expect(await codeOf(order('another-key'))).toBe('unprocessable');
    for (const state of ['running', 'done'] as const) {
      outcome = state;
      expect((await order('a-key')).lines.map(({ stage }) => stage)).toEqual(['ordered']);
      expect(await codeOf(order(null))).toBe('unprocessable');
    }
    expect(placed).toHaveLength(1);
  });
});

test('the erasure of a customer deletes what was not ordered for them, and what was read of their zones', async () => {
  const [erased, other] = [await readyList(2), await readyList(1)];
  await moves().order(scope, erased.id, { lineIds: erased.lineIds.slice(0, 1), price: 12.31 }, null);
  const seen = `zone = '{}', differences = '[]', accepted = '[]', held = 'It changed.', code_sealed = 'x'`;
  for (const id of [...erased.lineIds, ...other.lineIds]) await change(id, seen);
  await within(database, scope.organisationId, (tx) => eraseMoves(tx, scope, erased.customerId));
  const kept = async (id: string) =>
    (await rowsOf(id)).map((row) => {
      const { address, state, next_at, zone, differences, accepted, held, code_sealed } = row as Row &
        Record<string, unknown>;
      return [address, state, next_at, zone, differences, accepted, held, code_sealed];
    });
  expect(await kept(erased.id)).toEqual([
    [erased.addresses[0], 'settled', null, null, null, null, null, null],
  ]);
  expect(await kept(other.id)).toMatchObject([
    [other.addresses[0], 'checked', null, {}, [], [], 'It changed.', Buffer.from('x')],
  ]);
});
