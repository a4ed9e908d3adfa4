import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AttentionItem } from '#contracts/operations/attention.ts';
import { attentionCauses } from '#contracts/values/attention.ts';
import { dayMs } from '#contracts/values/time.ts';
import type { AttentionSources, AttentionStatement } from '#kernel/attention.ts';
import { newId } from '#kernel/ids.ts';
import { createLogger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf, createPeople, type People } from '../../../../tests/support/people.ts';
import { across, userRow } from '../../../../tests/support/rows.ts';
import { type AttentionApi, createAttention } from './attention.service.ts';

/** The list, what people do with its entries, and putting off what somebody saw, while it gets worse. */

let database: TestDatabase;
let people: People;
let attention: AttentionApi;
let scope: Scope;
/** What the feature states of the one charge. */
let charge: { cents: number; retries: boolean } | null;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  const silent = { present: async () => [] };
  const charges = { present: async () => (charge === null ? [] : [statementOf(charge)]) };
  attention = createAttention({
    ...{ db: database.db, systemDb: database.systemDb, clock: people.clock },
    ...{ logger: createLogger({ level: 'silent' }), publicUrl: 'https://portal.test', clientUrl: null },
    sources: {
      ...Object.fromEntries(attentionCauses.map((cause) => [cause, silent])),
      charge: charges,
    } as unknown as AttentionSources,
  });
});
afterAll(() => database.close());
beforeEach(async () => {
  scope = (await people.organisation()).scope;
});

const statementOf = (facts: { cents: number; retries: boolean }) =>
  ({
    ...{ organisationId: scope.organisationId, object: 'a charge', customerId: null, address: null },
    ...{ deadline: null, facts: { ...facts, error: 'declined' } },
  }) as unknown as AttentionStatement;
const states = async (facts: typeof charge) => {
  charge = facts;
  await across(database, (tx) =>
    tx
      .insertInto('attention_marks')
      .values({ organisation_id: scope.organisationId, cause: 'charge' } as never)
      .execute(),
  );
  await attention.settle();
};
const listed = async (snoozed: 'true' | 'false' = 'false') =>
  (await attention.list(scope, { limit: 50, snoozed } as Parameters<AttentionApi['list']>[1])).items;
const only = async (): Promise<AttentionItem> => {
  const [item, ...others] = await listed();
  if (!item || others.length > 0) throw new Error('not one entry');
  return item;
};
const tomorrow = () => new Date(people.clock.now().getTime() + dayMs).toISOString();

test('an entry that a colleague took over since it was seen stays theirs: the answer has it as it is now', async () => {
  await states({ cents: 900, retries: true });
  const seen = await only();
  const userId = await userRow(database, scope.organisationId, { username: 'ben' });
  const colleague: Scope = { ...scope, userId };
  await attention.change(colleague, seen.id, { ownerId: colleague.userId, shownOwnerId: null });
  const taken: unknown = await attention
    .change(scope, seen.id, { ownerId: scope.userId, shownOwnerId: null })
    .catch((error: unknown) => error);
  const now = await only();
  expect(now.owner?.userId).toBe(colleague.userId);
  const message = `${now.owner?.name} took this entry over since you saw it.`;
  expect(taken).toMatchObject({ code: 'conflict', message, data: now });
  // Whose it is by now is no hindrance for who has seen it, or says nothing of it.
  await attention.change(scope, seen.id, { ownerId: scope.userId, shownOwnerId: colleague.userId });
  const handedBack: unknown = await attention
    .change(colleague, seen.id, { ownerId: null, shownOwnerId: colleague.userId })
    .catch((error: unknown) => error);
  expect(handedBack).toMatchObject({ code: 'conflict' });
  await attention.change(colleague, seen.id, { ownerId: null });
  expect((await only()).owner).toBeNull();
  const late: unknown = await attention
    .change(colleague, seen.id, { ownerId: colleague.userId, shownOwnerId: scope.userId })
    .catch((error: unknown) => error);
  expect(late).toMatchObject({
    code: 'conflict',
    message: 'This entry was handed back since you saw it. Please look at it again.',
  });
});

