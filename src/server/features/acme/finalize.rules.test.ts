import { describe, expect, test } from 'vitest';
import {
  balanceShort,
  csrMismatch,
  decide,
  endOf,
  type KnownCertificate,
  leastTermMs,
  lookAgainMs,
  notSold,
  refusalToBuy,
  retryAfterSeconds,
  waitedTooLong,
} from './finalize.rules.ts';
import { AcmeProblem, documentOf } from './problems.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const in_ = (ms: number) => new Date(now.getTime() + ms);
const dayMs = 86_400_000;
const names = ['example.com'];
const certificate = (change: Partial<KnownCertificate> = {}): KnownCertificate => ({
  ...{ id: 'c', state: 'completed', hostNames: ['example.com', 'www.example.com'], reissuing: false },
  ...{ validTo: in_(60 * dayMs), termEndsAt: in_(200 * dayMs), registrarOrderId: '17', byMachine: true },
  ...change,
});
const decision = (certificates: KnownCertificate[], buying: 'machine' | 'person' | null = null) =>
  decide(names, { certificates, buying }, now);

describe('what becomes of an order', () => {
  test('inside a paid term of these names: a reissue', () => {
    expect(decision([certificate()])).toEqual({ kind: 'reissue', certificateId: 'c' });
    expect(decision([certificate({ state: 'expired' })])).toEqual({ kind: 'reissue', certificateId: 'c' });
  });

  test('the term that runs longest is used', () => {
    const longer = certificate({ id: 'longer', termEndsAt: in_(300 * dayMs) });
    expect(decision([certificate(), longer])).toEqual({ kind: 'reissue', certificateId: 'longer' });
    expect(decision([longer, certificate()])).toEqual({ kind: 'reissue', certificateId: 'longer' });
  });

  test('a reissue that goes on, or a purchase of the same name, is waited for, and it is known whose it is', () => {
    const wait = (on: string) => ({ kind: 'wait', on });
    expect(decision([certificate({ reissuing: true, byMachine: false })])).toEqual(wait('machine'));
    expect(decision([], 'machine')).toEqual(wait('machine'));
    expect(decision([], 'person')).toEqual(wait('person'));
    for (const state of ['pending', 'awaiting-approval', 'approver-confirmed', 'in-progress']) {
      const open = certificate({ state, hostNames: [] });
      expect(decision([open])).toEqual(wait('machine'));
      expect(decision([open, { ...open, byMachine: false }])).toEqual(wait('person'));
      expect(decision([certificate({ state })])).toEqual(wait('machine'));
    }
  });

  test('a paid term is used though something else of the name is being bought', () => {
    for (const buying of ['machine', 'person'] as const) {
      expect(decision([certificate()], buying)).toEqual({ kind: 'reissue', certificateId: 'c' });
    }
  });

  test('a term that is about to end is renewed, and only what is left of it is used when nothing can be bought', () => {
    const ending = (ms: number, validTo = in_(dayMs)) => certificate({ termEndsAt: in_(ms), validTo });
    const renews = (lengthens: boolean) => ({
      ...{ kind: 'buy', ending: { certificateId: 'c', registrarOrderId: '17', lengthens } },
    });
    expect(decision([ending(leastTermMs + 1)])).toEqual({ kind: 'reissue', certificateId: 'c' });
    expect(decision([ending(leastTermMs)])).toEqual(renews(true));
    expect(decision([ending(0)])).toEqual({ kind: 'buy', ending: null });
    // The next one would end with this one.
    expect(decision([ending(leastTermMs, in_(leastTermMs - dayMs))])).toEqual(renews(false));
    expect(decision([ending(leastTermMs, in_(leastTermMs - dayMs - 1))])).toEqual(renews(true));
    // It is over already, or nobody knows when.
    const expired = { ...ending(dayMs - 1, in_(-1)), state: 'expired' };
    expect(decision([expired])).toEqual(renews(true));
    expect(decision([certificate({ termEndsAt: in_(dayMs), validTo: null })])).toEqual(renews(true));
    // The registrar is not told of a term that it does not know.
    expect(decision([certificate({ termEndsAt: in_(dayMs), registrarOrderId: null })])).toEqual({
      ...{ kind: 'buy', ending: null },
    });
  });

  test('other names, or none: a purchase', () => {
    expect(decision([])).toEqual({ kind: 'buy', ending: null });
    expect(decision([certificate({ hostNames: ['*.example.com', 'example.com'] })])).toEqual({
      ...{ kind: 'buy', ending: null },
    });
    expect(decision([certificate({ termEndsAt: null })])).toEqual({ kind: 'buy', ending: null });
  });
});

