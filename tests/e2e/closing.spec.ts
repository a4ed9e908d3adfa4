import { expect, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import { api, enterAs, newAccount, openMsp } from './support/msp.ts';
import { requirePaymentAccount } from './support/person.ts';

test('a person who founded an organization by mistake closes it before any payment, and accepts the invitation', async ({
  page,
}) => {
  await requirePaymentAccount(page);
  const host = await openMsp();
  const { person, token } = await newAccount();
  const { username, organization } = person;
  const invite = { email: person.email, type: 'MSP_EMPLOYEE' };
  const { link } = await api<{ link: string }>(host.token, 'POST', 'user/subuser', invite);
  await api(token, 'POST', 'user', { username, organization });
  await api(token, 'POST', 'account/topupv2', { amount: 100 });

  await enterAs(page, person, new URL(link).pathname);
  const status = page.getByRole('dialog', { name: 'Invite Status' });
  await expect(status).toContainText('You already belong to an organization.');
  await expect(status).toContainText(
    `If nothing depends on ${organization}, you can close it first. Then you come back to this invitation.`,
  );
  await expect(status.getByRole('button', { name: 'Confirm' })).toBeDisabled();
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
