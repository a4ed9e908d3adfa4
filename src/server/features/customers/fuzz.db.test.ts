import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf, createPeople, type People } from '../../../../tests/support/people.ts';
import {
  createCustomerBody,
  listCustomers,
  updateCustomerBody,
} from '../../../contracts/operations/customers.ts';
import type { Scope } from '../../kernel/scope.ts';

let database: TestDatabase;
let people: People;
let scope: Scope;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  ({ scope } = await people.organisation());
});
afterAll(() => database.close());

/** Text as nobody should type it: NUL, halves of characters, marks, SQL's own characters among it. */
const text = fc.string({
  unit: fc.oneof(fc.constantFrom('\0', '\ud800', '%', '_', '\\', "'", 'İ'), fc.string()),
});
/** One field at a time, or hardly any contact would be let through. */
const contacts = fc
  .tuple(fc.constantFrom(...Object.keys(contactsOf().owner)), text)
  .map(([key, value]) => ({ ...contactsOf(), owner: { ...contactsOf().owner, [key]: value } }));
const markup = fc.record({
  type: fc.constantFrom('percentage', 'fixed'),
  value: fc.oneof(
    fc.nat(20_000),
    fc.nat(2_000).map((n) => n / 100),
    fc.double(),
  ),
});

test('whatever the contract lets through, the database takes and gives back unchanged', async () => {
  const anything = fc.record({
    contacts,
    markups: fc.option(fc.record({ domain: fc.record({ purchase: markup }) })),
  });
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(anything, async (sent) => {
      const made = createCustomerBody.safeParse({ contacts: sent.contacts });
      if (!made.success) return;
      accepted += 1;
      const created = await people.customers.create(scope, made.data, null);
      expect(created.contacts).toEqual(made.data.contacts);
      const change = updateCustomerBody.safeParse({ markups: sent.markups ?? undefined, version: 1 });
      if (change.success) await people.customers.update(scope, created.customerId, change.data);
    }),
    { numRuns: 300 },
  );
  expect(accepted).toBeGreaterThan(20);
});

test('whatever the contract lets through as a search finds or does not find, and never fails', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 1_000_000 }), async (search, page) => {
      const query = listCustomers.query.safeParse({ search, page, pageSize: 200 });
      if (query.success) await people.customers.list(scope, query.data);
    }),
    { numRuns: 300 },
  );
});
