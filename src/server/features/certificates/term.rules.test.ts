import { describe, expect, test } from 'vitest';
import { termEndOf, termEndSeen } from './term.rules.ts';

const day = (text: string) => new Date(`${text}T12:00:00Z`);
const now = day('2026-11-22');

describe('the end of a new term', () => {
  test('is so many years after the order', () => {
    expect(termEndOf({ now, years: 1 }, null)).toEqual(day('2027-11-22'));
    expect(termEndOf({ now, years: 3 }, { termEndsAt: null })).toEqual(day('2029-11-22'));
  });

  test('has what is left of the one that it renews, for at most 30 days', () => {
    const end = (termEndsAt: string) => termEndOf({ now, years: 1 }, { termEndsAt: day(termEndsAt) });
    expect(end('2026-11-23')).toEqual(day('2027-11-23'));
    expect(end('2026-12-22')).toEqual(day('2027-12-22'));
    expect(end('2026-12-23')).toEqual(day('2027-12-22'));
    // It was over.
    expect(end('2026-11-21')).toEqual(day('2027-11-22'));
  });
});

describe('the end of a term, once a certificate has shown that nothing was added to it', () => {
  const carried = { orderedAt: now, termEndsAt: day('2027-12-22') };
  const seen = (notAfter: Date, term: Parameters<typeof termEndSeen>[0] = carried) =>
    termEndSeen(term, { notAfter });

  test('is the end of the years that were paid', () => {
    expect(seen(day('2027-11-22'))).toEqual(day('2027-11-22'));
    expect(seen(day('2027-11-21'))).toEqual(day('2027-11-21'));
    expect(seen(day('2027-11-23'))).toEqual(day('2027-11-23'));
    const three = { orderedAt: now, termEndsAt: day('2029-12-12') };
    expect(seen(day('2029-11-22'), three)).toEqual(day('2029-11-22'));
    const most = { orderedAt: now, termEndsAt: day('2027-12-23') };
    expect(seen(day('2027-11-22'), most)).toEqual(day('2027-11-22'));
  });

  test('any other end says nothing', () => {
    for (const notAfter of ['2027-05-01', '2027-11-20', '2027-11-24', '2027-12-22']) {
      expect(seen(day(notAfter))).toEqual(carried.termEndsAt);
    }
  });

  test('a term of less than a year stays as it is, whenever its certificate ends', () => {
    const short = { orderedAt: now, termEndsAt: day('2026-12-12') };
    expect(seen(now, short)).toEqual(short.termEndsAt);
  });

  test('a term to which nothing was added stays as it is', () => {
    for (const termEndsAt of [day('2027-11-22'), day('2027-11-23'), day('2028-05-01'), null]) {
      expect(seen(day('2027-11-22'), { orderedAt: now, termEndsAt })).toEqual(termEndsAt);
    }
  });
});
