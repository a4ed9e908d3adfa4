import { describe, expect, test } from 'vitest';
import type { TopupState } from '#kernel/db/schema.ts';
import {
  amountProblem,
  inOrderOfMoney,
  isCharged,
  type KnownTopup,
  rankOf,
  saysMore,
  stateOf,
  verdictOn,
} from './topups.rules.ts';

const topup: KnownTopup = {
  kind: 'manual',
  cents: 100_00,
  state: 'requested',
  payment_intent: 'pi_1',
  pending_cents: 0,
  reversed_cents: 0,
  fee_cents: 0,
  alarmed_as: null,
};
const payment = {
  id: 'pi_1',
  state: 'succeeded' as
    | 'succeeded'
    | 'processing'
    | 'cancelled'
    | 'requires_action'
    | 'requires_payment_method',
  amountCents: 100_00,
  reversedCents: 0,
  feeCents: null as number | null,
  failure: null as string | null,
};
const on = (known: Partial<KnownTopup>, seen: Partial<typeof payment>) =>
  verdictOn({ ...topup, ...known }, { ...payment, ...seen });
const declined = { state: 'requires_payment_method', failure: 'Declined.' } as const;
const nothing = { kind: 'nothing' };

test('an amount is topped up from $20 to $9,999, both included', () => {
  expect([19_99, 20_00, 9_999_00, 9_999_01].map(amountProblem)).toEqual([
    'Minimum of $20',
    null,
    null,
    'Maximum of $9,999',
  ]);
});

test('"you were not charged" is said of states in which no money moves', () => {
  const states = [
    'requested',
    'requires_action',
    'processing',
    'failed',
    'cancelled',
    'succeeded',
    'reversed',
  ];
  expect(states.filter((state) => isCharged(state as TopupState))).toEqual([
    'processing',
    'succeeded',
    'reversed',
  ]);
});

test('a payment is what the provider says; a first cent that went back makes it reversed', () => {
  expect(stateOf(payment)).toBe('succeeded');
  expect(stateOf({ ...payment, reversedCents: 1 })).toBe('reversed');
  expect(stateOf({ ...payment, state: 'processing' })).toBe('processing');
  expect(stateOf({ ...payment, state: 'cancelled' })).toBe('cancelled');
  expect(stateOf({ ...payment, state: 'requires_action' })).toBe('requires_action');
  expect(stateOf({ ...payment, ...declined })).toBe('failed');
  expect(stateOf({ ...payment, state: 'requires_payment_method' })).toBe('requested');
  expect(rankOf('failed')).toBe(rankOf('cancelled'));
});

