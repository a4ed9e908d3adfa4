import { expect, test } from '@playwright/test';
import { expectHue } from './support/colour.ts';
import {
  addCustomer,
  freshName,
  newPerson,
  onboard,
  requirePaymentAccount,
  signIn,
} from './support/person.ts';
import { control } from './support/sandbox.ts';

interface RegistrarState {
  domains: { domain: string }[];
  orders: { domain: string; status: string }[];
}

test('sign up, set up the payment account, pay $100, add a customer, search, buy, and own the domain', async ({
  page,
  baseURL,
}) => {
  const person = newPerson();
  const name = freshName('walk');
  await requirePaymentAccount(page);
  await signIn(page, person);
  await onboard(page, person);
  await addCustomer(page, 'Blue Fig Ltd');

  await page.getByLabel('Search your next domain').fill(name.toUpperCase());
  await expect(page.getByLabel('Search your next domain')).toHaveValue(name);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
  const card = page.getByRole('region', { name, exact: true });
  await expectHue(card.getByText('Available'), 'green');
  await card.getByRole('button', { name: 'Add to cart' }).click();
  await expect(card.getByText('In cart')).toBeVisible();
  await page.getByRole('link', { name: 'Go to cart' }).click();

  await expect(page.getByRole('heading', { name: 'Finalize domain purchase' })).toBeVisible();
  const finalize = page.getByRole('button', { name: 'Finalize Purchase' });
  await expect(finalize).toBeDisabled();
  await page.getByRole('combobox', { name: `Owner of ${name}` }).click();
  await page.getByRole('option', { name: 'Blue Fig Ltd' }).click();
  await expect(finalize).toBeEnabled();
  await finalize.click();
  await expect(page.getByText('Your order has been processed sucessfully!')).toBeVisible();
  // The accent of what can be pressed, and not the browser's blue.
  const close = page.getByRole('button', { name: 'Close' }).last();
  const accent = await close.evaluate((button) => getComputedStyle(button).backgroundColor);
  for (const link of await page.getByRole('dialog').getByRole('link').all()) {
    await expect(link).toHaveCSS('color', accent);
  }
  await close.click();
  await expect(page).toHaveURL(/\/customers$/);

  await page.goto('/domain/list');
  const row = page.getByRole('row', { name: new RegExp(name) });
  await expect(row).toContainText('Blue Fig Ltd');
  const year = new Date().getFullYear() + 1;
  await expect(row.locator('time')).toContainText(String(year));

  const state = await control<RegistrarState>('registrar', 'state');
  expect(state.domains.map((entry) => entry.domain)).toContain(name);
  expect(baseURL ?? process.env.E2E_URL).toBeTruthy();
});
