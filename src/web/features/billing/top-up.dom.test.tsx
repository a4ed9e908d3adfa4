import { waitFor } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { hurried, payments, providerAnswers } from '../../../../tests/support/payments.ts';
import {
  type Answers,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
} from '../../../../tests/support/screen.tsx';
import { TopUp } from './top-up.tsx';

const balanceOf = (balance: number, pendingBalance = 0) => ({
  ...{ balance, pendingBalance, held: 0, spendable: balance + pendingBalance },
});
const before = balanceOf(1_000);
const started = { intentSecret: 'secret of the payment', topupId: uuid(41), amount: 200_00 };
const start = 'POST /account/topupv2';
const cancel = 'POST /account/topup/:id/cancel';
const looks = 'GET /account/balancev2';
const topUpOf = (state: string, charged: boolean) => ({
  ...{ topupId: started.topupId, amount: started.amount, state, charged },
});

const button = (name: string) => screen.getByRole('button', { name });

async function open(answers: Answers = {}, { initial = false } = {}) {
  const onPaid = vi.fn();
  const onUnseen = vi.fn();
  const opened = await openScreen(
    () => <TopUp initial={initial} onPaid={onPaid} {...(initial ? {} : { onUnseen })} />,
    { answers: { [looks]: before, [start]: started, ...answers }, config: { payments } },
  );
  return { ...opened, onPaid, onUnseen };
}
type There = Awaited<ReturnType<typeof open>>;

async function choose({ user }: There, amount: string) {
  await user.click(screen.getByRole('combobox', { name: 'Top-up amount' }));
  await user.click(screen.getByRole('option', { name: amount }));
}

const none: Answers = {};
/** Until the provider's form is there, for $200. */
async function openForm(answers: Answers = none) {
  const there = await open(answers);
  await choose(there, '$200');
  await there.user.click(button('Top up now'));
  return { ...there, pay: () => there.user.click(button('Pay')) };
}

const text = () => document.body.textContent;

describe('the amount of a top-up', () => {
  test('is one of three sums, or a person’s own', async () => {
    const there = await open();
    await there.user.click(screen.getByRole('combobox', { name: 'Top-up amount' }));
    expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
      ...['$100', '$200', '$500', 'Custom'],
    ]);
  });

  test.each([
    ['$100', 100],
    ['$500', 500],
  ])('is sent in dollars, and its form is for the payment that was begun: %s', async (label, amount) => {
    const asked = providerAnswers([]);
    const there = await open();
    await choose(there, label);
    await there.user.click(button('Top up now'));
    expect(there.sent(start).map(({ body }) => body)).toEqual([{ amount }]);
    expect(text()).toContain('Top-up of $200.00');
    expect(asked.secrets).toEqual([started.intentSecret]);
    expect(screen.queryByRole('button', { name: 'Top up now' })).toBeNull();
  });

  test('of a person’s own is refused below $20 at its field, and sent to the cent from there', async () => {
    providerAnswers([]);
    const there = await open();
    await choose(there, 'Custom');
    const field = screen.getByLabelText('Custom amount');
    for (const typed of ['19.99', '{Backspace}']) {
      await there.user.clear(field);
      await there.user.type(field, typed);
      expect(fieldErrors()).toEqual({ 'Custom amount': 'Minimum of $20' });
      expect(button('Top up now')).toHaveProperty('disabled', true);
    }
    await there.user.clear(field);
    await there.user.type(field, '20.50');
    expect(fieldErrors()).toEqual({});
    await there.user.click(button('Top up now'));
    expect(there.sent(start).map(({ body }) => body)).toEqual([{ amount: 20.5 }]);
  });

  test('is at most $9,999, whatever is typed', async () => {
    providerAnswers([]);
    const there = await open();
    await choose(there, 'Custom');
    await there.user.clear(screen.getByLabelText('Custom amount'));
    await there.user.type(screen.getByLabelText('Custom amount'), '123456');
    await there.user.tab();
    await there.user.click(button('Top up now'));
    expect(there.sent(start).map(({ body }) => body)).toEqual([{ amount: 9_999 }]);
  });

  test('is $100 where the account is opened, and cannot be changed', async () => {
    providerAnswers([]);
    const there = await open(none, { initial: true });
    expect(screen.getByLabelText('Top-up amount')).toMatchObject({ value: '$100', readOnly: true });
    expect(screen.queryByRole('combobox')).toBeNull();
    expect(text()).toContain('Minimum of $100');
    expect(text()).toContain('You need to top up your balance to fully activate your account');
    await there.user.click(button('Top up now'));
    expect(there.sent(start).map(({ body }) => body)).toEqual([{ amount: 100 }]);
    expect(screen.queryByRole('button', { name: 'Change amount' })).toBeNull();
  });

  test('may be changed until it is paid: the payment is given up, and another begun with another key', async () => {
    const asked = providerAnswers([]);
    const there = await openForm({ [cancel]: topUpOf('cancelled', false) });
    await there.user.click(button('Change amount'));
    expect(there.sent(cancel).map(({ params }) => params)).toEqual([{ id: started.topupId }]);
    expect(screen.queryByRole('button', { name: 'Pay' })).toBeNull();
    await choose(there, '$500');
    there.answer(start, { ...started, intentSecret: 'another secret', amount: 500_00 });
    await there.user.click(button('Top up now'));
    expect(text()).toContain('Top-up of $500.00');
    expect(asked.secrets).toEqual([started.intentSecret, 'another secret']);
    const keys = there.sent(start).map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
  });
});

