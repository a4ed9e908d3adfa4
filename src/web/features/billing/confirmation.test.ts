import type { PaymentIntent, StripeError } from '@stripe/stripe-js';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../lib/api-error.ts';
import { type Confirmation, confirmationOf, confirmWithRetries, endOf } from './confirmation.ts';

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

describe('a payment that had no answer', () => {
  const topup = (state: 'cancelled' | 'succeeded' | 'processing', charged: boolean) => async () => ({
    topupId: 'of the payment',
    amount: 100_00,
    state,
    charged,
  });
  const silent = () => Promise.reject(new Error('no answer'));
  const said = (status: number) => () =>
    Promise.reject(new ApiError('No.', { code: status < 500 ? 'not_found' : 'internal', status }));

  async function ask(answers: (() => ReturnType<Parameters<typeof endOf>[0]>)[], goesOn = () => true) {
    const pauses: number[] = [];
    let silences = 0;
    const left = [...answers];
    const end = await endOf(
      () => (left.shift() ?? silent)(),
      async (ms) => {
        if (pauses.push(ms) > 9) throw new Error('It is asked about for ever.');
      },
      () => {
        silences += 1;
        return goesOn();
      },
    );
    return { end, pauses, silences };
  }

  test.each([
    ['cancelled', false, { kind: 'not charged' }],
    ['succeeded', true, { kind: 'paid', processing: false }],
    ['processing', true, { kind: 'paid', processing: true }],
  ] as const)('is told as it was read afterwards: %s', async (state, charged, end) => {
    expect(await ask([topup(state, charged)])).toEqual({ end, pauses: [], silences: 0 });
  });

  test('is asked about until there is an answer, each time after a pause', async () => {
    const answers = [silent, said(503), said(500), topup('succeeded', true)];
    expect(await ask(answers)).toEqual({
      ...{ end: { kind: 'paid', processing: false }, silences: 3 },
      pauses: [5_000, 5_000, 5_000],
    });
  });

  test('is asked about no more where nobody waits, or where the answer is a no', async () => {
    expect(await ask([silent], () => false)).toMatchObject({ end: { kind: 'unknown' }, pauses: [] });
    expect(await ask([said(404)])).toEqual({ end: { kind: 'unknown' }, pauses: [], silences: 0 });
  });
});
