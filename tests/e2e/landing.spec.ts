import { expect, test } from '@playwright/test';
import { watchConsole } from './support/inspect.ts';
import { enter, openMsp } from './support/msp.ts';

test('a visitor reads what this is and starts; the menu offers sign-in and an account', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1, name: 'Automated domain management.' })).toBeVisible();
  await expect(page).toHaveTitle(/^Automated domain management\./);
  // Nothing of the signed-in shell is there.
  await expect(page.getByLabel('Search your next domain')).toHaveCount(0);
  await expect(page.getByRole('link', { name: /^Cart/ })).toHaveCount(0);
  await expect(page.getByRole('navigation', { name: 'Main' })).toHaveCount(0);

  const menu = page.getByRole('button', { name: 'Account menu' });
  await menu.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Already have an account?')).toBeVisible();
  await expect(page.getByRole('banner').getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await expect(page.getByText("Don't yet have an account? Create one now to get started.")).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText('Already have an account?')).toBeHidden();
  await expect(menu).toBeFocused();

  await menu.click();
  await page.getByRole('button', { name: 'Create Account' }).click();
  // The provider's page, not the landing page's own headings.
  await expect(page.getByText('Sandbox sign-in')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Create an account', level: 1 })).toBeVisible();
  await page.goto('/');
  await page.getByRole('button', { name: 'Get Started Today' }).click();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
});

test('terms and privacy say real text to anybody, under a header without search; Cookies leads home', async ({
  page,
}) => {
  await page.goto('/');
  const legal = page.getByRole('navigation', { name: 'Legal' });
  await legal.getByRole('link', { name: 'Terms and Conditions' }).click();
  await expect(page).toHaveURL('/terms-and-conditions');
  await expect(page.getByRole('heading', { level: 1, name: 'Terms and Conditions' })).toBeVisible();
  await expect(page.getByRole('main')).toHaveText(/\S.{500,}/s);
  await legal.getByRole('link', { name: 'Privacy policy' }).click();
  await expect(page).toHaveURL('/privacy-policy');
  await expect(page.getByRole('heading', { level: 1, name: 'Privacy policy' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await expect(page.getByLabel('Search your next domain')).toHaveCount(0);
  await legal.getByRole('link', { name: 'Cookies' }).click();
  await expect(page).toHaveURL('/');
});

test('an unknown path leads home, /domain to the list, a protected path to sign-in and back', async ({
  page,
}) => {
  await page.goto('/no/such/page');
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { name: 'Automated domain management.' })).toBeVisible();

  const msp = await openMsp();
  await enter(page, msp, '/domain/list?search=fig');
  await expect(page).toHaveURL('/domain/list?search=fig');
  await page.goto('/domain');
  await expect(page).toHaveURL('/domain/list');
  await page.goto('/no/such/page');
  await expect(page).toHaveURL('/');
});

test('the side navigation marks the place of every path and has help; on small screens a menu takes its place', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp);
  const side = page.getByRole('navigation', { name: 'Main' });
  for (const [path, entry] of [
    ['/', 'Home'],
    ['/domain/renewals', 'Renewals'],
    ['/domain/acme.com', 'Domain management'],
    ['/domains?search=acme', 'Domain management'],
    ['/SSL', 'Certificates'],
    ['/customers/add', 'Customers'],
  ] as const) {
    await page.goto(path);
    await expect(side.locator('[aria-current]')).toHaveText(entry);
  }
  await page.goto('/');
  await side.getByRole('button', { name: 'Help' }).click();
  await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible();
  await page.keyboard.press('Escape');

  // On small screens a menu takes its place.
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(side).toBeHidden();
  await page.getByRole('button', { name: 'Open navigation' }).click();
  await expect(side.getByRole('button', { name: 'Help' })).toBeVisible();
  await side.getByRole('link', { name: 'Customers' }).click();
  await expect(page).toHaveURL('/customers');
  await expect(side).toBeHidden();
});

