import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Role } from '#contracts/permissions.ts';
import {
  type Answers,
  file,
  Held,
  openScreen,
  profileOf,
  refused,
  screen,
  silence,
  within,
} from '../../../tests/support/screen.tsx';
import { forgetTab } from '../lib/storage.ts';
// The parts that come when they are shown, so that the first test waits for none.
import '../features/privacy/export-data.tsx';
import '../features/profile/manage-profile.tsx';
import AccountScreen from './account.tsx';

const address = {
  ...{ name: 'Blue Fig LLC', line1: '1 Main St', line2: '', city: 'Troy' },
  ...{ state: 'NY', postalCode: '12180', country: 'US' },
};
const addressRead = 'GET /account/billing-address';
const link = 'GET /account/login';

interface Wish {
  role?: Role;
  profile?: object;
  path?: string;
  identity?: object;
}
const open = (answers: Answers = {}, { role = 'MSP_OWNER', profile = {}, path, identity }: Wish = {}) =>
  openScreen(AccountScreen, {
    ...{ route: '/account/{-$tab}', path: path ?? '/account/profile', role, profile },
    config: {
      paymentAccountRequired: false,
      identity: { passwordResetUrl: null, ...identity } as never,
    },
    answers: { [addressRead]: { address }, 'GET /user': profileOf(role, profile), ...answers },
  });
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
/** Some are marked as required. */
const field = (label: string) =>
  screen.getByLabelText<HTMLInputElement>((text) => text.replace(/\s*\*$/, '') === label);
const dialog = () => within(screen.getByRole('dialog'));

afterEach(forgetTab);

describe('the profile', () => {
  test('shows the names and the address that the payment provider keeps, to be read alone', async () => {
    await open();
    const shown = [
      'Account Name',
      'Email',
      'Name',
      'Address line 1',
      'City',
      'State',
      'Postal code',
      'Country',
    ];
    expect(shown.map((label) => field(label).value)).toEqual([
      ...['Blue Fig', 'ann@msp.example', 'Blue Fig LLC', '1 Main St', 'Troy', 'NY', '12180', 'US'],
    ]);
    expect([field('Account Name').readOnly, field('Email').readOnly]).toEqual([true, true]);
    // Of the address all is needed, and nothing is changed here.
    expect(screen.getByRole('heading', { name: 'Billing Address' })).toBeDefined();
    for (const label of shown.slice(2)) {
      expect([field(label).disabled, field(label).required]).toEqual([true, true]);
    }
  });

  test.each<[Role, boolean]>([
    ['MSP_ADMIN', true],
    ['MSP_EMPLOYEE', false],
    ['MSP_CUSTOMER', false],
  ])('offers the logo and the address to %s: %s', async (role, offered) => {
    const { sent } = await open({}, { role });
    expect(screen.queryByRole('button', { name: 'Upload logo' }) !== null).toBe(offered);
    expect(screen.queryByRole('button', { name: 'Edit this information' }) !== null).toBe(offered);
    expect(sent(addressRead)).toHaveLength(offered ? 1 : 0);
  });

  test('without a payment account says so once that is known, and offers no way there', async () => {
    const answer = new Held();
    const opened = await open({ [addressRead]: answer });
    expect(screen.queryByText(/^There is no payment account yet/)).toBeNull();
    answer.give({ address: null });
    await opened.settled();
    expect(screen.getByText(/^There is no payment account yet/)).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Edit this information' })).toBeNull();
  });

  test('whose address cannot be read says so, and reads it again', async () => {
    const opened = await open({
      [addressRead]: refused(502, 'upstream_unavailable', { message: 'No answer.' }),
    });
    expect(screen.getByRole('alert').textContent).toContain('No answer.');
    opened.answer(addressRead, { address });
    await opened.user.click(button('Try again'));
    expect(field('City').value).toBe('Troy');
  });

  test('hands out everything about the person themselves', async () => {
    const opened = await open({ 'GET /privacy/own': file('me.json') });
    await opened.user.click(button('Export data (JSON)'));
    expect(opened.sent('GET /privacy/own').map(({ query }) => query)).toEqual([{ format: 'json' }]);
    expect(opened.saved()).toEqual(['me.json']);
  });
});

