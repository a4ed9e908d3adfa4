import { expect, type Page, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import { addMember, api, enter, enterAs, openMsp, withOldSignIn } from './support/msp.ts';
import { fillSignIn } from './support/person.ts';

/** Accesses by ACME on their screens: made, set up, changed, revoked; by the MSP and by a customer's own user. */

const list = (page: Page) => page.getByRole('table', { name: 'ACME accesses' });

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('dialog').getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** What an access is made with, by API. */
const bodyFor = (customerId: string | undefined, name: string) => ({
  ...{ name, customerId, hosts: ['www.blue-fig.com'], productType: 'rapidssl' },
  mayBuy: { ordersPerMonth: 2, centsPerMonth: 60_00 },
});

test('an access is made, its key and its commands are shown once, it is changed and revoked', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Oak Ltd'] });
  await enter(page, msp, '/certificates');
  await page.getByRole('link', { name: 'ACME access' }).click();
  await expect(page.getByText('No accesses yet')).toBeVisible();
  const dialog = page.getByRole('dialog', { name: 'New ACME access' });
  await page.getByRole('button', { name: 'New access' }).first().click();
  await dialog.getByRole('button', { name: 'Make access' }).click();
  await expect(dialog.getByText('Please enter an amount')).toBeVisible();
  await inspect(page, 'new access with errors');
  await choose(page, 'Customer', 'Blue Fig Ltd');
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Web server');
  await dialog.getByRole('switch', { name: 'Only some names' }).check({ force: true });
  await dialog.getByRole('textbox', { name: 'Allowed names' }).fill('www.blue-fig.com');
  await choose(page, 'Certificate', 'RapidSSL');
  await dialog.getByRole('textbox', { name: 'Money a month' }).fill('60');
  // Filled in for longer than the sign-in was fresh: what was typed is there after the next one.
  const undo = await withOldSignIn(page, msp.person, '**/api/acme/access');
  await dialog.getByRole('button', { name: 'Make access' }).click();
  await undo();
  await dialog.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(page, msp.person);
  await expect(dialog.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Web server');
  await expect(dialog.getByRole('textbox', { name: 'Allowed names' })).toHaveValue('www.blue-fig.com');
  await expect(dialog.getByRole('combobox', { name: 'Customer' })).toHaveValue('Blue Fig Ltd');
  await expect(dialog.getByRole('combobox', { name: 'Certificate' })).toHaveValue('RapidSSL');
  await expect(dialog.getByRole('textbox', { name: 'Money a month' })).toHaveValue('$60');
  await dialog.getByRole('button', { name: 'Make access' }).click();

  await expect(page.getByRole('heading', { level: 1, name: 'Web server' })).toBeVisible();
  await expect(page.getByText('Copy the key now')).toBeVisible();
  const command = page.getByRole('region', { name: 'Get the certificate' }).locator('pre');
  await expect(command).toContainText('-d www.blue-fig.com');
  await expect(command).toContainText(/--eab-hmac-key \w[\w-]{42}/);
  await page.getByRole('button', { name: 'Copy: Get the certificate' }).click();
  await expect(page.getByRole('button', { name: 'Copied: Get the certificate' })).toBeVisible();
  const shown = await command.textContent();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
  await inspect(page, 'access with its key');
  await expect(page.getByText('No machine has used this access yet.')).toBeVisible();

  // The key is gone with the page.
  await page.reload();
  await expect(command).toContainText('--eab-hmac-key YOUR_HMAC_KEY');
  await expect(page.getByText('Copy the key now')).toHaveCount(0);

  const change = page.getByRole('dialog', { name: 'Change access' });
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await change.getByRole('textbox', { name: 'Name', exact: true }).fill('Mail server');
  await change.getByRole('switch', { name: 'May buy certificates' }).uncheck({ force: true });
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Mail server' })).toBeVisible();
  await expect(page.getByText('never, only free reissues')).toBeVisible();

  await page
    .getByRole('navigation', { name: 'Breadcrumb' })
    .getByRole('link', { name: 'ACME access' })
    .click();
  await expect(list(page).getByText('Works')).toBeVisible();
  await inspect(page, 'accesses');
  await page.getByRole('button', { name: 'Revoke Mail server' }).click();
  const revoke = page.getByRole('dialog', { name: 'Revoke access' });
  await expect(revoke).toContainText('Their certificates stay valid until they expire');
  await revoke.getByRole('button', { name: 'Revoke' }).click();
  await expect(list(page).getByText('Revoked')).toBeVisible();
  await list(page).getByRole('link', { name: 'Mail server' }).click();
  await expect(page.getByText('It was revoked.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Change', exact: true })).toHaveCount(0);
});

test('a customer’s own user makes an access once the MSP allows it, and sees no amounts', async ({
  page,
  browser,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const customerId = msp.customers[0]?.customerId;
  await api(msp.token, 'POST', 'acme/access', bodyFor(customerId, 'Made by staff'));
  const { person } = await addMember(msp, 'MSP_CUSTOMER', customerId);
  const own = await (await browser.newContext()).newPage();
  await enterAs(own, person, '/certificates/acme');
  await expect(list(own).getByText('Made by staff')).toBeVisible();
  await expect(own.getByText('Your provider makes the accesses for you.')).toBeVisible();
  await expect(own.getByRole('button', { name: /New access|Revoke/ })).toHaveCount(0);

  await enter(page, msp, `/customers/${customerId}/certificates`);
  await expect(page.getByText('No. You make the accesses for their machines.')).toBeVisible();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Accesses of the customer' });
  await dialog.getByRole('switch', { name: 'They may make accesses' }).check({ force: true });
  await dialog.getByRole('switch', { name: 'They may buy' }).check({ force: true });
  await choose(page, 'Certificate', 'RapidSSL');
  await dialog.getByRole('textbox', { name: 'Certificates a month' }).fill('3');
  await dialog.getByRole('textbox', { name: 'Money a month' }).fill('90');
  await inspect(page, 'allowance of a customer');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(
    page.getByText('One access with RapidSSL. It buys: up to 3 certificates and $90.00 a month.'),
  ).toBeVisible();

  await own.reload();
  await own.getByRole('button', { name: 'New access' }).click();
  const make = own.getByRole('dialog', { name: 'New ACME access' });
  await expect(make.getByRole('combobox')).toHaveCount(0);
  await make.getByRole('textbox', { name: 'Name', exact: true }).fill('Our server');
  await make.getByRole('textbox', { name: 'Certificates a month' }).fill('4');
  await make.getByRole('button', { name: 'Make access' }).click();
  await expect(make.getByText('This is more than your provider allows.')).toBeVisible();
  await make.getByRole('textbox', { name: 'Certificates a month' }).fill('3');
  await make.getByRole('button', { name: 'Make access' }).click();
  await expect(own.getByRole('heading', { level: 1, name: 'Our server' })).toBeVisible();
  await expect(own.getByText('up to 3 certificates a month')).toBeVisible();
  await expect(own.getByText('$', { exact: false })).toHaveCount(0);
});
