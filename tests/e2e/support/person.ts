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
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Onboarding: profile, then the first $100 by card. */
export async function onboard(page: Page, person: Person): Promise<void> {
  await expect(page.getByRole('heading', { name: /^Welcome to/ })).toBeVisible();
  await page.getByLabel('Username').fill(person.username);
  await page.getByLabel('Organization').fill(person.organization);
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('Please top your account up with $100 to continue')).toBeVisible();
  await payByCard(page);
  await expect(page.getByText("All steps completed - you're finished")).toBeVisible({ timeout: 30_000 });
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
  await page.getByLabel('State').fill('NY');
  await page.getByLabel('Postal code').fill('10001');
  await page.getByLabel('Phone').fill('2125550100');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('cell', { name: organization, exact: true })).toBeVisible();
}

export const freshName = (word: string) => `${word}-${randomBytes(4).toString('hex')}.com`;
