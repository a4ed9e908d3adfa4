import { expect, type Page, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import { addMember, enterAs, newAccount, openMsp, withOldSignIn } from './support/msp.ts';
import { fillSignIn } from './support/person.ts';
import { control } from './support/sandbox.ts';

/** The invitation link that was mailed to this address. */
async function mailedLink(email: string): Promise<string> {
  let link = '';
  await expect(async () => {
    const letters = await control<{ links: string[] }[]>('mail', 'messages', { to: email });
    const links = letters.flatMap((letter) => letter.links);
    link = links.find((address) => address.includes('/invite/')) ?? '';
    expect(link).not.toBe('');
  }).toPass();
  return link;
}

const menu = (page: Page, name: string) =>
  page.locator('#side-navigation').getByRole('link', { name, exact: true });

test('an employee is invited by mail, accepts, works, and is out in every tab with the next request when removed', async ({
  page,
  browser,
}) => {
  const msp = await openMsp();
  const { person: guest } = await newAccount();
  await enterAs(page, msp.person, '/users');
  await page.getByRole('button', { name: 'Invite User' }).click();
  await page.getByLabel('Email').fill(guest.email);
  await inspect(page, 'add new user');
  await page.getByRole('button', { name: 'Invite User' }).click();
  await expect(page.getByRole('cell', { name: `${guest.email} until` })).toBeVisible();

  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(await mailedLink(guest.email));
  await expect(other.getByText(/Please create an account, or sign in, with the email address/)).toBeVisible();
  await expect(other.getByRole('button', { name: 'Create Account' })).toBeVisible();
  await other.getByRole('button', { name: 'Sign in' }).click();
  await fillSignIn(other, guest);
  const status = other.getByRole('dialog', { name: 'Invite Status' });
  await expect(status.getByRole('button', { name: 'Confirm' })).toBeFocused();
  await expect(status.getByText(`Join ${msp.person.organization} as Employee?`)).toBeVisible();
  await inspect(other, 'invite status');
  await status.getByRole('button', { name: 'Confirm' }).click();
  await expect(other).toHaveURL(/\/$/);
  const second = await context.newPage();
  await second.goto('/orders');
  await expect(second.getByRole('heading', { name: 'Orders' })).toBeVisible();

  await page.reload();
  await page.getByRole('button', { name: `Remove ${guest.email}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm Removal of user' });
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('cell', { name: guest.email, exact: true })).toHaveCount(0);
  // Neither tab is reloaded: a click asks the server for something, and that is the end.
  for (const tab of [other, second]) {
    await menu(tab, 'Customers').click();
    await expect(tab.getByRole('heading', { name: /^Welcome to/ })).toBeVisible();
  }
  await context.close();
});

test('an administrator names the first owner after a fresh sign-in; a changed type shows in the person’s menus with the next request', async ({
  page,
  browser,
}) => {
  const msp = await openMsp();
  const member = await addMember(msp, 'MSP_EMPLOYEE');
  const context = await browser.newContext();
  const other = await context.newPage();
  await enterAs(other, member.person, '/orders');
  await expect(menu(other, 'Users')).toHaveCount(0);
  await enterAs(page, msp.person, '/users');
  await page.getByRole('button', { name: `Change ${member.person.email}` }).click();
  const dialog = page.getByRole('dialog', { name: `Change ${member.person.email}` });
  await dialog.getByRole('combobox', { name: 'Type' }).click();
  await expect(page.getByRole('option')).toHaveText(['Owner', 'Employee', 'Customer']);
  await page.getByRole('option', { name: 'Owner' }).click();

  const undo = await withOldSignIn(page, msp.person, '**/api/user/subuser/*');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog.getByText('For your safety, please sign in again to change the owner.')).toBeVisible();
  await inspect(page, 'change of a user with an old sign-in');
  await undo();
  await dialog.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(page, msp.person);
  await expect(dialog.getByRole('combobox', { name: 'Type' })).toHaveValue('Owner');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('row', { name: new RegExp(member.person.email) })).toContainText('Owner');
  // Users cannot change someone who outranks them.
  await expect(page.getByRole('button', { name: `Remove ${member.person.email}` })).toHaveCount(0);

  await menu(other, 'Customers').click();
  await menu(other, 'Users').click();
  await other.getByRole('button', { name: `Change ${msp.person.email}` }).click();
  const mine = other.getByRole('dialog', { name: `Change ${msp.person.email}` });
  await mine.getByRole('combobox', { name: 'Type' }).click();
  await other.getByRole('option', { name: 'Employee' }).click();
  await mine.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(mine).toHaveCount(0);
  await menu(page, 'Orders').click();
  await expect(menu(page, 'Users')).toHaveCount(0);
  await context.close();
});
