import { expect, test, vi } from 'vitest';
import { type Payment, PaymentRefused } from '../../ports/payments.ts';
import type { Charge } from './charges.repo.ts';
import { lookAtPayment } from './refund-intents.ts';

/** What is learnt of a failed charge before an item leaves it; the provider is a stand-in here. */

const charge = { payment_intent: 'pi_1', attempt: 3 } as Charge;
const payment = { state: 'succeeded', amountCents: 33_20, reversedCents: 0 } as Payment;

function look(connectedPayment: () => Promise<Payment | null>, accountId: string | null = 'acct_1') {
  const refreshPayment = vi.fn(async () => null);
  const asked = vi.fn(connectedPayment);
  const seen = lookAtPayment(
    { payments: { connectedPayment: asked }, refreshPayment },
    { charge, accountId },
  );
  return { asked, refreshPayment, seen };
}
const of = { paymentId: 'pi_1', attempt: 3 };

test('a payment that was declined, or is not there, is no obstacle, and the charge stays as it is', async () => {
  for (const found of [null, { ...payment, state: 'requires_payment_method' as const }]) {
    const { asked, refreshPayment, seen } = look(async () => found);
    expect(await seen).toEqual({ ...of, obstacle: null });
    expect(asked).toHaveBeenCalledWith('acct_1', 'pi_1');
    expect(refreshPayment).not.toHaveBeenCalled();
  }
});

test('a payment that is made is written into the charge, and is an obstacle until all of it went back', async () => {
  const made = look(async () => payment);
  expect(await made.seen).toEqual({ ...of, obstacle: expect.stringContaining('another amount') });
  expect(made.refreshPayment).toHaveBeenCalledWith('acct_1', 'pi_1');
  const back = look(async () => ({ ...payment, reversedCents: 33_20 }));
  expect(await back.seen).toEqual({ ...of, obstacle: null });
  expect(back.refreshPayment).toHaveBeenCalledTimes(1);
});

test('without the account nobody can say that nothing was taken: that is an obstacle, in words', async () => {
  const none = look(async () => payment, null);
  expect(await none.seen).toEqual({ ...of, obstacle: expect.stringContaining('not ready') });
  expect(none.asked).not.toHaveBeenCalled();
  const unknown = look(() => Promise.reject(new PaymentRefused('It does not know this account any more.')));
  expect(await unknown.seen).toEqual({ ...of, obstacle: 'It does not know this account any more.' });
});

test('a provider that does not answer is asked again later', async () => {
  await expect(look(() => Promise.reject(new Error('no answer'))).seen).rejects.toThrow('no answer');
});
