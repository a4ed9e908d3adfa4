import { afterEach, describe, expect, test } from 'vitest';
import type { Role } from '#contracts/permissions.ts';
import {
  type Answers,
  Held,
  openScreen,
  paged,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { forgetTab } from '../lib/storage.ts';
// The parts that come when they are shown, so that the first test waits for none.
import '../features/statement/earnings-tab.tsx';
import '../features/statement/recipient-card.tsx';
import '../features/statement/statement-tab.tsx';
import AccountScreen from './account.tsx';

const [balance, recipient, addressRead] = [
  'GET /account/balancev2',
  'GET /account/statement/recipient',
  'GET /account/billing-address',
];
const address = {
  ...{ name: 'Blue Fig LLC', line1: '1 Main St', line2: '', city: 'Troy' },
  ...{ state: 'NY', postalCode: '12180', country: 'US' },
};
const answers: Answers = {
  [balance]: { balance: 250_00, pendingBalance: 0, held: 50_00, spendable: 250_00 },
  'GET /account/statement': paged([]),
  'GET /account/statement/months': [
    { month: '2026-10', lines: 3, opening: 0, in: 100_00, out: 0, closing: 100_00 },
  ],
  'GET /customer/choices': [{ customerId: uuid(21), organization: 'Acme', markups: null }],
  [recipient]: { name: '', address: [], taxId: '' },
  [addressRead]: { address },
  'GET /account/earnings': [],
};
const open = (
  tab: string,
  more: Answers = {},
  { role = 'MSP_OWNER', profile = {} }: { role?: Role; profile?: object } = {},
) =>
  openScreen(AccountScreen, {
    ...{ route: '/account/{-$tab}', path: `/account${tab}`, role, profile },
    config: { paymentAccountRequired: false, identity: { passwordResetUrl: null } as never },
    answers: { ...answers, ...more },
  });
const button = (name: string) => screen.getByRole('button', { name });
const figures = () => [...document.querySelectorAll('dd b')].map(({ textContent }) => textContent);
const dialog = () => within(screen.getByRole('dialog'));
const offer = /billing address of your payment account/;

afterEach(forgetTab);

describe('the tab of the statement', () => {
  test('has the sums of the balance, and the customers to choose from', async () => {
    const { user } = await open('/statement');
    expect(figures()).toEqual(['$300.00', '$50.00', '$250.00']);
    await user.click(screen.getByRole('combobox', { name: 'Customer' }));
    expect(screen.getByRole('option', { name: 'Acme' })).toBeDefined();
  });

  test('has no sums where the balance cannot be read', async () => {
    await open('/statement', { [balance]: refused(500, 'internal') });
    expect(figures()).toEqual(['–', '–', '–']);
  });

  test.each<[Role, boolean]>([
    ['MSP_OWNER', true],
    ['MSP_ADMIN', true],
    ['MSP_EMPLOYEE', false],
  ])('offers %s the files and the recipient: %s', async (role, offered) => {
    const { sent } = await open('/statement', {}, { role });
    for (const name of ['Export CSV', 'PDF of October 2026', 'Change the recipient']) {
      expect([name, screen.queryByRole('button', { name }) !== null]).toEqual([name, offered]);
    }
    // The provider is asked when somebody wants to change the recipient.
    expect([sent(recipient).length, sent(addressRead).length]).toEqual([offered ? 1 : 0, 0]);
  });

  test('asks the payment provider for its address when the recipient is to be changed, and fills it in', async () => {
    const held = new Held();
    const opened = await open('/statement', { [addressRead]: held });
    await opened.user.click(button('Change the recipient'));
    expect(opened.sent(addressRead)).toHaveLength(1);
    expect(screen.queryByRole('dialog')).toBeNull();
    held.give({ address });
    await opened.settled();
    expect(dialog().getByLabelText<HTMLInputElement>('Name').value).toBe('Blue Fig LLC');
  });

  test.each<[string, Answers, object, number]>([
    ['the provider does not answer', { [addressRead]: silence }, {}, 1],
    ['there is no payment account', { [addressRead]: { address: null } }, {}, 1],
    [
      'somebody may not see that account',
      {},
      { permissions: ['balance.read', 'statement.export', 'profile.self'] },
      ...([0] as const),
    ],
  ])('lets the recipient be changed also where %s', async (_what, more, profile, asked) => {
    const opened = await open('/statement', more, { profile });
    await opened.user.click(button('Change the recipient'));
    expect(dialog().getByLabelText<HTMLInputElement>('Name').value).toBe('');
    expect(dialog().getByLabelText('Name')).toHaveProperty('placeholder', 'Blue Fig');
    expect(dialog().queryByText(offer)).toBeNull();
    expect(opened.sent(addressRead)).toHaveLength(asked);
  });
});

test.each<[Role, boolean]>([
  ['MSP_ADMIN', true],
  ['MSP_EMPLOYEE', false],
])('the tab of the earnings offers %s its file: %s', async (role, offered) => {
  await open('/earnings', {}, { role });
  expect(screen.getByText('No bookings yet')).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Export CSV' }) !== null).toBe(offered);
});

describe('the address of a tab', () => {
  test('names it, except the first one; another tab leaves the filters of the one before', async () => {
    const { user, path } = await open('/statement?kind=refund', {
      'GET /account': silence,
      'GET /renewals/due': silence,
    });
    expect(screen.getByRole('heading', { name: 'Statement' })).toBeDefined();
    await user.click(screen.getByRole('tab', { name: 'Earnings' }));
    expect(path()).toBe('/account/earnings');
    await user.click(screen.getByRole('tab', { name: 'Manage your Billing' }));
    expect(path()).toBe('/account');
  });

  test.each<[string, string, Role]>([
    ['is none', '/nothing', 'MSP_EMPLOYEE'],
    ['is an owner’s business', '/statement', 'MSP_CUSTOMER'],
    ['is an owner’s business', '/billing', 'MSP_CUSTOMER'],
  ])('that %s (%s) leads %s to the first tab', async (_what, tab, role) => {
    const { path } = await open(tab, { 'GET /account': silence, 'GET /renewals/due': silence }, { role });
    expect(path()).toBe('/account');
    expect(screen.queryByText('Months')).toBeNull();
  });

  test('is that of the profile for a customer’s own user before the first payment too', async () => {
    await open('', {}, { role: 'MSP_CUSTOMER', profile: { paidInitialFee: false } });
    expect(screen.getByRole('heading', { name: 'Manage Profile' })).toBeDefined();
  });
});
