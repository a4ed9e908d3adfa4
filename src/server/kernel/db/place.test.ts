import { expect, test } from 'vitest';
import { changeOf } from './place.ts';

const noted = { database: '7.1.2', timeline: '00000001' };
const safe = { losslessPromotions: false };

test('the database that was noted, and one that nobody noted, is no other', () => {
  expect(changeOf({ found: noted, noted }, safe)).toBeNull();
  expect(changeOf({ found: noted, noted: null }, safe)).toBeNull();
});

test('another server, database or table is elsewhere, whatever is said of promotions', () => {
  for (const database of ['8.1.2', '7.3.2', '7.1.4']) {
    const seen = { found: { ...noted, database, timeline: '00000002' }, noted };
    expect(changeOf(seen, safe)).toBe('elsewhere');
    expect(changeOf(seen, { losslessPromotions: true })).toBe('elsewhere');
  }
});

test('another timeline is a promotion, which may have lost commits unless the operator knows better', () => {
  const seen = { found: { ...noted, timeline: '00000002' }, noted };
  expect(changeOf(seen, safe)).toBe('promoted');
  expect(changeOf(seen, { losslessPromotions: true })).toBeNull();
  // One that was promoted elsewhere and lost has the lower number.
  expect(changeOf({ found: noted, noted: seen.found }, safe)).toBe('promoted');
});
