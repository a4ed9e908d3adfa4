import { expect, type Page, test } from '@playwright/test';
import { api, balanceOf, enter, openMsp } from './support/msp.ts';
import { fillCard, payByCard } from './support/person.ts';
import { control } from './support/sandbox.ts';

const balance = (page: Page) => page.getByLabel('Balance', { exact: true });
const pay = (page: Page) => page.getByRole('button', { name: 'Pay', exact: true });
const form = (page: Page) => page.frameLocator('iframe').first();
const confirmUrl = '**/v1/payment_intents/*/confirm';
const arrived = (page: Page) => page.getByText('Your balance has been topped up.');

test('a declined card is said so and can be followed by a good one, in the same form', async ({ page }) => {
  const msp = await openMsp();
  await enter(page, msp, '/account');
  await expect(balance(page)).toHaveValue('$100.00');
  await expect(
    page.getByText(/fee is 2\.9% \+ 30 cents per card transaction in USD and 0\.8% on US bank transfers/),
  ).toBeVisible();
  const intents = new Set<string>();
  page.on('request', (request) => {
    const [, id] = /payment_intents\/(\w+)\/confirm/.exec(request.url()) ?? [];
    if (id) intents.add(id);
  });
  await payByCard(page, '4000 0000 0000 0002');
  await expect(page.getByRole('alert')).toContainText(/declined/);
  await expect(page.getByRole('button', { name: 'Change amount' })).toBeEnabled();
  expect(await balanceOf(msp.token)).toBe(10_000);
  await fillCard(page, '4242 4242 4242 4242');
  await pay(page).click();
  await expect(arrived(page)).toBeVisible();
  await expect(balance(page)).toHaveValue('$200.00');
  expect(intents.size).toBe(1);
});

