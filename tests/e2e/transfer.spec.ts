import { expect, test } from '@playwright/test';
import { balanceOf, enter, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

test('a transfer goes through the cart, holds its money until it is completed, and keeps its nameservers', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Zebra', 'Ärzte', 'Acme'] });
  const name = freshName('elsewhere');
  await enter(page, msp, '/domain/transfer');
  await page.getByRole('textbox', { name: 'Domain name' }).fill(name);
  await page.getByRole('button', { name: 'Check' }).click();
  await expect(page.getByText(`${name} can be transferred.`)).toBeVisible();
  // They come from real DNS.
  await expect(page.getByRole('region', { name: 'Current nameservers' })).toContainText(
    'ns1.elsewhere-dns.net',
  );
  await page.getByRole('combobox', { name: 'Destination Customer for Domain Transfer *' }).click();
  await expect(page.getByRole('option')).toHaveText(['Acme', 'Ärzte', 'Zebra']);
  await page.getByRole('option', { name: 'Acme' }).click();
  await page.getByLabel('AuthInfo / EPP code').fill('EPP-2468-move');
  await page.getByRole('button', { name: 'Add to Cart' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'View Cart' }).click();
  await expect(page).toHaveURL('/cart');
  await expect(page.getByRole('region', { name })).toContainText('Transfer');
  const before = await balanceOf(msp.token);
  await page.getByRole('button', { name: 'Finalize Purchase' }).click();
  await expect(page.getByRole('dialog')).toContainText(name);
  await page.goto('/domain/list');
  await page
    .getByRole('row', { name: new RegExp(name) })
    .getByRole('link', { name: 'Pending Transfer' })
    .click();
  const steps = page.getByRole('list', { name: 'Steps of the transfer' });
  await expect(steps.getByRole('listitem').nth(1)).toHaveAttribute('aria-current', 'step');
  await expect(steps.getByText(/^Expected by /)).toHaveCount(3);
  await expect(page.getByText('Reserved until it ends:')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Before the transfer' })).toContainText(
    'ns1.elsewhere-dns.net',
  );

  // While it runs the only tab is Managed DNS.
  await page.goto(`/domain/${name}`);
  await expect(page.getByText('This domain is being transferred')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Info' })).toBeDisabled();
  await expect(page.getByRole('tab', { name: 'Advanced DNS' })).toBeDisabled();
  await expect(page.getByRole('tab', { name: 'Managed DNS' })).toHaveAttribute('aria-selected', 'true');

  await control('registrar', 'transfers/advance', { domain: name, steps: 2 });
  await page.getByRole('link', { name: 'Follow the transfer' }).click();
  await expect(page.getByText('The transfer is complete', { exact: true })).toBeVisible();
  expect(await balanceOf(msp.token)).toBeLessThan(before);
  await page.getByRole('link', { name: `Open ${name}` }).click();
  await expect(page.getByText('Transferred here')).toBeVisible();
});
