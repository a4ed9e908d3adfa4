import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AttentionItem } from '#contracts/operations/attention.ts';
import { attentionCauses } from '#contracts/values/attention.ts';
import { dayMs } from '#contracts/values/time.ts';
import type { AttentionSources, AttentionStatement } from '#kernel/attention.ts';
import { createLogger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { across } from '../../../../tests/support/rows.ts';
import { type AttentionApi, createAttention } from './attention.service.ts';

/** Putting off what somebody saw, while it gets worse. */

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
