import { expect, type Page, type Request, test } from '@playwright/test';
import type { PublicConfig } from '../../src/contracts/operations/system.ts';
import { csvFile, namedRow } from '../support/customer-file.ts';
import { expectHue } from './support/colour.ts';
import { inspect, noAxeFindings } from './support/inspect.ts';
import { api, enter, type Msp, openMsp } from './support/msp.ts';

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

/** Customers by file: the quickest way to many. */
async function fill(msp: Msp, names: readonly string[]): Promise<void> {
  const lines = names.map((name, n) =>
    namedRow(name, {
      contacts_owner_country: n % 2 ? 'CA' : 'US',
      contacts_owner_state: n % 2 ? 'ON' : 'NY',
      contacts_owner_firstName: n === 0 ? 'Zelda' : 'Ann',
    }),
  );
  const { signedUrl, keyName } = await api<{ signedUrl: string; keyName: string }>(
    msp.token,
    'GET',
    'customer/upload-csv-url',
  );
  await fetch(signedUrl, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body: csvFile(lines),
  });
  await api(msp.token, 'POST', 'customer/upload-csv-finish', { key: keyName });
}

test('the list: columns, sorting, paging and search on the server, all of it in the address', async ({
  page,
}) => {
  const msp = await openMsp();
  await fill(
    msp,
    Array.from({ length: 60 }, (_, n) => `Customer ${String(n).padStart(2, '0')}`),
  );
  await enter(page, msp, '/customers');
  await expect(page.getByRole('heading', { name: 'Your current customers' })).toBeVisible();
  for (const name of ['Organization', 'Location', 'Contact', 'Domains']) {
    await expect(page.getByRole('columnheader', { name })).toBeVisible();
  }
  await expect(rows(page).first()).toContainText('Customer 00');
  await expect(rows(page).first()).toContainText('United States of America, NY');
  await expect(rows(page).first()).toContainText('Zelda Smith');
  await expect(rows(page).first().getByRole('button', { name: 'Delete Customer 00' })).toBeVisible();
  await expect(rows(page).first().locator('td').last().locator('svg')).toBeVisible();
  await expect(page.getByText('1–50 of 60')).toBeVisible();
  await noAxeFindings(page);
  await page.getByRole('button', { name: 'next page' }).click();
  await expect(page).toHaveURL(/page=2/);
  await expect(rows(page)).toHaveCount(10);
  await page.getByRole('button', { name: 'Contact' }).click();
  await expect(page).toHaveURL(/sort=contact/);
  await page.getByRole('button', { name: 'Contact' }).click();
  await expect(page).toHaveURL(/sort=-contact/);
  await expect(rows(page).first()).toContainText('Zelda Smith');
  await page.getByRole('button', { name: 'Location' }).click();
  await expect(rows(page).first()).toContainText('Canada, ON');
  await page.getByLabel('Search customers').fill('customer 07');
  await expect(rows(page)).toHaveCount(1);
  await expect(page).toHaveURL(/search=customer/);
  await page.reload();
  await expect(page.getByLabel('Search customers')).toHaveValue('customer 07');
  await expect(rows(page)).toHaveCount(1);
  // Anywhere in the row.
  await rows(page).first().getByText('Ann Smith').click();
  await expect(page.getByRole('heading', { name: 'Customer Management: Customer 07' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/search=customer/);
  await page.getByLabel('Search customers').fill('nobody at all');
  await expect(page.getByText('No customers found')).toBeVisible();
  // A link to the whole list empties the field.
  await entry(page).click();
  await expect(page.getByLabel('Search customers')).toHaveValue('');
  await expect(rows(page)).toHaveCount(50);
  // A page that has no rows any more leads to the last one that has.
  await page.goto('/customers?page=9');
  await expect(page).toHaveURL(/page=2/);
  await expect(rows(page)).toHaveCount(10);
});

test('delete: not with active domains, and why; otherwise after one question', async ({ page }) => {
  const msp = await openMsp({ customers: ['Busy Ltd', 'Idle Ltd'] });
  const address = `busy-${msp.userId.slice(-8)}.com`;
  const [{ price = 0 } = {}] = await api<{ price: number }[]>(msp.token, 'POST', 'cart/prices', [
    { address, period: 1, whois: false },
  ]);
  const customerId = msp.customers[0]?.customerId;
  await api(msp.token, 'POST', 'cart/purchase', {
    domains: [{ address, customerId, period: 1, whois: false }],
    price,
  });
  await enter(page, msp, '/customers');
  const blocked = page.getByRole('button', { name: "Can't delete customers with active domains: Busy Ltd" });
  await expect(blocked).toBeVisible();
  await blocked.hover();
  await expect(page.getByRole('tooltip')).toHaveText("Can't delete customers with active domains");
  await blocked.click({ force: true });
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('button', { name: 'Delete Idle Ltd' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete customer' });
  await expect(dialog).toContainText('Idle Ltd will be removed');
  await inspect(page, 'deletion');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  // Somebody buys in the meantime: the server refuses, and says why.
  const asked = Promise.withResolvers<void>();
  await page.route('**/api/customer/*', async (route) => {
    if (route.request().method() !== 'DELETE') return route.fallback();
    await asked.promise;
    const message = "Can't delete customers with active domains";
    await route.fulfill({ status: 409, json: { message, code: 'has_active_domains', requestId: 'r' } });
  });
  await page.getByRole('button', { name: 'Delete Idle Ltd' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  // Until the answer is there nothing closes the dialog: nobody would see why it did not happen.
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  asked.resolve();
  await expect(dialog.getByRole('alert')).toContainText("Can't delete customers with active domains");
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.unroute('**/api/customer/*');
  await page.getByRole('button', { name: 'Delete Idle Ltd' }).click();
  // Why it failed then says nothing of this deletion.
  await expect(dialog).toContainText('Idle Ltd will be removed');
  expect(await dialog.getByRole('alert').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('link', { name: 'Idle Ltd' })).toHaveCount(0);
  await expect(entry(page).locator('[data-number]')).toHaveAttribute('data-text', '1');
  await page.getByRole('link', { name: 'Busy Ltd' }).click();
  await page.getByRole('tab', { name: 'Domains' }).click();
  await page.getByRole('link', { name: address, exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/customers/${customerId}/domains/${address}$`));
});

test('add: every rule has its message at its field, a cleaned value is one click away, and nothing typed is lost', async ({
  page,
}) => {
  const msp = await openMsp();
  await enter(page, msp, '/customers');
  await expect(page.getByText('No customers found')).toBeVisible();
  await page.getByRole('link', { name: 'Add Customer' }).first().click();
  await expect(page).toHaveURL(/\/customers\/add$/);
  const form = page.getByRole('region', { name: 'Add Customer' });
  await expect(form.getByLabel('Admin: same as owner')).toBeChecked();
  await expect(form.getByLabel('Billing: same as owner')).toBeChecked();
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  // Company, names, address, city, state, postal code, email; the country has its default.
  await expect(form.getByText('This field is required')).toHaveCount(8);
  await expect(form.getByText('Please fill out the field')).toHaveCount(1);
  await expect(form.getByLabel('Company')).toBeFocused();
  await noAxeFindings(page);
  await form.getByLabel('Company').fill('Blue Fig Ltd');
  await form.getByLabel('First name').fill('Ann-Marie');
  await form.getByLabel('Last name').fill('O’Neil-Smith');
  await form.getByLabel('Address line 1').fill('1 Main St.');
  await expect(form.getByText('Only letters and spaces are allowed')).toBeVisible();
  await form.getByRole('button', { name: 'Use “Ann Marie”' }).click();
  await expect(form.getByLabel('First name')).toHaveValue('Ann Marie');
  await expect(form.getByText('Only letters and spaces are allowed')).toHaveCount(0);
  await form.getByLabel('City').fill('Toronto');
  await expect(form.getByText('Only numbers & letters are allowed')).toBeVisible();
  await form.getByRole('button', { name: 'Use “1 Main St”' }).click();
  // The dial code follows the country, and the states are the country's own.
  const choose = async (country: string) => {
    await form.getByLabel('Country').click();
    await form.getByLabel('Country').fill(country);
    await page.getByRole('option', { name: country }).click();
  };
  await form.getByLabel('Phone').fill('416');
  await choose('Germany');
  await expect(form.getByText('+49', { exact: true })).toBeVisible();
  await choose('Canada');
  await expect(form.getByText('+1', { exact: true })).toBeVisible();
  await form.getByLabel('Phone').fill('');
  // Still no number: that is what the message says.
  await form.getByLabel('Phone').focus();
  await form.getByLabel('Phone').blur();
  await expect(form.getByText('Please fill out the field')).toBeVisible();
  await form.getByLabel('State').click();
  await page.getByRole('option', { name: 'Ontario (ON)' }).click();
  await form.getByLabel('Postal code').fill('M5V-1A1');
  await expect(form.getByLabel('Postal code')).toHaveValue('M5V1A1');
  await form.getByLabel('Email').fill('ann');
  await form.getByLabel('Phone').fill('416');
  await form.getByLabel('Company').focus();
  await expect(form.getByText('Please enter a valid email address')).toBeVisible();
  await expect(form.getByText('Phone number must have between 4 and 14 numbers')).toBeVisible();
  await form.getByLabel('Email').fill('ann@bluefig.example');
  await form.getByLabel('Phone').fill('(416) 555-0123');
  await form.getByLabel('Phone').press('End');
  await form.getByLabel('Phone').pressSequentially('x');
  await form.getByLabel('Phone').blur();
  await expect(form.getByLabel('Phone')).toHaveValue('4165550123');
  // A pasted number brings its own dial code; its formatting and the prefix do not become digits of it.
  await form.getByLabel('Phone').fill('+44 (0)20 7946 0018');
  await expect(form.getByLabel('Phone')).toHaveValue('2079460018');
  await expect(form.getByText('+44', { exact: true })).toBeVisible();
  await form.getByLabel('Phone').fill('+1 (416) 555-0123');
  await expect(form.getByLabel('Phone')).toHaveValue('4165550123');
  await expect(form.getByText('+1', { exact: true })).toBeVisible();
  await form.getByLabel('Phone').press('End');
  await form.getByLabel('Phone').pressSequentially('x12');
  // What was typed is not left behind unasked.
  await page.getByRole('link', { name: 'Nameward' }).first().click();
  const guard = page.getByRole('dialog', { name: 'Leave without saving this customer?' });
  await guard.getByRole('button', { name: 'Stay' }).click();
  await expect(form.getByLabel('Company')).toHaveValue('Blue Fig Ltd');
  await form.getByLabel('Admin: same as owner').uncheck();
  await expect(page.getByRole('region', { name: 'Admin' }).getByLabel('Company')).toBeVisible();
  await form.getByLabel('Admin: same as owner').check();
  // Direct billing is folded away; without it there is nothing to bill by.
  const billing = form.getByRole('button', { name: 'Direct billing and markups' });
  await expect(billing).toHaveAttribute('aria-expanded', 'false');
  await billing.click();
  await expect(form.getByLabel('Billing email')).toBeDisabled();
  await expect(form.getByRole('textbox', { name: 'Domain purchase' })).toBeDisabled();
  await form.getByLabel('Enable direct billing').check();
  await form.getByLabel('Billing email').fill('pay');
  await form.getByRole('textbox', { name: 'Domain purchase' }).fill('7.5');
  await inspect(page, 'a new customer with direct billing');
  await billing.click();
  await expect(form.getByLabel('Billing email')).toBeHidden();
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(form.getByLabel('Billing email')).toBeFocused();
  await expect(form.getByText('Please enter a valid email address')).toBeVisible();
  await form.getByLabel('Billing email').fill('pay@bluefig.example');
  // The server's words, in red under the form.
  await page.route('**/api/customer', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    await route.fulfill({
      status: 422,
      json: { message: 'The registrar does not take this.', code: 'unprocessable', requestId: 'r' },
    });
  });
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await expectHue(form.getByText('The registrar does not take this.'), 'red');
  await expect(form.getByLabel('Company')).toHaveValue('Blue Fig Ltd');
  await page.unroute('**/api/customer');
  const isCreation = (request: Request) =>
    request.url().endsWith('/api/customer') && request.method() === 'POST';
  // The customer is there, but its answer is lost.
  const lost = page.waitForRequest(isCreation);
  await page.route('**/api/customer', async (route) => {
    if (!isCreation(route.request())) return route.fallback();
    await route.fetch();
    await route.abort();
  });
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(form.getByText('Something went wrong')).toBeVisible();
  await page.unroute('**/api/customer');
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
  const sent = page.waitForRequest(isCreation);
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  // The same request once more: there is one customer.
  expect((await sent).headers()['idempotency-key']).toBe((await lost).headers()['idempotency-key']);
  const none = { type: 'percentage', value: 0 };
  const posted = (await sent).postDataJSON() as { contacts: Record<'owner' | 'admin' | 'billing', object> };
  expect(posted.contacts.admin).toEqual(posted.contacts.owner);
  expect(posted.contacts.billing).toEqual(posted.contacts.owner);
  expect(posted).toMatchObject({
    billing: { billDirectly: true, email: 'pay@bluefig.example' },
    markups: { domain: { purchase: { type: 'percentage', value: 7.5 }, renewal: none } },
  });
  await expect(page).toHaveURL(/\/customers$/);
  await expect(page.getByRole('link', { name: 'Blue Fig Ltd' })).toBeVisible();
  await page.getByRole('link', { name: 'Blue Fig Ltd' }).click();
  // Contacts are read first, and edited on request.
  await expect(owner(page)).toContainText('+1.4165550123x12');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await expect(owner(page).getByLabel('Phone')).toHaveValue('4165550123x12');
  await expect(owner(page).getByText('+1', { exact: true })).toBeVisible();
});

test('detail: the tabs rewrite the path, a missing customer leads back to the list, the way back is a link; a failed read can be tried again', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const address = `/customers/${msp.customers[0]?.customerId}`;
  await enter(page, msp, address);
  await expect(page.getByRole('heading', { name: 'Customer Management: Blue Fig Ltd' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Profile' })).toHaveAttribute('aria-selected', 'true');
  for (const tab of ['Domains', 'Certificates', 'Billing', 'Profile']) {
    await page.getByRole('tab', { name: tab }).click();
    await expect(page).toHaveURL(new RegExp(`${address}/${tab.toLowerCase()}$`));
    await noAxeFindings(page);
  }
  // Figures on top, contacts to read, what happened lately.
  const figures = page.getByLabel('Figures');
  await expect(figures).toContainText('Domains0');
  await expect(figures).toContainText('Direct billingDisabled');
  await expect(owner(page)).toContainText('ann@customer.example');
  await expect(page.getByRole('region', { name: 'Recent activity' }).getByRole('listitem')).toContainText([
    'Created a customer by',
  ]);
  await page.goto(`${address}/domains`);
  await expect(page.getByText('No domains found')).toBeVisible();
  await page.goto(`${address}/certificates`);
  await expect(page.getByText('No certificates found')).toBeVisible();
  // While it loads and when it fails the way back is there, and the read can be tried again.
  const one = `**/api${address.replace('customers', 'customer')}`;
  const failing = Promise.withResolvers<void>();
  await page.route(one, async (route) => {
    await failing.promise;
    await route.fulfill({ status: 500, json: { message: 'Not now.', code: 'internal', requestId: 'r-7' } });
  });
  await page.goto(address);
  await expect(page.getByRole('status', { name: 'Loading customer...' })).toBeVisible();
  failing.resolve();
  await expect(page.getByRole('alert')).toContainText('Not now.');
  await noAxeFindings(page);
  await page.unroute(one);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Customer Management: Blue Fig Ltd' })).toBeVisible();
  await page.goto('/customers/00000000-0000-7000-8000-000000000000/profile');
  await expect(page).toHaveURL(/\/customers$/);
  await page.goto('/customers/nobody');
  await expect(page).toHaveURL(/\/customers$/);
  // A number from another country than the address is shown as it is stored.
  const id = msp.customers[0]?.customerId;
  const { contacts } = await api<{ contacts: Record<string, object> }>(msp.token, 'GET', `customer/${id}`);
  const abroad = { ...contacts.owner, phone: '+44.2079460000' };
  await api(msp.token, 'PATCH', `customer/${id}`, { contacts: { ...contacts, owner: abroad } });
  await page.goto(address);
  await expect(owner(page)).toContainText('+44.2079460000');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await expect(owner(page).getByLabel('Phone')).toHaveValue('2079460000');
  await expect(owner(page).getByText('+44', { exact: true })).toBeVisible();
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Customers' }).click();
  await expect(page).toHaveURL(/\/customers$/);
});

test('two people edit one customer: the second is told, sees the difference, and keeps what was typed', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const id = msp.customers[0]?.customerId;
  await enter(page, msp, `/customers/${id}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await owner(page).getByLabel('City').fill('Rome');
  const { contacts } = await api<{ contacts: Record<string, object> }>(msp.token, 'GET', `customer/${id}`);
  const colleagueSaves = (city: string) =>
    api(msp.token, 'PATCH', `customer/${id}`, {
      contacts: { ...contacts, owner: { ...contacts.owner, city } },
    });
  await colleagueSaves('Oslo');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const notice = page.getByText('Someone else changed this customer');
  await expect(notice).toBeVisible();
  await expect(page.getByRole('row', { name: /Owner: City/ })).toContainText('Oslo');
  await expect(owner(page).getByLabel('City')).toHaveValue('Rome');
  await inspect(page, 'conflict');
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(`**/api/customer/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Save mine' }).click();
  await expect(page.getByRole('button', { name: 'Saving customer...' }).first()).toBeVisible();
  release();
  await expect(page.getByText('Saved.')).toBeVisible();
  const savedOwner = async () =>
    (await api<{ contacts: { owner: object } }>(msp.token, 'GET', `customer/${id}`)).contacts.owner;
  expect(await savedOwner()).toMatchObject({ city: 'Rome' });
  // An edit that was given up is not said to be saved.
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const city = owner(page).getByLabel('City');
  await press('Edit');
  await city.fill('Bonn');
  await press('Cancel');
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toBeFocused();
  await expect(page.getByText('Saved.')).toHaveCount(0);
  // One that was given up after a conflict is forgotten: the next one begins with what the colleague saved, and leaves it.
  await press('Edit');
  await city.fill('Bonn');
  await colleagueSaves('Oslo');
  await press('Save');
  await expect(notice).toBeVisible();
  await press('Cancel');
  await expect(owner(page)).toContainText('Oslo');
  await press('Edit');
  await expect(city).toHaveValue('Oslo');
  await expect(notice).toHaveCount(0);
  await owner(page).getByLabel('First name').fill('Zelda');
  await press('Save');
  await expect(page.getByText('Saved.')).toBeVisible();
  expect(await savedOwner()).toMatchObject({ city: 'Oslo', firstName: 'Zelda' });
  // What the server has against it stands in red under the form.
  await page.unroute(`**/api/customer/${id}`);
  await page.route(`**/api/customer/${id}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.fallback();
    const message = 'The registrar does not take this.';
    await route.fulfill({ status: 422, json: { message, code: 'unprocessable', requestId: 'r' } });
  });
  await press('Edit');
  await city.fill('Bergen');
  await press('Save');
  const refusal = page.getByText('The registrar does not take this.');
  await expectHue(refusal, 'red');
  await expect(city).toHaveValue('Bergen');
  // The next edit begins without it.
  await press('Cancel');
  await press('Edit');
  await expect(city).toHaveValue('Oslo');
  await expect(refusal).toHaveCount(0);
});