describe('the end of an order', () => {
  const item = {
    of: 'item' as const,
    state: 'succeeded',
    error: null,
    certificate: null,
    issue: 'none' as const,
  };
  test('only what is issued is issued', () => {
    expect(endOf({ ...item, issue: 'ours' })).toBe('issued');
    expect(endOf({ of: 'reissue', state: 'completed', remark: null, issue: 'ours' })).toBe('issued');
    expect(endOf({ of: 'reissue', state: 'completed', remark: null, issue: 'none' })).toBe('open');
  });

  test('what nobody knows stays open', () => {
    for (const state of ['queued', 'sending', 'unknown', 'pending', 'review'])
      expect(endOf({ ...item, state })).toBe('open');
    for (const state of ['sending', 'unknown', 'running']) {
      expect(endOf({ of: 'reissue', state, remark: null, issue: 'none' })).toBe('open');
    }
    for (const state of ['awaiting-approval', 'in-progress', 'completed']) {
      expect(endOf({ ...item, certificate: { state, remark: null } })).toBe('open');
    }
  });

  test('a certificate for another key ends the order when nothing more is to come of it', () => {
    const foreign = { issue: 'foreign' as const };
    const ended = [
      endOf({ of: 'reissue', state: 'completed', remark: null, ...foreign }),
      endOf({ ...item, ...foreign, certificate: { state: 'completed', remark: null } }),
    ];
    for (const problem of ended) {
      expect(problem).toMatchObject({
        type: 'userActionRequired',
        message: expect.stringContaining('not for the key of this signing request'),
        advice: expect.stringContaining('a reissue, which is free'),
      });
    }
    for (const state of ['sending', 'unknown', 'running']) {
      expect(endOf({ of: 'reissue', state, remark: null, ...foreign })).toBe('open');
    }
    for (const state of ['awaiting-approval', 'in-progress']) {
      expect(endOf({ ...item, ...foreign, certificate: { state, remark: null } })).toBe('open');
    }
    for (const state of ['revoked', 'expired']) {
      expect(endOf({ ...item, ...foreign, certificate: { state, remark: null } })).toMatchObject({
        type: 'userActionRequired',
        advice: expect.stringMatching(/revoked or has expired since.*orders a new one/),
      });
    }
  });

  test('a refusal is told with its reason', () => {
    const refused = [
      endOf({ ...item, state: 'declined', error: 'The authority said no.' }),
      endOf({ ...item, certificate: { state: 'declined', remark: 'The authority said no.' } }),
      endOf({ ...item, certificate: { state: 'cancelled', remark: 'The authority said no' } }),
      endOf({ of: 'reissue', state: 'declined', remark: 'The authority said no.', issue: 'none' }),
    ];
    for (const problem of refused) {
      expect(problem).toBeInstanceOf(AcmeProblem);
      expect((problem as AcmeProblem).message).toContain(
        'not issued: The authority said no. Nothing was charged.',
      );
    }
  });
});

test('what may not be bought is refused with the reason, and without a figure of money or of a limit', () => {
  expect(refusalToBuy('may', names)).toBeNull();
  const reasons = {
    never: 'may not buy one',
    limit_of_orders: 'has bought as many certificates as it may this month',
    limit_of_money:
      'The certificate for example.com was not ordered, because it would cost more than this access may still spend this month. Ask the provider',
  } as const;
  for (const decision of ['never', 'limit_of_orders', 'limit_of_money'] as const) {
    const problem = refusalToBuy(decision, names);
    expect(problem?.type).toBe('userActionRequired');
    expect(problem?.message).toContain('example.com');
    expect(problem?.message).toContain(reasons[decision]);
    expect(problem?.message).not.toMatch(/[$\d]/);
  }
  expect(balanceShort(names).message).not.toMatch(/[$\d]/);
});

test('a signing request names exactly what was ordered', () => {
  expect(csrMismatch(['a.com', 'b.com'], ['b.com', 'a.com'])).toBeNull();
  expect(csrMismatch(['a.com', 'b.com'], ['a.com'])?.message).toContain('(a.com, b.com): b.com is missing.');
  expect(csrMismatch(['a.com'], ['a.com', 'c.com'])?.message).toContain(
    '(a.com): c.com is not in the order.',
  );
  expect(csrMismatch(['*.a.com'], ['a.com'])?.message).toContain(
    '*.a.com is missing, and a.com is not in the order',
  );
});

test('an open order is looked at ever less often, and its client is told to do the same', () => {
  expect([0, 1, 5, 20].map(lookAgainMs)).toEqual([2_000, 4_000, 64_000, 600_000]);
  expect([0, 59_999, 60_000, 599_999, 600_000].map((ms) => retryAfterSeconds(now, in_(ms)))).toEqual([
    1, 1, 10, 10, 60,
  ]);
});

test('an order waits an hour for a machine’s of the same name, and a few seconds for a person’s, to the moment', () => {
  const at = (ms: number, on: 'machine' | 'person') => waitedTooLong({ names, since: in_(-ms) }, on, now);
  expect(at(3_599_999, 'machine')).toBeNull();
  expect(at(3_600_000, 'machine')).toMatchObject({
    ...{
      type: 'userActionRequired',
      message: expect.stringMatching(/^Another order for a certificate for example/),
    },
  });
  expect(at(14_999, 'person')).toBeNull();
  const problem = at(15_000, 'person');
  expect(problem?.message).toContain(
    'A certificate for example.com was ordered in the provider’s portal and is not issued yet, so this order was not sent.',
  );
  expect(problem?.advice).toContain('Finish or cancel that order under Certificates.');
});

test('a refusal says to the MSP what they can do, and the client is not sent it', () => {
  const refusals = [
    ...(['never', 'limit_of_orders', 'limit_of_money'] as const).map((why) => refusalToBuy(why, names)),
    ...[balanceShort(names), notSold()],
    ...(['machine', 'person'] as const).map((on) => waitedTooLong({ names, since: in_(-dayMs) }, on, now)),
  ];
  for (const problem of refusals) {
    if (!problem) throw new Error('nothing was refused');
    expect(problem.advice).not.toBe('');
    expect(problem.advice).not.toMatch(/ask the provider/i);
    expect(JSON.stringify(documentOf(problem))).not.toContain(problem.advice);
  }
});
