import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across } from '../../../../tests/support/rows.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Quote } from '../../ports/registrar.ts';
import { createDomainPricing } from './pricing.ts';

/** What a suffix is shown at, against what a name under it is charged at. */

const startMs = Date.parse('2026-11-22T12:00:00Z');
const hourMs = 3_600_000;
let database: TestDatabase;
let nowMs: number;
const quote = vi.fn<(address: string) => Promise<Quote>>();

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  nowMs = startMs;
  quote.mockReset().mockResolvedValue({ costCents: 1_000, premium: false });
});

const pricing = () =>
  createDomainPricing({
    ...{ db: database.db, registrar: { quote }, clock: { now: () => new Date(nowMs) } },
    marginPercent: 20,
  });
let version = 0;
const list = (suffix: string, priceCents: number | null) =>
  across(database, (tx) =>
    tx
      .insertInto('price_entries')
      .values({
        ...{ version: ++version, product: 'domain', name: suffix, kind: 'renewal', price_cents: priceCents },
        valid_from: new Date(startMs - hourMs),
      })
      .execute(),
  );
/** The registrar is asked what the suffix costs, as for a price that is not listed. */
const seen = (suffix: string) => pricing().price(`nameward-standard-price.${suffix}`, 'renewal', 1);
const shown = async (suffix: string) => [
  await pricing().standardPriceCents(suffix, 'renewal'),
  await pricing().knownPriceCents(suffix, 'renewal'),
];
const charged = async (suffix: string) => (await pricing().price(`fig.${suffix}`, 'renewal', 1)).priceCents;

test('a suffix that is listed below its cost is shown at its cost, as it is charged', async () => {
  await list('below', 8_00);
  await seen('below');
  expect(await charged('below')).toBe(10_00);
  expect(await shown('below')).toEqual([10_00, 10_00]);
});

test('a suffix that is listed above its cost is shown as listed', async () => {
  await list('co.above', 15_00);
  await seen('co.above');
  expect(await charged('co.above')).toBe(15_00);
  expect(await shown('co.above')).toEqual([15_00, 15_00]);
});

test('a listed suffix whose cost nobody knows is shown as listed, and the registrar is not asked for it', async () => {
  await list('unseen', 8_00);
  expect(await shown('unseen')).toEqual([8_00, 8_00]);
  expect(quote).not.toHaveBeenCalled();
});

test('the cost that was last named counts however old it is, and the registrar is not asked for a listed price', async () => {
  await list('old', 8_00);
  await seen('old');
  quote.mockClear();
  nowMs += 1_000 * hourMs;
  expect(await shown('old')).toEqual([10_00, 10_00]);
  expect(quote).not.toHaveBeenCalled();
});

test('without a list a suffix is cost and margin: asked for where it may be, otherwise the last that is known', async () => {
  expect(await pricing().knownPriceCents('free', 'renewal')).toBe(null);
  expect(await shown('free')).toEqual([12_00, 12_00]);
  nowMs += hourMs;
  quote.mockRejectedValue(new UpstreamUnavailable('nobody answers'));
  expect(await shown('free')).toEqual([null, 12_00]);
  await list('back', 8_00);
  await list('back', null);
  expect(await pricing().standardPriceCents('back', 'renewal')).toBe(null);
});
