import type { Page } from 'playwright-core';

/** Who looks: a visitor, the seeded MSP, its customer's user, an MSP without anything, a person who has just signed up. */
export type Viewer = 'visitor' | 'staff' | 'customer' | 'beginner' | 'newcomer' | 'operator';
/** What the screen has to show: data, nothing, no answer yet, a refusal, names as long as they may be. */
export type State = 'filled' | 'empty' | 'loading' | 'error' | 'long';

/** Asks the portal's API as the seeded MSP. */
export type Ask = <T>(path: string) => Promise<T>;

export interface Screen {
  name: string;
  viewer: Viewer;
  /** Where it is; what has an id of its own is looked for. */
  path: string | ((ask: Ask) => Promise<string>);
  /** States beside `filled`. A dialog has none of its own. */
  states?: readonly State[];
  /** To see it leaves something behind, such as an entry of the audit log: two runs differ. */
  leaves?: true;
  /** Opens the dialog or the menu that is to be seen. */
  open?: (page: Page) => Promise<void>;
}

type Row = Record<string, unknown>;
const lists: readonly State[] = ['empty', 'loading', 'error', 'long'];
const details: readonly State[] = ['loading', 'error', 'long'];
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
/** Where something is that the seed made: the one that fits, or the first. */
const found =
  <T>(
    list: string,
    rowsOf: (reply: T) => readonly Row[],
    to: (row: Row) => string,
    fits?: (row: Row) => boolean,
  ) =>
  async (ask: Ask) => {
    const rows = rowsOf(await ask<T>(list));
    const row = fits ? rows.find(fits) : rows[0];
    if (!row) throw new Error(`The seed has made nothing for this screen: ${list}`);
    return to(row);
  };
const asIs = (reply: readonly Row[]) => reply;

const aCustomer = (tab = '') =>
  found('customer?search=Blue%20Fig&pageSize=1', asIs, ({ customerId }) => `/customers/${customerId}${tab}`);
const reportOf = found(
  'customer?search=Harbour&pageSize=1',
  asIs,
  ({ customerId }) => `/health/report/${customerId}`,
);
const aCertificate = (...states: string[]) =>
  found(
    'ssl',
    asIs,
    ({ orderId }) => `/SSL/${orderId}`,
    ({ state }) => states.includes(String(state)),
  );
const anAcmeCertificate = found(
  'ssl',
  asIs,
  ({ orderId }) => `/SSL/${orderId}`,
  ({ byAcme }) => byAcme !== null,
);
const aChange = (...states: string[]) =>
  found<{ changes: Row[] }>(
    'changes',
    ({ changes }) => changes,
    ({ id }) => `/changes/${id}`,
    ({ state }) => states.includes(String(state)),
  );
const aMove = (fits: (counts: Record<string, number>) => boolean) =>
  found(
    'move',
    asIs,
    ({ id }) => `/domain/moves/${id}`,
    ({ counts }) => fits(counts as Record<string, number>),
  );
const openMove = aMove(({ ready, blocked }) => Boolean(ready) && Boolean(blocked));
const runningMove = aMove(({ ready }) => !ready);
const aTemplate = found(
  'dns/templates',
  asIs,
  ({ id }) => `/changes/templates/${id}`,
  ({ uses }) => (uses as { total: number }).total > 0,
);
const anOrder = found('order', asIs, ({ orderId }) => `/orders/${orderId}`);
const openImport = found('customer/import', asIs, ({ importId }) => `/customers/import/${importId}`);
/** One whose machine has asked for something. */
const anAccess = found(
  'acme/access',
  asIs,
  ({ id }) => `/certificates/acme/${id}`,
  ({ usedThisMonth }) => (usedThisMonth as { orders: number }).orders > 0,
);

const inTurn =
  (...steps: ((page: Page) => Promise<void>)[]) =>
  async (page: Page) => {
    for (const step of steps) await step(page);
  };
