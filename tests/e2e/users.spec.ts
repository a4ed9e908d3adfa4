import { expect, test } from '@playwright/test';
import { newPerson, onboard, password, signIn } from './support/person.ts';
import { control } from './support/sandbox.ts';

interface Letter {
  subject: string;
  links: string[];
}

test('an employee is invited by mail, accepts, works, and is out with the next request when removed', async ({
  page,
  browser,
}) => {
  test.setTimeout(120_000);
  const owner = newPerson();
  const guest = newPerson();
  await signIn(page, owner);
  await onboard(page, owner);
  await page.goto('/users');
  await expect(page.getByText('No invites found')).toBeVisible();
  await page.getByRole('button', { name: 'Invite User' }).click();
  await expect(page.getByRole('heading', { name: 'Add new user' })).toBeVisible();
  await page.getByRole('button', { name: 'Invite User' }).click();
  await expect(page.getByText('This field is required')).toBeVisible();
  await page.getByLabel('Email').fill(guest.email);
  await page.getByRole('button', { name: 'Invite User' }).click();
  await expect(page.getByRole('cell', { name: guest.email, exact: true })).toBeVisible();

  let link = '';
  await expect(async () => {
    const letters = await control<Letter[]>('mail', 'messages', { to: guest.email });
    link = letters.flatMap((letter) => letter.links).find((address) => address.includes('/invite/')) ?? '';
    expect(link).not.toBe('');
  }).toPass({ timeout: 15_000 });

  // The link is asked for when it is copied, and stands on no screen.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: `Copy the invitation link of ${guest.email}` }).click();
  await expect(page.getByText('The link was copied.')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  expect(await page.content()).not.toContain(link.split('/').at(-1));

  await control('identity', 'users/add', {
    email: guest.email,
    password,
    verified: true,
    name: guest.username,
  });
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(link);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByLabel('Email').fill(guest.email);
  await other.getByLabel('Password', { exact: true }).fill(password);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await expect(other.getByRole('dialog', { name: 'Invite Status' })).toBeVisible();
  await other.getByRole('button', { name: 'Confirm' }).click();
  await expect(other.getByText('Domains').first()).toBeVisible();
  // An employee has no users tile (P2 §2).
  await expect(other.getByRole('link', { name: /People and invitations/ })).toHaveCount(0);

  const second = await context.newPage();
  await second.goto('/domain/list');
  await expect(second.getByRole('heading', { name: 'Domains' }).first()).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: `Remove ${guest.email}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm Removal of user' });
  await expect(
    dialog.getByText(`Please confirm the deletion of user ${guest.email} this cannot be undone`),
  ).toBeVisible();
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('cell', { name: guest.email, exact: true })).toHaveCount(0);
  // Out with the next request in every tab, whether it loads the page or only data.
  await second.getByRole('link', { name: 'Customers' }).first().click();
  await expect(second.getByRole('heading', { name: /^Welcome to/ })).toBeVisible();
  await other.goto('/customers');
  await expect(other.getByRole('heading', { name: /^Welcome to/ })).toBeVisible();
  await context.close();
});
