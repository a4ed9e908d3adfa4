import { expect, type Page, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import { addMember, api, enter, enterAs, openMsp, withOldSignIn } from './support/msp.ts';
import { fillSignIn } from './support/person.ts';

/** Accesses by ACME on their screens: made, set up, changed, revoked; by the MSP and by a customer's own user. */

const list = (page: Page) => page.getByRole('table', { name: 'ACME accesses' });

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('dialog').getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** What an access is made with, by API. */
const bodyFor = (customerId: string | undefined, name: string) => ({
  ...{ name, customerId, hosts: ['www.blue-fig.com'], productType: 'rapidssl' },
  mayBuy: { ordersPerMonth: 2, centsPerMonth: 60_00 },
});

/** The page is opened as by somebody who signed in an hour ago. What is given back opens it as it is. */
async function withOldProfile(page: Page): Promise<() => Promise<void>> {
  const calls = '**/api/user';
  await page.route(calls, async (route) => {
    const reply = await route.fetch();
    const { data } = (await reply.json()) as { data: object };
    await route.fulfill({ json: { data: { ...data, freshForSeconds: 0 } } });
  });
  await page.reload();
  return async () => {
    await page.unroute(calls);
    await page.reload();
  };
}

test('an access is made, its key and its commands are shown once, it is changed and revoked', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Oak Ltd'] });
  await enter(page, msp, '/certificates');
  await page.getByRole('link', { name: 'ACME access' }).click();
  await expect(page.getByText('No accesses yet')).toBeVisible();
  await inspect(page, 'no accesses');
  // Signing in leaves the page: an old sign-in is asked for before anything is typed.
  const young = await withOldProfile(page);
  const dialog = page.getByRole('dialog', { name: 'New ACME access' });
  await page.getByRole('button', { name: 'New access' }).first().click();
  await expect(dialog).toContainText('For your safety, please sign in again to make an access.');
  await expect(dialog.getByRole('textbox')).toHaveCount(0);
  await inspect(page, 'new access with an old sign-in');
  await young();
  await page.getByRole('button', { name: 'New access' }).first().click();
  await dialog.getByRole('button', { name: 'Make access' }).click();
  for (const text of ['name', 'customer', 'certificate'])
    await expect(dialog.getByText(new RegExp(`Please (enter a|choose a) ${text}`))).toBeVisible();
  await expect(dialog.getByText('Please enter an amount')).toBeVisible();
  await inspect(page, 'new access with errors');
  await choose(page, 'Customer', 'Blue Fig Ltd');
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Web server');
  await dialog.getByRole('switch', { name: 'Only some names' }).check({ force: true });
  await dialog.getByRole('textbox', { name: 'Allowed names' }).fill('www.blue-fig.com');
  await choose(page, 'Certificate', 'RapidSSL');
  await dialog.getByRole('textbox', { name: 'Money a month' }).fill('60');
  // Filled in for longer than the sign-in was fresh: what was typed is there after the next one.
  const undo = await withOldSignIn(page, msp.person, '**/api/acme/access');
  await dialog.getByRole('button', { name: 'Make access' }).click();
  await undo();
  await dialog.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(page, msp.person);
  await expect(dialog.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Web server');
  await expect(dialog.getByRole('textbox', { name: 'Allowed names' })).toHaveValue('www.blue-fig.com');
  await expect(dialog.getByRole('combobox', { name: 'Customer' })).toHaveValue('Blue Fig Ltd');
  await expect(dialog.getByRole('combobox', { name: 'Certificate' })).toHaveValue('RapidSSL');
  await expect(dialog.getByRole('textbox', { name: 'Money a month' })).toHaveValue('$60');
  // The key comes with the answer: the dialog stays until then.
  const answered = Promise.withResolvers<void>();
  await page.route('**/api/acme/access', async (route) => {
    await answered.promise;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Make access' }).click();
  await page.keyboard.press('Escape');
  answered.resolve();

  await expect(page.getByRole('heading', { level: 1, name: 'Web server' })).toBeVisible();
  await expect(page.getByText('Copy the key now')).toBeVisible();
  const command = page.getByRole('region', { name: 'Get the certificate' }).locator('pre');
  await expect(command).toContainText('-d www.blue-fig.com');
  await expect(command).toContainText(/--eab-hmac-key \w[\w-]{42}/);
  await page.getByRole('button', { name: 'Copy: Get the certificate' }).click();
  await expect(page.getByRole('button', { name: 'Copied: Get the certificate' })).toBeVisible();
  const shown = await command.textContent();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
  await page.getByRole('textbox', { name: 'Name in the commands' }).fill('*.blue-fig.com');
  await expect(command).toContainText("-d '*.blue-fig.com'");
  for (const client of ['lego', 'Caddy', 'Traefik', 'win-acme', 'cert-manager', 'uacme', 'dehydrated']) {
    await page.getByRole('tab', { name: client, exact: true }).click();
    await expect(page.getByRole('tabpanel').locator('pre').first()).toBeVisible();
  }
  await inspect(page, 'access with its key');
  await expect(page.getByText('No machine has used this access yet.')).toBeVisible();

  // The key is gone with the page.
  await page.reload();
  await expect(command).toContainText('--eab-hmac-key YOUR_HMAC_KEY');
  await expect(page.getByText('Copy the key now')).toHaveCount(0);

  const youngAgain = await withOldProfile(page);
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const change = page.getByRole('dialog', { name: 'Change access' });
  // To narrow an access needs none, so this one is only told.
  await expect(change).toContainText('For your safety, please sign in again to let an access do more.');
  await inspect(page, 'change of an access with an old sign-in');
  await youngAgain();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await change.getByRole('textbox', { name: 'Name', exact: true }).fill('Mail server');
  await change.getByRole('switch', { name: 'May buy certificates' }).uncheck({ force: true });
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Mail server' })).toBeVisible();
  await expect(page.getByText('never, only free reissues')).toBeVisible();

  await page
    .getByRole('navigation', { name: 'Breadcrumb' })
    .getByRole('link', { name: 'ACME access' })
    .click();
  await expect(list(page).getByText('Works')).toBeVisible();
  await inspect(page, 'accesses');
  await page.getByRole('button', { name: 'Revoke Mail server' }).click();
  const revoke = page.getByRole('dialog', { name: 'Revoke access' });
  await expect(revoke).toContainText('Their certificates stay valid until they expire');
  await revoke.getByRole('button', { name: 'Revoke' }).click();
  await expect(list(page).getByText('Revoked')).toBeVisible();
  await list(page).getByRole('link', { name: 'Mail server' }).click();
  await expect(page.getByText('It was revoked.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Change', exact: true })).toHaveCount(0);
  await inspect(page, 'a revoked access');
});

test('accesses are found by customer and status, and a failure to read them is said with a way to try again', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Oak Ltd'] });
  const [blue, green] = msp.customers;
  const made = await api<{ id: string }>(
    msp.token,
    'POST',
    'acme/access',
    bodyFor(blue?.customerId, 'Blue one'),
  );
  await api(msp.token, 'POST', 'acme/access', bodyFor(green?.customerId, 'Green one'));
  await enter(page, msp, `/customers/${blue?.customerId}/certificates`);
  await page.getByRole('link', { name: 'ACME access' }).click();
  await expect(list(page).getByText('Blue one')).toBeVisible();
  await expect(list(page).getByText('Green one')).toHaveCount(0);
  await page.goto('/certificates/acme?kind=revoked');
  await expect(page.getByText('No accesses found')).toBeVisible();
  await page.getByRole('link', { name: 'Show all' }).click();
  await expect(list(page).getByText('Green one')).toBeVisible();
  await page.route('**/api/acme/access?*', (route) => route.abort());
  await page.route(`**/api/acme/access/${made.id}`, (route) => route.abort());
  await page.goto('/certificates/acme');
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
  await inspect(page, 'accesses that cannot be read');
  await page.goto(`/certificates/acme/${made.id}`);
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
  await page.unroute(`**/api/acme/access/${made.id}`);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Blue one' })).toBeVisible();
});

test('a customer’s own user makes an access once the MSP allows it, and sees no amounts', async ({
  page,
  browser,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const customerId = msp.customers[0]?.customerId;
  await api(msp.token, 'POST', 'acme/access', bodyFor(customerId, 'Made by staff'));
  const { person } = await addMember(msp, 'MSP_CUSTOMER', customerId);
  const own = await (await browser.newContext()).newPage();
  await enterAs(own, person, '/certificates/acme');
  await expect(list(own).getByText('Made by staff')).toBeVisible();
  await expect(own.getByText('Your provider makes the accesses for you.')).toBeVisible();
  await expect(own.getByRole('button', { name: /New access|Revoke/ })).toHaveCount(0);

  await enter(page, msp, `/customers/${customerId}/certificates`);
  await expect(page.getByText('No. You make the accesses for their machines.')).toBeVisible();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Accesses of the customer' });
  await dialog.getByRole('switch', { name: 'They may make accesses' }).check({ force: true });
  await dialog.getByRole('switch', { name: 'They may buy' }).check({ force: true });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Please choose a certificate')).toBeVisible();
  await choose(page, 'Certificate', 'RapidSSL');
  await dialog.getByRole('textbox', { name: 'Certificates a month' }).fill('3');
  await dialog.getByRole('textbox', { name: 'Money a month' }).fill('90');
  await inspect(page, 'allowance of a customer');
  // A colleague has set it meanwhile: what they set is shown, and saving again replaces it.
  await api(msp.token, 'PUT', `acme/allowance/${customerId}`, {
    allowance: { mostAccesses: 2, productType: 'rapidssl', mayBuy: null },
    shown: null,
  });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Someone else changed this in the meantime.')).toBeVisible();
  const present = '2 accesses with RapidSSL. Each buys: never, only free reissues.';
  await expect(dialog.getByText(`It is now: ${present} Save again to replace it.`)).toBeVisible();
  await inspect(page, 'allowance of a customer, changed by a colleague');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(
    page.getByText('One access with RapidSSL. It buys: up to 3 certificates and $90.00 a month.'),
  ).toBeVisible();

  // What could not be read takes no button away without a word.
  await own.route('**/api/acme/allowance/*', (route) => route.abort());
  await own.reload();
  await expect(own.getByRole('button', { name: 'Try again' })).toBeVisible();
  await own.unroute('**/api/acme/allowance/*');
  await own.getByRole('button', { name: 'Try again' }).click();
  await own.getByRole('button', { name: 'New access' }).click();
  const make = own.getByRole('dialog', { name: 'New ACME access' });
  await expect(make.getByRole('combobox')).toHaveCount(0);
  await make.getByRole('textbox', { name: 'Name', exact: true }).fill('Our server');
  await make.getByRole('textbox', { name: 'Certificates a month' }).fill('4');
  await make.getByRole('button', { name: 'Make access' }).click();
  await expect(make.getByText('This is more than your provider allows.')).toBeVisible();
  await make.getByRole('textbox', { name: 'Certificates a month' }).fill('3');
  const undo = await withOldSignIn(own, person, '**/api/acme/access');
  await make.getByRole('button', { name: 'Make access' }).click();
  await undo();
  await make.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(own, person);
  await expect(make.getByRole('textbox', { name: 'Certificates a month' })).toHaveValue('3');
  await make.getByRole('button', { name: 'Make access' }).click();
  await expect(own.getByRole('heading', { level: 1, name: 'Our server' })).toBeVisible();
  await expect(own.getByText('up to 3 certificates a month')).toBeVisible();
  await expect(own.getByText('$', { exact: false })).toHaveCount(0);
  await inspect(own, 'access of a customer’s own user');
});

test('the start names an access whose last request failed, and opens it', async ({ page }) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const body = bodyFor(msp.customers[0]?.customerId, 'Web server');
  const { id } = await api<{ id: string }>(msp.token, 'POST', 'acme/access', body);
  // As the portal lists it once a machine was refused.
  const text =
    'The certificate for www.blue-fig.com was not ordered. Ask the provider who gave you the access.';
  expect(await api(msp.token, 'GET', 'attention')).toEqual({ items: [], more: false });
  const item = {
    ...{ id, cause: 'acme', severity: 'soon', name: 'www.blue-fig.com', when: 'today' },
    ...{ title: 'got no certificate by ACME', detail: `Blue Fig Ltd · ${text}` },
    ...{ deadline: null, openedAt: new Date().toISOString(), customerId: null, customer: 'Blue Fig Ltd' },
    ...{ owner: null, snoozedUntil: null, renewal: null },
    action: { label: 'Open', to: `/certificates/acme/${id}` },
  };
  await page.route('**/api/attention?**', (route) =>
    route.fulfill({ json: { data: { items: [item], more: false } } }),
  );
  await enter(page, msp, '/');
  const shown = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
  await expect(shown).toContainText('www.blue-fig.com got no certificate by ACME');
  await expect(shown).toContainText(`Blue Fig Ltd · ${text}`);
  await inspect(page, 'start with an access that failed');
  await shown.getByRole('link', { name: /^Open: / }).click();
  await expect(page).toHaveURL(`/certificates/acme/${id}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Web server' })).toBeVisible();
});

test('the log of an access says what its machines did, what they were answered, and what to do', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const body = bodyFor(msp.customers[0]?.customerId, 'Web server');
  const { id } = await api<{ id: string }>(msp.token, 'POST', 'acme/access', body);
  // As the portal lists it once machines used the access.
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const entry = { times: 1, detail: '', advice: '', identifiers: ['www.blue-fig.com'] };
  const refused = 'The certificate was not ordered. Ask the provider who gave you the access.';
  const log = [
    { ...entry, at: at(90), lastAt: at(1), times: 4, event: 'finalize', outcome: 'failed', detail: refused },
    { ...entry, at: at(91), lastAt: at(91), event: 'order', outcome: 'done' },
    { ...entry, at: at(92), lastAt: at(92), event: 'account', outcome: 'done', identifiers: [] },
  ].map((one, index) => (index === 0 ? { ...one, advice: 'Top up the balance.' } : one));
  await page.route(`**/api/acme/access/${id}/log`, (route) => route.fulfill({ json: { data: log } }));
  await enter(page, msp, `/certificates/acme/${id}`);
  const entries = page.getByRole('list', { name: 'What happened' }).getByRole('listitem');
  await expect(entries).toHaveCount(3);
  await expect(entries.nth(0)).toContainText('Sent a signing request');
  await expect(entries.nth(0)).toContainText(', 4 times');
  await expect(entries.nth(0)).toContainText('Top up the balance.');
  await expect(entries.nth(0)).toContainText(`The server received this reply: ${refused}`);
  await expect(entries.nth(1)).toContainText('www.blue-fig.com');
  await expect(entries.nth(2)).toContainText('Registered an account');
  await inspect(page, 'log of an access');
});