const fill = (label: string | RegExp, text: string) => (page: Page) =>
  page.getByLabel(label).and(page.locator('input, textarea')).first().fill(text);

/** Where the page behind a dialog is scrolled to depends on what has come of it so far. */
const toTop = (page: Page) => page.evaluate(() => window.scrollTo(0, 0));
const dialog = (page: Page) => page.getByRole('dialog').waitFor();

async function chooseTemplate(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'Google Workspace' }).click();
}

/** There is a button for it on small screens only. */
async function openNavigation(page: Page): Promise<void> {
  await page.setViewportSize({ width: 768, height: 900 });
  await page.getByRole('button', { name: 'Open navigation' }).click();
}

/** The seed gives it the longest history. */
/** Held elsewhere. */
const watchedDomain = 'harbourdental-implants.com';
export const shownDomain = 'harbourdental.com';

const places: readonly Screen[] = [
  { name: 'landing', viewer: 'visitor', path: '/' },
  { name: 'terms', viewer: 'visitor', path: '/terms-and-conditions' },
  { name: 'start', viewer: 'staff', path: '/', states: lists },
  { name: 'start-customer', viewer: 'customer', path: '/', states: ['loading', 'error'] },
  { name: 'health', viewer: 'staff', path: '/health', states: lists },
  { name: 'health-report', viewer: 'staff', path: reportOf, states: details },
  { name: 'watched', viewer: 'staff', path: '/health/watched', states: lists },
  { name: 'watched-customer', viewer: 'customer', path: '/health/watched' },
  { name: 'watched-domain', viewer: 'staff', path: `/domain/${watchedDomain}`, states: details },
  { name: 'domain-names', viewer: 'staff', path: '/domains/list' },
  { name: 'moves', viewer: 'staff', path: '/domain/moves', states: lists },
  { name: 'move', viewer: 'staff', path: openMove, states: details },
  { name: 'move-running', viewer: 'staff', path: runningMove },
  { name: 'domain-health', viewer: 'staff', path: '/domain/clearwaterpools.com?tab=health', states: details },
  { name: 'domain-health-clean', viewer: 'staff', path: '/domain/coppermash.com?tab=health' },
  { name: 'changes', viewer: 'staff', path: '/changes', states: lists },
  { name: 'templates', viewer: 'staff', path: '/changes/templates', states: lists },
  { name: 'template', viewer: 'staff', path: aTemplate, states: details },
  { name: 'change-new', viewer: 'staff', path: '/changes/new' },
  { name: 'change', viewer: 'staff', path: aChange('ready'), states: details },
  { name: 'change-done', viewer: 'staff', path: aChange('done', 'partly') },
  { name: 'attention', viewer: 'staff', path: '/attention', states: lists },
  { name: 'search', viewer: 'staff', path: '/domains?name=harbourlight.com', states: ['loading', 'error'] },
  { name: 'search-own', viewer: 'staff', path: `/domains?name=${shownDomain}` },
  { name: 'search-nothing', viewer: 'staff', path: '/domains' },
  { name: 'domains', viewer: 'staff', path: '/domain/list', states: lists },
  { name: 'domain', viewer: 'staff', path: `/domain/${shownDomain}`, states: details },
  { name: 'dns', viewer: 'staff', path: `/domain/${shownDomain}/dns`, states: details },
  { name: 'renewals', viewer: 'staff', path: '/domain/renewals', states: lists },
  { name: 'transfer', viewer: 'staff', path: '/domain/transfer' },
  { name: 'certificates', viewer: 'staff', path: '/certificates', states: lists },
  { name: 'certificate', viewer: 'staff', path: aCertificate('completed'), states: details },
  { name: 'certificate-by-acme', viewer: 'staff', path: anAcmeCertificate },
  { name: 'certificate-waiting', viewer: 'staff', path: aCertificate('awaiting-approval') },
  { name: 'accesses', viewer: 'staff', path: '/certificates/acme', states: lists },
  { name: 'access', viewer: 'staff', path: anAccess, states: details },
  { name: 'customers', viewer: 'staff', path: '/customers', states: lists },
  { name: 'customer', viewer: 'staff', path: aCustomer(), states: details },
  ...['domains', 'certificates', 'billing'].map((tab) => ({
    ...{ name: `customer-${tab}`, viewer: 'staff' as const, path: aCustomer(`/${tab}`) },
  })),
  { name: 'customer-import', viewer: 'staff', path: openImport },
  {
    name: 'transfer-status',
    viewer: 'staff',
    path: '/domain/transfer/vistatravel-tours.com',
    states: details,
  },
  { name: 'transfer-failed', viewer: 'staff', path: '/domain/transfer/redwoodaccounting-tax.com' },
  { name: 'domain-deleted', viewer: 'staff', path: '/domain/maplestreetbooks-events.com' },
  { name: 'domain-elsewhere', viewer: 'staff', path: '/domain/westwindcharter.com/dns' },
  { name: 'customer-add', viewer: 'staff', path: '/customers/add' },
  { name: 'customer-file-format', viewer: 'staff', path: '/customers/csv-format' },
  { name: 'cart', viewer: 'staff', path: '/cart', states: ['empty', 'loading', 'error', 'long'] },
  { name: 'orders', viewer: 'staff', path: '/orders', states: lists },
  { name: 'order', viewer: 'staff', path: anOrder, states: details },
  { name: 'direct-billing', viewer: 'staff', path: '/direct-billing', states: lists },
  { name: 'billing', viewer: 'staff', path: '/account', states: lists },
  { name: 'profile', viewer: 'staff', path: '/account/profile', states: ['loading', 'error'] },
  { name: 'statement', viewer: 'staff', path: '/account/statement', states: lists },
  { name: 'earnings', viewer: 'staff', path: '/account/earnings', states: lists },
  { name: 'users', viewer: 'staff', path: '/users', states: lists },
  { name: 'tokens', viewer: 'staff', path: '/tokens', states: lists },
  { name: 'audit', viewer: 'staff', path: '/audit', states: lists },
  { name: 'privacy', viewer: 'staff', path: '/privacy', states: ['loading', 'error'] },
  { name: 'onboarding', viewer: 'newcomer', path: '/onboarding/1' },
  { name: 'onboarding-account', viewer: 'beginner', path: '/onboarding/2' },
  { name: 'invite', viewer: 'visitor', path: '/invite/unknown' },
  { name: 'policy', viewer: 'visitor', path: '/privacy-policy' },
  { name: 'payment-setup', viewer: 'visitor', path: '/payment-setup/unknown' },
  { name: 'operator', viewer: 'visitor', path: '/operator' },
  ...['queue', 'reconciliation', 'prices', 'corrections', 'recovery', 'acts'].map((tab) => ({
    ...{ name: `operator-${tab}`, viewer: 'operator' as const, path: `/operator/${tab}` },
  })),
];

