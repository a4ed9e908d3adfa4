import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { registerDomain } from './support/domains.ts';
import { inspect } from './support/inspect.ts';
import { addMember, api, enter, openMsp, withOldSignIn } from './support/msp.ts';

test('a customer’s data is saved as a file; with a domain the erasure says what is in the way, without one it erases; so of a user, freshly signed in', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Oak Ltd', 'Red Plum GmbH'] });
  const [fig, , plum] = msp.customers;
  const address = await registerDomain(msp, 'fig');
  const { person: guest } = await addMember(msp, 'MSP_EMPLOYEE');
  await api(msp.token, 'DELETE', `customer/${plum?.customerId}`);

  await enter(page, msp, `/customers/${fig?.customerId}`);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export data (JSON)' }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe('personal-data.json');
  expect(await readFile(await download.path(), 'utf8')).toContain(address);

  const erase = page.getByRole('button', { name: 'Erase personal data' });
  const dialog = page.getByRole('dialog', { name: 'Erase personal data' });
  const confirm = dialog.getByRole('button', { name: 'Erase for good' });
  await erase.click();
  await expect(dialog.getByText(`${address} is still registered for this customer.`)).toBeVisible();
  await expect(confirm).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  const places = page.getByRole('navigation', { name: 'Main' });
  await places.getByRole('link', { name: /^Customers/ }).click();
  await page.getByRole('link', { name: 'Green Oak Ltd' }).click();
  await erase.click();
  await expect(dialog.getByText('What is kept, and why')).toBeVisible();
  await expect(dialog.getByText(/Green Oak Ltd will be deleted/)).toBeVisible();
  await inspect(page, 'erasure');
  await confirm.click();
  await expect(page).toHaveURL(/\/customers$/);
  await expect(page.getByRole('cell', { name: 'Blue Fig Ltd', exact: true })).toBeVisible();
  await expect(page.getByRole('cell', { name: 'Green Oak Ltd', exact: true })).toHaveCount(0);

  await places.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('button', { name: `Erase the data of ${guest.email}` }).click();
  await expect(dialog.getByText(/This cannot be undone/)).toBeVisible();
  // A sign-in that is too old is asked for again, in the dialog itself.
  const undo = await withOldSignIn(page, msp.person, '**/api/privacy/user/*/erasure');
  await confirm.click();
  await expect(dialog.getByText('Please sign in again to continue.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Sign in again' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await undo();
  await page.getByRole('button', { name: `Erase the data of ${guest.email}` }).click();
  await confirm.click();
  await expect(page.getByRole('cell', { name: guest.email, exact: true })).toHaveCount(0);

  // Who went before can still be erased.
  await page.getByRole('link', { name: 'Former customers and users' }).click();
  const deleted = page.getByRole('table', { name: 'Deleted customers' });
  await expect(deleted.getByRole('cell', { name: 'Red Plum GmbH', exact: true })).toBeVisible();
  await expect(page.getByText('No removed users')).toBeVisible();
  await inspect(page, 'former customers');
  await deleted.getByRole('button', { name: 'Erase personal data' }).click();
  await confirm.click();
  await expect(page.getByText('No deleted customers')).toBeVisible();
});
