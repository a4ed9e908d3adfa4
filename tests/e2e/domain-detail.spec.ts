import { expect, type Page, test } from '@playwright/test';
import { api, enter, type Msp, openMsp, withOldSignIn } from './support/msp.ts';
import { own } from './support/orders.ts';
import { fillSignIn, freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

interface RegistrarState {
  domains: { domain: string; locked: boolean; nameservers: string[]; autoRenew: boolean }[];
}

async function registered(word: string): Promise<{ msp: Msp; name: string }> {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName(word);
  await own(msp, [name], msp.customers[0]?.customerId ?? '');
  return { msp, name };
}

async function atRegistrar(name: string) {
  const state = await control<RegistrarState>('registrar', 'state');
  return state.domains.find(({ domain }) => domain === name);
}

/** A call that never answers, once: before or after its effect. */
const silent = (action: string, object: string, domain: string, effect: string) =>
  control('registrar', 'faults', { action, object, domain, effect, times: 1 });

test('Info: validity, timeline, contacts, and a renewal into the cart', async ({ page }) => {
  const { msp, name } = await registered('info');
  // Other tests have the same registrant, who may have confirmed the address by now.
  await control('registrar', 'verify', { domain: name, status: 'unverified', daysLeft: 15 });
  await enter(page, msp, `/domain/${name}`);
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  await expect(page.getByRole('tab')).toHaveText(['Info', 'Managed DNS', 'Advanced DNS', 'Health']);
  // Whose it is, and its whole state in one line.
  await expect(page.getByRole('list', { name: 'State' }).getByRole('listitem')).toHaveText([
    'Registrant not verified: 15 days left',
    'Active',
    'Locked',
    'Auto renew off',
    'Nameward DNS',
  ]);
  await expect(page.getByRole('main').getByRole('link', { name: 'Blue Fig Ltd' })).toHaveAttribute(
    'href',
    `/customers/${msp.customers[0]?.customerId}`,
  );
  const validity = page.getByRole('region', { name: 'Life of this domain' });
  await expect(validity.getByText(/^Expires in 36[45] days$/)).toBeVisible();
  // From its creation to its expiry.
  const year = new Date().getUTCFullYear();
  await expect(validity.getByText(new RegExp(`${year}.* to .*${year + 1}`)).first()).toBeVisible();
  const timeline = validity.getByRole('list', { name: 'Timeline' });
  await expect(timeline.getByRole('listitem')).toContainText([
    'Registered',
    'Can be transferred from',
    'Expires',
    'Normal price until',
    'Can be restored until',
    'Open to anyone from',
  ]);
  for (const title of ['Tech', 'Billing', 'Owner', 'Admin']) {
    await expect(page.getByRole('article', { name: `${title} contact` })).toBeVisible();
  }
  const owner = page.getByRole('article', { name: 'Owner contact' });
  await expect(owner).toContainText('Ann Smith');
  await expect(owner).toContainText('Blue Fig Ltd');
  await expect(owner).toContainText('1 Main Street');
  await expect(owner).toContainText('New York, NY, 10001');
  await expect(owner).toContainText('ann@customer.example');

  await page.getByRole('button', { name: 'Renew', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Renewal in cart' })).toBeDisabled();
  await page.goto('/cart');
  await expect(page.getByRole('region', { name })).toContainText('Renewal');

  // Under its customer it is the same screen, and its tabs are in the address.
  await page.goto(`/customers/${msp.customers[0]?.customerId}/domains/${name}`);
  await page.getByRole('tab', { name: 'Advanced DNS' }).click();
  await expect(page).toHaveURL(/\?tab=advanced$/);
  await page.goBack();
  await expect(page.getByRole('tab', { name: 'Info' })).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').last().click();
  await expect(page).toHaveURL(/\/customers\/[^/]+\/domains$/);
  await page.goto('/domain/never-ours.com');
  await expect(page.getByText('This domain is not in your account')).toBeVisible();
});

test('auto renew and the lock are switched at the registrar; unlocked, the Auth Password is shown', async ({
  page,
}) => {
  const { msp, name } = await registered('lock');
  await enter(page, msp, `/domain/${name}`);
  const section = page.getByRole('region', { name: 'Renewal and lock' });
  await expect(section.getByText('Locked', { exact: true })).toBeVisible();
  await expect(section.getByText('Auth Password')).toHaveCount(0);
  await section.getByRole('switch', { name: 'Auto Renew' }).click();
  await expect(section.getByRole('switch', { name: 'Auto Renew' })).toBeChecked();
  await section.getByRole('button', { name: 'Unlock' }).click();
  await expect(section.getByText('Unlocked', { exact: true })).toBeVisible();
  await expect(section.getByText('Auth Password')).toBeVisible();
  await expect(section.locator('code')).toHaveText(/\S{6,}/);
  expect((await atRegistrar(name))?.locked).toBe(false);
  // There may be none: nothing is said of it then.
  const reading = `**/api/domain/details/${name}*auth_info*`;
  await page.route(reading, async (route) => {
    const reply = await route.fetch();
    const { data } = (await reply.json()) as { data: object };
    await route.fulfill({ json: { data: { ...data, domain_auth_info: null } } });
  });
  const read = page.waitForResponse(reading);
  await page.reload();
  await read;
  await expect(section.getByText('Unlocked', { exact: true })).toBeVisible();
  await expect(section.getByText('Auth Password')).toHaveCount(0);
  await page.unroute(reading);
  await section.getByRole('button', { name: 'Lock', exact: true }).click();
  await expect(section.getByText('Locked', { exact: true })).toBeVisible();
  await expect(section.locator('code')).toHaveCount(0);
  // The portal renews: the registrar's own switch stays off (decisions no. 25).
  expect(await atRegistrar(name)).toMatchObject({ locked: true, autoRenew: false });
  await page.reload();
  await expect(section.getByRole('switch', { name: 'Auto Renew' })).toBeChecked();
});

test('an old sign-in may not unlock nor see the Auth Password: the screen asks to sign in again, and then it may', async ({
  page,
}) => {
  const { msp, name } = await registered('stale');
  await enter(page, msp, `/domain/${name}`);
  const undo = await withOldSignIn(page, msp.person, '**/api/domain/unlock_domain');
  const undoPassword = await withOldSignIn(page, msp.person, `**/api/domain/details/${name}*auth_info*`);
  const section = page.getByRole('region', { name: 'Renewal and lock' });
  await section.getByRole('button', { name: 'Unlock' }).click();
  await expect(page.getByText('For your safety, please sign in again to unlock this domain.')).toBeVisible();
  expect((await atRegistrar(name))?.locked).toBe(true);
  await undo();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(page, msp.person);
  await section.getByRole('button', { name: 'Unlock' }).click();
  await expect(section.getByText('Unlocked', { exact: true })).toBeVisible();
  await expect(
    page.getByText('For your safety, please sign in again to see the Auth Password.'),
  ).toBeVisible();
  await expect(section.locator('code')).toHaveCount(0);
  await undoPassword();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(page, msp.person);
  await expect(section.locator('code')).toHaveText(/\S{6,}/);
});

test('a lock call that times out is read again and told as it is', async ({ page }) => {
  const { msp, name } = await registered('unclear');
  await enter(page, msp, `/domain/${name}`);
  const section = page.getByRole('region', { name: 'Renewal and lock' });
  await expect(section.getByText('Locked', { exact: true })).toBeVisible();
  // Done, but nobody said so: it is told as done.
  await silent('MODIFY', 'DOMAIN', name, 'timeout-after');
  await section.getByRole('button', { name: 'Unlock' }).click();
  await expect(section.getByText('Unlocked', { exact: true })).toBeVisible();
  await expect(section.getByRole('alert')).toHaveCount(0);
  // Not done: that is told, and what is shown is what the registrar says.
  await silent('MODIFY', 'DOMAIN', name, 'timeout-before');
  await section.getByRole('button', { name: 'Lock', exact: true }).click();
  await expect(section.getByRole('alert')).toContainText('The registrar did not confirm the change.');
  await expect(section.getByText('Unlocked', { exact: true })).toBeVisible();
  expect((await atRegistrar(name))?.locked).toBe(false);
});

const inputs = (page: Page) => page.getByRole('textbox', { name: /^Nameserver \d+$/ });

test('own nameservers: 2 to 12, the first two stay; failures and successes in the specified words; and back to managed', async ({
  page,
}) => {
  const { msp, name } = await registered('delegate');
  await enter(page, msp, `/domain/${name}`);
  const dns = page.getByRole('region', { name: 'DNS', exact: true });
  await expect(dns.getByRole('list', { name: 'Nameservers' })).toContainText('ns1.systemdns.com');
  await expect(dns.getByRole('button', { name: 'Save Changes' })).toBeDisabled();
  await dns.getByRole('combobox', { name: 'DNS option' }).click();
  await page.getByRole('option', { name: 'Your Own DNS' }).click();
  await expect(inputs(page)).toHaveCount(2);
  await expect(dns.getByRole('button', { name: /^Remove nameserver/ })).toHaveCount(0);
  await dns.getByRole('button', { name: 'Save Changes' }).click();
  await expect(dns.getByText('This field is required')).toHaveCount(2);
  await inputs(page).nth(0).fill('NS1.Elsewhere-dns.net.');
  await inputs(page).nth(1).fill('ns1.elsewhere-dns.net');
  await expect(dns.getByText('A nameserver is listed twice')).toBeVisible();
  await inputs(page).nth(1).fill('not a name');
  await expect(dns.getByText('This is not a valid domain name')).toBeVisible();
  for (let more = 2; more < 12; more += 1) await dns.getByRole('button', { name: 'Add nameserver' }).click();
  await expect(dns.getByRole('button', { name: 'Add nameserver' })).toBeDisabled();
  for (let more = 12; more > 2; more -= 1)
    await dns.getByRole('button', { name: `Remove nameserver ${more}` }).click();
  await inputs(page).nth(1).fill('ns2.nohost-here.net');
  await dns.getByRole('button', { name: 'Save Changes' }).click();
  const alert = dns.getByRole('alert');
  await expect(alert).toContainText('Something went wrong');
  await expect(alert).toContainText(/Unable to set nameserver: .+ns2\.nohost-here\.net/);
  await expect(inputs(page).nth(1)).toHaveValue('ns2.nohost-here.net');
  // What was typed is not left behind without a question.
  await page
    .getByRole('navigation', { name: 'Breadcrumb' })
    .getByRole('link', { name: 'Domain management' })
    .click();
  await page
    .getByRole('dialog', { name: 'Leave without saving the nameservers?' })
    .getByRole('button', { name: 'Stay' })
    .click();
  await inputs(page).nth(1).fill('ns2.elsewhere-dns.net');
  await dns.getByRole('button', { name: 'Save Changes' }).click();
  await expect(dns.getByText('Nameservers have been updated')).toBeVisible();
  expect((await atRegistrar(name))?.nameservers).toEqual(['ns1.elsewhere-dns.net', 'ns2.elsewhere-dns.net']);
  // Managed DNS is there only when it is in use.
  await expect(page.getByRole('tab')).toHaveText(['Info', 'Advanced DNS', 'Health']);

  await dns.getByRole('combobox', { name: 'DNS option' }).click();
  await page.getByRole('option', { name: 'Nameward managed DNS' }).click();
  await dns.getByRole('button', { name: 'Save Changes' }).click();
  await expect(dns.getByText('Nameward managed DNS has been activated')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Managed DNS' })).toBeVisible();
});

test('nameservers whose call times out are read again and told as they are', async ({ page }) => {
  const { msp, name } = await registered('nsunclear');
  const before = (await atRegistrar(name))?.nameservers;
  await enter(page, msp, `/domain/${name}`);
  const dns = page.getByRole('region', { name: 'DNS', exact: true });
  // Until the registrar has been read the form is another one, and its menu closes.
  await expect(dns.getByText('ns1.systemdns.com')).toBeVisible();
  await dns.getByRole('combobox', { name: 'DNS option' }).click();
  await page.getByRole('option', { name: 'Your Own DNS' }).click();
  await inputs(page).nth(0).fill('ns1.elsewhere-dns.net');
  await inputs(page).nth(1).fill('ns2.elsewhere-dns.net');
  await silent('ADVANCED_UPDATE_NAMESERVERS', 'DOMAIN', name, 'timeout-before');
  await dns.getByRole('button', { name: 'Save Changes' }).click();
  await expect(dns.getByRole('alert')).toContainText('The registrar did not confirm the change.');
  await expect(inputs(page).nth(0)).toHaveValue('ns1.elsewhere-dns.net');
  expect((await atRegistrar(name))?.nameservers).toEqual(before);
  await silent('ADVANCED_UPDATE_NAMESERVERS', 'DOMAIN', name, 'timeout-after');
  await dns.getByRole('button', { name: 'Save Changes' }).click();
  await expect(dns.getByText('Nameservers have been updated')).toBeVisible();
});

test('a new owner is told of the lock before saving; an address alone starts none', async ({ page }) => {
  const { msp, name } = await registered('contact');
  await enter(page, msp, `/domain/${name}`);
  await page.getByRole('button', { name: 'Change the Owner contact' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the Owner contact' });
  await dialog.getByLabel('City').fill('Boston');
  // A click beside the dialog loses nothing.
  await page.mouse.click(5, 5);
  await expect(dialog.getByText('This changes the registrant')).toHaveCount(0);
  await dialog.getByLabel('First name').fill('B3th');
  await dialog.getByRole('button', { name: 'Save and accept the lock' }).click();
  await expect(dialog.getByText('Only letters and spaces are allowed')).toBeVisible();
  await dialog.getByLabel('First name').fill('Beth');
  await expect(dialog.getByText('This changes the registrant')).toBeVisible();
  await expect(dialog.getByText(/cannot move to another registrar for 60 days/)).toBeVisible();
  await dialog.getByLabel('Billing', { exact: true }).check();
  await dialog.getByRole('button', { name: 'Save and accept the lock' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('article', { name: 'Owner contact' })).toContainText('Beth Smith');
  await expect(page.getByRole('article', { name: 'Billing contact' })).toContainText('Beth Smith');
  await expect(page.getByRole('article', { name: 'Admin contact' })).toContainText('Ann Smith');
  // So is another contact's person who becomes the owner, with nothing typed.
  await page.getByRole('button', { name: 'Change the Admin contact' }).click();
  const admin = page.getByRole('dialog', { name: 'Change the Admin contact' });
  await expect(admin.getByText('This changes the registrant')).toHaveCount(0);
  await admin.getByLabel('Owner', { exact: true }).check();
  await expect(admin.getByText('This changes the registrant')).toBeVisible();
  await expect(admin.getByRole('button', { name: 'Save and accept the lock' })).toBeEnabled();
});

test('a contact that is being changed stays, with the failure, when the registrar does not answer', async ({
  page,
}) => {
  const { msp, name } = await registered('unheard');
  await enter(page, msp, `/domain/${name}`);
  await page.getByRole('button', { name: 'Change the Owner contact' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the Owner contact' });
  await dialog.getByLabel('First name').fill('Beth');
  await silent('UPDATE_CONTACTS', 'DOMAIN', name, 'timeout-before');
  const away = { action: 'GET', object: 'DOMAIN', domain: name, effect: '705', times: 0 };
  await control('registrar', 'faults', away);
  await dialog.getByRole('button', { name: 'Save and accept the lock' }).click();
  // The details behind it are the portal's own copy now, which has no contacts.
  await expect(page.getByText(/^The registrar is not responding\./)).toBeVisible();
  await expect(page.getByText('The registrar keeps the contacts.')).toBeVisible();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await expect(dialog.getByLabel('First name')).toHaveValue('Beth');
  await expect(dialog.getByText('This changes the registrant')).toBeVisible();
  await expect(dialog.getByLabel('Billing', { exact: true })).toBeVisible();
});

test('when the registrar does not answer, the portal shows its own copy and how old it is', async ({
  page,
}) => {
  const { msp, name } = await registered('copy');
  await api(msp.token, 'GET', `domain/details/${name}?type=all_info`);
  await enter(page, msp, '/cart');
  await control('registrar', 'faults', {
    action: 'GET',
    object: 'DOMAIN',
    domain: name,
    effect: '705',
    times: 0,
  });
  await page.goto(`/domain/${name}`);
  await expect(
    page.getByText(/The registrar is not responding\. The portal shows the details that it has as of/),
  ).toBeVisible();
  await expect(
    page.getByRole('region', { name: 'Life of this domain' }).getByText('Registered'),
  ).toBeVisible();
});
