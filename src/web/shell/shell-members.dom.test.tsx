import { act } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Role } from '#contracts/permissions.ts';
import { heldHeader } from '#contracts/values/held.ts';
import { mostItems } from '#contracts/values/order-limits.ts';
import {
  type Answers,
  openScreen,
  paged,
  refused,
  screen,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { cart, newDomainItem } from '../features/orders/cart.ts';
import { keepRefusal } from '../features/orders/refusal.ts';
import { ApiError } from '../lib/api-error.ts';
import { connection } from '../lib/connection.ts';
import { follow } from '../lib/followed-work.ts';
import { type Session, SessionContext } from '../lib/session.tsx';
// The parts that come when they are shown.
import '../features/billing/payment-account-prompt.tsx';
import './followed-lines.tsx';
import './go-to-list.tsx';
import './key-list.tsx';
import './member-parts.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { ConnectionBar } from './connection-bar.tsx';
import { Shell } from './shell.tsx';

/** What the shell shows to whom of the people who are signed in. */

const nothing = {
  domains: { held: 0, expiring: 0, lapsing: 0, unverified: 0, manual: 0, unlocked: 0, transferring: 0 },
  ...{ certificates: null, customers: null, people: null, charges: null, attention: null },
};
interface Opening {
  path?: string;
  role?: Role;
  profile?: object;
  config?: object;
  answers?: Answers;
}
const open = ({
  path = '/orders',
  role = 'MSP_OWNER',
  profile = {},
  config = {},
  answers = {},
}: Opening = {}) =>
  openScreen(Shell, {
    ...{ route: path, path, role, profile },
    config: {
      ...{ appType: 'msp', brand: { name: 'Nameward', logoPath: null }, productName: 'Nameward' },
      ...{ paymentAccountRequired: false, ...config },
    } as never,
    answers: {
      ...{ 'GET /overview': nothing, 'GET /customer': paged([]), 'GET /domain': paged([]) },
      ...{ 'GET /ssl': paged([]), 'GET /order': paged([]), 'GET /dns/records': [], ...answers },
    },
  });
const button = (name: string) => screen.getByRole('button', { name });
const side = () => within(screen.getByRole('navigation', { name: 'Main' }));

beforeEach(() => {
  // The previous user leaves nothing behind.
  cart.init(`nobody-${Math.random()}`);
  localStorage.clear();
});
afterEach(() => {
  keepRefusal(null);
  cart.forgetLeftOut();
  localStorage.clear();
  cart.init(`nobody-${Math.random()}`);
});

describe('the navigation', () => {
  const all = [
    ...['Home', 'Attention', 'Domain management', 'Changes', 'Health', 'Certificates', 'Renewals'],
    ...['Customers', 'Orders', 'Direct billing', 'Billing', 'Users', 'API tokens', 'Audit log'],
  ];
  const without = (...names: string[]) => all.filter((name) => !names.includes(name));
  const ofCustomers = [
    'Home',
    'Attention',
    'Domain management',
    'Health',
    'Certificates',
    'Contacts',
    'Audit log',
  ];

  test.each<[Role, 'msp' | 'client', string[]]>([
    ['MSP_OWNER', 'msp', all],
    ['MSP_EMPLOYEE', 'msp', without('Direct billing', 'Users', 'API tokens')],
    ['MSP_CUSTOMER', 'client', ofCustomers],
    // The portal of customers has no place for the people and programs of their provider.
    ['MSP_OWNER', 'client', without('Users', 'API tokens')],
  ])('of %s in the portal %s has what they may do', async (role, appType, labels) => {
    await open({ role, config: { appType } });
    const links = side().getAllByRole('link');
    expect(links.map(({ textContent }) => textContent)).toEqual(labels);
    const contacts = links.find(({ textContent }) => textContent === 'Contacts');
    expect(contacts?.getAttribute('href')).toBe(
      role === 'MSP_CUSTOMER' ? `/customers/${uuid(3)}` : undefined,
    );
  });

  const numbers = () =>
    side()
      .getAllByRole('link')
      .flatMap((link) => {
        const number = link.querySelector('[data-text]');
        return number
          ? [`${link.textContent}: ${number.getAttribute('data-text')} ${number.getAttribute('data-number')}`]
          : [];
      });

  test('says how many there are, and what of it needs somebody', async () => {
    await open({
      answers: {
        'GET /overview': {
          domains: { ...nothing.domains, held: 40, transferring: 2, lapsing: 3, expiring: 9 },
          certificates: { flagged: 4, valid: 10, open: 1, ended: 2 },
          ...{ customers: { total: 4706, billedDirectly: 5 }, people: { users: 6, invites: 7 } },
          ...{ charges: { failed: 8 }, attention: { now: 1, soon: 11 } },
        },
      },
    });
    expect(numbers()).toEqual([
      ...['Attention: 1 now bad', 'Domain management: 42 plain', 'Certificates: 4 to do bad'],
      ...['Renewals: 3 plain', 'Customers: 4,706 plain', 'Direct billing: 8 failed bad'],
    ]);
  });

  test('says nothing of what is none, and what waits for later where nothing waits now', async () => {
    await open({
      answers: {
        'GET /overview': {
          ...nothing,
          ...{ certificates: { flagged: 0, valid: 10, open: 1, ended: 2 }, charges: { failed: 0 } },
          attention: { now: 0, soon: 11 },
        },
      },
    });
    expect(numbers()).toEqual(['Attention: 11 plain']);
  });

  test('of a small screen opens and closes by its button, by Escape, beside it, and by where somebody goes', async () => {
    const { user, path } = await open();
    const isOpen = () => button('Close navigation').getAttribute('aria-expanded') === 'true';
    const isClosed = () => button('Open navigation').getAttribute('aria-expanded') === 'false';
    const ends: (() => Promise<void>)[] = [
      () => user.click(button('Close navigation')),
      () => user.keyboard('{Escape}'),
      () => user.click(document.getElementById('side-navigation')?.nextElementSibling as HTMLElement),
      () => user.click(side().getByRole('link', { name: 'Orders' })),
    ];
    for (const end of ends) {
      await user.click(button('Open navigation'));
      expect(isOpen()).toBe(true);
      await end();
      expect(isClosed()).toBe(true);
    }
    expect(path()).toBe('/orders');
  });

  test('is not there before somebody may go anywhere', async () => {
    await open({ path: '/onboarding/3', profile: { paidInitialFee: false } });
    expect(screen.queryByRole('navigation', { name: 'Main' })).toBeNull();
  });
});

describe('the prompt for a payment account', () => {
  const unfinished = { stripeAccount: { id: 'acct_1', finishedRequirement: false } };
  const required = { paymentAccountRequired: true };
  const prompt = () => screen.queryByRole('dialog', { name: 'Create payment account' });

  test('is shown to an owner who has none', async () => {
    await open({ profile: unfinished, config: required });
    expect(prompt()).not.toBeNull();
  });

  test.each<[string, Opening]>([
    ['where none is required', { profile: unfinished }],
    ['to other staff', { role: 'MSP_ADMIN', profile: unfinished, config: required }],
    [
      'while they are on their way through the steps',
      { path: '/onboarding/2', profile: unfinished, config: required },
    ],
    [
      'once they have it',
      { profile: { stripeAccount: { id: 'acct_1', finishedRequirement: true } }, config: required },
    ],
  ])('is not shown %s', async (_what, opening) => {
    await open(opening);
    expect(prompt()).toBeNull();
  });
});

describe('what is said above every screen', () => {
  test('of an order that could not be sent is no word about an earlier try of it', async () => {
    keepRefusal(new ApiError('You are offline.', { status: 0, code: 'offline' }));
    await open();
    expect(screen.getByRole('alert').textContent).toMatch(/^Your order was not sent\. You are offline\./);
  });

  test('of a full cart names the first that found no place, and how many more', async () => {
    const items = Array.from({ length: mostItems }, (_, n) => newDomainItem(`n${n}.com`));
    localStorage.setItem(`nameward.cart.${uuid(1)}`, JSON.stringify({ items }));
    const { settled } = await open();
    cart.add(newDomainItem('x.com'), newDomainItem('y.com'), newDomainItem('z.com'));
    await settled();
    expect(screen.getByRole('alert').textContent).toContain('x.com and 2 more were not added.');
  });

  test.each<[string, Partial<Session>, string]>([
    ['nothing while all is well', {}, ''],
    [
      'that the sign-in has ended',
      { lapsed: true },
      'Your sign-in has ended. Nothing can be saved or bought until you sign in again. Sign in again',
    ],
    [
      'that another one did not succeed',
      { lapsed: true, problem: 'The sign-in did not succeed.' },
      'The sign-in did not succeed. Sign in again',
    ],
  ])('of the session is %s', async (_what, more, said) => {
    const signIn = vi.fn(async () => undefined);
    const session = { status: 'signed-in', email: '', problem: null, lapsed: false, signIn, ...more };
    const { user } = await openScreen(() => (
      <SessionContext value={{ session: session as never, config: {} as never }}>
        <ConnectionBar />
      </SessionContext>
    ));
    expect(screen.getByRole('status').textContent).toBe(said);
    if (!said) return;
    await user.click(button('Sign in again'));
    expect(signIn).toHaveBeenCalledOnce();
  });
});

test('a portal that compares its records says above every screen that nothing can be changed', async () => {
  const session = { status: 'signed-in', email: '', problem: null, lapsed: false };
  await openScreen(() => (
    <SessionContext value={{ session: session as never, config: {} as never }}>
      <ConnectionBar />
    </SessionContext>
  ));
  act(() => connection.answered(new Response('', { headers: { [heldHeader]: '1' } })));
  expect(screen.getByRole('status').textContent).toBe(
    'The portal is comparing its records with the registrar and the payment provider. Nothing can be changed until it has finished. What was done shortly before may be missing meanwhile.',
  );
  act(() => connection.answered(new Response('')));
  expect(screen.getByRole('status').textContent).toBe('');
});

describe('an order that is followed', () => {
  const item = (n: number, state: string) => ({
    ...{ itemId: uuid(50 + n), kind: 'domain', address: `n${n}.com`, customerId: uuid(21), customer: 'Acme' },
    ...{
      period: 1,
      price: 12.31,
      refunded: 0,
      state,
      error: null,
      registrarOrderId: null,
      orderId: uuid(41),
    },
    ...{ updatedAt: '2026-11-20T12:00:00Z', nextCheckAt: null },
  });
  const orderOf = (state: string, ...states: string[]) => ({
    ...{ orderId: uuid(41), state, total: 50, charged: 0, createdAt: '2026-11-20T12:00:00Z', by: 'Ann' },
    items: states.map((one, n) => item(n, one)),
  });
  const progress = () => screen.queryByRole('region', { name: 'Progress: Your order' })?.textContent;
  const opened = async (answer: unknown, path = '/domain/list') => {
    follow({ kind: 'order', id: uuid(41) });
    return open({ path, answers: { 'GET /order/:id': answer } });
  };

  test.each([
    [
      'runs',
      orderOf('running', 'queued', 'sending', 'unknown', 'succeeded', 'pending'),
      '2 of 5 itemsDetails',
    ],
    // What the registry takes days for is not waited for.
    [
      'waits for the registry',
      orderOf('running', 'succeeded', 'pending', 'review'),
      'in progressSee the result',
    ],
    ['has ended', orderOf('partial', 'succeeded', 'declined'), 'partly completedSee the result'],
  ])('says on every screen how far it is: one that %s', async (_what, order, said) => {
    const { user, path } = await opened(order);
    expect(progress()).toBe(`Your order${said}`);
    await user.click(screen.getByRole('link', { name: /^(Details|See the result)$/ }));
    expect(path()).toBe(`/orders/${uuid(41)}`);
  });

  test('is hidden for good by who has seen enough', async () => {
    const { user } = await opened(orderOf('running', 'queued'));
    await user.click(button('Hide the progress of Your order'));
    expect(progress()).toBeUndefined();
    expect(sessionStorage.getItem('nameward.followed-work')).toBeNull();
  });

  test.each<[string, unknown, string, boolean]>([
    ['has ended and is looked at', orderOf('settled', 'succeeded'), `/orders/${uuid(41)}`, false],
    ['runs and is looked at', orderOf('running', 'queued'), `/orders/${uuid(41)}`, true],
    ['is another person’s', refused(404, 'not_found'), '/domain/list', false],
    ['nobody may read any more', refused(403, 'forbidden'), '/domain/list', false],
    ['cannot be read at the moment', refused(500, 'internal'), '/domain/list', true],
  ])('that %s is not shown, and is followed on or not', async (_what, answer, path, followed) => {
    await opened(answer, path);
    expect(progress()).toBeUndefined();
    expect(sessionStorage.getItem('nameward.followed-work') !== null).toBe(followed);
  });
});

test.each([
  ['draft', { total: 12, waiting: 9 }, 'looking, 3 of 12 domainsDetails'],
  ['running', { total: 5, done: 2, failed: 1, queued: 1, same: 1 }, 'applying, 3 of 4 domainsDetails'],
  // Somebody has to let it go on.
  ['paused', { total: 4, done: 3, queued: 1 }, 'pausedDetails'],
  ['partly', { total: 4, done: 3, failed: 1 }, 'partly doneSee the result'],
])('a change that is followed and is %s, %j, says so on every screen', async (state, counts, said) => {
  follow({ kind: 'change', id: uuid(61) });
  const none = {
    ...{ total: 0, waiting: 0, ready: 0, warned: 0, leftOut: 0, same: 0, barred: 0, queued: 0 },
    ...{ applying: 0, done: 0, failed: 0, moved: 0, cancelled: 0 },
  };
  await open({
    answers: {
      'GET /changes/:id': {
        ...{ id: uuid(61), title: 'New mail', reason: '', sentence: 'Replace a with b', state, note: '' },
        request: { kind: 'replace-value', find: 'a', replacement: 'b', part: false },
        ...{ author: 'bob@msp.example', createdAt: '2026-11-20T10:00:00Z', startedAt: null, endedAt: null },
        ...{ undoes: null, undoneBy: null, leftByUndo: null, round: 7, counts: { ...none, ...counts } },
      },
    },
  });
  expect(screen.getByRole('region', { name: 'Progress: New mail' }).textContent).toBe(`New mail${said}`);
});

describe('the one search', () => {
  const searched = async (text: string, opening: Opening = {}) => {
    const opened = await open(opening);
    await opened.user.keyboard('{Control>}k{/Control}');
    await opened.user.keyboard(text);
    // What is typed is looked for a moment later.
    await eventually(() => expect(opened.sent('GET /domain')).toHaveLength(1));
    await opened.settled();
    return opened;
  };
  const options = (name: string) => {
    const group = screen.queryByRole('group', { name });
    return group
      ? within(group)
          .getAllByRole('option')
          .map(({ textContent }) => textContent)
      : [];
  };

  test('finds orders by their names, the newest ones first, with their sum', async () => {
    const order = (n: number, ...names: string[]) => ({
      ...{ orderId: uuid(40 + n), state: 'settled', total: 24.62, charged: 0, by: 'Ann' },
      createdAt: '2026-11-20T12:00:00Z',
      items: names.map((address, at) => ({
        ...{
          itemId: uuid(50 + at),
          kind: 'domain',
          address,
          customerId: uuid(21),
          customer: 'Acme',
          period: 1,
        },
        ...{ price: 12.31, refunded: 0, state: 'succeeded', error: null, registrarOrderId: null },
        ...{ orderId: uuid(40 + n), updatedAt: '2026-11-20T12:00:00Z', nextCheckAt: null },
      })),
    });
    const { sent, user, path } = await searched('blue', {
      answers: { 'GET /order': paged([order(1, 'other.com', 'blue.com'), order(2, 'other.com')]) },
    });
    expect(sent('GET /order').map(({ query }) => query)).toEqual([
      { search: 'blue', page: '1', pageSize: '3', sort: '-createdAt' },
    ]);
    const [first, second] = options('Orders');
    expect(first).toMatch(/^blue\.com2 items, \$24\.62/);
    expect(second).toMatch(/^Order1 item, \$24\.62/);
    await user.click(within(screen.getByRole('group', { name: 'Orders' })).getByText('blue.com'));
    expect(path()).toBe(`/orders/${uuid(41)}`);
  });

  test.each<[Role, string[], boolean]>([
    ['MSP_OWNER', ['Add Customer', 'Search for domains', 'Cart', 'Statement', 'Profile'], true],
    ['MSP_CUSTOMER', ['Profile'], false],
  ])('leads %s where they may go, and looks for what they may see', async (role, places, staff) => {
    const { sent } = await searched('ca', { role });
    expect([sent('GET /customer').length, sent('GET /order').length]).toEqual(staff ? [1, 1] : [0, 0]);
    // Certificates and names are theirs too.
    expect([sent('GET /ssl').length, sent('GET /dns/records').length]).toEqual([1, 1]);
    expect(options('Go to').some((text) => text?.startsWith('Cart'))).toBe(places.includes('Cart'));
    expect(options('Names to buy').length > 0).toBe(staff);
  });

  test('ends the session by its words', async () => {
    const { user, session } = await open();
    await user.keyboard('{Control>}k{/Control}');
    await user.keyboard('sign o');
    await user.click(screen.getByRole('option', { name: /^Sign out/ }));
    expect(session.signOut).toHaveBeenCalledOnce();
  });
});

test.each<[Role, string[], boolean]>([
  ['MSP_OWNER', ['/', 'CtrlK'], true],
  ['MSP_EMPLOYEE', ['/', 'CtrlK'], false],
  ['MSP_CUSTOMER', ['CtrlK'], false],
])('the list of keys tells %s those that do something for them', async (role, keys, programs) => {
  const { user } = await open({ role });
  await user.keyboard('?');
  const dialog = within(screen.getByRole('dialog', { name: 'Help' }));
  const told = dialog.getAllByRole('row').map((row) => row.querySelector('td')?.textContent);
  expect(told.slice(0, keys.length + 1)).toEqual([...keys, '?']);
  expect(dialog.queryByRole('link', { name: 'description of the API' }) !== null).toBe(programs);
});

test('keys that work everywhere are letters where somebody types, and nothing where a dialog is open', async () => {
  const { user } = await open();
  const field = screen.getByRole<HTMLInputElement>('combobox', { name: 'Search your next domain' });
  await user.type(field, 'a/?');
  expect(field.value).toBe('a/?');
  expect(screen.queryByRole('dialog')).toBeNull();
  await user.keyboard('{Escape}');
  field.blur();
  await user.keyboard('?');
  expect(screen.getByRole('dialog', { name: 'Help' })).toBeDefined();
  await user.keyboard('/');
  expect(document.activeElement).not.toBe(field);
  await user.keyboard('{Control>}k{/Control}');
  expect(screen.queryAllByRole('option')).toEqual([]);
});