test('signed in: tiles, the account links under the organization, and the way out', async ({ page }) => {
  const msp = await openMsp();
  await enter(page, msp);
  await expect(page.getByRole('heading', { level: 1, name: 'Search for domains' })).toBeVisible();
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
  await page.setViewportSize({ width: 1280, height: 800 });
  const main = page.getByRole('main');
  await expect(main.getByRole('link', { name: /^Domains/ })).toHaveAttribute('href', '/domain/list');
  await expect(main.getByRole('link', { name: /^Customers/ })).toHaveAttribute('href', '/customers');
  await expect(main.getByRole('link', { name: /^Users/ })).toHaveAttribute('href', '/users');
  await expect(main.getByRole('region', { name: 'Balance' })).toContainText('$100.00');
  // Nothing needs attention yet; there is a first domain to buy.
  const steps = main.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
  await expect(steps.nth(0).getByRole('link', { name: 'Add Customer' })).toBeVisible();
  await expect(steps.nth(1).getByRole('img', { name: 'Done' })).toBeVisible();
  await expect(main.getByRole('region', { name: 'Latest changes' })).toBeVisible();
  await expect(main.getByRole('link', { name: /^Customers/ })).toContainText('0 in all');
  const side = page.getByRole('navigation', { name: 'Main' });
  for (const entry of ['Domain management', 'Customers']) {
    await expect(side.getByRole('link', { name: entry })).toBeVisible();
  }

  const menu = page.getByRole('button', { name: `Account menu, ${msp.person.organization}` });
  await menu.click();
  const links = page.getByRole('banner').locator('[id]').getByRole('link');
  await expect(links).toHaveText([
    'Profile & Billing Details',
    'Manage Customers',
    'Manage Domains & Certificates',
  ]);
  await links.nth(2).click();
  await expect(page).toHaveURL('/domain/list');
  await menu.click();
  await links.nth(0).click();
  await expect(page).toHaveURL('/account');
  // The Users tile is the MSP's own affair (decisions no. 13).
  await page.route('**/api/config', async (route) => {
    const reply = await route.fetch();
    const { data } = (await reply.json()) as { data: object };
    await route.fulfill({ json: { data: { ...data, appType: 'client' } } });
  });
  await page.goto('/');
  await expect(main.getByRole('link', { name: /^Customers/ })).toBeVisible();
  await expect(main.getByRole('link', { name: /^Users/ })).toHaveCount(0);
  await page.unroute('**/api/config');
  await page.goto('/');
  await menu.click();
  // Without an organization it greets.
  await page.route('**/api/user', async (route) => {
    const reply = await route.fetch();
    const { data } = (await reply.json()) as { data: object };
    await route.fulfill({ json: { data: { ...data, organization: '' } } });
  });
  await page.reload();
  await page.getByRole('button', { name: 'Account menu, Hello' }).click();
  await expect(page.getByRole('banner').getByText('Hello', { exact: true }).last()).toBeVisible();
  await page.unroute('**/api/user');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Automated domain management.' })).toBeVisible();
  await page.goto('/customers');
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
});

test('when nothing works the global error screen offers a reload, support and the way back', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/customers');
  await page.route('**/api/user', (route) =>
    route.fulfill({
      status: 500,
      json: { message: 'Something went wrong', code: 'internal', requestId: 'r-1' },
    }),
  );
  await page.goto('/domain/list');
  await expect(page.getByRole('heading', { name: 'Something went wrong.' })).toBeVisible();
  await expect(page.getByText(/contact support/)).toBeVisible();
  await expect(page.getByText('Request r-1')).toBeVisible();
  await page.unroute('**/api/user');
  await page.getByRole('button', { name: 'Reload Page' }).click();
  await expect(page.getByText('No domains found')).toBeVisible();

  await page.route('**/api/user', (route) => route.abort());
  await page.reload();
  await page.getByRole('button', { name: 'Back' }).waitFor();
  await page.unroute('**/api/user');
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(page).toHaveURL('/');

  // Where no path is given, back is back in history.
  await page.goto('/account');
  await expect(page.getByRole('heading', { name: 'Manage your Billing' })).toBeVisible();
  await page.route('**/api/config', (route) => route.abort());
  await page.goto('/domain/list');
  await expect(page.getByRole('heading', { name: 'Something went wrong.' })).toBeVisible();
  await page.unroute('**/api/config');
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(page.getByRole('heading', { name: 'Manage your Billing' })).toBeVisible();
});

test('no page breaks the content security policy: nothing is reported, not even what a library tries and catches', async ({
  page,
}) => {
  const breaches = watchConsole(page);
  for (const path of ['/', '/terms-and-conditions', '/operator']) {
    await page.goto(path);
    await page.waitForLoadState('networkidle');
  }
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  await enter(page, msp, '/customers');
  await page.waitForLoadState('networkidle');
  expect(breaches).toEqual([]);
});
