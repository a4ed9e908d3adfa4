import { describe, expect, it } from 'vitest';
import {
  type CertificateLife,
  flagsOf,
  isUnderWay,
  maxValidityDays,
  nextReissueAt,
  reissuesItself,
  renewsInTime,
  stateText,
} from './certificate-life.ts';

const now = new Date('2026-11-21T00:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
const life = (change: Partial<CertificateLife> = {}): CertificateLife => ({
  state: 'completed',
  orderedAt: inDays(-150),
  validFrom: inDays(-150),
  validTo: inDays(50),
  termEndsAt: inDays(215),
  method: 'DNS',
  proofState: 'set',
  autoReissue: true,
  reissueState: null,
  renewed: false,
  renewalOrderedAt: null,
  ...change,
});
const kinds = (change: Partial<CertificateLife>, at = now) =>
  flagsOf(life(change), at).map(({ kind }) => kind);

describe('the two dates of a certificate', () => {
  it('what is issued on a day may last as long as the rules of that day say', () => {
    const of = (day: string) => maxValidityDays(new Date(day));
    expect(of('2026-11-21')).toBe(200);
    expect(of('2026-03-14T23:59:59Z')).toBe(398);
    expect(of('2026-03-15')).toBe(200);
    expect(of('2027-03-14T23:59:59Z')).toBe(200);
    expect(of('2027-03-15')).toBe(100);
    expect(of('2029-03-15')).toBe(47);
  });

  it('a reissue is planned 30 days before the end, unless the order term ends with the certificate', () => {
    expect(nextReissueAt(life())).toEqual(inDays(20));
    expect(nextReissueAt(life({ termEndsAt: inDays(50) }))).toBeNull();
    expect(nextReissueAt(life({ state: 'revoked' }))).toBeNull();
    expect(nextReissueAt(life({ validTo: null }))).toBeNull();
    expect(nextReissueAt(life({ termEndsAt: null }))).toBeNull();
  });

  it('a term that ends a day after the certificate ends with it; a moment more is another reissue', () => {
    expect(nextReissueAt(life({ termEndsAt: inDays(51) }))).toBeNull();
    expect(nextReissueAt(life({ termEndsAt: new Date(inDays(51).getTime() + 1) }))).toEqual(inDays(20));
  });

  it('the portal reissues by itself only where it can prove control by DNS and nobody has switched that off', () => {
    expect(reissuesItself(life())).toBe(true);
    expect(reissuesItself(life({ proofState: 'present' }))).toBe(true);
    expect(reissuesItself(life({ proofState: 'missing' }))).toBe(false);
    expect(reissuesItself(life({ method: 'Email' }))).toBe(false);
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
    ['the proof is gone', { proofState: 'missing' }, 'proof', /Restore the record, or move the DNS to us/],
    [
      'approval by email ends',
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
      /Reissue it: this orders the next certificate within the term, free of charge/,
    ],
    ['it has expired', { state: 'expired', validTo: inDays(-1) }, 'expired', /Order a new one/],
    [
      'it has expired, and the next one is under way',
      { state: 'expired', validTo: inDays(-1), reissueState: 'running' },
      'expired',
      /expired\. A reissue is in progress/,
    ],
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

  const levels = (change: Partial<CertificateLife>) =>
    flagsOf(life(change), now).map(({ kind, level }) => `${kind} ${level}`);

  it.each([
    [61, []],
    [60, ['term warning']],
    [15, ['term warning']],
    [14, ['term danger']],
    [-1, ['term danger']],
  ])('a term that ends in %i days is told: %o', (days, expected) => {
    expect(levels({ termEndsAt: inDays(days), validTo: inDays(days), reissueState: null })).toEqual(expected);
  });

  it.each([
    [{ validTo: inDays(20), termEndsAt: inDays(20) }, []],
    [{ validTo: inDays(10.01) }, []],
    [{ validTo: inDays(10) }, ['reissue danger']],
    [{ validTo: inDays(200), proofState: 'missing' as const }, []],
    [{ reissueState: 'running' }, []],
    [{ state: 'expired', validTo: inDays(-1) }, ['expired danger']],
  ])('what a machine renews by itself calls for nobody until it is late: %o', (change, expected) => {
    const machine = { autoReissue: false, byMachine: true };
    expect(levels({ ...machine, ...change })).toEqual(expected);
  });

  const byHand = { autoReissue: false };
  it.each<[string, Partial<CertificateLife>, string[]]>([
    ['by hand, 31 days before', { ...byHand, validTo: inDays(31) }, []],
    ['by hand, 30 days before', { ...byHand, validTo: inDays(30) }, ['reissue warning']],
    ['by hand, 15 days before', { ...byHand, validTo: inDays(15) }, ['reissue warning']],
    ['by hand, 14 days before', { ...byHand, validTo: inDays(14) }, ['reissue danger']],
    ['by itself, 15 days before', { validTo: inDays(15) }, []],
    ['by itself, 14 days before', { validTo: inDays(14) }, ['reissue danger']],
    ['under way by itself, 15 days before', { validTo: inDays(15), reissueState: 'running' }, []],
    [
      'under way by itself, 14 days before',
      { validTo: inDays(14), reissueState: 'running' },
      ['reissue danger'],
    ],
    ['under way by hand', { ...byHand, reissueState: 'running' }, ['reissue warning']],
  ])('a reissue %s', (_, change, expected) => {
    expect(levels(change)).toEqual(expected);
  });

  it('a reissue that the authority does not finish is told with what to do; another one cannot be ordered meanwhile', () => {
    const [flag] = flagsOf(life({ validTo: inDays(14), reissueState: 'running' }), now);
    expect(flag?.text).toBe(
      'This certificate expires on Dec 5, 2026, and the reissue in progress has not been completed. Check its validation, or choose another method.',
    );
  });

  it('a certificate that is not there yet, or ends at no known time, says nothing', () => {
    for (const change of [{ state: 'pending' }, { validTo: null }, { termEndsAt: null }]) {
      expect(levels({ ...change, proofState: 'missing' })).toEqual([]);
    }
  });

  it('a certificate that was revoked calls for nothing, also when its term ends', () => {
    expect(levels({ state: 'revoked', validTo: inDays(10), termEndsAt: inDays(10) })).toEqual([]);
  });

  it('a proof is awaited only where it is a record, and only while it is not seen', () => {
    const waiting = { state: 'awaiting-approval', proofState: 'missing', orderedAt: now };
    expect(levels(waiting)).toEqual(['waiting warning']);
    expect(levels({ ...waiting, method: 'Email' })).toEqual([]);
    expect(levels({ ...waiting, proofState: 'set' })).toEqual([]);
  });

  it.each([
    ['Email', null],
    ['File', null],
    ['DNS', 'set'],
    ['DNS', 'present'],
    ['DNS', 'waiting'],
  ])('an order that waits for approval by %s (%s) is told after two days', (method, proofState) => {
    const waiting = (orderedAt: Date) =>
      flagsOf(life({ state: 'awaiting-approval', method, proofState, orderedAt }), now);
    expect(waiting(inDays(-2))).toEqual([]);
    expect(waiting(new Date(inDays(-2).getTime() - 1))).toEqual([
      {
        ...{ kind: 'waiting', level: 'warning' },
        text: 'This order has been waiting for approval for more than 2 days. Complete the approval, choose another method, or cancel the order.',
      },
    ]);
  });

  it('an order that is in progress at the authority is not told, however long that takes', () => {
    for (const state of ['pending', 'approver-confirmed', 'in-progress']) {
      expect(levels({ state, method: 'Email', orderedAt: inDays(-9) })).toEqual([]);
    }
  });

  it('a proof that is gone is told while another reissue follows, and of a record alone', () => {
    expect(levels({ proofState: 'missing' })).toEqual(['proof danger']);
    expect(levels({ proofState: 'missing', method: 'File' })).toEqual([]);
    expect(levels({ proofState: 'missing', termEndsAt: inDays(50), renewed: true })).toEqual([]);
  });

  const mail = { method: 'Email', proofState: null, validFrom: inDays(400), termEndsAt: inDays(900) };
  it.each([
    ['2028-04-13', []],
    ['2028-04-14', ['email warning']],
  ])('approval by email is told to end for a certificate until %s: %o', (validTo, expected) => {
    const ends = new Date(`${validTo}T00:00:00Z`);
    expect(levels({ ...mail, validTo: ends }).filter((level) => level.startsWith('email'))).toEqual(expected);
  });

  it('approval by email matters to nobody who approves by record, nor to one of unknown beginning', () => {
    const ends = { validTo: new Date('2028-06-01T00:00:00Z') };
    expect(levels({ ...mail, ...ends, method: 'DNS', proofState: 'set' })).not.toContain('email warning');
    expect(levels({ ...mail, ...ends, validFrom: null })).toEqual([]);
  });

  const shrinking = { validFrom: inDays(-10), validTo: inDays(190), termEndsAt: inDays(355) };
  it('a shorter validity is told with what to do about it', () => {
    const text = (change: Partial<CertificateLife>) =>
      flagsOf(life({ ...shrinking, ...change }), now)[0]?.text;
    expect(text({})).toBe(
      'The next certificate will be valid for 100 days at most, this one is for 200. Plan to install it more often.',
    );
    expect(text({ autoReissue: false })).toMatch(/let the portal validate by DNS/);
  });

  it.each<[string, Partial<CertificateLife>]>([
    ['no further one follows', { termEndsAt: inDays(190), renewed: true }],
    ['nobody knows since when this one is valid', { validFrom: null }],
    ['this one is no longer than the next may be', { validFrom: inDays(90) }],
    // An authority may have given it a day more than the rules allow.
    ['the next is issued by the same rules', { validFrom: inDays(-151), validTo: inDays(50) }],
  ])('a shorter validity is not told when %s', (_, change) => {
    expect(levels({ ...shrinking, ...change })).toEqual([]);
  });

  it('the most urgent comes first; what is as urgent keeps its order', () => {
    const change = { validFrom: inDays(-10), validTo: inDays(190), termEndsAt: inDays(355) };
    expect(kinds({ ...change, proofState: 'missing' })).toEqual(['proof', 'shrinks']);
    expect(levels({ ...change, ...byHand, reissueState: 'running' })).toEqual([
      ...['shrinks warning', 'reissue warning'],
    ]);
    expect(levels({ proofState: 'missing', validTo: inDays(10) })).toEqual([
      'proof danger',
      'reissue danger',
    ]);
  });

  it('what was renewed is not to be renewed again, nor mourned', () => {
    expect(kinds({ termEndsAt: inDays(10), validTo: inDays(10), renewed: true })).toEqual([]);
    expect(kinds({ state: 'expired', validTo: inDays(-1), renewed: true })).toEqual([]);
  });

  const ends = (days: number) => ({ termEndsAt: inDays(days), validTo: inDays(days) });
  const told = (change: Partial<CertificateLife>) => flagsOf(life(change), now).map(({ text }) => text);

  it.each<[string, Partial<CertificateLife>, boolean]>([
    ['none is ordered', { ...ends(10) }, false],
    ['it was ordered now', { ...ends(10), renewalOrderedAt: now }, true],
    ['it was ordered two days ago', { ...ends(10), renewalOrderedAt: inDays(-2) }, true],
    [
      'it was ordered more than two days ago',
      { ...ends(10), renewalOrderedAt: new Date(inDays(-2).getTime() - 1) },
      false,
    ],
    [
      'two days end before the certificate does',
      { validTo: new Date(inDays(2).getTime() + 1), renewalOrderedAt: now },
      true,
    ],
    ['the certificate ends with the two days', { ...ends(2), renewalOrderedAt: now }, false],
    ['the certificate has ended', { ...ends(-1), renewalOrderedAt: now }, false],
    ['the certificate ends at no known time', { validTo: null, renewalOrderedAt: now }, false],
  ])('a renewal is waited for in silence, or not: %s', (_, change, expected) => {
    expect(renewsInTime(life(change), now)).toBe(expected);
  });

  it('a renewal that is waited for takes the call away; one that is not issued in time does not', () => {
    expect(told({ ...ends(10), renewalOrderedAt: inDays(-1) })).toEqual([]);
    const [late] = told({ ...ends(10), renewalOrderedAt: inDays(-3) });
    expect(late).toMatch(/no further reissue is possible\. A renewal is in progress\.$/);
    expect(told({ ...ends(-1), state: 'expired', renewalOrderedAt: now })).toEqual([
      'This certificate has expired. A renewal is in progress.',
    ]);
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

it('a flag says whether what it asks for is under way', () => {
  const said = (change: Partial<CertificateLife>) => flagsOf(life(change), now).map(isUnderWay);
  const expired = { state: 'expired', validTo: inDays(-1) };
  expect(said(expired)).toEqual([false]);
  expect(said({ ...expired, reissueState: 'running' })).toEqual([true]);
  expect(said({ ...expired, renewalOrderedAt: now })).toEqual([true]);
});
