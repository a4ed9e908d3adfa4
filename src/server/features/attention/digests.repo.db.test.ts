import type { Insertable } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#kernel/db/database.ts';
import type { UsersTable } from '#kernel/db/schema.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { dueReaders, noteDigest, setDigest, wantsDigest } from './digests.repo.ts';
import { eraseAttentionPeople, eraseFromAttention } from './privacy.repo.ts';

/** Who has the list by mail, and who is to have it today. */

let database: TestDatabase;
let organisationId: string;
const today = '2026-11-23';

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
});
afterAll(() => database.close());

const scopeOf = (userId: string, of = organisationId) => ({ organisationId: of, userId }) as unknown as Scope;
const turn = (userId: string, daily: boolean) =>
  within(database, organisationId, (tx) => setDigest(tx, scopeOf(userId), daily));
const due = async () => (await across(database, (tx) => dueReaders(tx, today))).map(({ userId }) => userId);
const sentOn = (userId: string, day: string | null) =>
  across(database, (tx) =>
    sql`UPDATE attention_digests SET sent_on = ${day}::date WHERE user_id = ${userId}`.execute(tx),
  );

async function reader(change: Partial<Insertable<UsersTable>> = {}): Promise<string> {
  const id = await userRow(database, organisationId, change);
  await turn(id, true);
  return id;
}

describe('who is to have today’s mail', () => {
  test('has asked for it, and has not had it today', async () => {
    const [never, before, had] = [await reader(), await reader(), await reader()];
    await sentOn(before, '2026-11-22');
    await sentOn(had, today);
    const other = await userRow(database, organisationId);
    const found = await due();
    expect([never, before].every((id) => found.includes(id))).toBe(true);
    expect([had, other].filter((id) => found.includes(id))).toEqual([]);
  });

  test('has access still: nobody who was removed or disabled hears what waits here', async () => {
    const at = new Date('2026-11-01T00:00:00Z');
    const gone = [await reader({ removed_at: at }), await reader({ disabled_at: at })];
    expect((await due()).filter((id) => gone.includes(id))).toEqual([]);
  });

  test('works for an organisation that is open', async () => {
    const closed = await organisationRow(database);
    const id = await userRow(database, closed);
    await within(database, closed, (tx) => setDigest(tx, scopeOf(id, closed), true));
    expect(await due()).toContain(id);
    await across(database, (tx) =>
      sql`UPDATE organisations SET closed_at = now() WHERE id = ${closed}`.execute(tx),
    );
    expect(await due()).not.toContain(id);
  });

  test('is told with role and customer, by which the list is cut', async () => {
    const id = await reader({ role: 'MSP_ADMIN' });
    const [row] = (await across(database, (tx) => dueReaders(tx, today))).filter(
      ({ userId }) => userId === id,
    );
    expect(row).toEqual({
      ...{ userId: id, organisationId, email: `${id}@example.com`, role: 'MSP_ADMIN', customerId: null },
    });
  });
});

test('a mail of a day is noted once, also after one of a later day', async () => {
  const [id, other] = [await reader(), await reader()];
  const note = (day: string) => across(database, (tx) => noteDigest(tx, id, day));
  expect([await note('2026-11-22'), await note(today), await note(today)]).toEqual([true, true, false]);
  expect(await note('2026-11-22')).toBe(false);
  expect(await due()).toContain(other);
});

test('turning it on or off says whether that changed anything, for this person alone', async () => {
  const [one, other] = [await userRow(database, organisationId), await reader()];
  const wants = (id: string) => within(database, organisationId, (tx) => wantsDigest(tx, scopeOf(id)));
  expect([await turn(one, false), await turn(one, true), await turn(one, true)]).toEqual([
    false,
    true,
    false,
  ]);
  expect([await wants(one), await wants(other)]).toEqual([true, true]);
  expect([await turn(one, false), await wants(one), await wants(other)]).toEqual([true, false, true]);
});

test('erased people have no mail and no entry any more, and an erased customer is in none; others keep theirs', async () => {
  const [gone, stays] = [await reader(), await reader()];
  const [erased, customerId] = [
    await customerRow(database, organisationId),
    await customerRow(database, organisationId),
  ];
  const entry = async (owner_id: string, customer_id: string | null) => {
    const id = newId();
    const row = {
      ...{ id, organisation_id: organisationId, cause: 'order', object: id, rank: 1, customer_id, owner_id },
      ...{ address: null, deadline: null, facts: '{}', opened_at: new Date(), closed_at: null },
    };
    await across(database, (tx) =>
      tx
        .insertInto('attention_items')
        .values(row as never)
        .execute(),
    );
    return id;
  };
  const [mine, theirs] = [await entry(gone, customerId), await entry(stays, null)];
  await entry(stays, erased);
  const tenant = { organisationId };
  await within(database, organisationId, async (tx) => {
    await eraseFromAttention(tx, tenant, erased);
    await eraseAttentionPeople(tx, tenant, [gone]);
  });
  const left = await across(database, (tx) =>
    tx
      .selectFrom('attention_items')
      .select(['id', 'owner_id'])
      .where('organisation_id', '=', organisationId)
      .execute(),
  );
  expect(left.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
    { id: mine, owner_id: null },
    { id: theirs, owner_id: stays },
  ]);
  const wants = (id: string) => within(database, organisationId, (tx) => wantsDigest(tx, scopeOf(id)));
  expect([await wants(gone), await wants(stays)]).toEqual([false, true]);
});
