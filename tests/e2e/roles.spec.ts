import { expect, type Page, test } from '@playwright/test';
import { managedDomain } from './support/domains.ts';
import { addMember, enterAs, type Msp, openMsp, type Role } from './support/msp.ts';

const managers: Role[] = ['MSP_OWNER', 'MSP_ADMIN'];
const staff: Role[] = [...managers, 'MSP_EMPLOYEE'];
const everybody: Role[] = [...staff, 'MSP_CUSTOMER'];

/** The side navigation, in this order, and whose its entries are (design, permission table). */
const menu: [string, Role[]][] = [
  ['Home', everybody],
  ['Attention', everybody],
  ['Domain management', everybody],
  ['Changes', staff],
  ['Health', everybody],
  ['Certificates', everybody],
  ['Renewals', staff],
  ['Customers', staff],
  ['Contacts', ['MSP_CUSTOMER']],
  ['Orders', staff],
  ['Direct billing', managers],
  ['Billing', staff],
  ['Users', managers],
  ['API tokens', managers],
  ['Audit log', everybody],
  ['Help', everybody],
];

/** Screens, and whose they are; everybody else is led home. */
function screensOf(domain: string, customerId: string): [string, Role[]][] {
  return [
    ['/account', everybody],
    ['/account/profile', everybody],
    ['/account/statement', everybody],
    ['/attention', everybody],
    ['/changes', staff],
    ['/changes/new', staff],
    ['/health', everybody],
    ['/domain/list', everybody],
    [`/domain/${domain}`, everybody],
    [`/domain/${domain}/dns`, everybody],
    [`/domain/${domain}?tab=advanced`, everybody],
    [`/domain/transfer/${domain}`, everybody],
    ['/certificates', everybody],
    ['/certificates/acme', everybody],
    ['/SSL', everybody],
    [`/customers/${customerId}`, everybody],
    [`/customers/${customerId}/domains`, everybody],
    [`/customers/${customerId}/certificates`, everybody],
    [`/customers/${customerId}/billing`, everybody],
    ['/audit', everybody],
    ['/customers', everybody],
    ['/customers/add', staff],
    ['/customers/csv-format', staff],
    ['/domains', staff],
    ['/cart', staff],
    ['/orders', staff],
    ['/domain/transfer', staff],
    ['/domain/renewals', staff],
    ['/direct-billing', managers],
    ['/users', managers],
    ['/tokens', managers],
    ['/privacy', managers],
    ['/onboarding/3', managers],
  ];
}

/** Names of controls that must not be there, or not be usable. */
const notFor: Partial<Record<Role, RegExp>> = {
  MSP_EMPLOYEE:
    /^(Delete |Export CSV|Verify|Top up now|Enable|Invite|Edit this information|Send payment|Direct billing and)/,
  MSP_CUSTOMER:
    /^(Delete (?!.*record)|Export CSV|Verify|Top up|Invite|Edit this|Send payment|Cart|Add to cart|Renew|Purchase|Transfer|Add Customer|Upload|Unlock|Lock|Auto renew|Save Changes|Change the|Select |Reissue|Revoke|Cancel|Search for|Customers$)/i,
};
const moneyOrOthers = /\$\s?\d|USD \d|Green Oak|Balance|markup|Finalize|Direct billing/i;

// An owner may what an administrator may.
for (const role of everybody.filter((one) => one !== 'MSP_OWNER')) {
  test(`${role}: every menu entry and screen shows what the role may, offers nothing else and meets no refusal`, async ({
    page,
  }) => {
    const msp = await openMsp({ customers: ['Blue Fig Ltd', 'Green Oak Ltd'] });
    const customerId = msp.customers[0]?.customerId ?? '';
    const domain = await managedDomain(msp);
    const { person } = await addedAs(msp, role, customerId);
    const replies = watch(page);
    await enterAs(page, person, '/domain/list');
    await replies.settled();
    const entries = page.locator('#side-navigation').locator('a, button');
    await entries.first().waitFor({ state: 'attached' });
    const labels = await entries.allInnerTexts();
    expect(labels.map((label) => label.trim())).toEqual(
      menu.filter(([, roles]) => roles.includes(role)).map(([label]) => label),
    );
    for (const [path, roles] of [['/', everybody] as const, ...screensOf(domain, customerId)]) {
      await test.step(path, async () => {
        await go(page, path);
        await replies.settled();
        const isHome = () => new URL(page.url()).pathname === '/';
        const ledHome = path === '/' || !roles.includes(role);
        await expect.poll(isHome, path).toBe(ledHome);
        await replies.settled();
        expect(await offered(page, notFor[role]), path).toEqual([]);
        // P2 §2: the tile is for the MSP_ADMIN alone.
        const tiles = page.getByRole('main').getByRole('link', { name: /^Users / });
        if (path === '/') await expect(tiles).toHaveCount(role === 'MSP_ADMIN' ? 1 : 0);
        if (role === 'MSP_CUSTOMER') await expect(page.getByText(moneyOrOthers), path).toHaveCount(0);
        expect(isHome(), path).toBe(ledHome);
        expect(replies.refused, path).toEqual([]);
      });
    }
  });
}

/** The MSP's first person is its administrator. */
async function addedAs(msp: Msp, role: Role, customerId: string) {
  return role === 'MSP_ADMIN' ? msp : addMember(msp, role, customerId);
}

/** Counts calls under way and keeps what was refused. */
function watch(page: Page) {
  const refused: string[] = [];
  const open = new Set<unknown>();
  const isCall = (url: string) => new URL(url).pathname.startsWith('/api/');
  page.on('request', (request) => isCall(request.url()) && open.add(request));
  page.on('requestfailed', (request) => open.delete(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (isCall(response.url()) && (response.status() === 403 || response.status() >= 500)) {
      refused.push(`${response.status()} ${response.request().method()} ${pathname}`);
    }
  });
  const settled = async () => {
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 300 })));
    await expect.poll(() => open.size, { intervals: [50] }).toBe(0);
    await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0);
    await expect(page.locator('h1')).toHaveCount(1);
  };
  return { refused, settled };
}

/** As a click on a link does it, without reloading the page. */
async function go(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    window.history.pushState({}, '', to);
    window.dispatchEvent(new PopStateEvent('popstate'));
  }, path);
}

/** Usable controls whose names the pattern has. */
async function offered(page: Page, pattern: RegExp | undefined): Promise<string[]> {
  if (!pattern) return [];
  const names: string[] = [];
  for (const kind of ['button', 'link', 'switch', 'checkbox'] as const) {
    for (const control of await page.getByRole(kind, { name: pattern, disabled: false }).all()) {
      names.push(`${kind} ${(await control.getAttribute('aria-label')) ?? (await control.textContent())}`);
    }
  }
  return names;
}
