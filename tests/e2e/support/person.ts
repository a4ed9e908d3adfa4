import { randomBytes } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { control } from './sandbox.ts';

export const password = 'correct horse battery staple';

export interface Person {
  email: string;
  username: string;
  organization: string;
}

export function newPerson(): Person {
  const tag = randomBytes(4).toString('hex');
  return { email: `${tag}@msp.example`, username: `user${tag}`, organization: `Acme ${tag}` };
}

/** Signs in at the provider, with an account that exists there already. */
export async function signIn(page: Page, person: Person): Promise<void> {
  await control('identity', 'users/add', {
    email: person.email,
    password,
    verified: true,
    name: person.username,
  });
  await page.goto('/');
  await page.getByRole('button', { name: 'Get Started Today' }).click();
  await fillSignIn(page, person);
}

/** The provider's form, wherever it stands now. */
export async function fillSignIn(page: Page, { email }: Pick<Person, 'email'>): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Onboarding: profile, the payment account where it is required, then the first $100 by card. */
export async function onboard(page: Page, person: Person): Promise<void> {
  await expect(page.getByRole('heading', { name: /^Welcome to/ })).toBeVisible();
  await page.getByLabel('Username').fill(person.username);
  await page.getByLabel('Organization').fill(person.organization);
  await page.getByRole('button', { name: 'Next' }).click();
  const toProvider = page.getByRole('button', { name: 'Go to the payment provider' });
  const fund = page.getByText('Please top your account up with $100 to continue');
  await expect(toProvider.or(fund)).toBeVisible();
  if (await toProvider.isVisible()) {
    await toProvider.click();
    await fillHostedPage(page);
    await page.getByRole('button', { name: 'Continue' }).click();
  }
  await expect(fund).toBeVisible();
  await payByCard(page);
  await expect(page.getByText("All steps completed - you're finished")).toBeVisible();
}

/** "Top up now", then the provider's form. */
export async function payByCard(page: Page, number = '4242 4242 4242 4242'): Promise<void> {
  await page.getByRole('button', { name: 'Top up now' }).click();
  await fillCard(page, number);
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
}

/** The card's fields in the provider's form. */
export async function fillCard(page: Page, number: string): Promise<void> {
  const form = page.frameLocator('iframe').first();
  await form.getByRole('tab', { name: 'Card' }).click();
  await form.getByLabel(/card number/i).fill(number);
  await form.getByLabel(/expir/i).fill('12 / 34');
  await form.getByLabel(/cvc|security code/i).fill('123');
  const postal = form.getByLabel(/zip|postal/i);
  if (await postal.count()) await postal.fill('10001');
}

export async function addCustomer(page: Page, organization: string): Promise<void> {
  await page.goto('/customers/add');
  await page.getByLabel('Company').fill(organization);
  await page.getByLabel('First name').fill('Ann');
  await page.getByLabel('Last name').fill('Smith');
  await page.getByLabel('Email').fill('ann@customer.example');
  await page.getByLabel('Address line 1').fill('1 Main Street');
  await page.getByLabel('City').fill('New York');
  await page.getByRole('combobox', { name: 'State' }).fill('New York');
  await page.getByRole('option', { name: 'New York (NY)' }).click();
  await page.getByLabel('Postal code').fill('10001');
  await page.getByLabel('Phone').fill('2125550100');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('cell', { name: organization, exact: true })).toBeVisible();
}

export const freshName = (word: string) => `${word}-${randomBytes(4).toString('hex')}.com`;

/** Pages come without the configuration, as those of a development server do: the app asks for it, and a test may answer. */
export async function withoutConfig(page: Page): Promise<void> {
  await page.addInitScript(() => {
    new MutationObserver((_changes, observer) => {
      const config = document.querySelector('meta[name="public-config"]');
      config?.setAttribute('content', '');
      if (config) observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
}

/** The portal as it is by default: onboarding's second step must be finished (decision 63). */
export async function requirePaymentAccount(page: Page): Promise<void> {
  await withoutConfig(page);
  await page.route('**/api/config', async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as { data: { paymentAccountRequired: boolean } };
    body.data.paymentAccountRequired = true;
    await route.fulfill({ json: body });
  });
}

/** Fills in the payment provider's hosted page; `more`: it asks for more afterwards. */
export async function fillHostedPage(page: Page, options: { more?: boolean } = {}): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Set up your payment account' })).toBeVisible();
  await page.getByLabel('Address', { exact: true }).fill('1 Main Street');
  await page.getByLabel('City').fill('New York');
  await page.getByLabel('ZIP or postal code').fill('10001');
  if (options.more) await page.getByLabel(/asks for more/).check();
  await page.getByRole('button', { name: 'Agree and submit' }).click();
}
