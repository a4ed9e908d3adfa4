import { readFile } from 'node:fs/promises';
import { type Download, expect, type Page, test } from '@playwright/test';
import { registerDomain } from './support/domains.ts';
import { inspect } from './support/inspect.ts';
import { addMember, api, enter, openMsp, withOldSignIn } from './support/msp.ts';

async function textOf(download: Download): Promise<string> {
  return readFile(await download.path(), 'utf8');
}

async function save(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return { name: download.suggestedFilename(), text: await textOf(download) };
}

test('a customer’s data is saved as a file; with a domain the erasure says what is in the way, without one it erases', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Oak Ltd'] });
  const [fig] = msp.customers;
  const address = await registerDomain(msp, 'fig');

  await enter(page, msp, `/customers/${fig?.customerId}`);
  const json = await save(page, 'Export data (JSON)');
  expect(json.name).toBe('personal-data.json');
  expect(json.text).toContain(address);
  await expect(page.getByText('The file has been saved by your browser.')).toBeVisible();
  const csv = await save(page, 'Export data (CSV)');
  expect([csv.name, csv.text]).toEqual([
    'personal-data.csv',
    expect.stringContaining('ann@customer.example'),
  ]);

  await page.getByRole('button', { name: 'Erase personal data' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase personal data' });
  await expect(dialog.getByText(`${address} is still registered for this customer.`)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Erase for good' })).toHaveCount(0);
  await inspect(page, 'erasure in the way');
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();

  const entry = (name: RegExp) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
  const customer = page.getByRole('combobox', { name: 'Customer' });
  const option = (name: string) => page.getByRole('option', { name });
  await page.goto('/domain/list');
  await customer.click();
  await expect(option('Green Oak Ltd')).toBeVisible();
  await entry(/^Customers/).click();
  await page.getByRole('link', { name: 'Green Oak Ltd' }).click();
  await page.getByRole('button', { name: 'Erase personal data' }).click();
  await expect(dialog.getByText('What is kept, and why')).toBeVisible();
  await expect(dialog.getByText(/Green Oak Ltd will be deleted/)).toBeVisible();
  await inspect(page, 'erasure');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await page.getByRole('button', { name: 'Erase personal data' }).click();
  await dialog.getByRole('button', { name: 'Erase for good' }).click();
  await expect(page).toHaveURL(/\/customers$/);
  await expect(page.getByRole('cell', { name: 'Blue Fig Ltd', exact: true })).toBeVisible();
  await expect(page.getByRole('cell', { name: 'Green Oak Ltd', exact: true })).toHaveCount(0);
  // Nor is it offered where a customer is chosen.
  await entry(/^Domain management/).click();
  await customer.click();
  await expect(option('Blue Fig Ltd')).toBeVisible();
  await expect(option('Green Oak Ltd')).toHaveCount(0);
  await page.goto('/audit');
  await expect(page.getByRole('cell', { name: 'Erased a customer’s personal data' })).toBeVisible();
});

test('a user is erased from the users page, a deleted customer from the list of former ones; everybody takes the own data along from the profile', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const { person: guest } = await addMember(msp, 'MSP_EMPLOYEE');

  await enter(page, msp, '/users');
  await page.getByRole('button', { name: `Export the data of ${guest.email}` }).click();
  expect((await save(page, 'Export data (JSON)')).text).toContain(guest.email);
  await inspect(page, 'export of a user');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: `Erase the data of ${msp.person.email}` })).toHaveCount(0);
  await page.getByRole('button', { name: `Erase the data of ${guest.email}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase personal data' });
  await expect(dialog.getByText(/This cannot be undone/)).toBeVisible();
  // A sign-in that is too old is asked for again, in the dialog itself.
  const undo = await withOldSignIn(page, msp.person, '**/api/privacy/user/*/erasure');
  await dialog.getByRole('button', { name: 'Erase for good' }).click();
  await expect(dialog.getByText('Please sign in again to continue.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Sign in again' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await undo();
  await page.getByRole('button', { name: `Erase the data of ${guest.email}` }).click();
  await dialog.getByRole('button', { name: 'Erase for good' }).click();
  await expect(page.getByRole('cell', { name: guest.email, exact: true })).toHaveCount(0);

  // Who went before can still be erased, and is gone from the list then.
  const [customer] = msp.customers;
  await api(msp.token, 'DELETE', `customer/${customer?.customerId}`);
  await page.getByRole('link', { name: 'Former customers and users' }).click();
  const deleted = page.getByRole('table', { name: 'Deleted customers' });
  await expect(deleted.getByRole('cell', { name: 'Blue Fig Ltd', exact: true })).toBeVisible();
  await expect(page.getByText('No removed users')).toBeVisible();
  await inspect(page, 'former customers');
  // Each list has a search of its own.
  await page.getByRole('textbox', { name: 'Search removed users by email' }).fill('nobody');
  await expect(page.getByText('No removed users match')).toBeVisible();
  const search = page.getByRole('textbox', { name: 'Search deleted customers' });
  await search.fill('nobody');
  await expect(page.getByText('No deleted customers match')).toBeVisible();
  await search.fill('');
  await deleted.getByRole('button', { name: 'Erase personal data' }).click();
  await dialog.getByRole('button', { name: 'Erase for good' }).click();
  await expect(page.getByText('No deleted customers')).toBeVisible();

  await page.goto('/account/profile');
  await expect(page.getByRole('heading', { name: 'Your data' })).toBeVisible();
  expect((await save(page, 'Export data (CSV)')).text).toContain(msp.person.email);
  await inspect(page, 'own data');
});
