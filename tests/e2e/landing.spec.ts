import { expect, test } from '@playwright/test';
import { enter, openMsp } from './support/msp.ts';
import { withoutConfig } from './support/person.ts';

test('a visitor reads what this is, and the documents, and starts; the menu offers an account', async ({
  page,
}) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1, name: 'Automated domain management.' })).toBeVisible();
  await expect(page).toHaveTitle(/^Automated domain management\./);
  const legal = page.getByRole('navigation', { name: 'Legal' });
  for (const [name, path] of [
    ['Terms and Conditions', '/terms-and-conditions'],
    ['Privacy policy', '/privacy-policy'],
  ] as const) {
    await legal.getByRole('link', { name }).click();
    await expect(page).toHaveURL(path);
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    await expect(page.getByRole('main')).toHaveText(/\S.{500,}/s);
  }
  await legal.getByRole('link', { name: 'Cookies' }).click();
  await expect(page).toHaveURL('/');

  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('button', { name: 'Create Account' }).click();
  // The provider's page, not the landing page's own headings.
  await expect(page.getByText('Sandbox sign-in')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Create an account', level: 1 })).toBeVisible();
  await page.goto('/');
  await page.getByRole('button', { name: 'Get Started Today' }).click();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
});

test('an unknown path leads home, /domain to the list, a protected path to sign-in and back; signed out, nothing opens', async ({
  page,
}) => {
  await page.goto('/no/such/page');
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { name: 'Automated domain management.' })).toBeVisible();

  const msp = await openMsp();
  await enter(page, msp, '/domain/list?search=fig');
  await expect(page).toHaveURL('/domain/list?search=fig');
  await page.goto('/no/such/page');
  await expect(page).toHaveURL('/');
  const main = page.getByRole('main');
  await expect(main.getByRole('region', { name: 'Balance' })).toContainText('$100.00');
  await expect(main.getByRole('link', { name: /^Customers/ })).toContainText('0 in all');
  // P1 §9: however wide the window, the page is not.
  await page.setViewportSize({ width: 1900, height: 800 });
  const places = ['header > div', 'footer', '#main'];
  const edges = await page.evaluate(
    (all) => all.map((place) => document.querySelector(place)?.getBoundingClientRect().toJSON() as DOMRect),
    places,
  );
  for (const { width, left, right } of edges) {
    expect(width).toBeLessThanOrEqual(1300);
    expect([left, right].every((edge) => edge >= 300 && edge <= 1600)).toBe(true);
  }

  const menu = page.getByRole('button', { name: `Account menu, ${msp.person.organization}` });
  await menu.click();
  await page.getByRole('banner').getByRole('link', { name: 'Manage Domains & Certificates' }).click();
  await expect(page).toHaveURL('/domain/list');
  await menu.click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Automated domain management.' })).toBeVisible();
  await page.goto('/customers');
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
});

test('when nothing works the global error screen offers a reload and the way back in history', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/account');
  await expect(page.getByRole('heading', { name: 'Manage your Billing' })).toBeVisible();
  await page.route('**/api/user', (route) =>
    route.fulfill({ status: 500, json: { message: 'Out of order' } }),
  );
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Something went wrong.' })).toBeVisible();
  await page.unroute('**/api/user');
  await page.getByRole('button', { name: 'Reload Page' }).click();
  await expect(page.getByRole('heading', { name: 'Manage your Billing' })).toBeVisible();

  await withoutConfig(page);
  await page.route('**/api/config', (route) => route.abort());
  await page.goto('/domain/list');
  await expect(page.getByRole('heading', { name: 'Something went wrong.' })).toBeVisible();
  await page.unroute('**/api/config');
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(page.getByRole('heading', { name: 'Manage your Billing' })).toBeVisible();
});
