import { describe, expect, test } from 'vitest';
import { askAgainSeconds, windowOf } from './renewal-window.ts';

const dayMs = 86_400_000;
const issuedAt = new Date('2026-11-22T00:00:00Z');
const certificate = (days: number, share = 0, from = issuedAt) => ({
  ...{ share, validFrom: from, validTo: new Date(from.getTime() + days * dayMs), revoked: false },
});
const daysBefore = (given: { validTo: Date }, at: Date) => (given.validTo.getTime() - at.getTime()) / dayMs;

describe('the window of a renewal', () => {
  test('opens when a third of the life is left', () => {
    const given = certificate(200);
    expect(daysBefore(given, windowOf(given, issuedAt).start)).toBeCloseTo(200 / 3, 5);
  });

  test.each([10, 47, 100, 200])('of %i days ends before the certificate does, for every share', (days) => {
    for (const share of [0, 0.25, 0.5, 0.999]) {
      const given = certificate(days, share);
      const { start, end } = windowOf(given, issuedAt);
      expect(end.getTime()).toBeGreaterThan(start.getTime());
      expect(end.getTime()).toBeLessThan(given.validTo.getTime());
      expect(start.getTime()).toBeGreaterThan(given.validFrom.getTime());
    }
  });

  test('leaves more than ten days under 47-day validity', () => {
    const at = new Date('2029-04-01T00:00:00Z');
    for (const share of [0, 0.5, 0.999]) {
      const given = certificate(47, share, at);
      expect(daysBefore(given, windowOf(given, at).end)).toBeGreaterThan(10);
    }
  });

  test('leaves more than ten days for certificates that a term cuts short', () => {
    const at = new Date('2029-04-01T00:00:00Z');
    for (let days = 30; days < 47; days += 1) {
      const given = certificate(days, 0.999, at);
      expect(daysBefore(given, windowOf(given, at).end), `${days} days`).toBeGreaterThan(10);
    }
  });

  test('is another one for certificates of the same night', () => {
    const starts = [0, 0.2, 0.4, 0.6, 0.8].map((share) =>
      windowOf(certificate(47, share), issuedAt).start.getTime(),
    );
    expect(new Set(starts).size).toBe(5);
    expect([...starts].sort((one, other) => one - other)).toEqual(starts);
  });

  test('is over at once for a revoked certificate', () => {
    const now = new Date('2026-12-01T00:00:00Z');
    const { start, end } = windowOf({ ...certificate(200), revoked: true }, now);
    expect(end).toEqual(now);
    expect(start.getTime()).toBeLessThan(now.getTime());
  });

  test('is shorter once certificates may be valid for less', () => {
    const given = certificate(200);
    const length = (now: string) => {
      const { start, end } = windowOf(given, new Date(now));
      return end.getTime() - start.getTime();
    };
    expect(length('2027-03-14T23:59:59Z')).toBeCloseTo(length('2026-11-23T00:00:00Z'), -2);
    expect(length('2027-03-15T00:00:00Z')).toBeLessThan(length('2027-03-14T23:59:59Z'));
  });
});

test('a client whose time has come asks again within the hour', () => {
  const window = { start: issuedAt, end: new Date(issuedAt.getTime() + dayMs) };
  expect(askAgainSeconds(window, issuedAt)).toBe(21_600);
  expect(askAgainSeconds(window, window.end)).toBe(3_600);
});