describe('the beginning of a top-up', () => {
  test('says that it runs, and a second press sends nothing', async () => {
    providerAnswers([]);
    const held = new Held();
    const there = await open({ [start]: held });
    await there.user.click(button('Top up now'));
    expect(button('Preparing...')).toHaveProperty('disabled', true);
    await there.user.click(button('Preparing...'));
    held.give(started);
    await there.settled();
    expect(there.sent(start)).toHaveLength(1);
  });

  test.each([
    [
      'refused',
      refused(402, 'payment_failed', { message: 'Not with this account.' }),
      'Not with this account.',
      2,
    ],
    ['without an answer', silence, 'Something went wrong', 1],
    ['met by a fault', refused(502, 'upstream_unavailable', { message: 'Later.' }), 'Later.', 1],
  ])(
    'that is %s says so, and is tried again as the same request only where it may have begun',
    async (_what, answer, message, keys) => {
      providerAnswers([]);
      const there = await open({ [start]: answer });
      await choose(there, '$200');
      await there.user.click(button('Top up now'));
      expect(screen.getByRole('alert').textContent).toBe(message);
      expect(screen.queryByRole('button', { name: 'Pay' })).toBeNull();
      there.answer(start, started);
      await there.user.click(button('Top up now'));
      expect(screen.queryByRole('alert')).toBeNull();
      expect(there.sent(start).map(({ body }) => body)).toEqual([{ amount: 200 }, { amount: 200 }]);
      expect(new Set(there.sent(start).map(({ key }) => key)).size).toBe(keys);
    },
  );
});

const succeeded = async () => ({ paymentIntent: { status: 'succeeded' } });
const processing = async () => ({ paymentIntent: { status: 'processing' } });
const unanswered = async () => ({ error: { type: 'api_connection_error' } });

