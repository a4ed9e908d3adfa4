import type { Page } from 'playwright-core';

/** Who looks: a visitor, the seeded MSP, its customer's user, an MSP without anything, a person who has just signed up. */
export type Viewer = 'visitor' | 'staff' | 'customer' | 'beginner' | 'newcomer' | 'operator';
/** What the screen has to show: data, nothing, no answer yet, a refusal, names as long as they may be. */
export type State = 'filled' | 'empty' | 'loading' | 'error' | 'long';

export interface Screen {
  name: string;
  viewer: Viewer;
  path: string;
  /** States beside `filled`. A dialog has none of its own. */
  states?: readonly State[];
  /** Opens the dialog or the menu that is to be seen. */
  open?: (page: Page) => Promise<void>;
}

const lists: readonly State[] = ['empty', 'loading', 'error', 'long'];
const details: readonly State[] = ['loading', 'error', 'long'];
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
/** The first row of a list, whatever the seed made of it. */
const openFirst = (page: Page) => page.locator('[data-row-link]').first().click();

const inTurn =
  (...steps: ((page: Page) => Promise<void>)[]) =>
  async (page: Page) => {
    for (const step of steps) await step(page);
  };

/** There is a button for it on small screens only. */
async function openNavigation(page: Page): Promise<void> {
  await page.setViewportSize({ width: 768, height: 900 });
  await page.getByRole('button', { name: 'Open navigation' }).click();
}

/** The seed gives it the longest history. */
export const shownDomain = 'harbourdental.com';

const places: readonly Screen[] = [
  { name: 'landing', viewer: 'visitor', path: '/' },
  { name: 'terms', viewer: 'visitor', path: '/terms-and-conditions' },
  { name: 'start', viewer: 'staff', path: '/', states: lists },
  { name: 'start-customer', viewer: 'customer', path: '/', states: ['loading', 'error'] },
  { name: 'health', viewer: 'staff', path: '/health', states: lists },
  { name: 'domain-names', viewer: 'staff', path: '/domains/list' },
  { name: 'moves', viewer: 'staff', path: '/domain/moves', states: ['empty', 'loading', 'error', 'long'] },
  { name: 'domain-health', viewer: 'staff', path: `/domain/${shownDomain}?tab=health` },
  { name: 'changes', viewer: 'staff', path: '/changes', states: lists },
  { name: 'change-new', viewer: 'staff', path: '/changes/new' },
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
  { name: 'certificate', viewer: 'staff', path: '/certificates', open: openFirst },
  { name: 'accesses', viewer: 'staff', path: '/certificates/acme', states: lists },
  { name: 'customers', viewer: 'staff', path: '/customers', states: lists },
  { name: 'customer', viewer: 'staff', path: '/customers', open: openFirst },
  { name: 'customer-add', viewer: 'staff', path: '/customers/add' },
  { name: 'customer-file-format', viewer: 'staff', path: '/customers/csv-format' },
  { name: 'cart', viewer: 'staff', path: '/cart', states: ['empty', 'loading', 'error', 'long'] },
  { name: 'orders', viewer: 'staff', path: '/orders', states: lists },
  { name: 'order', viewer: 'staff', path: '/orders', open: openFirst },
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
  { name: 'invite', viewer: 'visitor', path: '/invite/unknown' },
  ...['queue', 'reconciliation', 'prices', 'corrections', 'acts'].map((tab) => ({
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
    ...{ name: 'customer-edit', viewer: 'staff', path: '/customers' },
    open: inTurn(openFirst, press('Edit')),
  },
  {
    ...{ name: 'customer-erase', viewer: 'staff', path: '/customers' },
    open: inTurn(openFirst, press('Erase personal data')),
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
  { name: 'recipient', viewer: 'staff', path: '/account/statement', open: press('Change the recipient') },
  {
    ...{ name: 'top-up', viewer: 'staff', path: '/account' },
    open: async (page) => {
      await press('Top up now')(page);
      await page.getByRole('button', { name: 'Pay', exact: true }).waitFor();
    },
  },
];

export const screens: readonly Screen[] = [...places, ...dialogs];