describe('the way to the payment provider', () => {
  const edit = async (answers: Answers) => {
    const opened = await open(answers);
    await opened.user.click(button('Edit this information'));
    return opened;
  };

  test('is a link that is made when it is asked for, and forgotten when the dialog goes', async () => {
    const answer = new Held();
    const opened = await edit({ [link]: answer });
    expect(screen.getByText('Preparing your link...')).toBeDefined();
    answer.give({ link: 'https://provider.example/once' });
    await opened.settled();
    expect(dialog().getByRole('link').getAttribute('href')).toBe('https://provider.example/once');
    await opened.user.click(dialog().getByText('Close'));
    expect(screen.queryByRole('dialog')).toBeNull();
    opened.answer(link, { link: 'https://provider.example/twice' });
    await opened.user.click(button('Edit this information'));
    expect(opened.sent(link)).toHaveLength(2);
    expect(dialog().getByRole('link').getAttribute('href')).toBe('https://provider.example/twice');
  });

  test('is of no use a second time: the dialog goes when it is taken, in a window of its own', async () => {
    const opened = await edit({ [link]: { link: 'https://provider.example/once' } });
    const way = dialog().getByRole('link');
    expect([way.getAttribute('target'), way.getAttribute('rel')]).toEqual(['_blank', 'noopener noreferrer']);
    await opened.user.click(way);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(document.body.innerHTML).not.toContain('provider.example');
  });

  test('that is refused says why, and may be tried again', async () => {
    const opened = await edit({ [link]: refused(502, 'upstream_unavailable', { message: 'No answer.' }) });
    expect(dialog().getByText('No answer.')).toBeDefined();
    opened.answer(link, { link: 'https://provider.example/once' });
    await opened.user.click(button('Try again'));
    expect(dialog().getByRole('link')).toBeDefined();
    expect(dialog().queryByText('No answer.')).toBeNull();
  });

  test('that needs a fresh sign-in leads there, and not to a second try', async () => {
    const opened = await edit({ [link]: refused(403, 'fresh_sign_in_required') });
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    await opened.user.click(button('Sign in again'));
    expect(opened.session.signIn).toHaveBeenCalledWith({ fresh: true, returnPath: '/account/profile' });
  });
});

describe('a new password', () => {
  const resetUrl = 'https://id.example/reset';
  const identity = {
    ...{ passwordResetUrl: resetUrl, clientId: 'portal', passwordResetConnection: 'People' },
  };

  test('is offered only where the identity provider takes the request', async () => {
    await open();
    expect(screen.queryByRole('button', { name: 'Reset' })).toBeNull();
  });

  test('is asked for of the identity provider, whose words are shown', async () => {
    const opened = await open({}, { identity });
    const asked = vi.fn(async () => new Response('We have sent you a letter.'));
    vi.stubGlobal('fetch', asked);
    await opened.user.click(button('Reset'));
    const [[url, init]] = asked.mock.calls as unknown as [[string, RequestInit]];
    expect([url, JSON.parse(String(init.body))]).toEqual([
      resetUrl,
      { client_id: 'portal', email: 'ann@msp.example', connection: 'People' },
    ]);
    expect(screen.getByText('We have sent you a letter.')).toBeDefined();
  });

  test.each([
    ['refused', async () => Response.json({ description: 'Too many.' }, { status: 429 }), 'Too many.'],
    ['without an answer', async () => silence(), 'Not able to change password'],
  ])('that is %s says why, and may be asked for again', async (_what, answer, message) => {
    const opened = await open({}, { identity });
    vi.stubGlobal('fetch', answer);
    await opened.user.click(button('Reset'));
    expect(screen.getByText(message)).toBeDefined();
    expect(button('Reset').disabled).toBe(false);
  });
});

describe('the tabs of the account', () => {
  const names = () => screen.queryAllByRole('tab').map(({ textContent }) => textContent);

  test.each<[string, Role, object, string[]]>([
    [
      'an owner',
      ...(['MSP_OWNER', {}] as const),
      ['Manage your Billing', 'Manage Profile', 'Statement', 'Earnings'],
    ],
    // One alone is no choice.
    ["a customer's own user", 'MSP_CUSTOMER', {}, []],
  ])('are those that %s may see', async (_who, role, profile, expected) => {
    await open({}, { role, profile });
    expect(names()).toEqual(expected);
    expect(screen.getByRole('heading', { name: 'Manage Profile' })).toBeDefined();
  });

  test('are the billing alone before the first payment: another address leads there', async () => {
    const profile = { paidInitialFee: false, permissions: ['balance.read'] };
    const opened = await open({ 'GET /account/balancev2': silence }, { profile });
    expect(opened.path()).toBe('/account');
    expect(screen.getByRole('heading', { name: 'Manage your Billing' })).toBeDefined();
    expect(names()).toEqual([]);
  });
});
