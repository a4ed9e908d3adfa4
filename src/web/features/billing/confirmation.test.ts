import type { PaymentIntent, StripeError } from '@stripe/stripe-js';
import { describe, expect, test } from 'vitest';
import { afterCancelling, type Confirmation, confirmationOf, confirmWithRetries } from './confirmation.ts';

const failed: Confirmation = { kind: 'failed' };
const paid: Confirmation = { kind: 'paid', processing: false };

/** Runs through the given outcomes; returns the last one, how often was asked, and the pauses. */
async function run(outcomes: Confirmation[]) {
  const pauses: number[] = [];
  let asked = 0;
  const outcome = await confirmWithRetries(
    async () => outcomes[asked++] ?? failed,
    async (ms) => pauses.push(ms),
  );
  return { outcome, asked, pauses };
}

describe('confirming a payment (P2 §4)', () => {
  test('what fails is asked three times in all, after 1 s and 3 s', async () => {
    expect(await run([failed, failed, failed])).toEqual({
      outcome: failed,
      asked: 3,
      pauses: [1_000, 3_000],
    });
    expect(await run([failed, failed, paid])).toEqual({ outcome: paid, asked: 3, pauses: [1_000, 3_000] });
  });

  test.each<Confirmation>([paid, { kind: 'invalid' }, { kind: 'declined', message: 'no' }])(
    '$kind is an answer and ends it',
    async (outcome) => {
      expect(await run([outcome])).toEqual({ outcome, asked: 1, pauses: [] });
    },
  );
});

describe('the reply of the provider', () => {
  const intent = (status: string) => ({ status }) as PaymentIntent;
  const error = (type: string, more: object = {}) => ({ type, message: 'text', ...more }) as StripeError;

  test.each<[string, Parameters<typeof confirmationOf>[0], Confirmation]>([
    ['success', { paymentIntent: intent('succeeded') }, paid],
    ['a bank payment', { paymentIntent: intent('processing') }, { kind: 'paid', processing: true }],
    ['a declined card', { error: error('card_error') }, { kind: 'declined', message: 'text' }],
    [
      'an authentication that failed',
      { error: error('invalid_request_error', { code: 'payment_intent_authentication_failure' }) },
      { kind: 'declined', message: 'text' },
    ],
    ['a field left out', { error: error('validation_error') }, { kind: 'invalid' }],
    ['no connection', { error: error('api_connection_error') }, failed],
    [
      'a repeat of what went through before',
      { error: error('invalid_request_error', { payment_intent: intent('succeeded') }) },
      paid,
    ],
  ])('%s', (_, reply, expected) => {
    expect(confirmationOf(reply)).toEqual(expected);
  });

  test('a bank account that is to be confirmed first is no success', () => {
    expect(confirmationOf({ paymentIntent: intent('requires_action') }).kind).toBe('declined');
  });
});

test('"You were not charged" is said only of a payment that was read again and was not taken', () => {
  expect(afterCancelling({ charged: false, state: 'cancelled' })).toEqual({ kind: 'not charged' });
  expect(afterCancelling({ charged: true, state: 'succeeded' })).toEqual({ kind: 'paid', processing: false });
  expect(afterCancelling({ charged: true, state: 'processing' })).toEqual({ kind: 'paid', processing: true });
  expect(afterCancelling(null)).toEqual({ kind: 'unknown' });
});
