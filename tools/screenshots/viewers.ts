import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { demoPassword } from '../seed/people.ts';
import type { Portal } from '../seed/portal.ts';
import { emails } from '../seed/seeding.ts';
import type { Screen, Viewer } from './screens.ts';

const seeded = { staff: emails.admin, customer: emails.customer };

/** A browser's window as this viewer has it: signed in where there is somebody to sign in. */
export async function openAs(viewer: Viewer, browser: Browser, portal: Portal): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: portal.url,
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'America/New_York',
  });
  if (viewer !== 'visitor' && viewer !== 'operator') await signInAs(viewer, context, portal);
  await context.route('**/api/user', staysFresh);
  return context;
}

/** A run lasts longer than a sign-in stays fresh. Forms that need one are shown, and not the question before them. */
async function staysFresh(route: Route): Promise<void> {
  const response = await route.fetch();
  if (!response.ok()) return route.fulfill({ response });
  const { data } = (await response.json()) as { data: object };
  await route.fulfill({ response, json: { data: { ...data, freshForSeconds: 900 } } });
}

/** Signs this person in, in a window of the context; the seeded MSP has things in the cart. */
export async function signInAs(
  viewer: Exclude<Viewer, 'visitor' | 'operator'>,
  context: BrowserContext,
  portal: Portal,
): Promise<void> {
  const email = await emailOf(viewer, portal);
  const page = await context.newPage();
  await page.goto('/');
  await page.getByRole('button', { name: 'Get Started Today' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(demoPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Account menu/ }).waitFor({ timeout: 60_000 });
  if (viewer === 'staff') await fillCart(page, portal);
  await page.close();
}

/** Where a screen is on this portal. */
export async function pathOf({ path }: Pick<Screen, 'path'>, portal: Portal): Promise<string> {
  if (typeof path === 'string') return path;
  const { token } = await portal.control<{ token: string }>('identity', 'tokens/mint', {
    email: seeded.staff,
  });
  return path((of) => portal.call(token, 'GET', of));
}

async function emailOf(viewer: Exclude<Viewer, 'visitor' | 'operator'>, portal: Portal): Promise<string> {
  if (viewer === 'staff' || viewer === 'customer') return seeded[viewer];
  const email = `${viewer}-${randomUUID().slice(0, 8)}@nameward.example`;
  await portal.control('identity', 'users/add', {
    ...{ email, password: demoPassword, verified: true, name: 'Nora Lindqvist' },
  });
  if (viewer === 'beginner') await begin(email, portal);
  return email;
}

/** An MSP that has paid its first $100 and has nothing else. */
async function begin(email: string, portal: Portal): Promise<void> {
  const { token } = await portal.control<{ token: string }>('identity', 'tokens/mint', { email });
  const username = email.split('@')[0]?.replaceAll('-', '');
  await portal.call(token, 'POST', 'user', { username, organization: 'Lindqvist IT' });
  await portal.call(token, 'GET', 'account/link');
  const { id } = await portal.call<{ id: string }>(token, 'POST', 'account/refresh');
  await portal.control('payments', 'account-finish', { account: id });
  await portal.call(token, 'POST', 'account/refresh');
  const started = await portal.call<{ intentSecret: string; topupId: string }>(
    ...([token, 'POST', 'account/topupv2', { amount: 100 }] as const),
  );
  await portal.control('payments', 'pay', {
    paymentIntent: started.intentSecret.split('_secret_')[0],
    paymentMethod: 'pm_card_visa',
  });
  await portal.call(token, 'GET', `account/topup/${started.topupId}`);
}

/** Two new names of a customer, and two renewals. */
async function fillCart(page: Page, portal: Portal): Promise<void> {
  const { token } = await portal.control<{ token: string }>('identity', 'tokens/mint', {
    email: seeded.staff,
  });
  const { userId } = await portal.call<{ userId: string }>(token, 'GET', 'user');
  const [customer] = await portal.call<{ customerId: string }[]>(
    token,
    'GET',
    'customer?search=Blue%20Fig&pageSize=1',
  );
  const fresh = { type: 'domain', customerId: customer?.customerId, autoRenew: true, whois: true };
  const owned = await portal.call<{ address: string; expireDate?: string; customerId: string }[]>(
    ...([token, 'GET', 'domain?sort=expireDate&expiringWithinDays=60'] as const),
  );
  const renewals = owned
    .filter(({ expireDate }) => expireDate && Date.parse(expireDate) > Date.now())
    .slice(0, 2)
    .map(({ address, expireDate, customerId }) => ({
      ...{ type: 'renewal', address, registration: 1, autoRenew: false, customerId, expireDate },
    }));
  const items = [
    { ...fresh, address: 'bluefig-events.com', registration: 1 },
    { ...fresh, address: 'bluefig-studio.com', registration: 2, autoRenew: false },
    ...renewals,
  ];
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [
    `nameward.cart.${userId}`,
    JSON.stringify({ items, idempotencyKey: null }),
  ] as const);
}