describe('money', () => {
  test('that arrives is credited once: the second word changes nothing', () => {
    expect(on({}, {})).toMatchObject({ state: 'succeeded', arrives: { pendingCents: 0 }, isNews: true });
    expect(on({}, {})).toMatchObject({ expectCents: 0, dropCents: 0, pendingCents: 0 });
    expect(on({ state: 'succeeded' }, {})).toMatchObject({ arrives: null, takeBackCents: 0, isNews: false });
  });

  test('in processing is pending, once, and no longer when it arrives or fails', () => {
    expect(on({}, { state: 'processing' })).toMatchObject({ expectCents: 100_00, pendingCents: 100_00 });
    const pending = { state: 'processing', pending_cents: 100_00 } as const;
    expect(on(pending, { state: 'processing' })).toMatchObject({ expectCents: 0, pendingCents: 100_00 });
    expect(on(pending, {})).toMatchObject({
      arrives: { pendingCents: 100_00 },
      pendingCents: 0,
      dropCents: 0,
    });
    expect(on(pending, declined)).toMatchObject({ dropCents: 100_00, pendingCents: 0, arrives: null });
    expect(on(pending, { state: 'cancelled' })).toMatchObject({ dropCents: 100_00, pendingCents: 0 });
  });

  test('that went back before it was seen is credited and taken back', () => {
    expect(on({}, { reversedCents: 100_00 })).toMatchObject({
      state: 'reversed',
      arrives: { pendingCents: 0 },
      takeBackCents: 100_00,
    });
  });

  test('that has not arrived cannot be taken back, whatever is said of it', () => {
    expect(on({}, { state: 'processing', reversedCents: 5 })).toMatchObject({ takeBackCents: 0 });
  });

  test('that goes back in parts is taken back by the difference', () => {
    const partly = { state: 'reversed', reversed_cents: 30_00 } as const;
    expect(on({ state: 'succeeded' }, { reversedCents: 30_00 })).toMatchObject({ takeBackCents: 30_00 });
    expect(on(partly, { reversedCents: 30_00 })).toMatchObject({ takeBackCents: 0, isNews: false });
    expect(on(partly, { reversedCents: 100_00 })).toMatchObject({ takeBackCents: 70_00, isNews: true });
  });

  test('the provider keeps a fee of is credited whole, and the fee is booked with it or as soon as it is known, once', () => {
    expect(on({}, { feeCents: 3_20 })).toMatchObject({ feeCents: 3_20 });
    expect(on({}, {})).toMatchObject({ feeCents: 0 });
    expect(on({ state: 'succeeded' }, { feeCents: 3_20 })).toMatchObject({ feeCents: 3_20, isNews: false });
    const booked = { state: 'succeeded', fee_cents: 3_20 } as const;
    expect(on(booked, { feeCents: 3_20 })).toMatchObject({ feeCents: 0 });
    expect(on(booked, {})).toMatchObject({ feeCents: 0 });
    expect(on({ ...booked, state: 'reversed' }, { feeCents: 3_00 })).toMatchObject({ feeCents: -20 });
    expect(on({ state: 'processing' }, { state: 'processing', feeCents: 80 })).toMatchObject({ feeCents: 0 });
    expect(on({ state: 'processing', fee_cents: 80 }, {})).toMatchObject({ feeCents: 80 });
  });

  test('that is won back in a dispute comes again', () => {
    expect(on({ state: 'reversed', reversed_cents: 100_00 }, {})).toMatchObject({
      state: 'succeeded',
      arrives: null,
      takeBackCents: -100_00,
      isNews: true,
    });
  });
});

describe('a word that comes late', () => {
  test('of a lower rank changes nothing', () => {
    expect(on({ state: 'succeeded' }, { state: 'processing' })).toEqual(nothing);
    expect(on({ state: 'reversed' }, { state: 'processing' })).toEqual(nothing);
    expect(on({ state: 'processing' }, { state: 'requires_action' })).toEqual(nothing);
    expect(on({ state: 'cancelled' }, { state: 'processing' })).toEqual(nothing);
    expect(on({ state: 'succeeded' }, declined)).toEqual(nothing);
  });

  test('a failed payment may be tried again in the same form', () => {
    expect(on({ state: 'failed' }, { state: 'processing' })).toMatchObject({ state: 'processing' });
    expect(on({ state: 'failed' }, { state: 'requires_action' })).toMatchObject({ state: 'requires_action' });
    expect(on({ state: 'failed' }, { state: 'requires_payment_method' })).toEqual(nothing);
    expect(on({ state: 'failed' }, {})).toMatchObject({ state: 'succeeded' });
  });
});

test('an automatic one that wants the person has failed: nobody is there', () => {
  expect(on({ kind: 'auto' }, { state: 'requires_action' })).toMatchObject({ state: 'failed' });
  expect(on({ kind: 'auto', state: 'failed' }, { state: 'requires_action' })).toMatchObject({
    state: 'failed',
    isNews: false,
  });
  expect(on({}, { state: 'requires_action' })).toMatchObject({ state: 'requires_action' });
  for (const state of ['processing', 'succeeded', 'cancelled'] as const) {
    expect(on({ kind: 'auto' }, { state })).toMatchObject({ state });
  }
});

test('another payment under the same top-up is money of its own once somebody has paid it, and nothing before', () => {
  for (const [state, kind] of [
    ['succeeded', 'second'],
    ['processing', 'second'],
    ['requires_action', 'nothing'],
    ['requires_payment_method', 'nothing'],
    ['cancelled', 'nothing'],
  ] as const) {
    expect(on({ state: 'cancelled' }, { id: 'pi_2', state, amountCents: 50_00 })).toEqual({ kind });
  }
  expect(on({}, { id: 'pi_2', reversedCents: 1 })).toEqual({ kind: 'second' });
  expect(on({ payment_intent: null }, { id: 'pi_2' })).toMatchObject({ kind: 'change' });
});