test('an entry that got worse since it was seen is not put off: the answer has it as it is now', async () => {
  await states({ cents: 900, retries: true });
  const seen = await only();
  await states({ cents: 900, retries: false });
  const refusal: unknown = await attention
    .change(scope, seen.id, { snoozedUntil: tomorrow(), version: seen.version })
    .catch((error: unknown) => error);
  const now = await only();
  expect(refusal).toMatchObject({
    code: 'conflict',
    message:
      'This entry has become more urgent, or says something new, since you saw it. Please look at it again.',
    data: now,
  });
  expect(now.version).toBeGreaterThan(seen.version);
  expect(now.snoozedUntil).toBeNull();
  const body = { snoozedUntil: tomorrow(), version: now.version };
  expect((await attention.change(scope, now.id, body)).snoozedUntil).toBe(body.snoozedUntil);
  expect(await listed()).toEqual([]);
});

test('one that is milder by now is put off as it was seen, and so is any for a client that says nothing of it', async () => {
  await states({ cents: 900, retries: false });
  const seen = await only();
  await states({ cents: 100, retries: true });
  await attention.change(scope, seen.id, { snoozedUntil: tomorrow(), version: seen.version });
  expect((await listed('true')).map(({ id }) => id)).toEqual([seen.id]);
  await attention.change(scope, seen.id, { snoozedUntil: null });
  await states({ cents: 900, retries: false });
  await attention.change(scope, seen.id, { snoozedUntil: tomorrow() });
  expect((await listed('true')).map(({ id }) => id)).toEqual([seen.id]);
});

test('one that gets worse while it is put off is refused or shown again, whichever comes first', async () => {
  for (let round = 0; round < 8; round += 1) {
    ({ scope } = await people.organisation());
    await states({ cents: 900, retries: true });
    const { id, version } = await only();
    await Promise.allSettled([
      attention.change(scope, id, { snoozedUntil: tomorrow(), version }),
      states({ cents: 900, retries: false }),
    ]);
    expect(await listed()).toMatchObject([{ id, snoozedUntil: null }]);
  }
});

/** Entries as they are kept, the first one the most pressing. */
async function kept(count: number, change: object = {}): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  for (const [rank, id] of ids.entries()) {
    await across(database, (tx) =>
      tx
        .insertInto('attention_items')
        .values({
          ...{ id, organisation_id: scope.organisationId, cause: 'order', object: id, rank: rank % 2 },
          ...{ customer_id: null, address: `${rank}.com`, deadline: new Date(Date.UTC(2026, 11, rank + 1)) },
          ...{ facts: '{"orderId": "o", "at": "2026-11-01T00:00:00.000Z"}', opened_at: people.clock.now() },
          ...{ closed_at: null, owner_id: null, snoozed_until: null, ...change },
        } as never)
        .execute(),
    );
  }
  return ids;
}
type Query = Parameters<AttentionApi['list']>[1];
const read = async (query: object = {}, as = scope) => {
  const { items, more } = await attention.list(as, { limit: 50, ...query } as Query);
  return { ids: items.map(({ id }) => id), more };
};

test('a page has as many as were asked for, says whether there are more, and the next one goes on from there', async () => {
  charge = null;
  const [a = '', b = '', c = '', d = ''] = await kept(4);
  const order = [a, c, b, d];
  expect(await read()).toEqual({ ids: order, more: false });
  expect(await read({ limit: 3 })).toEqual({ ids: order.slice(0, 3), more: true });
  expect(await read({ limit: 4 })).toEqual({ ids: order, more: false });
  expect(await read({ limit: 3, after: b })).toEqual({ ids: [d], more: false });
  expect((await read({ severity: 'now' })).ids).toEqual([a, c]);
  expect((await read({ cause: 'order' })).ids).toEqual(order);
  expect((await read({ cause: 'renewal' })).ids).toEqual([]);
  const { scope: stranger } = await people.organisation();
  expect((await read({}, stranger)).ids).toEqual([]);
  expect(await attention.counts(scope)).toEqual({
    ...{ now: 2, soon: 2, snoozed: 0, mine: 0, causes: [{ cause: 'order', count: 4 }] },
  });
});