test('a card that asks for authentication pays after the bank was answered, and not when it was refused', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/account');
  await payByCard(page, '4000 0027 6000 3184');
  const bank = page.frameLocator('iframe[title="Confirm with your bank"]');
  await bank.getByRole('button', { name: /fail|refuse|decline/i }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  expect(await balanceOf(msp.token)).toBe(10_000);
  await pay(page).click();
  await bank.getByRole('button', { name: /complete|confirm|authorize|approve/i }).click();
  await expect(arrived(page)).toBeVisible();
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

test('a payment that does not show up is looked for ten times, and then told in the tooltip', async ({
  page,
}) => {
  const msp = await openMsp();
  // The pauses between the looks pass at once.
  await page.addInitScript(() => {
    const wait = window.setTimeout;
    window.setTimeout = ((work: () => void, ms: number) =>
      wait(work, ms === 1_500 ? 1 : ms)) as unknown as typeof window.setTimeout;
  });
  await enter(page, msp, '/account');
  await expect(balance(page)).toHaveValue('$100.00');
  await expect(balance(page)).not.toBeEditable();
  await page.getByRole('button', { name: 'Top up now' }).click();
  await fillCard(page, '4242 4242 4242 4242');
  let looks = 0;
  const before = { balance: 10_000, pendingBalance: 0, held: 0, spendable: 10_000 };
  await page.route('**/api/account/balancev2', (route) => {
    looks += 1;
    return route.fulfill({ json: { data: before } });
  });
  await pay(page).click();
  const text = 'Your payment of $100.00 is being processed. Please refresh later.';
  await expect(page.getByRole('status').filter({ hasText: text })).toBeVisible();
  // Ten polls, and the reload that follows them.
  expect(looks).toBe(11);
  const info = page.getByRole('button', { name: '$100.00 pending' });
  await info.hover();
  await expect(page.getByRole('tooltip', { name: text })).toBeVisible();
  await page.unroute('**/api/account/balancev2');
  await page.getByRole('button', { name: 'Refresh balance' }).click();
  await expect(balance(page)).toHaveValue('$200.00');
  await expect(info).toHaveCount(0);
});

test('a connection that fails twice is tried again by itself, for one and the same payment', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/account');
  const asked: string[] = [];
  await page.route(confirmUrl, async (route) => {
    asked.push(new URL(route.request().url()).pathname);
    if (asked.length < 3) await route.abort();
    else await route.continue();
  });
  await payByCard(page);
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeDisabled();
  // Without its form the payment would go on unseen.
  await expect(page.getByRole('button', { name: 'Change amount' })).toBeDisabled();
  await expect(arrived(page)).toBeVisible();
  expect(asked).toHaveLength(3);
  expect(new Set(asked).size).toBe(1);
  expect(await balanceOf(msp.token)).toBe(20_000);
});

test('after three failures the dialog says that nothing was charged, and it stays true; then it is paid again', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/account');
  let late: (() => Promise<unknown>) | null = null;
  await page.route(confirmUrl, (route) => {
    const request = route.request();
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
  expect(await balanceOf(msp.token)).toBe(10_000);
  // The request that was thought lost reaches the provider after all: it must take nothing now.
  await (late as unknown as () => Promise<unknown>)();
  await control('payments', 'idle');
  expect(await balanceOf(msp.token)).toBe(10_000);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.unroute(confirmUrl);
  await payByCard(page);
  await expect(arrived(page)).toBeVisible();
  expect(await balanceOf(msp.token)).toBe(20_000);
});

test('a payment whose answer was lost is taken once and is no failure', async ({ page }) => {
  const msp = await openMsp();
  await enter(page, msp, '/account');
  let lost = 0;
  await page.route(confirmUrl, async (route) => {
    if (lost++ > 0) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await payByCard(page);
  await expect(arrived(page)).toBeVisible();
  expect(await balanceOf(msp.token)).toBe(20_000);
});

test('amounts: a custom one from $20; auto balance from $100 below $10, each field with its own message', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/account');
  const amount = page.getByRole('combobox', { name: 'Top-up amount' });
  await amount.click();
  await expect(page.getByRole('option')).toHaveText(['$100', '$200', '$500', 'Custom']);
  await page.getByRole('option', { name: 'Custom' }).click();
  const custom = page.getByLabel('Custom amount');
  await custom.fill('19.99');
  await expect(custom).toHaveAccessibleDescription('Minimum of $20');
  await expect(page.getByRole('button', { name: 'Top up now' })).toBeDisabled();
  await custom.fill('20.50');
  await page.getByRole('button', { name: 'Top up now' }).click();
  await expect(page.getByText('Top-up of $20.50')).toBeVisible();
  await page.getByRole('button', { name: 'Change amount' }).click();
  await expect(amount).toBeVisible();

  const reload = page.getByLabel('Reload Amount');
  const below = page.getByLabel('When Balance is Below');
  const enable = page.getByRole('button', { name: 'Enable' });
  await expect(reload).toHaveValue('$100');
  await expect(below).toHaveValue('$50');
  await reload.fill('99.99');
  await expect(reload).toHaveAccessibleDescription('Minimum of $100');
  await expect(enable).toBeDisabled();
  await reload.fill('150');
  await below.fill('9');
  await expect(below).toHaveAccessibleDescription('Minimum of $10');
  await expect(enable).toBeDisabled();
  await below.fill('25.50');
  const sent: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/account/auto-balance')) sent.push(request.postDataJSON());
  });
  await enable.click();
  const update = page.getByRole('button', { name: 'Update' });
  await expect(update).toBeVisible();
  expect(await api(msp.token, 'GET', 'account')).toMatchObject({
    autoBalance: { active: true, amount: 15_000, mark: 2_550 },
  });
  await reload.fill('99');
  await expect(update).toBeDisabled();
  await reload.fill('200');
  await update.click();
  await expect
    .poll(() => api(msp.token, 'GET', 'account'))
    .toMatchObject({ autoBalance: { active: true, amount: 20_000, mark: 2_550 } });
  await page.getByRole('button', { name: 'Disable' }).click();
  await expect(enable).toBeVisible();
  // P2 §4 and §7: cents; to disable says that alone.
  expect(sent).toEqual([
    { enabled: true, amount: 15_000, mark: 2_550 },
    { enabled: true, amount: 20_000, mark: 2_550 },
    { enabled: false },
  ]);
});

test('before the first $100 there is a warning and nothing but the payment; after it the account is open', async ({
  page,
}) => {
  const msp = await openMsp({ paid: false });
  await enter(page, msp, '/account');
  await expect(
    page.getByText('You need to top up your balance to fully activate your account'),
  ).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Top-up amount' })).toHaveCount(0);
  const amount = page.getByRole('textbox', { name: 'Top-up amount' });
  await expect(amount).toHaveValue('$100');
  await expect(amount).not.toBeEditable();
  await expect(amount).toHaveAccessibleDescription('Minimum of $100');
  await expect(page.getByText('Auto Balance')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1, name: 'Manage your Billing' })).toBeVisible();
  await expect(page.getByRole('tab')).toHaveCount(0);
  await page.goto('/account/profile');
  await expect(page).toHaveURL('/account');
  // Everything else leads to the onboarding, which is no detour for the screen that was asked for.
  await page.goto('/customers');
  await expect(page).toHaveURL('/onboarding/3');
  await page.goto('/account');
  await payByCard(page);
  await expect(page.getByText('Auto Balance')).toBeVisible();
  await expect(page.getByRole('tab')).toHaveText([
    'Manage your Billing',
    'Manage Profile',
    'Statement',
    'Earnings',
  ]);
  await expect(balance(page)).toHaveValue('$100.00');
});
