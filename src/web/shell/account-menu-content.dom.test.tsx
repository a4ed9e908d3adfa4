import { afterEach, expect, test, vi } from 'vitest';
import { openScreen, screen, uuid } from '../../../tests/support/screen.tsx';
import { sessionMarks } from '../lib/session-marks.ts';
import AccountMenuContent from './account-menu-content.tsx';

afterEach(() => sessionMarks.setCreatingAccount(false));
const open = () =>
  openScreen(() => <AccountMenuContent name={null} close={() => undefined} />, {
    status: 'signed-out',
    profile: null,
  });

test('"Create Account" leads to the sign-up, and is remembered for the return', async () => {
  const { user, session } = await open();
  await user.click(screen.getByRole('button', { name: 'Create Account' }));
  expect(session.signIn).toHaveBeenCalledWith({ signUp: true });
  expect(sessionMarks.creatingAccount()).toBe(true);
});

test('"Sign in" creates nothing', async () => {
  const { user, session } = await open();
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(session.signIn).toHaveBeenCalledWith();
  expect(sessionMarks.creatingAccount()).toBe(false);
});

test('an account is created in the portal of providers alone: customers come by invitation', async () => {
  await openScreen(() => <AccountMenuContent name={null} close={() => undefined} />, {
    status: 'signed-out',
    profile: null,
    config: { appType: 'client' },
  });
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toContain('Sign in');
  expect(screen.queryByRole('button', { name: 'Create Account' })).toBeNull();
});

test.each([
  [
    'MSP_OWNER',
    [
      'Profile & Billing Details: /account',
      'Manage Customers: /customers',
      'Manage Domains & Certificates: /domain',
    ],
  ],
  [
    'MSP_CUSTOMER',
    ['Profile: /account', `Manage Contacts: /customers/${uuid(3)}`, 'Manage Domains & Certificates: /domain'],
  ],
] as const)('the menu of %s leads to their places, and closes on the way', async (role, places) => {
  const close = vi.fn();
  const { user } = await openScreen(() => <AccountMenuContent name="Blue Fig" close={close} />, { role });
  const links = screen.getAllByRole('link');
  expect(links.map((link) => `${link.textContent}: ${link.getAttribute('href')}`)).toEqual(places);
  await user.click(links[1] as HTMLElement);
  expect(close).toHaveBeenCalledOnce();
});
