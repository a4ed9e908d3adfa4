import { describe, expect, test } from 'vitest';
import { daysUntil, expiresSoon, lapses, stationsOf } from './domain-life.ts';

const dayMs = 86_400_000;
const at = (day: string) => new Date(`${day}T00:00:00Z`);
const none = { registeredAt: null, transferredAt: null, renewedAt: null, expiresAt: null };
const stations = (dates: Partial<typeof none | Record<keyof typeof none, Date>>) =>
  stationsOf({ ...none, ...dates }).map(({ kind, at: when }) => `${when.slice(0, 10)} ${kind}`);

describe('the stations of a name', () => {
  test('of which nothing is known are none', () => {
    expect(stations({})).toEqual([]);
  });

  test('after its expiry: 40 days of grace, 30 to restore it, 5 until it is free', () => {
    expect(stations({ expiresAt: at('2026-01-01') })).toEqual([
      '2026-01-01 expires',
      '2026-02-10 grace-ends',
      '2026-03-12 redemption-ends',
      '2026-03-17 deleted',
    ]);
  });

  test('of one that was deleted: the registry’s own date to restore it, not the one that was counted', () => {
    const deleted = { ...none, expiresAt: at('2026-01-01'), restorableUntil: at('2026-04-01') };
    expect(stationsOf(deleted).map(({ kind, at: when }) => `${when.slice(0, 10)} ${kind}`)).toEqual([
      '2026-01-01 expires',
      '2026-04-01 redemption-ends',
      '2026-04-06 deleted',
    ]);
  });

  test('come in the order of time; the lock of 60 days counts from the registration or the later transfer', () => {
    expect(stations({ registeredAt: at('2026-01-01') })).toEqual([
      '2026-01-01 registered',
      '2026-03-02 transfer-lock-ends',
    ]);
    const moved = { registeredAt: at('2020-01-01'), transferredAt: at('2026-01-01') };
    expect(stations({ ...moved, renewedAt: at('2025-12-31') })).toEqual([
      '2020-01-01 registered',
      '2025-12-31 renewed',
      '2026-01-01 transferred',
      '2026-03-02 transfer-lock-ends',
    ]);
    expect(stations({ transferredAt: at('2026-01-01') })).toEqual([
      '2026-01-01 transferred',
      '2026-03-02 transfer-lock-ends',
    ]);
    expect(stations({ expiresAt: at('2025-01-01'), renewedAt: at('2025-01-15') })[1]).toBe(
      '2025-01-15 renewed',
    );
  });

  test('at one moment keep their order: what happened comes before what follows', () => {
    const day = at('2026-01-01');
    expect(
      stations({ registeredAt: day, transferredAt: day, renewedAt: day, expiresAt: day }).slice(0, 4),
    ).toEqual([
      '2026-01-01 registered',
      '2026-01-01 transferred',
      '2026-01-01 renewed',
      '2026-01-01 expires',
    ]);
  });
});

test.each([
  ['manual', true, true],
  ['manual', false, true],
  ['unable', true, true],
  ['planned', true, false],
  ['planned', false, true],
  ['ordered', true, false],
  ['ordered', false, false],
] as const)('a renewal that is %s, paid for: %s, lets the name lapse: %s', (state, covered, expected) => {
  expect(lapses({ state, covered })).toBe(expected);
});

test('days until then are whole ones; a moment past is a day past', () => {
  const now = at('2026-01-01');
  const days = [0, 1, dayMs - 1, dayMs, 2 * dayMs, -1, -dayMs].map((ms) =>
    daysUntil(new Date(now.getTime() + ms), now),
  );
  expect(days).toEqual([0, 0, 0, 1, 2, -1, -1]);
});

test('a name is to be renewed soon in under 60 days, not at 60; an expired one too', () => {
  const now = at('2026-11-21');
  const inDays = (days: number) => new Date(now.getTime() + days * dayMs);
  expect([-1, 59.9, 60, 61].map((days) => expiresSoon(inDays(days), now))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