const dialogs: readonly Screen[] = [
  { name: 'account-menu', viewer: 'staff', path: '/orders', open: press(/^Account menu/) },
  { name: 'account-menu-visitor', viewer: 'visitor', path: '/', open: press('Account menu') },
  {
    ...{ name: 'search-typing', viewer: 'staff', path: '/orders' },
    open: (page) => page.getByLabel('Search your next domain').pressSequentially('harbour'),
  },
  {
    ...{ name: 'search-results', viewer: 'staff', path: '/orders' },
    open: async (page) => {
      await page.getByLabel('Search your next domain').fill('harbourlight');
      await page.keyboard.press('Enter');
      await page.locator('[data-result]').first().waitFor();
    },
  },
  {
    ...{ name: 'go-to', viewer: 'staff', path: '/orders' },
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await page.locator('input:focus').waitFor();
      await page.keyboard.type('vpn');
      await page.getByRole('option', { name: /^vpn/ }).first().waitFor();
    },
  },
  { name: 'navigation', viewer: 'staff', path: '/orders', open: openNavigation },
  { name: 'keys', viewer: 'staff', path: '/orders', open: (page) => page.keyboard.press('?') },
  {
    ...{ name: 'domains-chosen', viewer: 'staff', path: '/domain/list' },
    open: async (page) => {
      const boxes = page.locator('tbody').getByRole('checkbox');
      for (const index of [1, 3, 4]) await boxes.nth(index).check();
    },
  },
  { name: 'views', viewer: 'staff', path: '/domain/list', open: press('Views') },
  { name: 'customer-file', viewer: 'staff', path: '/customers', open: press(/^Upload/) },
  {
    ...{ name: 'customer-edit', viewer: 'staff', path: aCustomer() },
    open: press('Edit'),
  },
  {
    ...{ name: 'customer-erase', viewer: 'staff', path: aCustomer() },
    open: press('Erase personal data'),
  },
  ...['Add', 'History', 'Import', 'Templates'].map((name) => ({
    ...{ name: `dns-${name.toLowerCase()}`, viewer: 'staff' as const, path: `/domain/${shownDomain}/dns` },
    open: press(name),
  })),
  { name: 'dns-edit', viewer: 'staff', path: `/domain/${shownDomain}/dns`, open: press(/^Edit A record/) },
  {
    name: 'dns-delete',
    viewer: 'staff',
    path: `/domain/${shownDomain}/dns`,
    open: press(/^Delete A record/),
  },
  { name: 'dns-put-back', viewer: 'staff', path: `/domain/${shownDomain}/dns`, open: press(/^Put back the/) },
  { name: 'domain-advanced', viewer: 'staff', path: `/domain/${shownDomain}?tab=advanced` },
  { name: 'domain-contact', viewer: 'staff', path: `/domain/${shownDomain}`, open: press(/^Change/) },
  { name: 'audit-entry', viewer: 'staff', path: '/audit', open: press(/fields?/) },
  { name: 'user-change', viewer: 'staff', path: '/users', open: press(/^Change|^Edit/) },
  { name: 'user-export', viewer: 'staff', path: '/users', open: press(/^Export/) },
  { name: 'access-make', viewer: 'staff', path: '/certificates/acme', open: press('New access') },
  { name: 'token-make', viewer: 'staff', path: '/tokens', open: press('New token') },
  { name: 'user-invite', viewer: 'staff', path: '/users', open: press(/^Invite/) },
  {
    ...{ name: 'organization-close', viewer: 'beginner', path: '/account/profile' },
    open: press('Close organization'),
  },
  {
    ...{ name: 'recipient', viewer: 'staff', path: '/account/statement' },
    open: inTurn(press('Change the recipient'), toTop),
  },
  {
    ...{ name: 'top-up', viewer: 'staff', path: '/account', leaves: true },
    open: async (page) => {
      await press('Top up now')(page);
      await page.getByRole('button', { name: 'Pay', exact: true }).waitFor();
    },
  },
];

