import { readFile } from 'node:fs/promises';
import { type Download, expect, test } from '@playwright/test';
import { pdfText } from '../support/pdf-text.ts';
import { noAxeFindings } from './support/inspect.ts';
import { api, connectAccount, enter, type Msp, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

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

test('every movement is listed with what it was for, adds up, leads to its order, and can be taken along', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const [kept, refused] = [freshName('kept'), freshName('refuse')];
  const bought = await buy(msp, [kept]);
  const failed = await buy(msp, [refused]);
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
  await noAxeFindings(page);

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
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await expect(page.getByText('No transactions found')).toBeVisible();
  await page.goBack();
  await page.goBack();
  await expect(row).toBeVisible();

  const csv = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const text = (await contentOf(await csv)).toString('utf8');
  expect(text.split('\r\n').filter(Boolean)).toHaveLength(3);
  expect(text).toContain(`-${bought.price.toFixed(2)}`);
  const pdf = page.waitForEvent('download');
  await page.getByRole('button', { name: /^PDF of / }).click();
  const document = pdfText(await contentOf(await pdf));
  expect(document).toContain(msp.person.organization);
  expect(document).toContain(left);

  await row.getByRole('link').click();
  await expect(page).toHaveURL(`/orders/${bought.orderId}`);
  await expect(page.getByRole('listitem').filter({ hasText: kept })).toContainText('Done and charged.');
  await expect(page.getByText(/Registrar order \d+/)).toBeVisible();
  await noAxeFindings(page);
  const receipt = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Receipt' }).click();
  expect(pdfText(await contentOf(await receipt))).toContain(bought.orderId);

  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Orders' }).click();
  await expect(page.getByRole('table', { name: 'Orders' })).toContainText(`Registration of ${kept}`);
  await noAxeFindings(page);
  await page.goto(`/orders/${failed.orderId}`);
  await expect(page.getByText('The reserved funds were given back.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Receipt' })).toHaveCount(0);
});

test('the recipient of papers is offered from the payment account, saved, and stands on the next paper', async ({
  page,
}) => {
  const msp = await openMsp();
  await connectAccount(msp.token);
  const { address } = await api<{ address: { line1: string; city: string } }>(
    msp.token,
    'GET',
    'account/billing-address',
  );
  await enter(page, msp, '/account/statement');
  const card = page.getByRole('region', { name: 'Recipient of statements and receipts' });
  await expect(card).toContainText(msp.person.organization);
  await expect(card).toContainText('Statements and receipts have no address or tax number yet.');

  await card.getByRole('button', { name: 'Change the recipient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Recipient of statements and receipts' });
  await expect(dialog).toContainText('This is the billing address of your payment account.');
  const lines = dialog.getByRole('textbox', { name: 'Address' });
  await expect(lines).toHaveValue(new RegExp(`^${address.line1}\\n.*${address.city}`));
  await lines.fill('1\n2\n3\n4\n5\n6\n7');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(lines).toHaveAccessibleDescription(/Please use at most 6 lines/);
  await noAxeFindings(page);
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Acme IT Services Ltd');
  await lines.fill('9 Harbour Road\nToronto ON M5V 1A1');
  await dialog.getByRole('textbox', { name: 'Tax ID' }).fill('CA 8472');
  // What is refused is said there, and nothing typed is lost.
  await page.route('**/api/account/statement/recipient', (route) =>
    route.fulfill({ status: 409, json: { code: 'conflict', message: 'Somebody else was faster' } }),
  );
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Somebody else was faster');
  await expect(dialog.getByRole('textbox', { name: 'Tax ID' })).toHaveValue('CA 8472');
  await page.unroute('**/api/account/statement/recipient');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  for (const line of ['Acme IT Services Ltd', '9 Harbour Road', 'Toronto ON M5V 1A1', 'Tax ID: CA 8472']) {
    await expect(card.getByText(line, { exact: true })).toBeVisible();
  }

  // What is set is not overwritten by the offer: it has to be asked for.
  await card.getByRole('button', { name: 'Change the recipient' }).click();
  await expect(lines).toHaveValue('9 Harbour Road\nToronto ON M5V 1A1');
  await dialog.getByRole('button', { name: 'Use the billing address of your payment account' }).click();
  await expect(lines).toHaveValue(new RegExp(`^${address.line1}`));
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const pdf = page.waitForEvent('download');
  await page.getByRole('button', { name: /^PDF of / }).click();
  const paper = pdfText(await contentOf(await pdf));
  for (const line of ['Acme IT Services Ltd', '9 Harbour Road', 'CA 8472']) expect(paper).toContain(line);
});

test('an order whose outcome is not known says so, says what is done about it, and comes to its end by itself', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('drop-after');
  await enter(page, msp, '/orders');
  await expect(page.getByText('No orders yet')).toBeVisible();
  // The registrar cannot be asked either, until the screen was seen.
  const silent = { action: 'GET_ORDERS_BY_DOMAIN', domain: name, effect: 'drop-before', times: 0 };
  await control('registrar', 'faults', silent);
  const { orderId } = await buy(msp, [name]);
  await page.goto(`/orders/${orderId}`);
  await expect(page.getByText('The portal keeps asking and never buys anything twice.')).toBeVisible();
  await expect(page.getByText('Being confirmed')).toBeVisible();
  await noAxeFindings(page);
  await control('registrar', 'faults/clear', { domain: name });
  await expect(page.getByText('Done and charged.')).toBeVisible();
  await page.goto('/orders/no-such-order');
  await expect(page.getByText('Order not found')).toBeVisible();
});
