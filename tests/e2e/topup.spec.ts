import { expect, type Page, test } from '@playwright/test';
import { api, balanceOf, enter, openMsp } from './support/msp.ts';
import { fillCard, payByCard } from './support/person.ts';
import { control } from './support/sandbox.ts';

const balance = (page: Page) => page.getByLabel('Balance', { exact: true });
const pay = (page: Page) => page.getByRole('button', { name: 'Pay', exact: true });
const form = (page: Page) => page.frameLocator('iframe').first();
const confirmUrl = '**/v1/payment_intents/*/confirm';
const arrived = (page: Page) => page.getByText('Your balance has been topped up.');

test('a declined card is said so and can be followed by one that the bank asks about, which pays once the bank was answered', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/account');
  await expect(balance(page)).toHaveValue('$100.00');
  const intents = new Set<string>();
  page.on('request', (request) => {
    const [, id] = /payment_intents\/(\w+)\/confirm/.exec(request.url()) ?? [];
    if (id) intents.add(id);
  });
  await payByCard(page, '4000 0000 0000 0002');
  await expect(
    page.getByText(/fee is 2\.9% \+ 30 cents per card transaction in USD and 0\.8% on US bank transfers/),
  ).toBeVisible();
  await expect(page.getByRole('alert')).toContainText(/declined/);
  await expect(page.getByRole('button', { name: 'Change amount' })).toBeEnabled();
  expect(await balanceOf(msp.token)).toBe(10_000);
  // The same form takes another card.
  await fillCard(page, '4000 0027 6000 3184');
  await pay(page).click();
  const bank = page.frameLocator('iframe[title="Confirm with your bank"]');
  await bank.getByRole('button', { name: /fail|refuse|decline/i }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  expect(await balanceOf(msp.token)).toBe(10_000);
  await pay(page).click();
  await bank.getByRole('button', { name: /complete|confirm|authorize|approve/i }).click();
  await expect(arrived(page)).toBeVisible();
  await expect(balance(page)).toHaveValue('$200.00');
  expect(intents.size).toBe(1);
  expect(await balanceOf(msp.token)).toBe(20_000);
});

test('a bank payment is pending, says so in a tooltip, may be spent, and settles', async ({ page }) => {
  const msp = await openMsp();
  await enter(page, msp, '/account');
  await page.getByRole('combobox', { name: 'Top-up amount' }).click();
  await page.getByRole('option', { name: '$200' }).click();
  await page.getByRole('button', { name: 'Top up now' }).click();
  await expect(page.getByText('Top-up of $200.00')).toBeVisible();
  // The bank account stands first (P2 §7).
  await expect(form(page).getByRole('tab').first()).toHaveText('US bank account');
  await form(page).getByLabel('Full name').fill('Ann Smith');
  await form(page).getByLabel('Email').fill('ann@msp.example');
  await form(page).getByLabel('Routing number').fill('110000000');
  await form(page).getByLabel('Account number').fill('000000000009');
  await pay(page).click();
  const text = 'Your payment of $200.00 is being processed. Please refresh later.';
  await expect(page.getByText(text)).toBeVisible();
  await expect(balance(page)).toHaveValue('$100.00');
  await page.reload();
  const info = page.getByRole('button', { name: '$200.00 pending' });
  await info.focus();
  await expect(page.getByRole('tooltip', { name: text })).toBeVisible();
  expect(await api(msp.token, 'GET', 'account/balancev2')).toMatchObject({ pendingBalance: 20_000 });

  const topups = await control<{ paymentIntents: { id: string; status: string; amount: number }[] }>(
    'payments',
    'state',
  );
  for (const { id } of topups.paymentIntents.filter(
    (entry) => entry.status === 'processing' && entry.amount === 20_000,
  )) {
    await control('payments', 'settle', { paymentIntent: id });
  }
  await expect.poll(() => balanceOf(msp.token)).toBe(30_000);
  await page.getByRole('button', { name: 'Refresh balance' }).click();
  await expect(balance(page)).toHaveValue('$300.00');
  await expect(info).toHaveCount(0);
});

test('after three failures the dialog says that nothing was charged, and it stays true; paid again, its answer lost, the first $100 is taken once and opens the account', async ({
  page,
}) => {
  const msp = await openMsp({ paid: false });
  await enter(page, msp, '/account');
  await expect(
    page.getByText('You need to top up your balance to fully activate your account'),
  ).toBeVisible();
  await expect(page.getByText('Auto Balance')).toHaveCount(0);
  const asked: string[] = [];
  let late: (() => Promise<unknown>) | null = null;
  await page.route(confirmUrl, (route) => {
    const request = route.request();
    asked.push(new URL(request.url()).pathname);
    late ??= () =>
      fetch(request.url(), {
        method: 'POST',
        headers: request.headers() as Record<string, string>,
        body: request.postData() ?? '',
      });
    return route.abort();
  });
  await payByCard(page);
  const dialog = page.getByRole('dialog', { name: 'Something went wrong' });
  await expect(
    dialog.getByText(
      'There was an issue processing this action. You were not charged. Please try again or contact support.',
      { exact: true },
    ),
  ).toBeVisible();
  await expect(dialog.getByRole('link', { name: 'Payment provider dashboard' })).toHaveAttribute(
    'href',
    /^https?:/,
  );
  // Three times for one and the same payment.
  expect(asked).toHaveLength(3);
  expect(new Set(asked).size).toBe(1);
  expect(await balanceOf(msp.token)).toBe(0);
  // The request that was thought lost reaches the provider after all: it must take nothing now.
  await (late as unknown as () => Promise<unknown>)();
  await control('payments', 'idle');
  expect(await balanceOf(msp.token)).toBe(0);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.unroute(confirmUrl);

  // The provider takes this one, and its answer never comes.
  let lost = 0;
  await page.route(confirmUrl, async (route) => {
    if (lost++ > 0) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await payByCard(page);
  await expect(page.getByText('Auto Balance')).toBeVisible();
  await expect(page.getByRole('tab')).toHaveText([
    'Manage your Billing',
    'Manage Profile',
    'Statement',
    'Earnings',
  ]);
  await expect(balance(page)).toHaveValue('$100.00');
  expect(lost).toBe(2);
  expect(await balanceOf(msp.token)).toBe(10_000);
});
