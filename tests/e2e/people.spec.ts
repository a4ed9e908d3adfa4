import { expect, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import { api, enter, openMsp, withOldSignIn } from './support/msp.ts';
import { fillSignIn } from './support/person.ts';

test('a token is made with a name and rights, shown once, works, and is refused once revoked; the log tells of it, is verified and exported', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const places = page.getByRole('navigation', { name: 'Main' });
  const name = page.getByRole('textbox', { name: 'Name' });
  await enter(page, msp, '/tokens');
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('button', { name: 'Create token' }).click();
  await expect(page.getByText('Please enter a name')).toBeVisible();
  await name.fill('Nightly script');
  await page.getByLabel('See customers').check();
  await inspect(page, 'new token');
  // Filled in for longer than the sign-in was fresh: what was typed is there after the next one.
  const undo = await withOldSignIn(page, msp.person, '**/api/user/tokens');
  await page.getByRole('button', { name: 'Create token' }).click();
  await undo();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(page, msp.person);
  await expect(name).toHaveValue('Nightly script');
  await expect(page.getByLabel('See customers')).toBeChecked();
  // A reload keeps it, and leaving the form does not: nothing opens by itself later.
  await page.reload();
  await expect(name).toHaveValue('Nightly script');
  await places.getByRole('link', { name: 'Audit log' }).click();
  const log = page.getByRole('table', { name: 'Audit log' });
  await expect(log.getByRole('cell', { name: 'Created a customer' })).toHaveCount(1);
  await page.goBack();
  await expect(page.getByText('No API tokens yet')).toBeVisible();
  await expect(name).toHaveCount(0);
  await page.getByRole('button', { name: 'New token' }).click();
  await name.fill('Nightly script');
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

  // What was done meanwhile is in the log when it is opened again.
  await places.getByRole('link', { name: 'Audit log' }).click();
  await expect(log.getByRole('cell', { name: 'Made an API token' })).toHaveCount(1);
  await expect(log.getByRole('cell', { name: 'Revoked an API token' })).toHaveCount(1);
  await page.getByRole('button', { name: 'Verify the log' }).click();
  await expect(page.getByText(/^All \d+ entries are unchanged\.$/)).toBeVisible();
  await inspect(page, 'audit log');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('audit.csv');
  await log
    .getByRole('button', { name: /, before and after: / })
    .first()
    .click();
  await expect(page.getByRole('dialog')).toContainText(msp.person.email);
  await inspect(page, 'an entry of the log');
});