describe('a payment', () => {
  test('asks for the money of this payment once, and tells when it is there', async () => {
    hurried();
    const asked = providerAnswers([succeeded]);
    const there = await openForm();
    there.answer(looks, balanceOf(before.balance + started.amount));
    await there.pay();
    expect(asked.confirmed).toEqual([
      { redirect: 'if_required', confirmParams: { return_url: window.location.href } },
    ]);
    expect(screen.getByRole('status').textContent).toBe('Your balance has been topped up.');
    expect(there.onPaid).toHaveBeenCalledTimes(1);
    expect(there.onUnseen).toHaveBeenLastCalledWith(0);
    expect(there.sent(cancel)).toEqual([]);
    expect(screen.queryByRole('button', { name: 'Pay' })).toBeNull();
    await choose(there, '$200');
    await there.user.click(button('Top up now'));
    const [first, next] = there.sent(start);
    expect(next?.key).not.toBe(first?.key);
    expect(screen.queryByText('Your balance has been topped up.')).toBeNull();
  });

  test.each([
    ['of a bank is on its way', processing, balanceOf(before.balance, started.amount), 0],
    ['of a bank is on its way also where other money arrives', processing, balanceOf(9_999_00), 0],
    ['is on its way where only the pending balance grew', succeeded, balanceOf(before.balance, 1), 0],
    ['that is not to be seen after ten looks is told as pending', succeeded, before, started.amount],
  ])('%s', async (_what, confirm, after, unseen) => {
    const pauses = hurried();
    providerAnswers([confirm]);
    const there = await openForm();
    there.answer(looks, after);
    await there.pay();
    expect(screen.getByRole('status').textContent).toBe(
      'Your payment of $200.00 is being processed. Please refresh later.',
    );
    expect(there.onUnseen).toHaveBeenLastCalledWith(unseen);
    expect(pauses).toEqual(unseen ? Array.from({ length: 9 }, () => 1_500) : []);
    expect(there.onPaid).toHaveBeenCalledTimes(1);
  });

  test('whose form breaks before anything was sent is cancelled, and it says that nothing was charged', async () => {
    hurried();
    const asked = providerAnswers([succeeded]);
    asked.breaks = true;
    const there = await openForm({ [cancel]: topUpOf('cancelled', false) });
    await there.pay();
    expect(asked.confirmed).toEqual([]);
    expect(screen.getByRole('dialog').textContent).toContain('You were not charged.');
  });

  test('of which the balance cannot be read is not lost: it is told as pending', async () => {
    hurried();
    providerAnswers([succeeded]);
    const there = await openForm();
    there.answer(looks, refused(502, 'upstream_unavailable'));
    await there.pay();
    expect(screen.getByRole('status').textContent).toContain('Your payment of $200.00 is being processed');
    expect(there.onUnseen).toHaveBeenLastCalledWith(started.amount);
  });

  test('that is being made can neither be made twice nor changed', async () => {
    hurried();
    const answer = Promise.withResolvers<Record<string, unknown>>();
    const asked = providerAnswers([() => answer.promise, () => new Promise(() => undefined)]);
    const there = await openForm();
    await there.pay();
    expect(button('Processing...')).toHaveProperty('disabled', true);
    expect(button('Change amount')).toHaveProperty('disabled', true);
    await there.user.click(button('Processing...'));
    answer.resolve({ error: { type: 'card_error', message: 'Your card was declined.' } });
    await there.settled();
    expect(asked.confirmed).toHaveLength(1);
    expect(button('Pay')).toHaveProperty('disabled', false);
    expect(button('Change amount')).toHaveProperty('disabled', false);
    expect(screen.getByRole('alert').textContent).toBe('Your card was declined.');
    // What was said of one try is not said of the next.
    await there.pay();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(button('Processing...')).toHaveProperty('disabled', true);
  });
});

describe('a payment that was not taken', () => {
  test('because the form is filled in wrong is neither asked for nor given up', async () => {
    const asked = providerAnswers([succeeded], { error: { type: 'validation_error' } });
    const there = await openForm();
    await there.pay();
    expect(asked).toMatchObject({ submitted: 1, confirmed: [] });
    expect(there.sent(cancel)).toEqual([]);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(button('Pay')).toHaveProperty('disabled', false);
  });

  test.each([
    [
      'a declined card',
      { type: 'card_error', message: 'Your card was declined.' },
      'Your card was declined.',
    ],
    [
      'a bank that was not convinced',
      { type: 'invalid_request_error', code: 'payment_intent_authentication_failure' },
      'The payment was declined.',
    ],
  ])('that ends in a no says which, and another way to pay is open: %s', async (_what, error, message) => {
    hurried();
    const asked = providerAnswers([async () => ({ error }), succeeded]);
    const there = await openForm();
    await there.pay();
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(there.sent(cancel)).toEqual([]);
    there.answer(looks, balanceOf(before.balance + started.amount));
    await there.pay();
    expect(asked.confirmed).toHaveLength(2);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(there.sent(start)).toHaveLength(1);
    expect(there.onPaid).toHaveBeenCalledTimes(1);
  });

  test('because the bank account must be confirmed first says so', async () => {
    providerAnswers([async () => ({ paymentIntent: { status: 'requires_action' } })]);
    const there = await openForm();
    await there.pay();
    expect(screen.getByRole('alert').textContent).toContain('The bank account must be confirmed first.');
    expect(there.onPaid).not.toHaveBeenCalled();
  });

  test('because there is no network is not sent, says so, and can be made when there is one', async () => {
    const asked = providerAnswers([succeeded]);
    const there = await openForm();
    const away = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    await there.pay();
    expect(screen.getByRole('alert').textContent).toBe(
      'You are offline, and this payment was not sent. Please press "Pay" again once you are connected.',
    );
    expect(asked).toMatchObject({ submitted: 0, confirmed: [] });
    expect(there.sent(cancel)).toEqual([]);
    away.mockRestore();
    there.answer(looks, balanceOf(before.balance + started.amount));
    await there.pay();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(there.onPaid).toHaveBeenCalledTimes(1);
  });

  test('without an answer is tried three times, and what an earlier try did counts', async () => {
    const pauses = hurried();
    const taken = { error: { type: 'invalid_request_error', payment_intent: { status: 'succeeded' } } };
    const asked = providerAnswers([unanswered, unanswered, async () => taken]);
    const there = await openForm();
    there.answer(looks, balanceOf(before.balance + started.amount));
    await there.pay();
    expect(asked.confirmed).toHaveLength(3);
    expect(pauses).toEqual([1_000, 3_000]);
    expect(there.sent(cancel)).toEqual([]);
    expect(screen.getByRole('status').textContent).toBe('Your balance has been topped up.');
  });
});

