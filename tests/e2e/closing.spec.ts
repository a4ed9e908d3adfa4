import { expect, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import {
  addMember,
  api,
  connectAccount,
  enterAs,
  newAccount,
  openMsp,
  withOldSignIn,
} from './support/msp.ts';
import { requirePaymentAccount } from './support/person.ts';

const invite = (token: string, email: string) =>
  api<{ link: string }>(token, 'POST', 'user/subuser', { email, type: 'MSP_EMPLOYEE' });

test('a person who founded an organization by mistake closes it before any payment, and accepts the invitation', async ({
  page,
}) => {
  await requirePaymentAccount(page);
  const host = await openMsp();
  const { person, token } = await newAccount();
  const { username, organization } = person;
  const { link } = await invite(host.token, person.email);
  await api(token, 'POST', 'user', { username, organization });
  await api(token, 'POST', 'account/topupv2', { amount: 100 });

  await enterAs(page, person, new URL(link).pathname);
  const status = page.getByRole('dialog', { name: 'Invite Status' });
  await expect(status).toContainText('You already belong to an organization.');
  await expect(status).toContainText(
    `If nothing depends on ${organization}, you can close it first. Then you come back to this invitation.`,
  );
  await expect(status.getByRole('button', { name: 'Confirm' })).toBeDisabled();
  await inspect(page, 'an invitation of a person with an organization');
  await status.getByRole('link', { name: 'close it first' }).click();
  await expect(page.getByRole('heading', { name: /^Welcome to/ })).toBeVisible();

  await page.getByRole('button', { name: 'Close organization' }).click();
  const dialog = page.getByRole('dialog', { name: 'Close organization' });
  const confirm = dialog.getByRole('button', { name: 'Close organization' });
  await expect(dialog).toContainText('Statements, receipts and the audit log stay with the portal');
  await confirm.click();
  // A top-up that was begun and never paid would stand in the way for good.
  await expect(dialog.getByText('1 open top-up')).toBeVisible();
  // Its screen does not open before the steps are done.
  await expect(dialog.getByRole('link')).toHaveCount(0);
  await inspect(page, 'an organization that cannot be closed');
  await dialog.getByRole('button', { name: 'Cancel unpaid top-ups' }).click();
  await expect(dialog.getByText('Unpaid top-ups were cancelled.')).toBeFocused();
  await confirm.click();

  await expect(status).toContainText(`Join ${host.person.organization} as Employee?`);
  await status.getByRole('button', { name: 'Confirm' }).click();
  await expect(page).toHaveURL(/\/$/);
  const joined = await api<{ organization: string; type: string }>(token, 'GET', 'user');
  expect(joined).toMatchObject({ organization: host.person.organization, type: 'MSP_EMPLOYEE' });
});

test('an owner is told what stands against closing, with ways to it; an administrator beside them is not offered it', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'], paid: true });
  const owner = await addMember(msp, 'MSP_OWNER');
  await connectAccount(owner.token);
  await invite(owner.token, 'somebody@msp.example');

  // An administrator beside an owner is not offered it.
  await enterAs(page, msp.person, '/account/profile');
  await expect(page.getByRole('heading', { name: 'Your data' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Close organization' })).toHaveCount(0);
  await page.context().clearCookies();

  await enterAs(page, owner.person, '/account/profile');
  await page.getByRole('button', { name: 'Close organization' }).click();
  const dialog = page.getByRole('dialog', { name: 'Close organization' });
  const confirm = dialog.getByRole('button', { name: 'Close organization' });
  const asBefore = await withOldSignIn(page, owner.person, '**/api/user/organization');
  await confirm.click();
  await expect(dialog.getByText('please sign in again to close the organization')).toBeVisible();
  await asBefore();
  await confirm.click();
  for (const reason of ['1 other user', '1 open invitation', '1 customer', 'a balance of $100.00']) {
    await expect(dialog.getByRole('link', { name: reason, exact: true })).toBeVisible();
  }
  await inspect(page, 'an organization with much in it');
  await dialog.getByRole('link', { name: '1 customer' }).click();
  await expect(page).toHaveURL(/\/customers$/);
  await expect(dialog).toHaveCount(0);
});

test('without an invitation the person begins again', async ({ page }) => {
  const { person, token } = await newAccount();
  const { username, organization } = person;
  await api(token, 'POST', 'user', { username, organization });
  await enterAs(page, person, '/onboarding');
  await page.getByRole('button', { name: 'Close organization' }).click();
  const dialog = page.getByRole('dialog', { name: 'Close organization' });
  await dialog.getByRole('button', { name: 'Close organization' }).click();
  await expect(page.getByRole('textbox', { name: 'Username' })).toHaveValue('');
  await expect(page.getByRole('button', { name: 'Close organization' })).toHaveCount(0);
  await expect(api(token, 'GET', 'user')).rejects.toThrow('no_profile');
});
