import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import type { DirectCharge } from '#contracts/operations/direct-billing.ts';
import { orderCertificate } from './support/certificates.ts';
import { inspect } from './support/inspect.ts';
import { api, connectAccount, enter, type Msp, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

interface Letter {
  to: string;
  subject: string;
  links: string[];
}
interface Customer {
  customerId: string;
  paymentMethodSet: boolean;
  billing: { stripeId: string | null };
}

const customerOf = (msp: Msp) => api<Customer>(msp.token, 'GET', `customer/${msp.customers[0]?.customerId}`);

async function billDirectly(msp: Msp, email: string): Promise<void> {
  await api(msp.token, 'PATCH', `customer/${msp.customers[0]?.customerId}`, {
    billing: { billDirectly: true, email },
    markups: { domain: { purchase: { type: 'percentage', value: 10 } } },
  });
}

async function linkMailedTo(email: string): Promise<string> {
  let link = '';
  await expect(async () => {
    const letters = await control<Letter[]>('mail', 'messages', { to: email });
    link = letters.flatMap(({ links }) => links).find((address) => address.includes('/payment-setup/')) ?? '';
    expect(link).not.toBe('');
  }).toPass();
  return link;
}

/** The customer follows the mailed link and stores a card, as a visitor without a sign-in. */
async function storeCard(page: Page, link: string, number: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page
    .getByLabel('Card', { exact: true })
    .or(page.getByRole('link', { name: 'Card' }))
    .first()
    .click();
  await page.getByLabel('Full name').fill('Ann Smith');
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel(/Expiration/).fill('12 / 34');
  await page.getByLabel('Security code').fill('123');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
}

async function buy(msp: Msp, name: string): Promise<void> {
  const [price] = await api<{ price: number }[]>(msp.token, 'POST', 'cart/prices', [
    { address: name, period: 1, whois: false },
  ]);
  await api(msp.token, 'POST', 'cart/purchase', {
    domains: [{ address: name, customerId: msp.customers[0]?.customerId, period: 1, whois: false }],
    price: price?.price,
  });
}

/** Waits until the one charge of this MSP has come to this state: jobs and the provider take their time on a busy machine. */
async function chargeIs(msp: Msp, state: string): Promise<void> {
  await expect(async () => {
    const charges = await api<{ state: string }[]>(msp.token, 'GET', 'direct-charge');
    expect(charges.map((charge) => charge.state)).toEqual([state]);
  }).toPass({ intervals: [100, 250, 500] });
}

/** An MSP whose customer has stored this card by the mailed link. */
async function billing(page: Page, card: string): Promise<{ msp: Msp; email: string }> {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const email = `pay-${msp.person.username}@customer.example`;
  await connectAccount(msp.token);
  await billDirectly(msp, email);
  const { billing } = await customerOf(msp);
  await api(msp.token, 'GET', `customer/resend-payment-link/${billing.stripeId}`);
  await storeCard(page, await linkMailedTo(email), card);
  await expect(page.getByText('Your payment method is stored.')).toBeVisible();
  return { msp, email };
}

test('from Disabled to Active: saved with direct billing, link mailed, card stored on the provider’s page', async ({
  page,
  browser,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const email = `pay-${msp.person.username}@customer.example`;
  await connectAccount(msp.token);
  await enter(page, msp, `/customers/${msp.customers[0]?.customerId}/billing`);
  const chip = page.locator('[data-chip]');
  const send = page.getByRole('button', { name: 'Send payment setup link' });
  await expect(chip).toHaveText('Disabled');
  await expect(page.getByText('Direct billing is not enabled for this customer.')).toBeVisible();
  await expect(send).toHaveAttribute('aria-disabled', 'true');
  await page.getByLabel('Enable direct billing').check();
  await page.getByLabel('Billing email').fill(email);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(chip).toHaveText('Pending');
  await expect(page.getByText('Direct billing is not enabled for this customer.')).toHaveCount(0);
  await send.click();
  await expect(page.getByText('Payment setup link sent successfully.')).toBeVisible();
  await expect(send).toHaveAttribute('aria-disabled', 'true');

  const visitor = await (await browser.newContext()).newPage();
  const link = await linkMailedTo(email);
  await visitor.goto(link);
  await expect(visitor.getByText(`${msp.person.organization} bills Blue Fig Ltd directly`)).toBeVisible();
  await inspect(visitor, 'payment setup, open');
  await storeCard(visitor, link, '4242 4242 4242 4242');
  await expect(visitor.getByText('Your payment method is stored. You can close this page.')).toBeVisible();
  await visitor.goto('/payment-setup/unknown');
  await expect(visitor.getByText('This link is no longer valid. Please ask for a new one.')).toBeVisible();
  await inspect(visitor, 'payment setup, not valid');

  await page.reload();
  await expect(chip).toHaveText('Active');
  await expect(send).toHaveAttribute('aria-disabled', 'true');
});

test('a purchase charges the customer price plus markup; it stands under Direct billing with its order', async ({
  page,
}) => {
  const { msp } = await billing(page, '4242 4242 4242 4242');
  const name = freshName('direct');
  await buy(msp, name);
  await chargeIs(msp, 'succeeded');
  await enter(page, msp, '/direct-billing');
  const row = page.getByRole('row', { name: new RegExp(name) });
  await expect(row).toContainText('Paid');
  await expect(row).toContainText('Blue Fig Ltd');
  await expect(row).toContainText('markup');
  await row.getByRole('link', { name }).click();
  await expect(page).toHaveURL(/\/orders\//);
});

test('Earnings: what customers paid, what it cost and what is left, by month, customer and kind, and as a file', async ({
  page,
}) => {
  const { msp } = await billing(page, '4242 4242 4242 4242');
  await enter(page, msp, '/account/earnings');
  await expect(page.getByText('No bookings yet')).toBeVisible();
  const name = freshName('earned');
  await buy(msp, name);
  await chargeIs(msp, 'succeeded');
  const [row] = await api<{ received: number; cost: number; earned: number }[]>(
    msp.token,
    'GET',
    'account/earnings',
  );
  if (!row) throw new Error('nothing was earned');
  expect(row.earned).toBe(row.received - row.cost);
  expect(row.earned).toBeGreaterThan(0);
  await page.reload();

  const texts = [row.received, row.cost, row.earned].map((cents) => `$${(cents / 100).toFixed(2)}`);
  const table = page.getByRole('table', { name: 'Earnings' });
  const line = table.getByRole('row').nth(1);
  await expect(line).toContainText(
    new Date().toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }),
  );
  for (const text of texts) await expect(line).toContainText(text);
  const figures = page.locator('dl[aria-label="Earnings"]');
  for (const text of texts) await expect(figures).toContainText(text);
  await inspect(page, 'earnings');

  await page.getByText('Customer', { exact: true }).first().click();
  await expect(table.getByRole('row').nth(1)).toContainText('Blue Fig Ltd');
  await page.getByText('Kind', { exact: true }).first().click();
  await expect(table.getByRole('row').nth(1)).toContainText('Registration');
  await expect(page).toHaveURL(/kind=kind/);
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await expect(page.getByText('No bookings on these days')).toBeVisible();
  await page.goBack();
  const exported = async () => {
    const csv = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    expect((await csv).suggestedFilename()).toBe('earnings.csv');
    return readFile(await (await csv).path(), 'utf8');
  };
  expect(await exported()).toContain('Blue Fig Ltd');
  // The days that are chosen are those of the file: from the other end, too.
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await expect(page.getByText('No bookings on these days')).toBeVisible();
  expect(await exported()).not.toContain('Blue Fig Ltd');
});

test('a charge that fails stays open, is told by mail, can be tried again, and settled with a reason', async ({
  page,
}) => {
  // Can be stored, is declined when charged.
  const { msp, email } = await billing(page, '4000 0000 0000 0341');
  const name = freshName('owed');
  await buy(msp, name);
  await chargeIs(msp, 'failed');
  await enter(page, msp, '/direct-billing?kind=open');
  const row = page.getByRole('row', { name: new RegExp(name) });
  await expect(row).toContainText('Open');
  await expect(row).toContainText(/declined/i);
  await expect(row).toContainText('Next try on');
  await inspect(page, 'direct billing, open charge');
  const letters = await control<Letter[]>('mail', 'messages', { to: email });
  expect(letters.some(({ subject }) => subject.includes('did not succeed'))).toBe(true);
  // The domain is not touched.
  const domains = await api<{ address: string }[]>(msp.token, 'GET', 'domain');
  expect(domains.map(({ address }) => address)).toContain(name);

  await row.getByRole('button', { name: /^Try again/ }).click();
  const again = page.getByRole('dialog', { name: 'Charge again' });
  await expect(again).toContainText('is charged $');
  // A refusal is shown where it was asked for.
  await page.route('**/api/direct-charge/*/retry', (route) =>
    route.fulfill({ status: 409, json: { code: 'conflict', message: 'Somebody else was faster' } }),
  );
  await again.getByRole('button', { name: 'Charge', exact: true }).click();
  await expect(again.getByRole('alert')).toHaveText('Somebody else was faster');
  await page.unroute('**/api/direct-charge/*/retry');
  await again.getByRole('button', { name: 'Charge', exact: true }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await chargeIs(msp, 'failed');
  await row.getByRole('button', { name: /^Settle/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Settle without charging' });
  await dialog.getByRole('button', { name: 'Settle' }).click();
  await expect(dialog.getByText('This field is required')).toBeVisible();
  await dialog.getByLabel('Reason').fill('Paid by bank transfer');
  await dialog.getByRole('button', { name: 'Settle' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('No open charges')).toBeVisible();
  await page.getByText('All', { exact: true }).click();
  await expect(row).toContainText('Settled');
  await expect(row).toContainText('Paid by bank transfer');
});

test('what came to nothing is refunded and said so at its charge, and so is a refund that the bank returns', async ({
  page,
}) => {
  const { msp } = await billing(page, '4242 4242 4242 4242');
  const name = freshName('refunded');
  const orderId = await orderCertificate(msp, name, { dvAuthMethod: 'DNS' });
  await chargeIs(msp, 'succeeded');
  await control('registrar', 'certificates/decline', { orderId, reason: 'Not this name' });
  const charge = async () => (await api<DirectCharge[]>(msp.token, 'GET', 'direct-charge'))[0];
  await expect.poll(async () => (await charge())?.items[0]?.refund?.state).toBe('done');
  await enter(page, msp, '/direct-billing');
  const row = page.getByRole('row', { name: new RegExp(name) });
  await expect(row).toContainText(`${name}: refunded because the order did not complete`);
  await expect(row).toContainText('Refunded');
  await expect(row).toContainText(/\$\d+\.\d\d refunded/);

  const account = (await api<{ stripeAccount: { id: string } }>(msp.token, 'GET', 'account')).stripeAccount
    .id;
  const { refunds } = await control<{ refunds: { id: string; account: string }[] }>('payments', 'state');
  const refund = refunds.find((one) => one.account === account)?.id;
  await control('payments', 'fail-refund', { refund, account });
  await expect.poll(async () => (await charge())?.returned).toBeGreaterThan(0);
  await page.reload();
  await expect(row).toContainText("in refunds came back from the customer's bank");
  await expect(row).toContainText(`${name}: $`);
  await expect(row).toContainText('could not be refunded. The card is expired or cancelled.');
  await inspect(page, 'direct billing, refund returned');
});

test('the setup link: an error of the server is told, unsaved changes keep it from being sent', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await connectAccount(msp.token);
  await billDirectly(msp, 'pay@customer.example');
  await enter(page, msp, `/customers/${msp.customers[0]?.customerId}/billing`);
  await page.route('**/api/customer/resend-payment-link/*', (route) =>
    route.fulfill({ status: 500, json: { message: 'no', code: 'internal', requestId: 'r' } }),
  );
  const send = page.getByRole('button', { name: 'Send payment setup link' });
  await send.click();
  await expect(page.getByText('Something went wrong when sending request. Please try again.')).toBeVisible();
  await page.unroute('**/api/customer/resend-payment-link/*');
  // Unsaved changes: not sent.
  await page.getByLabel('Billing email').fill('other@customer.example');
  await expect(send).toHaveAttribute('aria-disabled', 'true');
  await page.getByLabel('Billing email').fill('pay@customer.example');
  await send.click();
  await expect(page.getByText('Payment setup link sent successfully.')).toBeVisible();
});
