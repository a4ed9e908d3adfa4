import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, organisationRow, userRow } from '../../../../tests/support/rows.ts';
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
