import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
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
async function billing(page: Page, card: string): Promise<{ msp: Msp; email: string; account: string }> {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const email = `pay-${msp.person.username}@customer.example`;
  const account = await connectAccount(msp.token);
  await billDirectly(msp, email);
  const { billing } = await customerOf(msp);
  await api(msp.token, 'GET', `customer/resend-payment-link/${billing.stripeId}`);
  await storeCard(page, await linkMailedTo(email), card);
  await expect(page.getByText('Your payment method is stored.')).toBeVisible();
  return { msp, email, account };
}

test('from Disabled to Active: link mailed, card stored on the provider’s page; a purchase then charges the customer price plus markup, and is earned', async ({
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
  await page.getByLabel('Enable direct billing').check();
  await page.getByLabel('Billing email').fill(email);
  await page.getByRole('textbox', { name: 'Domain purchase' }).fill('10');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(chip).toHaveText('Pending');
  await send.click();
  await expect(page.getByText('Payment setup link sent successfully.')).toBeVisible();

  const visitor = await (await browser.newContext()).newPage();
  const link = await linkMailedTo(email);
  await visitor.goto(link);
  await expect(visitor.getByText(`${msp.person.organization} bills Blue Fig Ltd directly`)).toBeVisible();
  await inspect(visitor, 'payment setup, open');
  await storeCard(visitor, link, '4242 4242 4242 4242');
  await expect(visitor.getByText('Your payment method is stored. You can close this page.')).toBeVisible();
  await visitor.goto('/payment-setup/unknown');
  await expect(visitor.getByText('This link is no longer valid. Please ask for a new one.')).toBeVisible();
  await page.reload();
  await expect(chip).toHaveText('Active');

  const name = freshName('direct');
  await buy(msp, name);
  await chargeIs(msp, 'succeeded');
  await page.goto('/direct-billing');
  const row = page.getByRole('row', { name: new RegExp(name) });
  await expect(row).toContainText('Paid');
  await expect(row).toContainText('Blue Fig Ltd');
  await expect(row).toContainText('markup');

  const [earning] = await api<{ received: number; cost: number; earned: number }[]>(
    msp.token,
    'GET',
    'account/earnings',
  );
  if (!earning) throw new Error('nothing was earned');
  expect(earning.earned).toBe(earning.received - earning.cost);
  expect(earning.earned).toBeGreaterThan(0);
  await page.goto('/account/earnings');
  const line = page.getByRole('table', { name: 'Earnings' }).getByRole('row').nth(1);
  for (const cents of [earning.received, earning.cost, earning.earned]) {
    await expect(line).toContainText(`$${(cents / 100).toFixed(2)}`);
  }
  await inspect(page, 'earnings');
  const csv = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  expect((await csv).suggestedFilename()).toBe('earnings.csv');
  expect(await readFile(await (await csv).path(), 'utf8')).toContain('Blue Fig Ltd');
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
  await again.getByRole('button', { name: 'Charge', exact: true }).click();
  // It is declined once more: the person reads why, where they have asked for it.
  await expect(again.getByRole('alert')).toContainText(/^The charge failed\. .*declined/i);
  await inspect(page, 'a charge that was declined again');
  await again.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await chargeIs(msp, 'failed');
  await row.getByRole('button', { name: /^Settle/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Settle without charging' });
  await dialog.getByLabel('Reason').fill('Paid by bank transfer');
  await dialog.getByRole('button', { name: 'Settle' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('No open charges')).toBeVisible();
  await page.getByText('All', { exact: true }).click();
  await expect(row).toContainText('Settled');
  await expect(row).toContainText('Paid by bank transfer');
});

interface Charge {
  chargeId: string;
  state: string;
  paymentId: string | null;
  stopsCharges: boolean;
  items: { address: string }[];
}

/** Waits until the charge for this name is as it should be. */
async function chargeFor(msp: Msp, name: string, is: (charge: Charge) => boolean): Promise<Charge> {
  let found: Charge | undefined;
  await expect(async () => {
    const charges = await api<Charge[]>(msp.token, 'GET', 'direct-charge');
    found = charges.find(({ items }) => items.some(({ address }) => address === name));
    expect(found && is(found)).toBe(true);
  }).toPass({ intervals: [100, 250, 500] });
  if (!found) throw new Error(`no charge for ${name}`);
  return found;
}

test('a dispute stops charges: customer and list say so, nothing is offered that is refused, and by keys alone charges are allowed', async ({
  page,
}) => {
  const { msp, account } = await billing(page, '4242 4242 4242 4242');
  const [disputed, open] = [freshName('disputed'), freshName('stopped')];
  await buy(msp, disputed);
  const { paymentId } = await chargeFor(msp, disputed, ({ state }) => state === 'succeeded');
  await control('payments', 'dispute', { paymentIntent: paymentId, account });
  await chargeFor(msp, disputed, ({ stopsCharges }) => stopsCharges);
  await buy(msp, open);
  await chargeFor(msp, open, ({ state }) => state === 'failed');

  await enter(page, msp, `/customers/${msp.customers[0]?.customerId}/billing`);
  const figures = page.getByLabel('Figures');
  await expect(figures).toContainText(/Direct billing\s*Stopped\s*disputed on/);
  await expect(page.locator('[data-chip]')).toHaveText('Active');
  await expect(
    page.getByText('Blue Fig Ltd disputed a payment. Nothing more is charged to them'),
  ).toBeVisible();
  await inspect(page, 'customer whose charges are stopped');
  await page.getByRole('link', { name: 'Review dispute' }).click();
  await expect(page).toHaveURL(/charge=/);
  await expect(page.getByRole('row', { name: new RegExp(disputed) })).toContainText('Disputed');
  await expect(page.getByRole('row')).toHaveCount(2);

  await page.goto('/direct-billing?kind=open');
  const waiting = page.getByRole('row', { name: new RegExp(open) });
  await expect(waiting).toContainText(
    /Charges have been stopped since .*: the customer disputed a payment\./,
  );
  await expect(waiting.getByRole('button', { name: /^Try again/ })).toHaveCount(0);
  await inspect(page, 'direct billing, stopped charge');
  await waiting.getByRole('link', { name: 'Review dispute: Blue Fig Ltd' }).focus();
  await page.keyboard.press('Enter');
  const row = page.getByRole('row', { name: new RegExp(disputed) });
  await expect(row).toContainText('Unless the dispute is decided, please answer it');
  await expect(waiting).toHaveCount(0);
  await inspect(page, 'direct billing, disputed');

  const allow = row.getByRole('button', { name: 'Allow charges: Blue Fig Ltd' });
  await allow.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Allow charges again' });
  await expect(dialog).toContainText('for everything that is open as well');
  await expect(dialog).toContainText(
    new RegExp(
      `Blue Fig Ltd disputed \\$[\\d.]+ of a charge of \\$[\\d.]+ on \\w+ \\d+, \\d+ for ${disputed}\\.`,
    ),
  );
  await expect(dialog).toContainText(/The dispute began on \w+ \d+, \d+\./);
  await inspect(page, 'allow charges');
  // Escape asks for nothing, and the focus is where it was.
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(allow).toBeFocused();
  expect((await chargeFor(msp, open, () => true)).state).toBe('failed');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Allow charges' }).focus();
  await page.keyboard.press('Enter');
  // The payment stays where the link has led to.
  await expect(allow).toHaveCount(0);
  await expect(row).toContainText('Disputed');
  await chargeFor(msp, open, ({ state }) => state === 'succeeded');
  await page.goto(`/customers/${msp.customers[0]?.customerId}/billing`);
  await expect(figures).toContainText(/Direct billing\s*Active/);
});
