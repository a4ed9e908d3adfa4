import { expect, type Page, test } from '@playwright/test';
import type { PublicConfig } from '../../src/contracts/operations/system.ts';
import { expectHue } from './support/colour.ts';
import { inspect, noAxeFindings } from './support/inspect.ts';
import { api, enter, openMsp } from './support/msp.ts';

const rows = (page: Page) => page.getByRole('table', { name: 'Your current customers' }).locator('tbody tr');
const entry = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Customers/ });
const owner = (page: Page) => page.getByRole('region', { name: 'Owner' });

/** Every address of the identity provider. */
async function providerOf(page: Page): Promise<string> {
  const config = await page.request.get('/api/config');
  const { identity } = ((await config.json()) as { data: PublicConfig }).data;
  return `${new URL(identity.authority).origin}/**`;
}

test('the list: a search stays in the address, a row opens, and back is back; a deleted customer is gone from it and from the menu', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Busy Ltd', 'Idle Ltd', 'Idle Works'] });
  await enter(page, msp, '/customers');
  const search = page.getByLabel('Search customers');
  await search.fill('idle');
  await expect(rows(page)).toHaveCount(2);
  await expect(page).toHaveURL(/search=idle/);
  await page.reload();
  await expect(search).toHaveValue('idle');
  await expect(rows(page)).toHaveCount(2);
  // Anywhere in the row.
  await rows(page).first().getByText('Ann Smith').click();
  await expect(page.getByRole('heading', { name: 'Customer Management: Idle Ltd' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/search=idle/);
  // A link to the whole list empties the field.
  await entry(page).click();
  await expect(search).toHaveValue('');
  await expect(rows(page)).toHaveCount(3);
  // A page that has no rows leads to the last one that has.
  await page.goto('/customers?page=9');
  await expect(rows(page)).toHaveCount(3);
  await expect(page).toHaveURL('/customers');

  await page.getByRole('button', { name: 'Delete Idle Ltd' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete customer' });
  await expect(dialog).toContainText('Idle Ltd will be removed');
  await noAxeFindings(page);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('link', { name: 'Idle Ltd' })).toHaveCount(0);
  await expect(entry(page).locator('[data-number]')).toHaveAttribute('data-text', '2');
});

test('a new customer waits through a sign-in that cannot be renewed, and is saved once the provider answers again', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/customers/add');
  const form = page.getByRole('region', { name: 'Add Customer' });
  for (const [label, text] of [
    ['Company', 'Blue Fig Ltd'],
    ['First name', 'Ann'],
    ['Last name', 'Smith'],
    ['Email', 'ann@bluefig.example'],
    ['Address line 1', '1 Main St'],
    ['City', 'New York'],
    ['Postal code', '10001'],
    ['Phone', '(212) 555-0100'],
  ] as const) {
    await form.getByLabel(label).fill(text);
  }
  await form.getByLabel('State').click();
  await page.getByRole('option', { name: 'New York (NY)' }).click();
  // The token ends while the provider is out of reach: the screen stays, with all that was typed.
  const provider = await providerOf(page);
  await page.route(provider, (route) => route.abort());
  await page.clock.setFixedTime(Date.now() + 3_600_000);
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(form.getByText('Your sign-in could not be renewed.')).toBeVisible();
  await expect(page.getByText('Your sign-in has ended.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sign in again' })).toBeVisible();
  await expect(form.getByLabel('Company')).toHaveValue('Blue Fig Ltd');
  await page.unroute(provider);
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(/\/customers$/);
  await page.getByRole('link', { name: 'Blue Fig Ltd' }).click();
  await expect(owner(page)).toContainText('+1.2125550100');
});

test('two people edit one customer: the second is told, sees the difference, and keeps what was typed; a refusal is red', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const id = msp.customers[0]?.customerId;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const city = owner(page).getByLabel('City');
  await enter(page, msp, `/customers/${id}`);
  await press('Edit');
  await city.fill('Rome');
  const { contacts } = await api<{ contacts: Record<string, object> }>(msp.token, 'GET', `customer/${id}`);
  const theirs = { contacts: { ...contacts, owner: { ...contacts.owner, city: 'Oslo' } } };
  await api(msp.token, 'PATCH', `customer/${id}`, theirs);
  await press('Save');
  await expect(page.getByText('Someone else changed this customer')).toBeVisible();
  await expect(page.getByRole('row', { name: /Owner: City/ })).toContainText('Oslo');
  await expect(city).toHaveValue('Rome');
  await inspect(page, 'conflict');
  await press('Save mine');
  await expect(page.getByText('Saved.', { exact: true })).toBeVisible();
  const saved = await api<{ contacts: { owner: object } }>(msp.token, 'GET', `customer/${id}`);
  expect(saved.contacts.owner).toMatchObject({ city: 'Rome' });

  await page.route(`**/api/customer/${id}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.fallback();
    const message = 'The registrar does not take this.';
    await route.fulfill({ status: 422, json: { message, code: 'unprocessable', requestId: 'r' } });
  });
  await press('Edit');
  await city.fill('Bergen');
  await press('Save');
  await expectHue(page.getByText('The registrar does not take this.'), 'red');
});
