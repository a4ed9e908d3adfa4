import { expect, type Page, test } from '@playwright/test';
import { inspect, watchConsole } from './support/inspect.ts';
import { api, connectAccount, enter, type Msp, openCart, openMsp } from './support/msp.ts';
import { freshName, newPerson, requirePaymentAccount, signIn } from './support/person.ts';
import { control } from './support/sandbox.ts';

/** Buys a name through the API, so that lists and details have something to show. */
async function buy(msp: Msp, address: string): Promise<string> {
  const customerId = msp.customers[0]?.customerId ?? '';
  const [quote] = await api<{ price: number }[]>(msp.token, 'POST', 'cart/prices', [
    { address, period: 1, whois: false },
  ]);
  const { orderId } = await api<{ orderId: string }>(msp.token, 'POST', 'cart/purchase', {
    domains: [{ address, customerId, period: 1, whois: false }],
    price: quote?.price,
  });
  return orderId;
}

/** Opens each address, waits for what shows that it is there, and looks at it. */
async function inspectAll(page: Page, screens: readonly (readonly [path: string, there: string | RegExp])[]) {
  for (const [path, there] of screens) {
    await page.goto(path);
    await expect(page.getByText(there).first(), path).toBeVisible();
    await expect(page.getByRole('status', { name: 'Loading' }), path).toHaveCount(0);
    await inspect(page, path);
  }
}

test('what visitors see can be used by everybody, in every light and width, within the policy', async ({
  page,
}) => {
  const problems = watchConsole(page);
  await inspectAll(page, [
    ['/terms-and-conditions', 'What this portal does'],
    ['/invite/unknown', /sign in|invit/i],
  ]);
  await page.goto('/');
  await expect(page.getByText('Automated domain management.').first()).toBeVisible();
  await page.getByRole('button', { name: 'Account menu' }).click();
  await expect(page.getByText('Already have an account?')).toBeVisible();
  await inspect(page, 'landing page, and the menu');
  for (const path of ['/privacy-policy', '/operator']) {
    await page.goto(path);
    await page.waitForLoadState('networkidle');
  }
  expect(problems).toEqual([]);
});

test('the onboarding can be used by everybody, in every light and width, within the policy', async ({
  page,
}) => {
  await requirePaymentAccount(page);
  const person = newPerson();
  const problems = watchConsole(page);
  await page.addInitScript(() => localStorage.setItem('nameward.creating-account', '1'));
  await signIn(page, person);
  const dialog = page.getByRole('dialog', { name: 'Create Account' });
  await dialog.getByRole('button', { name: 'Create Account' }).click();
  await expect(dialog.getByText('Username is required')).toBeVisible();
  await inspect(page, 'Create Account dialog, faulty');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('heading', { name: 'Confirm your details' })).toBeVisible();
  await inspect(page, 'onboarding, first step');
  const { token } = await control<{ token: string }>('identity', 'tokens/mint', { email: person.email });
  await api(token, 'POST', 'user', { username: person.username, organization: person.organization });
  await connectAccount(token);
  await page.goto('/onboarding/3');
  await expect(page.getByText('Please top your account up with $100 to continue')).toBeVisible();
  await inspect(page, 'onboarding, third step');
  expect(problems).toEqual([]);
});

test('searching and buying can be used by everybody, in every light and width, within the policy', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Pear Inc'] });
  const problems = watchConsole(page);
  await enter(page, msp);
  await expect(page.getByText('Needs attention').first()).toBeVisible();
  await page.getByRole('button', { name: /^Account menu/ }).click();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await inspect(page, 'start, and the menu');
  await page.goto(`/domains?name=${freshName('harbor')}`);
  await expect(page.getByText('Great Alternative')).toBeVisible();
  await page.getByLabel('Search your next domain').fill(freshName('fig'));
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-result]').first()).toBeVisible();
  await inspect(page, 'a name, and search results');
  await page.goto('/account');
  await expect(page.getByText('Auto Balance').first()).toBeVisible();
  await page.getByRole('button', { name: 'Top up now' }).click();
  await expect(page.getByRole('button', { name: 'Pay', exact: true })).toBeEnabled();
  await inspect(page, 'balance, and the payment form');

  await openCart(page, msp, [freshName('nice'), freshName('x-refuse')], false);
  await expect(page.getByText(/^Please choose an owner/)).toBeVisible();
  await inspect(page, 'cart');
  await openCart(page, msp, [freshName('nice'), freshName('x-refuse')]);
  await page.getByRole('button', { name: 'Finalize Purchase' }).click();
  await expect(page.getByText(/^Please note: /)).toBeVisible();
  await inspect(page, 'result dialog');
  expect(problems).toEqual([]);
});

test('customers and money can be managed by everybody, in every light and width, within the policy', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const customer = `/customers/${msp.customers[0]?.customerId}`;
  const problems = watchConsole(page);
  await enter(page, msp, '/customers');
  await inspectAll(page, [
    ['/customers', 'Blue Fig Ltd'],
    [customer, 'Same as owner'],
    [`${customer}/billing`, 'Direct billing and markups'],
    ['/account/profile', 'Account Name'],
    ['/account/statement', /\d/],
  ]);
  await page.goto('/customers/add');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('This field is required').first()).toBeVisible();
  await page.getByLabel('Search your next domain').fill('blue fig!');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Search your next domain')).toHaveAttribute('aria-invalid', 'true');
  await inspect(page, 'faulty form, and a bad search');
  expect(problems).toEqual([]);
});

test('domains and orders can be managed by everybody, in every light and width, within the policy', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('kept');
  const orderId = await buy(msp, name);
  const problems = watchConsole(page);
  await enter(page, msp, '/domain/list');
  await inspectAll(page, [
    ['/domain/list', 'Blue Fig Ltd'],
    [`/domain/${name}`, 'Auto Renew'],
    ['/domains/list', 'Look them up'],
    ['/domain/transfer', 'AuthInfo / EPP code'],
    ['/domain/renewals', 'Renew'],
    ['/certificates', /certificate/i],
    ['/orders', 'Completed'],
    [`/orders/${orderId}`, name],
  ]);
  expect(problems).toEqual([]);
});
