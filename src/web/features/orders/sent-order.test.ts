import { describe, expect, test } from 'vitest';
import { errorTable } from '#contracts/errors.ts';
import { purchase } from '#contracts/operations/orders.ts';
import { answeredWithinMs } from '#contracts/values/answer-times.ts';
import { ApiError } from '../../lib/api-error.ts';
import { afterEarlier, isNotPlaced, meaningOf } from './sent-order.ts';

const minuteMs = 60_000;
const noon = Date.parse('2026-11-22T12:00:00Z');

describe('an answer about a sent order', () => {
  const meaning = (state: 'absent' | 'running' | 'done', sentAgoMs: number, askedForMs: number) =>
    meaningOf({ state }, { atMs: noon - sentAgoMs }, { sinceMs: noon, nowMs: noon + askedForMs });

  test.each([0, 30 * 24 * 60 * minuteMs])(
    'is the result whenever it was sent, and waited for until then',
    (agoMs) => {
      expect(meaning('done', agoMs, 0)).toBe('result');
      expect(meaning('running', agoMs, 60 * minuteMs)).toBe('wait');
    },
  );

  test('says that it has not arrived after half a minute, and only to who still waits for it', () => {
    expect(meaning('absent', 2 * minuteMs, 30_000)).toBe('wait');
    expect(meaning('absent', 2 * minuteMs, 30_001)).toBe('not arrived');
    expect(meaning('absent', 10 * minuteMs - 1, 30_001)).toBe('not arrived');
    expect(meaning('absent', 10 * minuteMs, 0)).toBe('forgotten');
  });

  test('does not say so while the server may still be looking at what was sent: it writes an order down after its prices', () => {
    expect(meaning('absent', 0, answeredWithinMs.write)).toBe('wait');
    expect(meaning('absent', 0, answeredWithinMs.write + 1)).toBe('not arrived');
    expect(meaning('absent', 50_000, answeredWithinMs.write - 50_000)).toBe('wait');
    expect(meaning('absent', 50_000, answeredWithinMs.write - 49_999)).toBe('not arrived');
  });

  test('is not waited for once the person was told', () => {
    expect(meaningOf({ state: 'absent' }, { atMs: 0 }, { sinceMs: noon, nowMs: noon })).toBe('forgotten');
  });
});

test('another order follows an earlier one that has not arrived, and none of which nobody knows', () => {
  const after = (state: 'absent' | 'running' | 'done' | null, sentAgoMs: number) =>
    afterEarlier(state ? { state } : undefined, { atMs: noon - sentAgoMs }, noon);
  expect(after('absent', 10 * minuteMs)).toBe('order');
  expect(after('absent', 10 * minuteMs - 1)).toBe('say that it is open');
  expect(after('running', 60 * minuteMs)).toBe('say that it is open');
  expect(after('done', 60 * minuteMs)).toBe('show its result');
  expect(after(null, 60 * minuteMs)).toBe('say that nobody knows');
});

describe('there is no order for certain', () => {
  const error = (code: ApiError['code']) =>
    new ApiError('No', { code, status: code in errorTable ? errorTable[code as 'not_found'].status : 0 });
  const [first, again] = [{}, { again: true as const }];

  test.each(['offline', 'unauthenticated', 'rate_limited', 'forbidden', 'fresh_sign_in_required'] as const)(
    'of a first try that met %s, and not of a repeat: the first one may have been taken',
    (code) => {
      expect(isNotPlaced(error(code), first)).toBe(true);
      expect(isNotPlaced(error(code), again)).toBe(false);
    },
  );

  test.each(['network', 'timeout', 'internal', 'in_progress'] as const)('of no try that met %s', (code) => {
    expect([isNotPlaced(error(code), first), isNotPlaced(error(code), again)]).toEqual([false, false]);
  });

  test('of either, when the order itself was refused: with whatever the operation names, except a key that has an order', () => {
    const decided = purchase.errors.filter((code) => isNotPlaced(error(code), first));
    expect(decided).toContain('insufficient_funds');
    const open = decided.filter((code) => !isNotPlaced(error(code), again));
    expect(open).toEqual(['idempotency_key_reused']);
  });
});
