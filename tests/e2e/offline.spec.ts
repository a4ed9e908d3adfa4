import { expect, type Page, test } from '@playwright/test';
import { registerDomain } from './support/domains.ts';
import { api, balanceOf, enter, openCart, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';

const bar = (page: Page) =>
  page.getByText('You are offline. What you see may be out of date, and nothing can be saved or bought.');
const finalize = (page: Page) => page.getByRole('button', { name: 'Finalize Purchase' });
const customers = ['Blue Fig Ltd'];

test('offline is said at once; a list and a detail say that they cannot be read, and read themselves when it is over', async ({
  page,
  context,
}) => {
  const msp = await openMsp({ customers });
  const name = await registerDomain(msp, 'away');
  await enter(page, msp, '/domain/list');
  await expect(page.getByRole('row', { name: new RegExp(name) })).toBeVisible();
  await context.setOffline(true);
  await expect(bar(page)).toBeVisible();
  // What was read stays in sight.
  await expect(page.getByRole('row', { name: new RegExp(name) })).toBeVisible();
  await page.getByRole('link', { name: 'Orders' }).first().click();
  await expect(page.getByRole('alert')).toContainText(/You are offline|could not be loaded/);
  await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0);
  await context.setOffline(false);
  await expect(bar(page)).toHaveCount(0);
  await expect(page.getByText('No orders yet').or(page.getByRole('table'))).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a screen that was not loaded yet says so in its place, and loads when it is tried again', async ({
  page,
}) => {
  const msp = await openMsp({ customers });
  await enter(page, msp, '/domain/list');
  let away = true;
  // The part of the screen alone is out of reach, as on a bad line or after a new version.
  await page.route('**/assets/*.js', (route) => (away ? route.abort() : route.continue()));
  await page.getByRole('link', { name: 'Orders' }).first().click();
  const failure = page.getByRole('alert').filter({ hasText: 'This part of the portal could not be loaded.' });
  await expect(failure).toBeVisible();
  // It is still the portal, with its menu, and not a page of the browser.
  await expect(page.getByRole('link', { name: /^Cart, / })).toBeVisible();
  await expect(page).toHaveURL(/\/orders/);
  away = false;
  await failure.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Orders' })).toBeVisible();
});

test('a purchase without a network is not sent, says so, keeps the cart, and never goes out by itself', async ({
  page,
  context,
}) => {
  const msp = await openMsp({ customers });
  const name = freshName('away');
  await openCart(page, msp, [name]);
  await expect(finalize(page)).toBeEnabled();
  await context.setOffline(true);
  await expect(bar(page)).toBeVisible();
  await finalize(page).click();
  const dialog = page.getByRole('dialog', { name: 'Something went wrong' });
  await expect(dialog.getByText(/Your order was not sent, and nothing was charged/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(page.getByRole('region', { name, exact: true })).toBeVisible();
  let sent = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/cart/purchase')) sent += 1;
  });
  const key = () =>
    page.evaluate(
      (id) => JSON.parse(localStorage.getItem(`nameward.cart.${id}`) ?? '{}').idempotencyKey,
      msp.userId,
    );
  const before = await key();
  await context.setOffline(false);
  await expect(bar(page)).toHaveCount(0);
  // Neither the network nor a reload sends it.
  await page.reload();
  await expect(finalize(page)).toBeEnabled();
  expect(sent).toBe(0);
  expect(await key()).toBe(before);
  expect(await balanceOf(msp.token)).toBe(10_000);
  await finalize(page).click();
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible();
  expect(sent).toBe(1);
});

test('a purchase whose answer is lost with the network is asked for by its key when it is back, and shown', async ({
  page,
  context,
}) => {
  const msp = await openMsp({ customers });
  const name = freshName('lost');
  await openCart(page, msp, [name]);
  await expect(finalize(page)).toBeEnabled();
  let orders = 0;
  await page.route('**/api/cart/purchase', async (route) => {
    orders += 1;
    await route.fetch();
    await context.setOffline(true);
    await route.abort();
  });
  await finalize(page).click();
  const dialog = page.getByRole('dialog', { name: 'Something went wrong' });
  await expect(dialog.getByText('No answer came back.')).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible();
  expect(orders).toBe(1);
  const rows = await api<{ address: string }[]>(msp.token, 'GET', 'domain');
  expect(rows.map(({ address }) => address)).toEqual([name]);
});
