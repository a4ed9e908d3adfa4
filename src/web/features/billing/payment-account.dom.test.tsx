import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Answers,
  Held,
  openScreen,
  refused,
  screen,
  silence,
} from '../../../../tests/support/screen.tsx';
import PaymentAccountPrompt from './payment-account-prompt.tsx';
import { PaymentAccountStep } from './payment-account-step.tsx';

const link = 'https://pay.test/set-up/once';
const opening = 'GET /account/link';
const refresh = 'POST /account/refresh';
const stateOf = (requirements: string[], finishedRequirement = false) => ({
  ...{ id: 'acct_1', finishedRequirement, requirements },
});

let left: string[] = [];
beforeEach(() => {
  left = [];
  const assign = vi.spyOn(window.location, 'assign').mockImplementation((to) => void left.push(String(to)));
  return () => assign.mockRestore();
});

const button = (name: string) => screen.getByRole('button', { name });
const go = 'Go to the payment provider';

describe('the step of the payment account', () => {
  type Props = Parameters<typeof PaymentAccountStep>[0];
  async function open(props: Partial<Props>, answers: Answers = {}) {
    const onContinue = vi.fn();
    const all = { finished: false, started: false, required: true, arrived: null, ...props, onContinue };
    const there = await openScreen(() => <PaymentAccountStep {...all} />, {
      answers: { [opening]: { link }, ...answers },
    });
    return { ...there, onContinue };
  }

  test.each([
    ['not begun, required', {}, [go]],
    ['not begun, not required', { required: false }, [go, 'Later']],
    ['begun', { started: true }, ['Continue at the payment provider']],
    ['complete', { finished: true, started: true }, ['Continue']],
    ['complete, not required', { finished: true, required: false }, ['Continue']],
    ['complete, back by a link that is old', { finished: true, arrived: 'expired' as const }, ['Continue']],
  ])('offers what is left to do: %s', async (_what, props, names) => {
    const there = await open(props);
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(names);
    // Nobody who has completed it is told to go there, nor that a link is old.
    const finished = 'finished' in props;
    expect(screen.queryByText('Your payment account is set up.') !== null).toBe(finished);
    expect(screen.queryByText(/You set it up on the provider's page/) !== null).toBe(!finished);
    expect(screen.queryByText(/no longer valid/)).toBeNull();
    if (finished || 'required' in props) {
      await there.user.click(screen.getAllByRole('button').at(-1) as HTMLElement);
      expect(there.onContinue).toHaveBeenCalledTimes(1);
    }
    expect(there.sent(refresh)).toEqual([]);
  });

  test('leads to the page that is made for the press, once', async () => {
    const held = new Held();
    const there = await open({}, { [opening]: held });
    await there.user.click(button(go));
    expect(button('Opening...')).toHaveProperty('disabled', true);
    await there.user.click(button('Opening...'));
    held.give({ link });
    await there.settled();
    expect(left).toEqual([link]);
    expect(there.sent(opening)).toHaveLength(1);
    // The page is leaving.
    expect(button('Opening...')).toHaveProperty('disabled', true);
  });

  test.each([
    [
      'refused',
      refused(402, 'payment_failed', { message: 'The provider said no.' }),
      'The provider said no.',
    ],
    ['without an answer', silence, 'Something went wrong'],
  ])('says so where the page is %s, and can be tried again', async (_what, answer, message) => {
    const there = await open({ required: false }, { [opening]: answer });
    await there.user.click(button(go));
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(left).toEqual([]);
    there.answer(opening, { link });
    await there.user.click(button(go));
    expect(left).toEqual([link]);
  });

  test('of somebody with an old link asks for a new one', async () => {
    await open({ arrived: 'expired', started: true });
    expect(screen.getByRole('status').textContent).toContain('no longer valid');
    expect(button('Continue at the payment provider')).toBeDefined();
  });

  test('of somebody who comes back is read again from the provider, and what is missing is named', async () => {
    const held = new Held();
    const there = await open({ arrived: 'provider', started: true }, { [refresh]: held });
    expect(screen.getByRole('status').textContent).toBe('Checking your payment account...');
    expect(screen.queryByRole('button')).toBeNull();
    held.give(stateOf(['individual.verification.document', 'external_account']));
    await there.settled();
    expect(there.sent(refresh)).toHaveLength(1);
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'Individual verification document',
      'External account',
    ]);
    expect(button('Continue at the payment provider')).toBeDefined();
  });

  test('of somebody whom the provider still checks says that, and names nothing', async () => {
    await open({ arrived: 'provider', started: true }, { [refresh]: stateOf([]) });
    expect(screen.getByRole('status').textContent).toContain('still checking your details');
    expect(screen.queryByRole('listitem')).toBeNull();
  });

  test('of somebody who completed it says nothing of what is missing', async () => {
    await open({ arrived: 'provider', finished: true }, { [refresh]: stateOf([], true) });
    expect(screen.getByRole('status').textContent).toBe('Your payment account is set up.');
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Continue']);
  });

  test('says where the provider could not be asked, and asks again', async () => {
    const there = await open(
      { arrived: 'provider' },
      { [refresh]: refused(502, 'upstream_unavailable', { message: 'The provider does not answer.' }) },
    );
    expect(document.body.textContent).toContain('The provider does not answer.');
    there.answer(refresh, stateOf(['external_account']));
    await there.user.click(screen.getByRole('button', { name: /again/i }));
    expect(document.body.textContent).not.toContain('The provider does not answer.');
    expect(screen.getByRole('listitem').textContent).toBe('External account');
  });
});

describe('the prompt for a payment account', () => {
  const open = (answers: Answers = {}) =>
    openScreen(PaymentAccountPrompt, { answers: { [opening]: { link }, ...answers } });

  test('leads to the provider, and says where it cannot', async () => {
    const there = await open({
      [opening]: refused(502, 'upstream_unavailable', { message: 'Later, please.' }),
    });
    await there.user.click(button(go));
    expect(screen.getByRole('alert').textContent).toBe('Later, please.');
    expect(left).toEqual([]);
    there.answer(opening, { link });
    await there.user.click(button(go));
    expect(left).toEqual([link]);
    expect(button('Opening...')).toHaveProperty('disabled', true);
  });

  test('is closed by signing out alone, and asks before', async () => {
    const there = await open();
    const prompt = screen.getByRole('dialog', { name: 'Create payment account' }).textContent;
    expect(prompt).toContain('A payment processor account is required');
    expect(prompt).toContain('This may appear again if the payment provider needs more information.');
    await there.user.click(button('Close'));
    expect(screen.getByRole('dialog').textContent).toContain(
      "You will be logged out if you don't connect the payment provider. Are you sure?",
    );
    expect(there.session.signOut).not.toHaveBeenCalled();
    await there.user.click(button('Cancel'));
    expect(button(go)).toBeDefined();
    expect(there.session.signOut).not.toHaveBeenCalled();
    await there.user.click(button('Close'));
    await there.user.click(button('Confirm'));
    expect(there.session.signOut).toHaveBeenCalledTimes(1);
    expect(there.sent(opening)).toEqual([]);
  });
});
