import { act } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { certificateOf } from '../../../tests/support/certificate-samples.ts';
import { Held, openScreen, profileOf, screen, uuid, within } from '../../../tests/support/screen.tsx';
import { apex, mail, note, openZone, savedAt, withRoom } from '../../../tests/support/zone-tab.tsx';
// The parts that come when they are shown.
import '../features/profile/manage-profile.tsx';
import { useCustomer } from '../features/customers/api.ts';
import { BillingTab } from '../features/customers/billing-tab.tsx';
import { cart, newDomainItem } from '../features/orders/cart.ts';
import { forgetTab } from '../lib/storage.ts';
import AccountScreen from './account.tsx';
import CartScreen from './cart.tsx';
import CertificateScreen from './certificate.tsx';
import InviteScreen from './invite.tsx';
import UsersScreen from './users.tsx';

/** Two presses before the page can show what the first one did. */
async function pressTwice(button: HTMLElement, { settled }: { settled(): Promise<void> }): Promise<void> {
  act(() => {
    button.click();
    button.click();
  });
  await settled();
}
const button = (name: string) => screen.getByRole('button', { name });
const inDialog = (name: string) => within(screen.getByRole('dialog')).getByRole('button', { name });
const alerts = () => screen.queryAllByRole('alert');

beforeEach(() => {
  cart.init(`nobody-${Math.random()}`);
  localStorage.clear();
});
afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
  cart.init(`nobody-${Math.random()}`);
  forgetTab();
});

test('two presses in one frame delete a record once, and no error follows', async () => {
  withRoom();
  const opened = await openZone({ answers: { 'PUT /:domain/zone': savedAt('v2', [apex, mail, note]) } });
  await opened.user.click(button('Delete A record for www.a.com'));
  await pressTwice(inDialog('Delete'), opened);
  expect(opened.bodies()).toHaveLength(1);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(alerts()).toEqual([]);
});

test('two presses in one frame cancel a certificate once', async () => {
  const cancel = 'POST /ssl/order/:orderId/cancel';
  const pending = certificateOf({ state: 'pending', serial: null });
  const opened = await openScreen(CertificateScreen, {
    ...{ route: '/SSL/$opensrsorderid', path: '/SSL/4711' },
    answers: {
      ...{ 'GET /ssl/order/:orderId': pending, 'GET /ssl/order/:orderId/approvers': [] },
      [cancel]: { ...pending, state: 'cancelled' },
    },
  });
  await opened.user.click(button('Cancel order'));
  opened.answer('GET /ssl/order/:orderId', { ...pending, state: 'cancelled' });
  await pressTwice(inDialog('Cancel order'), opened);
  expect(opened.sent(cancel)).toHaveLength(1);
  expect(alerts()).toEqual([]);
  expect(screen.getByRole('status').textContent).toBe('Status: cancelled');
});

test('two presses in one frame accept an invitation once, with one profile', async () => {
  const [create, accept] = ['POST /user/subuser/create', 'POST /user/subuser/acceptinvite/:id'];
  const opened = await openScreen(InviteScreen, {
    ...{ route: '/invite/$inviteId', path: '/invite/0123456789abcdef', profile: null },
    answers: {
      'POST /user/subuser/checkinvite/:id': {
        ...{ message: 'ACCEPT', organization: 'Blue Fig', type: 'MSP_EMPLOYEE' },
      },
      ...{ 'GET /user': profileOf('MSP_EMPLOYEE'), [create]: { userId: uuid(1) }, [accept]: {} },
    },
  });
  await pressTwice(button('Confirm'), opened);
  expect([opened.sent(create), opened.sent(accept)].map(({ length }) => length)).toEqual([1, 1]);
  expect(opened.path()).toBe('/');
});

test('two presses in one frame resend and cancel an invitation, and remove a person, once', async () => {
  const invited = 'dan@msp.example';
  const of = (n: number, email: string) => ({
    ...{ userId: uuid(n), email, username: '', organization: 'Blue Fig', type: 'MSP_EMPLOYEE' },
    ...{ authorizedClientId: null, dailyLimit: null },
  });
  const invite = {
    ...{ inviteId: uuid(31), email: invited, type: 'MSP_EMPLOYEE', authorizedClientId: null },
    ...{ expiresAt: '2026-12-01T00:00:00Z', expired: false },
  };
  const [resend, cancel] = [
    'POST /user/subuser/invite/:id/resend',
    'DELETE /user/subuser/invite/:id',
  ] as const;
  const remove = 'DELETE /user/subuser/:id';
  const opened = await openScreen(UsersScreen, {
    route: '/users',
    answers: {
      ...{ 'GET /user/users': [of(11, 'bob@msp.example')], 'GET /user/invites': [invite] },
      ...{ 'GET /customer/choices': [], [cancel]: {}, [remove]: {} },
      [resend]: { ...invite, link: 'https://portal.test/invite/0123456789abcdef' },
    },
  });
  await pressTwice(button(`Send the invitation to ${invited} again`), opened);
  expect(screen.getByText('The invitation was sent again.')).toBeDefined();
  for (const name of [`Cancel the invitation of ${invited}`, 'Remove bob@msp.example']) {
    await opened.user.click(button(name));
    await pressTwice(inDialog('Confirm'), opened);
    expect(screen.queryByRole('dialog')).toBeNull();
  }
  expect([resend, cancel, remove].map((name) => opened.sent(name).length)).toEqual([1, 1, 1]);
  expect(alerts()).toEqual([]);
});

