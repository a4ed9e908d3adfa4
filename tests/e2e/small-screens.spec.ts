import { expect, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';

test('on a small screen the common places are at the lower edge, and the navigation is a sheet that Escape closes', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await enter(page, msp, '/orders');
  const bar = page.getByRole('navigation', { name: 'Quick navigation' });
  await expect(bar).toHaveCount(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(bar.getByRole('link')).toHaveText([
    'Home',
    'Domains',
    'Renewals',
    'Certificates',
    'Customers',
  ]);
  await bar.getByRole('link', { name: 'Customers' }).click();
  await expect(page).toHaveURL('/customers');
  await expect(bar.getByRole('link', { name: 'Customers' })).toHaveAttribute('aria-current', 'page');

  await page.getByRole('button', { name: 'Open navigation' }).click();
  const sheet = page.getByRole('navigation', { name: 'Main' });
  await expect(sheet.getByRole('link', { name: 'Home' })).toBeInViewport();
  await expect(sheet.getByRole('button', { name: 'Help' })).toBeVisible();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await page.getByRole('button', { name: 'Open navigation' }).click();
  await sheet.getByRole('link', { name: 'Orders' }).click();
  await expect(page).toHaveURL('/orders');
  await expect(sheet).toBeHidden();
  await page.getByRole('button', { name: 'Open navigation' }).click();
  await inspect(page, 'the sheet of the navigation');
});

test('tabs that a phone has no room for show that there are more, and the chosen one is in sight', async ({
  page,
}) => {
  const msp = await openMsp();
  await page.setViewportSize({ width: 390, height: 844 });
  await enter(page, msp, '/account');
  const tabs = page.getByRole('tablist');
  await expect(tabs).toHaveAttribute('data-more', 'end');
  await expect(page.getByRole('tab', { name: 'Earnings' })).not.toBeInViewport({ ratio: 1 });
  await page.getByRole('tab', { name: 'Statement' }).click();
  await page.getByRole('tab', { name: 'Earnings' }).click();
  await expect(page.getByRole('tab', { name: 'Earnings' })).toBeInViewport({ ratio: 1 });
  await expect(tabs).toHaveAttribute('data-more', 'start');
  // By its address, too.
  await page.reload();
  await expect(page.getByRole('tab', { name: 'Earnings' })).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(tabs).not.toHaveAttribute('data-more', /./);
});

test('at 320 px, as on a desktop at 400 %, the focus is seen in the headers of a list, and nothing makes the start screen wider', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await page.setViewportSize({ width: 320, height: 640 });
  await enter(page, msp, '/customers');
  await expect(page.getByRole('row', { name: /Blue Fig/ })).toBeVisible();
  const sort = page.getByRole('button', { name: 'Organization' });
  await expect(sort).not.toBeInViewport({ ratio: 1 });
  await page.getByRole('button', { name: 'Saved views' }).focus();
  await page.keyboard.press('Tab');
  await expect(sort).toBeFocused();
  await expect(sort).toBeInViewport({ ratio: 1 });
  await inspect(page, 'the headers of a list with the focus');

  await page.setViewportSize({ width: 320, height: 640 });
  // The counts of a portfolio that has been left alone.
  await page.route('**/api/attention/counts*', async (route) => {
    const reply = await route.fetch();
    const { data } = (await reply.json()) as { data: object };
    await route.fulfill({ json: { data: { ...data, now: 18, soon: 54 } } });
  });
  await page.goto('/');
  const isWider = () => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  await expect(page.getByRole('link', { name: 'All 72' })).toBeInViewport({ ratio: 1 });
  expect(await isWider()).toBe(false);
  // What was done is read whole, however narrow it is.
  const entry = page.getByRole('listitem').filter({ hasText: 'Created a customer' }).locator('> span');
  for (const width of [320, 640, 1280]) {
    await page.setViewportSize({ width, height: 640 });
    await expect(entry).toBeVisible();
    expect(await entry.evaluate((shown) => shown.scrollWidth <= shown.clientWidth)).toBe(true);
  }
});
