import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import { sql } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createSeal } from '#kernel/seal.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { across, customerRow } from '../../../../tests/support/rows.ts';
import { createLooking } from './looking.ts';
import { createOrdering, type OrderingDeps } from './ordering.ts';
import { codeContext } from './sealed.repo.ts';

/** What becomes of a list when its order is refused. */

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
    outcome: async () => ({ state: 'absent', result: null }),
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