test('two presses in one frame ask once for a new password and a way to the provider', async () => {
  const resetUrl = 'https://id.example/reset';
  const reset = 'POST /reset';
  const link = 'GET /account/login';
  const address = {
    ...{ name: 'Blue Fig LLC', line1: '1 Main St', line2: '', city: 'Troy' },
    ...{ state: 'NY', postalCode: '12180', country: 'US' },
  };
  const opened = await openScreen(AccountScreen, {
    ...{ route: '/account/{-$tab}', path: '/account/profile' },
    config: {
      paymentAccountRequired: false,
      identity: {
        ...{ passwordResetUrl: resetUrl, clientId: 'portal', passwordResetConnection: 'People' },
      } as never,
    },
    answers: {
      ...{ 'GET /account/billing-address': { address }, 'GET /user': profileOf('MSP_OWNER') },
      ...{ [link]: { link: 'https://provider.example/once' } },
      [reset]: () => new Response('We have sent you a letter.'),
    },
  });
  await pressTwice(button('Reset'), opened);
  expect(screen.getByText('We have sent you a letter.')).toBeDefined();
  await pressTwice(button('Edit this information'), opened);
  expect(within(screen.getByRole('dialog')).getByRole('link').getAttribute('href')).toMatch(/^https:/);
  expect([reset, link].map((name) => opened.sent(name).length)).toEqual([1, 1]);
});

function Billing() {
  const { data } = useCustomer(uuid(21));
  return data && <BillingTab customer={data} mayEdit />;
}

test('two presses in one frame send a payment setup link once', async () => {
  const send = 'GET /customer/resend-payment-link/:stripeId';
  const none = { type: 'percentage', value: 0 };
  const owner = {
    ...{ organization: 'Acme', firstName: 'Ann', lastName: 'Smith', address1: '1 Main St', city: 'Troy' },
    ...{ state: 'NY', postalCode: '12180', country: 'US', email: 'ann@a.example', phone: '+1.5185550100' },
  };
  const customer = {
    ...{ customerId: uuid(21), contacts: { owner, admin: owner, billing: owner } },
    markups: { domain: { purchase: none, renewal: none }, certificate: { purchase: none, renewal: none } },
    billing: { billDirectly: true, email: 'p@x.example', stripeId: 'cus_1', allowChangeBilling: true },
    ...{ domainsCount: 0, paymentMethodSet: false, allowDomainSettings: false, version: 3 },
    chargesStopped: null,
    createdAt: '2026-11-01T00:00:00Z',
  };
  const opened = await openScreen(Billing, { answers: { 'GET /customer/:id': customer, [send]: {} } });
  await pressTwice(button('Send payment setup link'), opened);
  expect(screen.getByText('Payment setup link sent successfully.')).toBeDefined();
  expect(opened.sent(send)).toHaveLength(1);
});

test('two presses in one frame buy a cart once', async () => {
  const held = new Held();
  const items = [{ ...newDomainItem('a.com'), customerId: uuid(21) }];
  localStorage.setItem(`nameward.cart.${uuid(1)}`, JSON.stringify({ items }));
  const opened = await openScreen(CartScreen, {
    route: '/cart',
    answers: {
      'GET /customer/choices': [{ customerId: uuid(21), organization: 'Acme', markups: null }],
      'POST /cart/prices': [{ address: 'a.com', kind: 'domain', premium: false, price: 12.31 }],
      ...{ 'GET /account/balancev2': { balance: 10_000, pendingBalance: 0, held: 0, spendable: 10_000 } },
      ...{ 'GET /ssl/prices': [], 'POST /cart/purchase': held },
    },
  });
  await pressTwice(button('Finalize Purchase'), opened);
  expect(opened.sent('POST /cart/purchase')).toHaveLength(1);
  const none = { success: [], fail: [] };
  held.give({
    ...{ orderId: uuid(41), renewals: none, transfers: none, certificates: none, pending: [] },
    domains: { success: [{ domain: 'a.com', price: 12.31 }], fail: [] },
  });
  await opened.settled();
  expect(screen.getByText('Your order has been processed sucessfully!')).toBeDefined();
  expect(opened.sent('POST /cart/purchase')).toHaveLength(1);
});