/** Dialogs of screens whose address has an id. */
const asked: readonly Screen[] = [
  { name: 'move-records', viewer: 'staff', path: openMove, open: press(/^4 records|^\d+ records/) },
  { name: 'move-code', viewer: 'staff', path: openMove, open: press(/^New code/) },
  { name: 'move-order', viewer: 'staff', path: openMove, open: press(/^Order \d+ transfer/) },
  { name: 'move-delete', viewer: 'staff', path: openMove, open: press(/^Delete the list/) },
  { name: 'move-cancel', viewer: 'staff', path: runningMove, open: press(/^Cancel/) },
  { name: 'change-discard', viewer: 'staff', path: aChange('ready'), open: press('Discard') },
  {
    name: 'certificate-reissue',
    viewer: 'staff',
    path: aCertificate('completed'),
    open: press('Reissue now'),
  },
  { name: 'certificate-revoke', viewer: 'staff', path: aCertificate('completed'), open: press('Revoke') },
  {
    ...{ name: 'certificate-cancel', viewer: 'staff', path: aCertificate('in-progress', 'pending') },
    open: press('Cancel order'),
  },
  { name: 'access-change', viewer: 'staff', path: anAccess, open: press('Change') },
  { name: 'access-revoke', viewer: 'staff', path: anAccess, open: press('Revoke') },
  { name: 'allowance', viewer: 'staff', path: aCustomer('/certificates'), open: press(/^Change|^Allow/) },
  { name: 'customer-data', viewer: 'staff', path: aCustomer(), leaves: true, open: press(/^Export data/) },
  { name: 'import-discard', viewer: 'staff', path: openImport, open: press('Discard') },
  { name: 'import-suggestions', viewer: 'staff', path: openImport, open: press(/^Apply all/) },
  {
    ...{ name: 'health-mute', viewer: 'staff', path: '/domain/clearwaterpools.com?tab=health' },
    open: press(/^Mute/),
  },
  { name: 'attention-menu', viewer: 'staff', path: '/attention', open: press(/^More for/) },
  { name: 'charge-retry', viewer: 'staff', path: '/direct-billing', open: press(/^Try again:/) },
  { name: 'charge-stopped', viewer: 'staff', path: '/direct-billing?kind=open' },
  { name: 'charge-disputed', viewer: 'staff', path: '/direct-billing?kind=disputed' },
  {
    ...{ name: 'charge-allow', viewer: 'staff', path: '/direct-billing?kind=disputed' },
    open: press(/^Allow charges:/),
  },
  { name: 'charge-settle', viewer: 'staff', path: '/direct-billing', open: press(/^Settle:/) },
  { name: 'token-revoke', viewer: 'staff', path: '/tokens', open: press(/^Revoke/) },
  { name: 'user-remove', viewer: 'staff', path: '/users', open: press(/^Remove/) },
  { name: 'user-erase', viewer: 'staff', path: '/users', open: press(/^Erase the data/) },
  {
    ...{ name: 'provider', viewer: 'staff', path: '/account/profile', leaves: true },
    open: press('Edit this information'),
  },
  { name: 'glue', viewer: 'staff', path: `/domain/${shownDomain}?tab=advanced`, open: press(/^Add/) },
  {
    name: 'transfer-cancel',
    viewer: 'staff',
    path: '/domain/transfer/vistatravel-tours.com',
    open: press(/^Cancel/),
  },
  { name: 'restore', viewer: 'staff', path: '/domain/maplestreetbooks-events.com', open: press(/^Restore/) },
  {
    ...{ name: 'transfer-refused', viewer: 'staff', path: '/domain/transfer' },
    open: inTurn(fill(/Domain name/, 'wren-archive.com'), press('Check'), dialog),
  },
  {
    ...{ name: 'names-found', viewer: 'staff', path: '/domains/list' },
    open: inTurn(
      fill(/Names/, 'bluefig-garden.com\nharbourdental.com\nnot a name\nbluefig-catering.com'),
      press(/^Look|^Check/),
    ),
  },
  {
    ...{ name: 'paste', viewer: 'staff', path: `/domain/${shownDomain}/dns` },
    open: inTurn(press('Import'), fill('Records or zone file', 'shop 3600 IN CNAME shops.vendor.example.')),
  },
  {
    ...{ name: 'dns-history-version', viewer: 'staff', path: `/domain/${shownDomain}/dns` },
    open: inTurn(press('History'), press(/^Compare|^Restore|^What/)),
  },
  {
    ...{ name: 'dns-template', viewer: 'staff', path: `/domain/${shownDomain}/dns` },
    open: inTurn(press('Templates'), chooseTemplate),
  },
];

export const screens: readonly Screen[] = [...places, ...dialogs, ...asked];
