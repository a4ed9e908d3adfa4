import { describe, expect, test } from 'vitest';
import {
  afterRefusal,
  conclusionOf,
  dueSpan,
  isDue,
  nextAttempt,
  orderKeyOf,
  stepOf,
  unableChange,
  withoutPrice,
} from './auto-renew.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const at = (ms: number) => new Date(now.getTime() + ms);
const periods = { renewDays: 30, graceDays: 40 };

describe('a domain is due', () => {
  const domain = {
    ...{ auto_renew: true, status: 'active', expires_at: at(30 * dayMs) as Date | null },
    missing_since: null as Date | null,
  };
  const due = (change: Partial<typeof domain>) => isDue({ ...domain, ...change }, now, periods);

  test('from 30 days before its expiry on, not a moment earlier', () => {
    expect(due({})).toBe(true);
    expect(due({ expires_at: at(30 * dayMs + 1) })).toBe(false);
  });

  test('until the 40 days after it in which a renewal is normal have passed', () => {
    expect(due({ status: 'expired', expires_at: at(-40 * dayMs + 1) })).toBe(true);
    expect(due({ status: 'expired', expires_at: at(-40 * dayMs) })).toBe(false);
  });

  test('only with the switch on, a known expiry, and while it is ours', () => {
    expect(due({ auto_renew: false })).toBe(false);
    expect(due({ expires_at: null })).toBe(false);
    expect(due({ status: 'transferring' })).toBe(false);
    expect(due({ status: 'ended' })).toBe(false);
    expect(due({ missing_since: now })).toBe(false);
  });

  test('in the span that the database is asked for', () => {
    expect(dueSpan(now, periods)).toEqual({ after: at(-40 * dayMs), until: at(30 * dayMs) });
  });
});

describe('an intent', () => {
  test('is ordered, concluded, or tried again, by its state', () => {
    const step = (state: 'intended' | 'ordered' | 'done' | 'unable' | 'dropped') =>
      stepOf({ state, next_try_at: null }, now);
    expect(step('intended')).toBe('order');
    expect(step('ordered')).toBe('conclude');
    expect(step('done')).toBe(null);
    expect(step('unable')).toBe('try again');
    expect(step('dropped')).toBe('try again');
  });

  test('that was unable waits for its next try, to the moment', () => {
    expect(stepOf({ state: 'unable', next_try_at: at(1) }, now)).toBe(null);
    expect(stepOf({ state: 'unable', next_try_at: now }, now)).toBe('try again');
  });

  test('gets a new attempt with the price and expiry of now, and so another key', () => {
    const next = nextAttempt({ attempt: 1 }, { priceCents: 1_300, expiresAt: at(dayMs), now });
    expect(next).toEqual({
      state: 'intended',
      attempt: 2,
      price_cents: 1_300,
      expires_at: at(dayMs),
      order_id: null,
      next_try_at: null,
      updated_at: now,
    });
    const keys = [
      { expiry_year: 2026, attempt: 1 },
      { expiry_year: 2026, attempt: 2 },
      { expiry_year: 2027, attempt: 1 },
    ].map((intent) => orderKeyOf('a.com', intent));
    expect(new Set([...keys, orderKeyOf('b.com', { expiry_year: 2026, attempt: 1 })]).size).toBe(4);
  });
});

test('a refused order is waited with, dropped, or left to the next run of the job', () => {
  expect(afterRefusal('insufficient_funds')).toBe('short of funds');
  expect(afterRefusal('registrar_unfunded')).toBe('operator short of funds');
  expect(afterRefusal('price_changed')).toBe('drop and come again');
  expect(afterRefusal('unprocessable')).toBe('drop');
  expect(afterRefusal('not_found')).toBe('drop');
  expect(afterRefusal('upstream_unavailable')).toBe('leave');
  expect(afterRefusal('in_progress')).toBe('leave');
});

describe('without a price', () => {
  const message = 'No price for a.com: closed';
  const told = (code: Parameters<typeof afterRefusal>[0], leftMs: number) =>
    withoutPrice({ code, message }, at(leftMs), now);
  const silent = { kind: 'refused', waitsFor: 'answer', reason: expect.stringContaining('did not say') };

  test('because the registrar refuses one: its people hear of it at once, in its words', () => {
    for (const leftMs of [30 * dayMs, dayMs, -39 * dayMs]) {
      expect(told('unprocessable', leftMs)).toEqual({ kind: 'refused', reason: message });
    }
  });

  test('because the registrar is silent: it is waited for until two days before the expiry, to the moment', () => {
    expect(told('upstream_unavailable', 30 * dayMs)).toBe(null);
    expect(told('upstream_unavailable', 2 * dayMs + 1)).toBe(null);
    expect(told('upstream_unavailable', 2 * dayMs)).toEqual(silent);
    expect(told('upstream_unavailable', -39 * dayMs)).toEqual(silent);
  });

  test('for any other reason: the job comes again', () => {
    expect(told('internal', dayMs)).toBe(null);
    expect(told('in_progress', dayMs)).toBe(null);
  });
});

test('the renewal is concluded when its item has ended', () => {
  expect(conclusionOf(undefined)).toBe(null);
  for (const state of ['queued', 'sending', 'pending', 'unknown', 'review']) {
    expect(conclusionOf({ state, public_error: null })).toBe(null);
  }
  expect(conclusionOf({ state: 'succeeded', public_error: null })).toBe('done');
  expect(conclusionOf({ state: 'declined', public_error: 'No.' })).toEqual({ refused: 'No.' });
  expect(conclusionOf({ state: 'declined', public_error: null })).toEqual({
    refused: 'The registrar refused the renewal.',
  });
});

describe('could not be renewed', () => {
  const change = (before: 'funds' | 'refused' | null, kind: 'funds' | 'refused') =>
    unableChange({ reason_kind: before }, { kind, reason: 'So.' }, now);

  test('for want of money: again in an hour; refused by the registrar: in a day', () => {
    expect(change(null, 'funds')).toMatchObject({ state: 'unable', reason: 'So.', next_try_at: at(hourMs) });
    expect(change(null, 'refused')).toMatchObject({ reason_kind: 'refused', next_try_at: at(dayMs) });
    const unfunded = { kind: 'refused', reason: 'So.', waitsFor: 'funds' } as const;
    expect(unableChange({ reason_kind: null }, unfunded, now)).toMatchObject({
      ...{ reason_kind: 'refused', next_try_at: at(hourMs) },
    });
    const silent = { kind: 'refused', reason: 'So.', waitsFor: 'answer' } as const;
    expect(unableChange({ reason_kind: null }, silent, now)).toMatchObject({
      ...{ reason_kind: 'refused', next_try_at: at(hourMs) },
    });
  });

  test('its people hear of it once, and again when the reason is another', () => {
    expect(change('funds', 'funds')).not.toHaveProperty('told_at');
    expect(change(null, 'funds')).toHaveProperty('told_at', null);
    expect(change('funds', 'refused')).toHaveProperty('told_at', null);
  });
});
