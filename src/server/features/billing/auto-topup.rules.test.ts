import { describe, expect, test } from 'vitest';
import {
  afterDecline,
  chargeableBy,
  countedSince,
  isBelowMark,
  isDeclined,
  limitPause,
  outcomeOf,
  wantsPerson,
} from './auto-topup.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const dayMs = 86_400_000;
const at = (ms: number) => new Date(now.getTime() + ms);
const profile = {
  auto_topup: true,
  auto_topup_mark_cents: 50_00,
  auto_topup_paused_until: null as Date | null,
  auto_topup_declines: 0,
  payment_customer_id: 'cus' as string | null,
  payment_method_id: 'pm' as string | null,
};

describe('there is something to charge', () => {
  const by = (change: Partial<typeof profile>) => chargeableBy({ ...profile, ...change }, now);

  test('with auto balance on and a stored method, and not otherwise', () => {
    expect(by({})).toEqual({ customer: 'cus', paymentMethod: 'pm' });
    expect(by({ auto_topup: false })).toBe(null);
    expect(by({ payment_customer_id: null })).toBe(null);
    expect(by({ payment_method_id: null })).toBe(null);
  });

  test('not while it pauses, to the moment', () => {
    expect(by({ auto_topup_paused_until: at(1) })).toBe(null);
    expect(by({ auto_topup_paused_until: now })).not.toBe(null);
  });
});

test('below the mark it tops up; at the mark it does not', () => {
  expect(isBelowMark(profile, 49_99)).toBe(true);
  expect(isBelowMark(profile, 50_00)).toBe(false);
});

test('three a day; the fourth pauses for a day, and its people hear of it', () => {
  expect(countedSince(now)).toEqual(at(-dayMs));
  expect(limitPause(2, now)).toBe(null);
  expect(limitPause(3, now)).toMatchObject({ until: at(dayMs) });
});

test('a charge is refused when the provider wants another method, the person, or will not take it at all', () => {
  const states = [
    'requires_payment_method',
    'requires_action',
    'processing',
    'succeeded',
    'cancelled',
  ] as const;
  expect(states.filter((state) => isDeclined({ state }))).toEqual([
    'requires_payment_method',
    'requires_action',
  ]);
  expect(isDeclined(null)).toBe(true);
});

describe('after a refusal', () => {
  const refusal = (declines: number, wanted = false) =>
    afterDecline({ auto_topup_declines: declines }, { wantsPerson: wanted }, now);

  test('the first pauses for a day', () => {
    expect(refusal(0)).toMatchObject({
      declines: 1,
      enabled: true,
      pausedUntil: at(dayMs),
      news: 'declined',
    });
  });

  test('the second turns auto balance off, and so does a bank that wants the person', () => {
    expect(refusal(1)).toMatchObject({
      declines: 2,
      enabled: false,
      news: 'off',
    });
    expect(refusal(0, true)).toMatchObject({ enabled: false, news: 'off' });
  });

  test('the bank wants the person by a state or by a code', () => {
    const declined = { state: 'requires_payment_method' } as const;
    expect(wantsPerson({ state: 'requires_action', failureCode: null })).toBe(true);
    expect(wantsPerson({ ...declined, failureCode: 'authentication_required' })).toBe(true);
    expect(wantsPerson({ ...declined, failureCode: 'card_declined' })).toBe(false);
    expect(wantsPerson(null)).toBe(false);
  });
});

describe('what an automatic top-up has come to', () => {
  type Given = Parameters<typeof outcomeOf>;
  const outcome = (kind: Given[0], before: Given[1], after: Given[2], takeBackCents = 0) =>
    outcomeOf(kind, before, after, takeBackCents);

  test('is a reversal when money of it goes back, from the first cent, whatever went back before', () => {
    expect(outcome('auto', 'succeeded', 'reversed', 100_00)).toBe('reversed');
    expect(outcome('auto', 'succeeded', 'reversed', 1)).toBe('reversed');
    expect(outcome('auto', 'reversed', 'reversed', 1)).toBe('reversed');
    // Its arrival was missed.
    expect(outcome('auto', 'processing', 'reversed', 100_00)).toBe('reversed');
    expect(outcome('auto', 'reversed', 'reversed', 0)).toBe(null);
    expect(outcome('auto', 'reversed', 'succeeded', -100_00)).toBe(null);
  });

  test('is a decline when it fails, at once or after days in which the bank had taken it on, and only then', () => {
    expect(outcome('auto', 'requested', 'failed')).toBe('declined');
    expect(outcome('auto', 'processing', 'failed')).toBe('declined');
    expect(outcome('auto', 'failed', 'failed')).toBe(null);
    expect(outcome('auto', 'processing', 'cancelled')).toBe(null);
    expect(outcome('auto', 'cancelled', 'failed')).toBe(null);
  });

  test('makes up for declines when it has arrived, not while the bank only works on it', () => {
    expect(outcome('auto', 'requested', 'processing')).toBe(null);
    expect(outcome('auto', 'processing', 'succeeded')).toBe('arrived');
    expect(outcome('auto', 'requested', 'succeeded')).toBe('arrived');
    expect(outcome('auto', 'succeeded', 'succeeded')).toBe(null);
    expect(outcome('auto', 'reversed', 'succeeded')).toBe(null);
  });

  test('is nothing to auto balance where a person pays', () => {
    expect(outcome('manual', 'processing', 'failed')).toBe(null);
    expect(outcome('initial', 'requested', 'succeeded')).toBe(null);
    expect(outcome('manual', 'succeeded', 'reversed', 100_00)).toBe(null);
  });
});
