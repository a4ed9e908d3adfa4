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
