import { expect, test } from '@playwright/test';
import { inspect, noAxeFindings } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

/** Watched domains: held elsewhere, entered by name, looked at as domains held here, and brought here. */

test('a list is watched, and what is wrong with a name is on its page; it is assigned, transferred and let go', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const [first, second] = [freshName('elsewhere'), freshName('another')];
  await control('registrar', 'outside-world', [{ domain: first, expiresInDays: 12, locked: true }]);
  await enter(page, msp, '/health/watched');
  const form = page.getByRole('region', { name: 'Watch domains' });
  await form.getByRole('textbox', { name: 'Domain names' }).fill(`${first}, ${second} printer.local`);
  await form.getByRole('button', { name: 'Watch' }).click();
  await expect(form.getByRole('status')).toContainText('2 domains are watched from now on');
  await expect(form.getByRole('textbox', { name: 'Domain names' })).toHaveValue('printer.local');
  await form.getByRole('textbox', { name: 'Domain names' }).fill('');
  const table = page.getByRole('table', { name: 'Watched domains' });
  await expect(table.getByRole('row')).toHaveCount(3);
  await table.getByRole('checkbox', { name: `Select ${first}` }).check();
  await inspect(page, 'watched domains');
  await page.getByRole('button', { name: 'Assign to customer' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Customer' }).click();
  await page.getByRole('option', { name: 'Blue Fig Ltd' }).click();
  await dialog.getByRole('button', { name: 'Assign' }).click();
  await expect(table.getByRole('row', { name: first })).toContainText('Blue Fig Ltd');

  await table.getByRole('link', { name: first }).click();
  await page.getByRole('button', { name: 'Check now' }).click();
  const health = page.getByRole('region', { name: 'Health' });
  await expect(health.getByRole('listitem').filter({ hasText: 'The domain expires soon' })).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('Watched, held at');
  await expect(page.getByRole('alert')).toContainText('Blue Fig Ltd');
  await expect(health.getByRole('button', { name: /^Fix/ })).toHaveCount(0);
  await noAxeFindings(page);

  await page.getByRole('button', { name: 'Transfer here' }).click();
  await expect(page).toHaveURL(/\/domain\/moves\?customer=/);
  await expect(page.getByRole('textbox', { name: 'Names with their codes' })).toHaveValue(`${first}, `);
  await expect(page.getByRole('combobox', { name: 'Customer' })).toHaveValue('Blue Fig Ltd');
  await page.getByRole('textbox', { name: 'Names with their codes' }).fill('');
  await page.goto('/health/watched');
  await table.getByRole('checkbox', { name: `Select ${second}` }).check();
  await page.getByRole('button', { name: 'Stop watching' }).click();
  await dialog.getByRole('button', { name: 'Stop watching' }).click();
  await expect(table.getByRole('row')).toHaveCount(2);
});