test('an entry is taken over, given away and handed back, and each act is in the log as it was and is', async () => {
  charge = null;
  const { customerId } = await people.customers.create(
    scope,
    { contacts: contactsOf(), billing: { billDirectly: false, email: '', allowChangeBilling: false } },
    null,
  );
  const [id = ''] = await kept(1, { customer_id: customerId });
  const { scope: colleague } = await people.join(scope, { type: 'MSP_EMPLOYEE' });
  const change = (body: object) => attention.change(scope, id, body as never);
  expect((await change({ ownerId: scope.userId })).owner?.userId).toBe(scope.userId);
  expect([(await read({ mine: 'true' })).ids, (await read({ mine: 'true' }, colleague)).ids]).toEqual([
    [id],
    [],
  ]);
  expect((await attention.counts(scope)).mine).toBe(1);
  // To put it off leaves it whose it is, and no longer than until its deadline.
  const until = '2026-12-24T12:00:00.000Z';
  expect(await change({ snoozedUntil: until })).toMatchObject({
    ...{ snoozedUntil: '2026-12-01T00:00:00.000Z', owner: { userId: scope.userId } },
  });
  expect((await change({ ownerId: colleague.userId })).owner?.userId).toBe(colleague.userId);
  expect(await change({ ownerId: null, snoozedUntil: null })).toMatchObject({
    owner: null,
    snoozedUntil: null,
  });
  const domain = { cause: 'order', domain: '0.com' };
  const state = (owner: string | null, snoozedUntil: string | null) => ({ ...domain, owner, snoozedUntil });
  const asleep = '2026-12-01T00:00:00.000Z';
  const steps = [
    [state(null, null), state(scope.userId, null)],
    [state(scope.userId, null), state(scope.userId, asleep)],
    [state(scope.userId, asleep), state(colleague.userId, asleep)],
    [state(colleague.userId, asleep), state(null, null)],
  ];
  const entry = { by: scope.userId, kind: 'attention item', object: id };
  expect(await logged(database.db, scope, 'attention.change')).toEqual(
    steps.map(([before, after]) => ({ ...entry, before, after })),
  );
  expect(await loggedAbout(database.db, scope, 'attention.change')).toEqual(steps.map(() => customerId));
});

test('the list and its figures have what was marked until they are read, whether anything was there or not', async () => {
  const mark = () =>
    across(database, (tx) =>
      tx
        .insertInto('attention_marks')
        .values({ organisation_id: scope.organisationId, cause: 'charge' } as never)
        .execute(),
    );
  charge = { cents: 900, retries: true };
  expect((await read()).ids).toEqual([]);
  await mark();
  expect((await read()).ids).toHaveLength(1);
  charge = null;
  await mark();
  expect((await attention.counts(scope)).causes).toEqual([]);
  charge = { cents: 900, retries: true };
  await mark();
  expect((await attention.counts(scope)).causes).toEqual([{ cause: 'charge', count: 1 }]);
  charge = null;
  await mark();
  expect((await read()).ids).toEqual([]);
});

test('a refused act changes nothing and is not in the log', async () => {
  charge = null;
  const [id = ''] = await kept(1);
  const { scope: stranger } = await people.organisation();
  const inDays = (days: number) => new Date(people.clock.now().getTime() + days * dayMs).toISOString();
  const invalid = (path: string, message: string) => ({
    code: 'validation_failed',
    details: [{ path, message }],
  });
  const withinAYear = invalid('snoozedUntil', 'Please choose a date within the next year');
  for (const [body, refusal] of [
    [{ ownerId: stranger.userId }, invalid('ownerId', 'This person does not work here')],
    [{ snoozedUntil: inDays(0) }, withinAYear],
    [{ snoozedUntil: inDays(367) }, withinAYear],
    [{ ownerId: scope.userId, version: 9 }, { code: 'conflict' }],
  ] as const) {
    await expect(attention.change(scope, id, body as never)).rejects.toMatchObject(refusal);
  }
  await expect(attention.change(stranger, id, { ownerId: null })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(attention.change(scope, newId(), { ownerId: null })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await logged(database.db, scope, 'attention.change')).toEqual([]);
  expect((await attention.list(scope, { limit: 5 } as Query)).items).toMatchObject([{ id, owner: null }]);
});

test('what closed is kept for thirty days, for the case that it comes back, and then forgotten', async () => {
  const at = (ms: number) => new Date(people.clock.now().getTime() - 30 * dayMs + ms);
  const [old = ''] = await kept(1, { closed_at: at(-1) });
  const [young = ''] = await kept(1, { closed_at: at(0) });
  await attention.tasks['attention.forget']();
  const left = await across(database, (tx) =>
    tx.selectFrom('attention_items').select('id').where('id', 'in', [old, young]).execute(),
  );
  expect(left).toEqual([{ id: young }]);
});
