import { describe, expect, test } from 'vitest';
import { isMade, nextRefund, obstacleIn, refundStep } from './refunds.rules.ts';

const wanted = { state: 'wanted', cents: 0 };
const sent = { state: 'sending', cents: 1_300 };
const charged = { price_cents: 1_200, markup_cents: 500 };
const open = { cents: 5_000, refunded_cents: 0, disputed_cents: 0, payment_intent: 'pi_1', attempt: 2 };
const paid = { ...open, state: 'succeeded' as const };

describe('a refund of what came to nothing', () => {
  test('of a paid charge is sent, price and markup', () => {
    expect(refundStep(wanted, charged, paid, null)).toEqual({ do: 'send', cents: 1_700 });
  });

  test('gives back no more than is left of the charge, and nothing when nothing is left', () => {
    const left = (cents: number) =>
      refundStep(wanted, charged, { ...paid, refunded_cents: 5_000 - cents }, null);
    expect(left(1_700)).toMatchObject({ do: 'send', cents: 1_700 });
    expect(left(1_699)).toMatchObject({ do: 'send', cents: 1_699 });
    expect(left(1)).toMatchObject({ do: 'send', cents: 1 });
    expect(left(0)).toEqual({ do: 'end', state: 'done' });
  });

  test('of a payment that was disputed is a person’s: who wins decides whether the customer has it', () => {
    const disputed = { ...paid, refunded_cents: 5_000, disputed_cents: 5_000 };
    expect(refundStep(wanted, charged, disputed, null)).toEqual({
      ...{ do: 'hand over', cents: 1_700 },
      why: expect.stringContaining('The customer disputed this payment'),
    });
    // One that was sent before is looked for first.
    expect(refundStep(sent, charged, disputed, null)).toEqual({ do: 'send', cents: 1_300 });
  });

  test('that was sent before asks for the same sum again, whatever has gone back since', () => {
    expect(refundStep(sent, charged, { ...paid, refunded_cents: 5_000 }, null)).toEqual({
      do: 'send',
      cents: 1_300,
    });
  });

  test('leaves a charge of which nothing was taken', () => {
    const takeOut = { do: 'take out', cents: 1_700 };
    expect(refundStep(wanted, charged, { ...open, state: 'collecting' }, null)).toEqual(takeOut);
    expect(refundStep(wanted, charged, { ...open, state: 'failed', payment_intent: null }, null)).toEqual(
      takeOut,
    );
  });

  describe('of a charge that failed and has a payment', () => {
    const failed = { ...open, state: 'failed' as const };
    const seen = { paymentId: 'pi_1', attempt: 2, obstacle: null };
    const step = (found: Parameters<typeof refundStep>[3]) => refundStep(wanted, charged, failed, found);

    test('begins with a look at that payment, as it is after the last try', () => {
      expect(step(null)).toEqual({ do: 'look' });
      expect(step({ ...seen, attempt: 1 })).toEqual({ do: 'look' });
      expect(step({ ...seen, paymentId: 'pi_0' })).toEqual({ do: 'look' });
    });

    test('leaves the charge when nothing was taken, and is a person’s when something may have been', () => {
      expect(step(seen)).toEqual({ do: 'take out', cents: 1_700 });
      expect(step({ ...seen, obstacle: 'So.' })).toEqual({ do: 'hand over', cents: 1_700, why: 'So.' });
    });
  });

  test('finds money in a payment that is made or under way, until all of it went back', () => {
    const payment = { amountCents: 1_700, reversedCents: 0 };
    for (const state of ['succeeded', 'processing'] as const) {
      expect(obstacleIn({ ...payment, state })).toContain('another amount');
      expect(obstacleIn({ ...payment, state, reversedCents: 1_699 })).toContain('another amount');
      expect(obstacleIn({ ...payment, state, reversedCents: 1_700 })).toBe(null);
      expect(isMade({ ...payment, state })).toBe(true);
    }
    for (const state of ['requires_payment_method', 'requires_action', 'cancelled'] as const) {
      expect(obstacleIn({ ...payment, state })).toBe(null);
      expect(isMade({ ...payment, state })).toBe(false);
    }
    expect([obstacleIn(null), isMade(null)]).toEqual([null, false]);
  });

  test('waits for a charge that is under way', () => {
    for (const state of ['sending', 'processing'] as const) {
      expect(refundStep(wanted, charged, { ...paid, state }, null)).toEqual({ do: 'wait', cents: 1_700 });
    }
  });

  test('of what was never charged, or given up, has nothing to give back', () => {
    expect(refundStep(wanted, undefined, undefined, null)).toEqual({ do: 'end', state: 'none' });
    expect(refundStep(wanted, undefined, paid, null)).toEqual({ do: 'end', state: 'none' });
    expect(refundStep(wanted, charged, undefined, null)).toEqual({ do: 'end', state: 'none' });
    expect(refundStep(wanted, charged, { ...paid, state: 'waived' }, null)).toEqual({
      do: 'end',
      state: 'none',
    });
  });

  test("that has ended, or is a person's, is left alone", () => {
    for (const state of ['done', 'failed', 'none']) {
      expect(refundStep({ state, cents: 1_700 }, charged, paid, null)).toEqual({ do: 'nothing' });
    }
    expect(refundStep(undefined, charged, paid, null)).toEqual({ do: 'nothing' });
  });
});

describe('before a refund is sent, what has gone back by now', () => {
  const went = (itemId: string | null, amountCents: number, returned = false) => ({
    ...{ id: `re_${itemId}_${amountCents}`, itemId, amountCents, returned, failure: null },
  });

  test.each([
    ['is nothing', [], { do: 'send' }],
    ['is for another item of ours', [went('two', 10_00)], { do: 'send' }],
    ['came back since', [went(null, 10_00, true)], { do: 'send' }],
    ['is this refund', [went(null, 5_00), went('one', 10_00)], { do: 'done', refundId: 're_one_1000' }],
    ['is a cent of the MSP’s own', [went(null, 1)], { do: 'hand over' }],
    ['is as much as the item was, by the MSP', [went(null, 10_00)], { do: 'hand over' }],
    ['is all but a cent', [went('two', 10_00), went(null, 13_99)], { do: 'hand over' }],
    ['is all', [went('two', 10_00), went(null, 14_00)], { do: 'done', refundId: null }],
    ['was all, and part came back', [went(null, 14_00), went(null, 10_00, true)], { do: 'hand over' }],
  ])('%s', (_what, refunds, expected) => {
    expect(nextRefund('one', 24_00, refunds)).toEqual(expected);
  });
});
