import { expect, type Page, test } from '@playwright/test';
import { registerDomain } from './support/domains.ts';
import { api, balanceOf, enter, openCart, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';

const bar = (page: Page) =>
  page.getByText('You are offline. What you see may be out of date, and nothing can be saved or bought.');
const finalize = (page: Page) => page.getByRole('button', { name: 'Finalize Purchase' });
const customers = ['Blue Fig Ltd'];

test('offline is said at once; a list says that it cannot be read, and reads itself when it is over; a screen that was not loaded yet says so in its place, and loads when it is tried again', async ({
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

  let away = true;
  // The part of the screen alone is out of reach, as on a bad line or after a new version.
  await page.route('**/assets/*.js', (route) => (away ? route.abort() : route.continue()));
  await page.getByRole('link', { name: 'Audit log' }).first().click();
  const failure = page.getByRole('alert').filter({ hasText: 'This part of the portal could not be loaded.' });
  await expect(failure).toBeVisible();
  // It is still the portal, with its menu, and not a page of the browser.
  await expect(page.getByRole('link', { name: /^Cart, / })).toBeVisible();
  await expect(page).toHaveURL(/\/audit/);
  away = false;
  await failure.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Audit log' })).toBeVisible();
});

test('a purchase without a network is not sent, and never goes out by itself; one whose answer is lost with it is asked for by its key when it is back, and shown', async ({
  page,
  context,
}) => {
  const msp = await openMsp({ customers });
  const name = freshName('lost');
  await openCart(page, msp, [name]);
  await expect(finalize(page)).toBeEnabled();
  let orders = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/cart/purchase')) orders += 1;
  });
  const dialog = page.getByRole('dialog', { name: 'Something went wrong' });
  await context.setOffline(true);
  await expect(bar(page)).toBeVisible();
  await finalize(page).click();
  await expect(dialog.getByText(/Your order was not sent, and nothing was charged/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await context.setOffline(false);
  await expect(bar(page)).toHaveCount(0);
  // Neither the network nor a reload sends it.
  await page.reload();
  await expect(finalize(page)).toBeEnabled();
  await expect(page.getByRole('region', { name, exact: true })).toBeVisible();
  expect(await balanceOf(msp.token)).toBe(10_000);

  // What was tried without a network was not sent.
  orders = 0;
  await page.route('**/api/cart/purchase', async (route) => {
    await route.fetch();
    await context.setOffline(true);
    await route.abort();
  });
  await finalize(page).click();
  await expect(dialog.getByText('No answer came back.')).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible();
  expect(orders).toBe(1);
  const rows = await api<{ address: string }[]>(msp.token, 'GET', 'domain');
  expect(rows.map(({ address }) => address)).toEqual([name]);
});