test('a payment says more than is known when its state, its sums or its fee differ, and else nothing', () => {
  const more = (known: Partial<KnownTopup>, seen: Partial<typeof payment>) =>
    saysMore({ ...topup, ...known }, { ...payment, ...seen });
  const credited = { state: 'succeeded', fee_cents: 3_20 } as const;
  expect(more(credited, { feeCents: 3_20 })).toBe(false);
  expect(more(credited, {})).toBe(false);
  expect(more(credited, { feeCents: 3_21 })).toBe(true);
  expect(more(credited, { reversedCents: 1 })).toBe(true);
  expect(more({ state: 'reversed', reversed_cents: 5 }, { reversedCents: 5 })).toBe(false);
  expect(more({ state: 'processing', pending_cents: 100_00 }, { state: 'processing' })).toBe(false);
  expect(more({ state: 'processing', pending_cents: 100_00 }, {})).toBe(true);
  expect(more({ state: 'succeeded' }, { state: 'processing' })).toBe(false);
  expect(more({}, { state: 'requires_payment_method' })).toBe(false);
  // Which payment it is was never written down.
  expect(more({ payment_intent: null }, { state: 'requires_payment_method' })).toBe(true);
  expect(more(credited, { amountCents: 1 })).toBe(true);
  expect(more(credited, { id: 'pi_2' })).toBe(true);
  expect(more(credited, { id: 'pi_2', state: 'cancelled' })).toBe(false);
});

test('another amount moves nothing and is for a person', () => {
  expect(on({}, { amountCents: 100_01 })).toEqual({
    kind: 'alert',
    text: 'pi_1 (succeeded): paid 10001 instead of 10000 cents',
  });
});

test('another amount is told once, and once more when its payment has changed', () => {
  const seen = { amountCents: 100_01, state: 'processing' } as const;
  const told = on({}, seen);
  const alarmed = { alarmed_as: told.kind === 'alert' ? told.text : '' };
  expect(on(alarmed, seen)).toEqual(nothing);
  expect(saysMore({ ...topup, ...alarmed }, { ...payment, ...seen })).toBe(false);
  for (const change of [{ state: 'succeeded' }, { amountCents: 100_02 }] as const) {
    expect(on(alarmed, { ...seen, ...change })).toMatchObject({ kind: 'alert' });
  }
  const back = (reversedCents: number) => on(alarmed, { ...seen, state: 'succeeded', reversedCents });
  expect([back(5), back(6)]).toEqual([
    { kind: 'alert', text: 'pi_1 (reversed): paid 10001 instead of 10000 cents, 5 of them taken back' },
    { kind: 'alert', text: 'pi_1 (reversed): paid 10001 instead of 10000 cents, 6 of them taken back' },
  ]);
  // Of two payments of one top-up neither has the other told again.
  const once = { ...seen, state: 'succeeded', reversedCents: 5 } as const;
  const textOf = (verdict: typeof told) => (verdict.kind === 'alert' ? verdict.text : '');
  const both = { alarmed_as: `${textOf(told)}\n${textOf(on(alarmed, once))}` };
  expect([on(both, seen), on(both, once)]).toEqual([nothing, nothing]);
  // Once it is what it should be, it is money as any other.
  expect(on(alarmed, {})).toMatchObject({ kind: 'change', state: 'succeeded' });
});

test('what arrived goes before what may arrive, and of equals the oldest goes first', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 23, 6, minute));
  const payments = [
    { id: 'newest', state: 'succeeded' as const, createdAt: at(5) },
    { id: 'ended', state: 'cancelled' as const, createdAt: at(0) },
    { id: 'underway', state: 'processing' as const, createdAt: at(1) },
    { id: 'oldest', state: 'succeeded' as const, createdAt: at(2) },
  ];
  expect(inOrderOfMoney(payments).map(({ id }) => id)).toEqual(['oldest', 'newest', 'underway', 'ended']);
  expect(payments[0]?.id).toBe('newest');
});
