import { afterEach, expect, test } from 'vitest';
import { openScreen, screen } from '../../../tests/support/screen.tsx';
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
