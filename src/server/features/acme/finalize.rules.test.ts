import { describe, expect, test } from 'vitest';
import {
  balanceShort,
  csrMismatch,
  decide,
  endOf,
  type KnownCertificate,
  leastTermMs,
  lookAgainMs,
  refusalToBuy,
  retryAfterSeconds,
  waitedTooLong,
} from './finalize.rules.ts';
import { AcmeProblem } from './problems.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const in_ = (ms: number) => new Date(now.getTime() + ms);
const dayMs = 86_400_000;
const names = ['example.com'];
const certificate = (change: Partial<KnownCertificate> = {}): KnownCertificate => ({
  ...{ id: 'c', state: 'completed', hostNames: ['example.com', 'www.example.com'], reissuing: false },
  ...{ validTo: in_(60 * dayMs), termEndsAt: in_(200 * dayMs) },
  ...change,
});
const decision = (certificates: KnownCertificate[], buying = false) =>
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

  test('a reissue that goes on, or a purchase of the same name, is waited for', () => {
    expect(decision([certificate({ reissuing: true })])).toEqual({ kind: 'wait' });
    expect(decision([], true)).toEqual({ kind: 'wait' });
    for (const state of ['pending', 'awaiting-approval', 'approver-confirmed', 'in-progress']) {
      expect(decision([certificate({ state, hostNames: [] })])).toEqual({ kind: 'wait' });
    }
  });

  test('a paid term is used though something else of the name is being bought', () => {
    expect(decision([certificate()], true)).toEqual({ kind: 'reissue', certificateId: 'c' });
  });

  test('a term that is about to end is replaced, and only what is left of it is used when nothing can be bought', () => {
    const ending = (ms: number, validTo = in_(dayMs)) => certificate({ termEndsAt: in_(ms), validTo });
    expect(decision([ending(leastTermMs + 1)])).toEqual({ kind: 'reissue', certificateId: 'c' });
    expect(decision([ending(leastTermMs)])).toEqual({ kind: 'buy', otherwise: 'c' });
    expect(decision([ending(0)])).toEqual({ kind: 'buy', otherwise: null });
    // The next one would end with this one.
    expect(decision([ending(leastTermMs, in_(leastTermMs - dayMs))])).toEqual({
      kind: 'buy',
      otherwise: null,
    });
    expect(decision([ending(leastTermMs, in_(leastTermMs - dayMs - 1))])).toEqual({
      kind: 'buy',
      otherwise: 'c',
    });
  });

  test('other names, or none: a purchase', () => {
    expect(decision([])).toEqual({ kind: 'buy', otherwise: null });
    expect(decision([certificate({ hostNames: ['*.example.com', 'example.com'] })])).toEqual({
      ...{ kind: 'buy', otherwise: null },
    });
    expect(decision([certificate({ termEndsAt: null })])).toEqual({ kind: 'buy', otherwise: null });
  });
});

describe('the end of an order', () => {
  const item = { of: 'item' as const, state: 'succeeded', error: null, certificate: null, issued: false };
  test('only what is issued is issued', () => {
    expect(endOf({ ...item, issued: true })).toBe('issued');
    expect(endOf({ of: 'reissue', state: 'completed', remark: null, issued: true })).toBe('issued');
    expect(endOf({ of: 'reissue', state: 'completed', remark: null, issued: false })).toBe('open');
  });

  test('what nobody knows stays open', () => {
    for (const state of ['queued', 'sending', 'unknown', 'pending', 'review'])
      expect(endOf({ ...item, state })).toBe('open');
    for (const state of ['sending', 'unknown', 'running']) {
      expect(endOf({ of: 'reissue', state, remark: null, issued: false })).toBe('open');
    }
    for (const state of ['awaiting-approval', 'in-progress', 'completed']) {
      expect(endOf({ ...item, certificate: { state, remark: null } })).toBe('open');
    }
  });

  test('a refusal is told with its reason', () => {
    const refused = [
      endOf({ ...item, state: 'declined', error: 'The authority said no.' }),
      endOf({ ...item, certificate: { state: 'declined', remark: 'The authority said no.' } }),
      endOf({ ...item, certificate: { state: 'cancelled', remark: 'The authority said no' } }),
      endOf({ of: 'reissue', state: 'declined', remark: 'The authority said no.', issued: false }),
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
  expect(csrMismatch(['a.com', 'b.com'], ['a.com'])?.message).toContain('b.com is missing');
  expect(csrMismatch(['a.com'], ['a.com', 'c.com'])?.message).toContain('c.com is not in the order');
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

test('an order waits for another one of its name for an hour, to the moment', () => {
  const at = (ms: number) => waitedTooLong({ names, createdAt: in_(-ms) }, now);
  expect(at(3_599_999)).toBeNull();
  expect(at(3_600_000)).toMatchObject({ type: 'userActionRequired' });
});
