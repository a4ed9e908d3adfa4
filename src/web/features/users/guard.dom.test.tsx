import { afterEach, expect, test } from 'vitest';
import type { Permission, Role } from '#contracts/permissions.ts';
import { openScreen, screen } from '../../../../tests/support/screen.tsx';
import { keepReturnPath, peekReturnPath } from '../../lib/return-path.ts';
import { forgetTab } from '../../lib/storage.ts';
import { Guard } from './guard.tsx';

interface Who {
  role?: Role;
  profile?: object | null;
  status?: 'signed-out' | 'loading';
  path?: string;
  needs?: Permission;
  appType?: 'msp' | 'client';
  accountRequired?: boolean;
}
const open = ({ needs, appType = 'msp', accountRequired = false, path = '/tokens', ...who }: Who) =>
  openScreen(() => <Guard {...(needs ? { needs } : {})}>The screen</Guard>, {
    ...{ route: path.replace(/\?.*/, ''), path, ...who },
    config: { appType, paymentAccountRequired: accountRequired },
  });
const unpaid = { paidInitialFee: false };
const noAccount = { stripeAccount: { id: null, finishedRequirement: false } };

afterEach(forgetTab);

test.each<[string, Who]>([
  ['people who may', { needs: 'tokens.manage' }],
  ['everybody, where nothing is needed', { role: 'MSP_CUSTOMER' }],
  ['the payment, before it', { profile: unpaid, path: '/account' }],
  ["a customer's user, whatever their provider has not done", { role: 'MSP_CUSTOMER', profile: unpaid }],
  [
    'an owner without an account, which is asked of administrators',
    { profile: noAccount, accountRequired: true },
  ],
  ['an invited person without a profile', { profile: null, path: '/invite/0123456789abcdef' }],
])('a screen opens for %s', async (_who, who) => {
  const { path } = await open(who);
  expect(screen.getByText('The screen')).toBeDefined();
  expect(path()).toBe(who.path ?? '/tokens');
});

test.each<[string, Who, string]>([
  ['people who may not', { role: 'MSP_EMPLOYEE', needs: 'tokens.manage' }, '/'],
  ['the tokens of the MSP, in the portal of customers', { appType: 'client', needs: 'tokens.manage' }, '/'],
  ['the users of the MSP, in the portal of customers', { appType: 'client', needs: 'users.manage' }, '/'],
  ['a person without a profile', { profile: null }, '/onboarding/1'],
  ['people who have not paid', { profile: unpaid }, '/onboarding/3'],
  [
    'an administrator without the account that is asked for',
    { role: 'MSP_ADMIN', profile: noAccount, accountRequired: true, path: '/account' },
    '/onboarding/2',
  ],
])('a screen does not open for %s', async (_who, who, to) => {
  const { path } = await open(who);
  expect(screen.queryByText('The screen')).toBeNull();
  expect(path()).toBe(to);
});

test('a visitor signs in, and comes back to the same place with its query', async () => {
  const { session } = await open({ status: 'signed-out', path: '/tokens?search=a' });
  expect(session.signIn).toHaveBeenCalledWith({ returnPath: '/tokens?search=a' });
  expect(screen.queryByText('The screen')).toBeNull();
});

test('nobody signs in while it is not known who they are', async () => {
  const { session } = await open({ status: 'loading' });
  expect(session.signIn).not.toHaveBeenCalled();
  expect(screen.queryByText('The screen')).toBeNull();
});

test.each<[string, Who, string]>([
  ['a person who has nothing to do first', {}, '/customers?search=a'],
  ['an invited person', { profile: null }, '/invite/0123456789abcdef'],
])('from the start, %s goes on to where they were before the sign-in', async (_who, who, kept) => {
  keepReturnPath(kept);
  const { path } = await open({ ...who, path: '/' });
  expect(path()).toBe(kept);
});

test('where one was before does not come before a step that is to be done', async () => {
  keepReturnPath('/customers');
  const { path } = await open({ profile: unpaid, path: '/' });
  expect(path()).toBe('/onboarding/3');
  expect(peekReturnPath()).toBe('/customers');
});

test('a screen that opens tells that the person has come to it', async () => {
  const { session } = await open({ path: '/tokens?search=a' });
  expect(session.arrive).toHaveBeenCalledWith('/tokens?search=a');
});
