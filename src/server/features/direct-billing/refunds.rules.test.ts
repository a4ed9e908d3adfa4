import { describe, expect, test } from 'vitest';
import { refundStep } from './refunds.rules.ts';

const wanted = { state: 'wanted', cents: 0 };
const sent = { state: 'sending', cents: 1_300 };
const charged = { price_cents: 1_200, markup_cents: 500 };
const paid = { state: 'succeeded' as const, cents: 5_000, refunded_cents: 0 };

describe('a refund of what came to nothing', () => {
  test('of a paid charge is sent, price and markup', () => {
    expect(refundStep(wanted, charged, paid)).toEqual({ do: 'send', cents: 1_700, sentBefore: false });
  });

  test('gives back no more than is left of the charge, and nothing when nothing is left', () => {
    const left = (cents: number) => refundStep(wanted, charged, { ...paid, refunded_cents: 5_000 - cents });
    expect(left(1_700)).toMatchObject({ do: 'send', cents: 1_700 });
    expect(left(1_699)).toMatchObject({ do: 'send', cents: 1_699 });
    expect(left(1)).toMatchObject({ do: 'send', cents: 1 });
    expect(left(0)).toEqual({ do: 'end', state: 'done' });
  });

  test('that was sent before asks for the same sum again, whatever has gone back since', () => {
    expect(refundStep(sent, charged, { ...paid, refunded_cents: 5_000 })).toEqual({
      do: 'send',
      cents: 1_300,
      sentBefore: true,
    });
  });

  test('leaves a charge of which nothing was taken', () => {
    for (const state of ['collecting', 'failed'] as const) {
      expect(refundStep(wanted, charged, { ...paid, state })).toEqual({ do: 'take out', cents: 1_700 });
    }
  });

  test('waits for a charge that is under way', () => {
    for (const state of ['sending', 'processing'] as const) {
      expect(refundStep(wanted, charged, { ...paid, state })).toEqual({ do: 'wait', cents: 1_700 });
    }
  });

  test('of what was never charged, or given up, has nothing to give back', () => {
    expect(refundStep(wanted, undefined, undefined)).toEqual({ do: 'end', state: 'none' });
    expect(refundStep(wanted, undefined, paid)).toEqual({ do: 'end', state: 'none' });
    expect(refundStep(wanted, charged, undefined)).toEqual({ do: 'end', state: 'none' });
    expect(refundStep(wanted, charged, { ...paid, state: 'waived' })).toEqual({ do: 'end', state: 'none' });
  });

  test("that has ended, or is a person's, is left alone", () => {
    for (const state of ['done', 'failed', 'none']) {
      expect(refundStep({ state, cents: 1_700 }, charged, paid)).toEqual({ do: 'nothing' });
    }
    expect(refundStep(undefined, charged, paid)).toEqual({ do: 'nothing' });
  });
});
