import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createCertificatePricing } from './pricing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test('the price list names the families that the registrar sells, and what can be chosen needs no papers', async () => {
  const clock = { now: () => new Date() };
  const list = await createCertificatePricing({ db: database.db, clock, marginPercent: 0 }).list();
  const families = (entries: typeof list) =>
    [...new Set(entries.map(({ productType }) => productType.split('_')[0]))].sort();
  expect(families(list)).toEqual([
    ...['comodo', 'essentialssl', 'positivessl', 'rapidssl', 'securesite', 'ssl123', 'sslwebserver'],
    ...['truebizid', 'trustwave'],
  ]);
  expect(families(list.filter(({ businessValidated }) => !businessValidated))).toEqual([
    ...['comodo', 'essentialssl', 'positivessl', 'rapidssl', 'ssl123', 'trustwave'],
  ]);
});