test('a payment for which the provider’s script breaks is told, not lost', async () => {
  hurried();
  const asked = providerAnswers([() => Promise.reject(new Error('The script broke.'))]);
  const there = await openForm({ [cancel]: refused(404, 'not_found') });
  await there.pay();
  expect(asked.confirmed).toHaveLength(3);
  expect(screen.getByRole('alert').textContent).toContain(
    'We could not confirm whether this payment went through.',
  );
  expect(button('Pay')).toHaveProperty('disabled', false);
});

const notCharged = 'You were not charged';

describe('a payment that had no answer three times', () => {
  async function payInVain(cancelled: Answers[string], more: Answers = none) {
    hurried();
    providerAnswers([unanswered]);
    const there = await openForm({ [cancel]: cancelled, ...more });
    await there.pay();
    expect(there.sent(cancel).map(({ params }) => params)).toEqual([{ id: started.topupId }]);
    return there;
  }

  test.each(['cancelled', 'failed'])(
    'is told as not charged once it can be taken no more: %s',
    async (state) => {
      const there = await payInVain(topUpOf(state, false));
      expect(screen.getByRole('dialog', { name: 'Something went wrong' }).textContent).toContain(notCharged);
      expect(screen.getByRole('link', { name: 'Payment provider dashboard' }).getAttribute('href')).toBe(
        payments.dashboardUrl,
      );
      expect(there.onPaid).not.toHaveBeenCalled();
      const [close] = screen.getAllByRole('button', { name: 'Close' }).slice(-1);
      await there.user.click(close as HTMLElement);
      expect(screen.queryByRole('dialog')).toBeNull();
      expect(button('Top up now')).toHaveProperty('disabled', false);
    },
  );

  test('is never told as not charged where nobody knows', async () => {
    const there = await payInVain(refused(404, 'not_found'));
    expect(screen.getByRole('alert').textContent).toBe(
      'We could not confirm whether this payment went through. Please check your balance before you try again.',
    );
    expect(text()).not.toContain(notCharged);
    expect(there.onPaid).not.toHaveBeenCalled();
    expect(button('Pay')).toHaveProperty('disabled', false);
  });

  test.each([
    ['no answer', silence],
    ['an unreachable provider', refused(502, 'upstream_unavailable')],
  ])(
    'is asked about until that is answered, and nothing else can be paid meanwhile: %s',
    async (_what, answer) => {
      providerAnswers([unanswered]);
      const pauses = hurried();
      const held = new Held();
      let asked = 0;
      const there = await openForm({
        [cancel]: () => {
          asked += 1;
          return asked < 3 ? answer() : held;
        },
      });
      await there.pay();
      await waitFor(() => expect(there.sent(cancel)).toHaveLength(3));
      expect(pauses.slice(2)).toEqual([5_000, 5_000]);
      expect(screen.getByRole('status').textContent).toBe(
        'No answer has come back yet. You may have been charged. The portal keeps asking, and the result will appear here.',
      );
      expect(screen.queryByRole('alert')).toBeNull();
      expect(button('Processing...')).toHaveProperty('disabled', true);
      expect(button('Change amount')).toHaveProperty('disabled', true);
      // The balance shows the money before it is known what became of the payment: it is the same money.
      there.answer(looks, balanceOf(before.balance + started.amount));
      held.give(topUpOf('succeeded', true));
      await waitFor(() => expect(there.onPaid).toHaveBeenCalledTimes(1));
      expect(screen.getByRole('status').textContent).toBe('Your balance has been topped up.');
      expect(there.onUnseen).toHaveBeenLastCalledWith(0);
    },
  );

  test.each([
    ['succeeded', 'Your balance has been topped up.'],
    ['processing', 'Your payment of $200.00 is being processed. Please refresh later.'],
  ])('is told as paid where it was taken all the same: %s', async (state, message) => {
    let balance = before;
    const taken = () => {
      balance = balanceOf(before.balance + started.amount);
      return topUpOf(state, true);
    };
    const there = await payInVain(taken, { [looks]: () => balance });
    expect(screen.getByRole('status').textContent).toBe(message);
    expect(text()).not.toContain(notCharged);
    expect(there.onPaid).toHaveBeenCalledTimes(1);
  });
});
