import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import { addMember, api, enter, enterAs, openMsp, withOldSignIn } from './support/msp.ts';
import { fillSignIn, newPerson } from './support/person.ts';

test('the log tells who did what, is filtered, verified and exported', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Oak Ltd'] });
  await enter(page, msp, '/audit');
  const table = page.getByRole('table', { name: 'Audit log' });
  await expect(table.getByRole('cell', { name: 'Created a customer' })).toHaveCount(2);
  await expect(table.getByText(msp.person.email).first()).toBeVisible();
  await inspect(page, 'audit log');
  await table
    .getByRole('button', { name: /, before and after: / })
    .first()
    .click();
  const entry = page.getByRole('dialog', { name: 'Created a customer' });
  await expect(entry).toContainText(msp.person.email);
  await expect(entry.getByText(/Green Oak Ltd|Blue Fig Ltd/).first()).toBeVisible();
  await inspect(page, 'an entry of the log');
  await page.keyboard.press('Escape');
  await expect(entry).toHaveCount(0);
  // What was done meanwhile is there when it is opened again.
  const before = await table.getByRole('row').count();
  const { email } = newPerson();
  await api(msp.token, 'POST', 'user/subuser', { email, type: 'MSP_EMPLOYEE' });
  const places = page.getByRole('navigation', { name: 'Main' });
  await places.getByRole('link', { name: 'Customers' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Your current customers' })).toBeVisible();
  await places.getByRole('link', { name: 'Audit log' }).click();
  await expect(table.getByRole('row')).toHaveCount(before + 1);
  await page.getByRole('combobox', { name: 'Customer' }).click();
  await page.getByRole('option', { name: 'Green Oak Ltd' }).click();
  await expect(table.getByRole('cell', { name: 'Created a customer' })).toHaveCount(1);
  await page.getByRole('combobox', { name: 'Person' }).click();
  await page.getByRole('option', { name: msp.person.email }).click();
  await expect(page).toHaveURL(/person=/);
  await expect(table.getByRole('cell', { name: 'Created a customer' })).toHaveCount(1);
  await page.goto(`/audit?person=${randomUUID()}`);
  await expect(page.getByText('No entries found')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Person' })).toHaveValue('Former user');
  await page.getByRole('button', { name: 'Verify the log' }).click();
  await expect(page.getByText(/^All \d+ entries are unchanged\.$/)).toBeVisible();
  const reason = 'its sealed head does not open: sealing key 1 is not configured';
  const verdict = { rows: 3, head: 'ab', broken: { sequence: 3, reason } };
  await page.route('**/api/audit/verification', (route) => route.fulfill({ json: { data: verdict } }));
  await page.getByRole('button', { name: 'Verify the log' }).click();
  await expect(page.getByText(`The log cannot be verified from entry 3 on: ${reason}.`)).toBeVisible();
  await inspect(page, 'a log that is not whole');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('audit.csv');
  await page.goto('/audit?search=nothing-has-this');
  await expect(page.getByText('No entries found')).toBeVisible();
});

test('a token is made with a name and rights, shown once, works, and is refused once revoked', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await enter(page, msp, '/tokens');
  await expect(page.getByText('No API tokens yet')).toBeVisible();
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('button', { name: 'Create token' }).click();
  await expect(page.getByText('Please enter a name')).toBeVisible();
  await expect(page.getByText('Please choose at least one permission')).toBeVisible();
  await page.getByRole('textbox', { name: 'Name' }).fill('Nightly script');
  await page.getByLabel('See customers').check();
  await inspect(page, 'new token');
  // Filled in for longer than the sign-in was fresh: what was typed is there after the next one.
  const undo = await withOldSignIn(page, msp.person, '**/api/user/tokens');
  await page.getByRole('button', { name: 'Create token' }).click();
  await undo();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(page, msp.person);
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Nightly script');
  await expect(page.getByLabel('See customers')).toBeChecked();
  // A reload keeps it, and leaving the form does not: nothing opens by itself later.
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Nightly script');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit log' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Audit log' })).toBeVisible();
  await page.goBack();
  await expect(page.getByText('No API tokens yet')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveCount(0);
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Nightly script');
  await page.getByLabel('See customers').check();
  await page.getByRole('button', { name: 'Create token' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your new token' });
  const token = (await dialog.locator('pre').textContent()) ?? '';
  expect(token).toMatch(/^nwk_[\w-]{43}$/);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText(token)).toHaveCount(0);
  expect(await api<unknown[]>(token, 'GET', 'customer')).toHaveLength(1);
  await page.reload();
  await expect(page.getByRole('cell', { name: 'Never' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Revoke Nightly script' }).click();
  await page.getByRole('dialog', { name: 'Revoke token' }).getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('No API tokens yet')).toBeVisible();
  await expect(api(token, 'GET', 'customer')).rejects.toThrow('401');
});

test('a customer’s own user sees the own domains and the log of them, and nothing of prices or others', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Oak Ltd'] });
  const { person } = await addMember(msp, 'MSP_CUSTOMER', msp.customers[0]?.customerId);
  await enterAs(page, person, '/domain/list');
  await expect(page.getByRole('heading', { name: 'Domains', exact: false }).first()).toBeVisible();
  await expect(page.getByRole('link', { name: /^Cart, / })).toHaveCount(0);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  for (const path of ['/', '/domain/list', '/customers', '/audit']) {
    await page.goto(path);
    // A busy machine is silent while it draws, and visitors see a page at "/" until the provider has answered.
    await expect(page.getByRole('button', { name: /^Account menu, / })).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expect(page.getByText(/\$\d|Green Oak|Balance|Finalize|Users|Direct billing/)).toHaveCount(0);
    await inspect(page, `customer at ${path}`);
  }
  expect(asked.filter((path) => /^\/api\/(account|cart|order|user\/)/.test(path))).toEqual([]);
});
