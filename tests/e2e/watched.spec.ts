import { expect, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

/** Watched domains: held elsewhere, entered by name, looked at as domains held here, and brought here. */

test('a list is watched, and what is wrong with a name is on its page; it is assigned, transferred and let go', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const [first, second] = [freshName('elsewhere'), freshName('another')];
  const unsold = second.replace(/com$/, 'net');
  await control('registrar', 'outside-world', [{ domain: first, expiresInDays: 12, locked: true }]);
  await enter(page, msp, '/health/watched');
  await expect(page.getByText('No watched domains found')).toBeVisible();
  await inspect(page, 'watched domains, none');
  const form = page.getByRole('region', { name: 'Watch domains' });
  await form.getByRole('button', { name: 'Watch' }).click();
  await expect(form.getByText('Please enter at least one name')).toBeVisible();
  await form
    .getByRole('textbox', { name: 'Domain names' })
    .fill(`${first}, ${second}, ${unsold}\nno-name printer.local`);
  await form.getByRole('button', { name: 'Watch' }).click();
  await expect(form.getByRole('status')).toContainText('3 domains are watched from now on');
  await expect(form.getByRole('status')).toContainText(
    'printer.local: Names of inner networks are not watched',
  );
  await expect(form.getByRole('textbox', { name: 'Domain names' })).toHaveValue('no-name\nprinter.local');
  await form.getByRole('textbox', { name: 'Domain names' }).fill('');
  const table = page.getByRole('table', { name: 'Watched domains' });
  await expect(table.getByRole('row')).toHaveCount(4);
  await inspect(page, 'watched domains');

  await table.getByRole('checkbox', { name: `Select ${first}` }).check();
  const bar = page.getByRole('region', { name: 'Selected domains' });
  await expect(bar.getByRole('status')).toHaveText('1 domain selected');
  await table.getByRole('checkbox', { name: `Select ${unsold}` }).check();
  await expect(bar.getByRole('status')).toHaveText('2 domains selected, 1 is not offered for transfer here');
  await table.getByRole('checkbox', { name: `Select ${unsold}` }).uncheck();
  await bar.getByRole('button', { name: 'Assign to customer' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Customer' }).click();
  await page.getByRole('option', { name: 'Blue Fig Ltd' }).click();
  await dialog.getByRole('button', { name: 'Assign' }).click();
  await expect(table.getByRole('row', { name: first })).toContainText('Blue Fig Ltd');

  await table.getByRole('link', { name: first }).click();
  await expect(page).toHaveURL(`/domain/${first}`);
  await page.getByRole('button', { name: 'Check now' }).click();
  const health = page.getByRole('region', { name: 'Health' });
  await expect(health.getByRole('listitem').filter({ hasText: 'The domain expires soon' })).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('Watched, held at');
  await expect(page.getByRole('alert')).toContainText('Blue Fig Ltd');
  await expect(health.getByRole('button', { name: /^Fix/ })).toHaveCount(0);
  await inspect(page, 'watched domain');
  await page.goto('/health');
  await expect(
    page.getByRole('region', { name: 'Findings' }).getByRole('listitem').filter({ hasText: first }).first(),
  ).toContainText('Watched, held at');

  await page.goto(`/domain/${first}`);
  await page.getByRole('button', { name: 'Transfer here' }).click();
  await expect(page).toHaveURL(/\/domain\/moves\?customer=/);
  await expect(page.getByRole('textbox', { name: 'Names with their codes' })).toHaveValue(`${first}, `);
  await expect(page.getByRole('combobox', { name: 'Customer' })).toHaveValue('Blue Fig Ltd');

  await page.getByRole('textbox', { name: 'Names with their codes' }).fill('');
  await page.goto('/health/watched');
  for (const name of [second, unsold]) await table.getByRole('checkbox', { name: `Select ${name}` }).check();
  await bar.getByRole('button', { name: 'Stop watching' }).click();
  await expect(dialog).toContainText(second);
  // Until the answer is there, it can neither be pressed again nor closed.
  const removing = '**/api/health/watched/remove';
  const asked = Promise.withResolvers<void>();
  await page.route(removing, (route) => asked.promise.then(() => route.continue()));
  await dialog.getByRole('button', { name: 'Stop watching' }).click();
  await expect(dialog.getByRole('button', { name: 'Removing...' })).toBeDisabled();
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  asked.resolve();
  await expect(table.getByRole('row')).toHaveCount(2);
  await page.unroute(removing);
  await table.getByRole('link', { name: first }).click();
  await page.getByRole('button', { name: 'Stop watching' }).click();
  await dialog.getByRole('button', { name: 'Stop watching' }).click();
  await expect(page).toHaveURL('/health/watched');
});
