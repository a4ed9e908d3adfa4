import { describe, expect, test, vi } from 'vitest';
import { hurried, payments, providerAnswers } from '../../../../tests/support/payments.ts';
import {
  type Answers,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
} from '../../../../tests/support/screen.tsx';
import { TopUp } from './top-up.tsx';

/** What goes on around a payment: while its money is awaited, once it is not to be seen, and where its form does not come. */

const before = { balance: 1_000, pendingBalance: 0, held: 0, spendable: 1_000 };
const started = { intentSecret: 'secret of the payment', topupId: uuid(41), amount: 100_00 };
const start = 'POST /account/topupv2';
const cancel = 'POST /account/topup/:id/cancel';
const looks = 'GET /account/balancev2';
const paid = async () => ({ paymentIntent: { status: 'succeeded' } });
const button = (name: string) => screen.getByRole('button', { name });

async function openForm(answers: Answers = {}, { initial = false } = {}) {
  const [onPaid, onUnseen] = [vi.fn(), vi.fn()];
  const there = await openScreen(
    () => <TopUp initial={initial} onPaid={onPaid} {...(initial ? {} : { onUnseen })} />,
    { answers: { [looks]: before, [start]: started, ...answers }, config: { payments } },
  );
  await there.user.click(button('Top up now'));
  return { ...there, onPaid, onUnseen, pay: () => there.user.click(button('Pay')) };
}

test('while the money of a payment is awaited that is said, and no other top-up is begun', async () => {
  hurried();
  providerAnswers([paid]);
  const there = await openForm();
  const held = new Held();
  there.answer(looks, held);
  await there.pay();
  expect(screen.getByRole('status').textContent).toBe('Waiting for your payment to arrive...');
  expect(button('Top up now')).toHaveProperty('disabled', true);
  expect(there.onPaid).not.toHaveBeenCalled();
  held.give({ ...before, balance: 101_00, spendable: 101_00 });
  await there.settled();
  expect(screen.getByRole('status').textContent).toBe('Your balance has been topped up.');
  expect(button('Top up now')).toHaveProperty('disabled', false);
});

describe('a payment that is not to be seen after all looks', () => {
  test('is no longer told beside the balance once another top-up is begun', async () => {
    hurried();
    providerAnswers([paid]);
    const there = await openForm();
    await there.pay();
    expect(there.onUnseen).toHaveBeenLastCalledWith(started.amount);
    await there.user.click(button('Top up now'));
    expect(there.onUnseen).toHaveBeenLastCalledWith(0);
    expect(screen.queryByText(/is being processed/)).toBeNull();
  });

  test.each([
    ['there', { balance: 101_00 }, 'Your balance has been topped up.'],
    [
      'on its way',
      { pendingBalance: 100_00 },
      'Your payment of $100.00 is being processed. Please refresh later.',
    ],
  ])('is told once: no longer beside the balance when the balance has it %s', async (_what, now, told) => {
    hurried();
    providerAnswers([paid]);
    const there = await openForm({}, { initial: true });
    await there.pay();
    expect(button('$100.00 pending')).toBeDefined();
    there.answer(looks, { ...before, ...now });
    // As when the network is back, or the window is looked at again.
    window.dispatchEvent(new Event('visibilitychange'));
    await there.settled();
    expect(screen.queryAllByRole('button', { name: '$100.00 pending' })).toHaveLength(
      'pendingBalance' in now ? 1 : 0,
    );
    expect(screen.getByRole('status').textContent).toBe(told);
  });

  test('is told beside the balance where the account is opened, until the balance is refreshed', async () => {
    hurried();
    providerAnswers([paid]);
    const there = await openForm({}, { initial: true });
    expect(screen.queryByRole('button', { name: /pending$/ })).toBeNull();
    await there.pay();
    expect(button('$100.00 pending')).toBeDefined();
    expect(there.onPaid).toHaveBeenCalledTimes(1);
    const looked = there.sent(looks).length;
    await there.user.click(button('Refresh balance'));
    expect(screen.queryByRole('button', { name: /pending$/ })).toBeNull();
    expect(there.sent(looks)).toHaveLength(looked + 1);
  });
});

test.each([
  ['no answer', silence],
  ['a refusal', refused(404, 'not_found')],
])('another amount can be chosen although giving up the first payment met %s', async (_what, answer) => {
  providerAnswers([paid]);
  const there = await openForm({ [cancel]: answer });
  await there.user.click(button('Change amount'));
  expect(there.sent(cancel)).toHaveLength(1);
  expect(button('Top up now')).toHaveProperty('disabled', false);
  // The balance shows it if it was taken: nobody is told of a failure.
  expect(screen.queryByRole('alert')).toBeNull();
});
