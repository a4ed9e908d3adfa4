import { readFile } from 'node:fs/promises';
import { type Download, expect, test } from '@playwright/test';
import { pdfText } from '../support/pdf-text.ts';
import { noAxeFindings } from './support/inspect.ts';
import { api, connectAccount, enter, type Msp, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';

interface Result {
  orderId: string;
}

/** Buys the names in one order through the API, as the cart does. */
async function buy(msp: Msp, names: readonly string[]): Promise<Result & { price: number }> {
  const prices = await api<{ price: number }[]>(
    msp.token,
    'POST',
    'cart/prices',
    names.map((address) => ({ address, period: 1 })),
  );
  const price = prices.reduce((sum, one) => sum + Math.round(one.price * 100), 0) / 100;
  const customerId = msp.customers[0]?.customerId;
  const domains = names.map((address) => ({ address, customerId, period: 1 }));
  const result = await api<Result>(msp.token, 'POST', 'cart/purchase', { domains, price });
  return { ...result, price };
}

async function contentOf(download: Download): Promise<Buffer> {
  return readFile(await download.path());
}

test('every movement is listed with what it was for, adds up, leads to its order, and can be taken along, in the name of the recipient', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await connectAccount(msp.token);
  const [kept, refused] = [freshName('kept'), freshName('refuse')];
  const bought = await buy(msp, [kept]);
  await buy(msp, [refused]);
  await enter(page, msp, '/account/statement');

  const table = page.getByRole('table', { name: 'Statement' });
  await expect(page.getByRole('heading', { level: 1, name: 'Statement' })).toBeVisible();
  const left = `$${(100 - bought.price).toFixed(2)}`;
  const row = table.getByRole('row').filter({ hasText: kept });
  await expect(row).toContainText('Purchase');
  await expect(row).toContainText('Blue Fig Ltd');
  await expect(row).toContainText(/Registrar \d+/);
  await expect(row).toContainText(`−$${bought.price.toFixed(2)}`);
  await expect(row).toContainText(left);
  const topUp = table.getByRole('row').filter({ hasText: 'Top-up by card' });
  await expect(topUp).toContainText('$100.00');
  await expect(topUp).toContainText(/pi_\w+/);
  // What failed was never charged: it moved nothing.
  await expect(table.getByRole('row').filter({ hasText: refused })).toHaveCount(0);
  const sums = page.locator('dl[aria-label="Balance"] > div');
  await expect(sums).toHaveText([
    `Posted${left}after the latest entry`,
    'Reserved$0.00by running orders',
    `Available${left}posted minus reserved`,
  ]);
  const month = page.getByRole('table', { name: 'Months' }).getByRole('row').nth(1);
  await expect(month).toContainText(left);

  await page.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Top-up' }).click();
  await expect(row).toHaveCount(0);
  await expect(topUp).toContainText('$100.00');
  await expect(page).toHaveURL(/kind=topup/);
  // The file has what is shown.
  const shown = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const rows = (await contentOf(await shown)).toString('utf8').split('\r\n').filter(Boolean);
  expect(rows).toHaveLength(2);
  expect(rows[1]).toContain('Top-up by card');
  await page.goBack();
  await expect(row).toBeVisible();

  const card = page.getByRole('region', { name: 'Recipient of statements and receipts' });
  await expect(card).toContainText('Statements and receipts have no address or tax number yet.');
  await card.getByRole('button', { name: 'Change the recipient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Recipient of statements and receipts' });
  await expect(dialog).toContainText('This is the billing address of your payment account.');
  const { address } = await api<{ address: { line1: string; city: string } }>(
    msp.token,
    'GET',
    'account/billing-address',
  );
  await expect(dialog.getByRole('textbox', { name: 'Address' })).toHaveValue(
    new RegExp(`^${address.line1}\\n.*${address.city}`),
  );
  await noAxeFindings(page);
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Acme IT Services Ltd');
  await dialog.getByRole('textbox', { name: 'Tax ID' }).fill('CA 8472');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(card.getByText('Tax ID: CA 8472', { exact: true })).toBeVisible();
  const pdf = page.waitForEvent('download');
  await page.getByRole('button', { name: /^PDF of / }).click();
  const paper = pdfText(await contentOf(await pdf));
  for (const text of [left, 'Acme IT Services Ltd', address.line1, 'CA 8472']) expect(paper).toContain(text);

  await row.getByRole('link').click();
  await expect(page).toHaveURL(`/orders/${bought.orderId}`);
  await expect(page.getByRole('listitem').filter({ hasText: kept })).toContainText('Done and charged.');
  await expect(page.getByText(/Registrar order \d+/)).toBeVisible();
  const receipt = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Receipt' }).click();
  expect(pdfText(await contentOf(await receipt))).toContain(bought.orderId);
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Orders' }).click();
  await expect(page.getByRole('table', { name: 'Orders' })).toContainText(`Registration of ${kept}`);
});
