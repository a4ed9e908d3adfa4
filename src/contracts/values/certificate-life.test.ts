import { describe, expect, it } from 'vitest';
import {
  type CertificateLife,
  flagsOf,
  maxValidityDays,
  nextReissueAt,
  reissuesItself,
  stateText,
} from './certificate-life.ts';

const now = new Date('2026-11-21T00:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
const life = (change: Partial<CertificateLife> = {}): CertificateLife => ({
  state: 'completed',
  validFrom: inDays(-150),
  validTo: inDays(50),
  termEndsAt: inDays(215),
  method: 'DNS',
  proofState: 'set',
  autoReissue: true,
  reissueState: null,
  renewed: false,
  ...change,
});
const kinds = (change: Partial<CertificateLife>, at = now) =>
  flagsOf(life(change), at).map(({ kind }) => kind);

describe('the two dates of a certificate', () => {
  it('what is issued on a day may last as long as the rules of that day say', () => {
    const of = (day: string) => maxValidityDays(new Date(day));
    expect(of('2026-11-21')).toBe(200);
    expect(of('2027-03-14T23:59:59Z')).toBe(200);
    expect(of('2027-03-15')).toBe(100);
    expect(of('2029-03-15')).toBe(47);
  });

  it('a reissue is planned 30 days before the end, unless the order term ends with the certificate', () => {
    expect(nextReissueAt(life())).toEqual(inDays(20));
    expect(nextReissueAt(life({ termEndsAt: inDays(50) }))).toBeNull();
    expect(nextReissueAt(life({ state: 'revoked' }))).toBeNull();
  });

  it('the portal reissues by itself only where it can prove control by DNS and nobody has switched that off', () => {
    expect(reissuesItself(life())).toBe(true);
    expect(reissuesItself(life({ proofState: 'missing' }))).toBe(false);
    expect(reissuesItself(life({ method: 'Email', proofState: null }))).toBe(false);
    expect(reissuesItself(life({ autoReissue: false }))).toBe(false);
  });
});

describe('flags: what somebody has to do', () => {
  it('nothing, while everything goes by itself', () => {
    expect(kinds({})).toEqual([]);
  });

  it.each<[string, Partial<CertificateLife>, string, RegExp]>([
    ['the order term ends soon', { termEndsAt: inDays(50) }, 'term', /Renew the certificate before/],
    [
      'the validity shrinks',
      { validFrom: inDays(-10), validTo: inDays(190), termEndsAt: inDays(355) },
      'shrinks',
      /100 days at most/,
    ],
    ['the proof is gone', { proofState: 'missing' }, 'proof', /Put it back or move the DNS to us/],
    [
      'approval by e-mail ends',
      {
        method: 'Email',
        proofState: null,
        validFrom: inDays(400),
        validTo: inDays(600),
        termEndsAt: inDays(700),
      },
      'email',
      /Choose DNS/,
    ],
    [
      'a person has to reissue',
      { autoReissue: false, validTo: inDays(20) },
      'reissue',
      /Reissue it now; that is free/,
    ],
    ['it has expired', { state: 'expired', validTo: inDays(-1) }, 'expired', /Order a new one/],
    [
      'a record is awaited elsewhere',
      { state: 'awaiting-approval', proofState: 'missing' },
      'waiting',
      /choose another method/,
    ],
  ])('%s', (_, change, kind, advice) => {
    const flag = flagsOf(life(change), now).find((entry) => entry.kind === kind);
    expect(flag?.text).toMatch(advice);
  });

  it('the most urgent comes first', () => {
    const change = { validFrom: inDays(-10), validTo: inDays(190), termEndsAt: inDays(355) };
    expect(kinds({ ...change, proofState: 'missing' })).toEqual(['proof', 'shrinks']);
  });

  it('what was renewed is not to be renewed again, nor mourned', () => {
    expect(kinds({ termEndsAt: inDays(10), validTo: inDays(10), renewed: true })).toEqual([]);
    expect(kinds({ state: 'expired', validTo: inDays(-1), renewed: true })).toEqual([]);
  });

  it('a reissue that should have happened by itself and did not is flagged two weeks before the end', () => {
    expect(kinds({ validTo: inDays(20) })).toEqual([]);
    expect(kinds({ validTo: inDays(13) })).toContain('reissue');
  });
});

it('states are told in words', () => {
  expect(['awaiting-approval', 'approver-confirmed', 'completed', 'expired'].map(stateText)).toEqual([
    ...['awaiting approval', 'in progress', 'completed', 'expired'],
  ]);
});
