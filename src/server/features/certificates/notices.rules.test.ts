import { describe, expect, test } from 'vitest';
import type { CertificateLife } from '#contracts/values/certificate-life.ts';
import { isAboutTerm, letterLeavesAt, mostWaitMs, noticesDue, quietMs } from './notices.rules.ts';

const first = new Date('2026-11-21T12:00:00Z');
const after = (ms: number) => new Date(first.getTime() + ms);

test('news wait a quiet minute for more, and never longer than ten minutes after the first', () => {
  expect(letterLeavesAt(first, first)).toEqual(after(quietMs));
  expect(letterLeavesAt(first, after(30_000))).toEqual(after(30_000 + quietMs));
  expect(letterLeavesAt(first, after(mostWaitMs - quietMs))).toEqual(after(mostWaitMs));
  expect(letterLeavesAt(first, after(mostWaitMs - quietMs + 1))).toEqual(after(mostWaitMs));
  expect(letterLeavesAt(first, after(mostWaitMs + 1))).toEqual(after(mostWaitMs));
});

test('the dates of a term are about the term, and the end of a certificate in it is not', () => {
  const kinds = ['term-60', 'term-1', 'expiry-30', 'expiry-1', 'issued', 'announce'] as const;
  expect(kinds.filter(isAboutTerm)).toEqual(['term-60', 'term-1']);
});

describe('what is due about a certificate', () => {
  const inDays = (days: number) => after(days * 86_400_000);
  const due = (change: Partial<CertificateLife>) => {
    const life: CertificateLife = {
      ...{ state: 'completed', validFrom: inDays(-100), validTo: inDays(90), termEndsAt: inDays(300) },
      ...{ method: 'DNS', proofState: 'set', autoReissue: true, reissueState: null, renewed: false },
      ...{ orderedAt: inDays(-100), renewalOrderedAt: null },
      ...change,
    };
    return noticesDue(life, first);
  };
  const byHand = { autoReissue: false };

  test('that a machine renews by ACME: a reminder only when it has not done so', () => {
    const byMachine = { autoReissue: false, byMachine: true };
    expect(due({ ...byMachine, validTo: inDays(30) })).toEqual([]);
    expect(due({ ...byMachine, validTo: inDays(14.01) })).toEqual([]);
    expect(due({ ...byMachine, validTo: inDays(14) })).toEqual(['expiry-14']);
  });

  test.each([
    [37.01, []],
    [37, ['announce']],
    [14.01, ['announce']],
    [14, ['expiry-14']],
    [7.01, ['expiry-14']],
    [7, ['expiry-7']],
    [1.01, ['expiry-7']],
    [1, ['expiry-1']],
    [-1, ['expiry-1']],
  ])('that reissues itself and ends in %d days: %o', (days, expected) => {
    expect(due({ validTo: inDays(days) })).toEqual(expected);
  });

  test.each([
    [30.01, []],
    [30, ['expiry-30']],
    [14.01, ['expiry-30']],
    [14, ['expiry-14']],
    [7, ['expiry-7']],
    [1, ['expiry-1']],
  ])('that a person reissues and that ends in %d days: %o', (days, expected) => {
    expect(due({ ...byHand, validTo: inDays(days) })).toEqual(expected);
  });

  test.each([
    [60.01, []],
    [60, ['term-60']],
    [30.01, ['term-60']],
    [30, ['term-30']],
    [14, ['term-14']],
    [7, ['term-7']],
    [1, ['term-1']],
    [-1, ['term-1']],
  ])('of which the term ends with it in %d days: %o', (days, expected) => {
    expect(due({ validTo: inDays(days), termEndsAt: inDays(days) })).toEqual(expected);
  });

  test('both, when the certificate and its term end soon, each by itself', () => {
    expect(due({ ...byHand, validTo: inDays(10), termEndsAt: inDays(50) })).toEqual(['expiry-14', 'term-60']);
  });

  test('no reminder while a reissue is under way that a person began', () => {
    expect(due({ ...byHand, validTo: inDays(10), reissueState: 'running' })).toEqual([]);
  });

  test.each([
    [14.01, ['announce'], []],
    [14, ['expiry-14'], ['expiry-14']],
    [7, ['expiry-7'], ['expiry-7']],
    [1, ['expiry-1'], ['expiry-1']],
  ])(
    'a reissue that runs by itself silences no reminder from 14 days on: %d days',
    (days, itself, machine) => {
      const running = { validTo: inDays(days), reissueState: 'running' };
      expect(due(running)).toEqual(itself);
      expect(due({ ...running, autoReissue: false, byMachine: true })).toEqual(machine);
    },
  );

  test.each([
    ['was ordered a day ago', 10, -1, []],
    ['was ordered three days ago and is not issued', 10, -3, ['expiry-14', 'term-14']],
    ['was ordered when there was no time to wait', 1, -0.5, ['expiry-1', 'term-7']],
  ])('of which a renewal %s', (_why, days, ordered, expected) => {
    const terms = { validTo: inDays(days), termEndsAt: inDays(days + 2) };
    expect(due({ ...byHand, ...terms, renewalOrderedAt: inDays(ordered) })).toEqual(expected);
  });

  test.each([{ state: 'revoked' }, { validTo: null }, { termEndsAt: null }, { renewed: true }])(
    'nothing of one that does not run, ends at no known time or was renewed: %o',
    (change) => {
      expect(due({ validTo: inDays(10), termEndsAt: inDays(50), ...change })).toEqual([]);
    },
  );
});
