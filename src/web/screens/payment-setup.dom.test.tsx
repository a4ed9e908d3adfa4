import { beforeEach, expect, test, vi } from 'vitest';
import { type Answers, Held, openScreen, refused, screen, silence } from '../../../tests/support/screen.tsx';
import PaymentSetupScreen from './payment-setup.tsx';

const token = 'a'.repeat(43);
const url = 'https://pay.test/store/once';
const read = 'GET /payment-setup/:token';
const begin = 'POST /payment-setup/:token';
const setupOf = (state: string) => ({ state, invitedBy: 'Blue Fig', organization: 'Acme' });

let left: string[] = [];
beforeEach(() => {
  left = [];
  const assign = vi.spyOn(window.location, 'assign').mockImplementation((to) => void left.push(String(to)));
  return () => assign.mockRestore();
});

const open = (setup: unknown, answers: Answers = {}) =>
  openScreen(PaymentSetupScreen, {
    route: '/payment-setup/$token',
    path: `/payment-setup/${token}`,
    answers: { [read]: setup, [begin]: { url }, ...answers },
  });
const button = (name: string) => screen.getByRole('button', { name });

test('a link that is open says for whom and why, and leads to the provider', async () => {
  const there = await open(setupOf('open'));
  expect(there.sent(read).map(({ params }) => params)).toEqual([{ token }]);
  expect(document.body.textContent).toContain('Blue Fig bills Acme directly for domains and certificates.');
  expect(there.sent(begin)).toEqual([]);
  await there.user.click(button('Continue'));
  expect(there.sent(begin).map(({ params }) => params)).toEqual([{ token }]);
  expect(left).toEqual([url]);
  expect(button('Opening...')).toHaveProperty('disabled', true);
});

test('somebody who has stored a method is told that it is done, and may store another one', async () => {
  const there = await open(setupOf('done'));
  expect(screen.getByRole('status').textContent).toBe(
    'Your payment method is stored. You can close this page.',
  );
  expect(document.body.textContent).not.toContain('Please store a payment method');
  expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();
  await there.user.click(button('Store another payment method'));
  expect(left).toEqual([url]);
});

test.each([
  ['out of time', setupOf('expired')],
  ['unknown', refused(404, 'not_found')],
  ['no link of ours', refused(400, 'validation_failed')],
])('a link that is %s says so, and offers nothing', async (_what, answer) => {
  await open(answer);
  expect(screen.getByRole('alert').textContent).toContain('This link is no longer valid.');
  expect(screen.queryByRole('button')).toBeNull();
});

test('a link that is out of time says who sends a new one, and that who has done it needs none', async () => {
  await open(setupOf('expired'));
  expect(screen.getByRole('alert').textContent).toBe(
    'This link is no longer valid. If you have stored a payment method already, there is nothing left to do. If not, please ask Blue Fig for a new link.',
  );
});

test('a link that runs out while its page is open offers nothing any more', async () => {
  const there = await open(setupOf('done'), { [begin]: refused(422, 'unprocessable') });
  there.answer(read, setupOf('expired'));
  await there.user.click(button('Store another payment method'));
  expect(screen.getByRole('alert').textContent).toContain('This link is no longer valid.');
  expect(screen.queryByRole('button')).toBeNull();
  expect(left).toEqual([]);
});

test('a link that cannot be read is not called invalid, and is read again', async () => {
  const there = await open(
    refused(502, 'upstream_unavailable', { message: 'The provider does not answer.' }),
  );
  expect(screen.getByRole('alert').textContent).toContain('The provider does not answer.');
  expect(document.body.textContent).not.toContain('no longer valid');
  there.answer(read, setupOf('open'));
  await there.user.click(button('Try again'));
  expect(button('Continue')).toBeDefined();
});

test('while a link is being read nothing is offered', async () => {
  const held = new Held();
  const there = await open(held);
  expect(screen.getByRole('status').getAttribute('aria-label')).toBe('Loading');
  expect(screen.queryByRole('button')).toBeNull();
  held.give(setupOf('open'));
  await there.settled();
  expect(button('Continue')).toBeDefined();
});

test.each([
  [
    'refused',
    refused(422, 'unprocessable', { message: 'You are not billed directly.' }),
    'You are not billed directly.',
  ],
  ['without an answer', silence, 'Something went wrong'],
])(
  'a page of the provider that is %s is told, and can be asked for again',
  async (_what, answer, message) => {
    const there = await open(setupOf('open'), { [begin]: answer });
    await there.user.click(button('Continue'));
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(left).toEqual([]);
    there.answer(begin, { url });
    await there.user.click(button('Continue'));
    expect(left).toEqual([url]);
  },
);

test('the page of the provider is asked for once', async () => {
  const held = new Held();
  const there = await open(setupOf('open'), { [begin]: held });
  await there.user.click(button('Continue'));
  await there.user.click(button('Opening...'));
  held.give({ url });
  await there.settled();
  expect(there.sent(begin)).toHaveLength(1);
});
