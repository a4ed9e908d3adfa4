import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Role } from '#contracts/permissions.ts';
import { mostItems } from '#contracts/values/order-limits.ts';
import {
  type Answers,
  Held,
  openScreen,
  paged,
  screen,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { cart, newDomainItem } from '../features/orders/cart.ts';
import { keepRefusal } from '../features/orders/refusal.ts';
import { ApiError } from '../lib/api-error.ts';
import { sessionMarks } from '../lib/session-marks.ts';
// The parts that come when they are shown.
import './account-menu-content.tsx';
import './go-to-list.tsx';
import './key-list.tsx';
import './member-parts.ts';
import '../features/domains/search-results.tsx';
import { Shell } from './shell.tsx';

const figures = {
  domains: { held: 0, expiring: 0, lapsing: 0, unverified: 0, manual: 0, unlocked: 0, transferring: 0 },
  ...{ certificates: null, customers: null, people: null, charges: null, attention: null },
};
const place = `nameward.cart.${uuid(1)}`;
const customersRead = 'GET /customer';
const contact = (organization: string) => ({
  ...{ organization, firstName: 'Ann', lastName: 'Smith', address1: '1 Main St', city: 'Troy', state: 'NY' },
  ...{ postalCode: '12180', country: 'US', email: 'ann@a.example', phone: '+1.5185550100' },
});
const none = { type: 'percentage', value: 0 };
const customer = (n: number, organization: string) => ({
  customerId: uuid(n),
  contacts: {
    ...{ owner: contact(organization), admin: contact(organization), billing: contact(organization) },
  },
  billing: { billDirectly: false, email: '', stripeId: null, allowChangeBilling: true },
  markups: { domain: { purchase: none, renewal: none }, certificate: { purchase: none, renewal: none } },
  ...{ domainsCount: 0, paymentMethodSet: false, allowDomainSettings: false, version: 1 },
  chargesStopped: null,
  createdAt: '2026-11-01T00:00:00Z',
});
const [fig, trees] = [customer(21, 'Blue Fig Ltd'), customer(22, 'Blue Fig Trees')];
const aboveLimit = new ApiError('Above your limit.', { status: 403, code: 'daily_limit' });
const looked = {
  ...{ domain: 'blue.com', status: 'available', price: 12.31, premium: false, own: false },
  ...{ reason: null, suggestions: [] },
};

interface Opening {
  path?: string;
  role?: Role;
  profile?: object | null;
  status?: 'signed-out' | 'loading';
  appType?: 'msp' | 'client';
  answers?: Answers;
}
const open = ({ path = '/orders', appType = 'msp', answers = {}, ...who }: Opening = {}) =>
  openScreen(Shell, {
    ...{ route: path.replace(/\?.*/, ''), path, ...who },
    config: { appType, brand: { name: 'Nameward', logoPath: null }, productName: 'Nameward' },
    answers: {
      ...{ 'GET /overview': figures, [customersRead]: paged([fig]), 'GET /domain': paged([]) },
      ...{ 'GET /ssl': paged([]), 'GET /order': paged([]), 'GET /dns/records': [] },
      ...{ 'GET /domain/lookup/:address': looked, 'GET /domain/suggestions/:address': [] },
      ...answers,
    },
  });
type Open = Awaited<ReturnType<typeof open>>;

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const field = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Search your next domain' });
const cartLink = () => screen.getByRole('link', { name: /^Cart, / });
const side = () => within(screen.getByRole('navigation', { name: 'Main' }));

beforeEach(() => {
  // The previous user leaves nothing behind.
  cart.init(`nobody-${Math.random()}`);
  localStorage.clear();
});
afterEach(() => {
  sessionMarks.setCreatingAccount(false);
  keepRefusal(null);
  cart.forgetLeftOut();
  localStorage.clear();
  cart.init(`nobody-${Math.random()}`);
});

describe('the header', () => {
  test.each(['/', '/domains'])('says what the screen at %s is for, above its search', async (path) => {
    await open({ path });
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Search for domains');
    expect(within(screen.getByRole('main')).getByRole('combobox')).toBe(field());
    expect(field().placeholder).toBe('Search your next domain');
  });

  test('of a screen with a heading of its own has the search beside it', async () => {
    await open();
    expect(screen.queryByRole('heading', { level: 1 })).toBeNull();
    expect(within(screen.getByRole('banner')).getByRole('combobox')).toBe(field());
  });

  test.each([
    ['/terms-and-conditions', 'Terms and Conditions'],
    ['/privacy-policy', 'Privacy policy'],
  ])('of the document at %s has its title and no search', async (path, title) => {
    await open({ path });
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(title);
    expect(screen.queryByRole('combobox')).toBeNull();
  });

  test('for a visitor has neither a search, nor a cart, nor a navigation', async () => {
    await open({ path: '/', status: 'signed-out', profile: null });
    expect(screen.queryByRole('combobox')).toBeNull();
    expect(screen.queryByRole('link', { name: /^Cart/ })).toBeNull();
    expect(screen.queryByRole('navigation', { name: 'Main' })).toBeNull();
  });

  test('the footer leads to the two documents, and with "Cookies" home', async () => {
    await open({ path: '/', status: 'signed-out', profile: null });
    const links = within(screen.getByRole('navigation', { name: 'Legal' })).getAllByRole('link');
    expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['Terms and Conditions', '/terms-and-conditions'],
      ['Privacy policy', '/privacy-policy'],
      ['Cookies', '/'],
    ]);
  });
});

describe('the account menu', () => {
  const menu = () => within(screen.getByRole('banner'));

  test('has the organization, the three places and the way out', async () => {
    const { user, session, path } = await open();
    await user.click(button('Account menu, Blue Fig'));
    const links = menu()
      .getAllByRole('link')
      .filter((link) => /^(Profile|Manage)/.test(link.textContent ?? ''));
    expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['Profile & Billing Details', '/account'],
      ['Manage Customers', '/customers'],
      ['Manage Domains & Certificates', '/domain'],
    ]);
    await user.click(button('Sign out'));
    expect(session.signOut).toHaveBeenCalledOnce();
    await user.click(links[0] as HTMLElement);
    expect(path()).toBe('/account');
  });

  test('greets people without an organization', async () => {
    const { user } = await open({ profile: { organization: '' } });
    await user.click(button('Account menu, Hello'));
    expect(menu().getAllByText('Hello').length).toBeGreaterThan(1);
  });

  test('offers a visitor to sign in or to create an account', async () => {
    const { user, session } = await open({ path: '/', status: 'signed-out', profile: null });
    await user.click(button('Account menu'));
    expect(menu().getByText('Already have an account?')).toBeDefined();
    expect(menu().getByText("Don't yet have an account? Create one now to get started.")).toBeDefined();
    await user.click(menu().getByRole('button', { name: 'Sign in' }));
    expect(session.signIn).toHaveBeenLastCalledWith();
    await user.click(button('Create Account'));
    expect(session.signIn).toHaveBeenLastCalledWith({ signUp: true });
    await user.keyboard('{Escape}');
    expect(screen.queryByText('Already have an account?')).toBeNull();
    expect(document.activeElement).toBe(button('Account menu'));
  });
});

describe('the navigation', () => {
  test.each([
    ['/', 'Home'],
    ['/domain/renewals', 'Renewals'],
    ['/domain/acme.com', 'Domain management'],
    ['/domains?search=acme', 'Domain management'],
    ['/SSL', 'Certificates'],
    ['/customers/add', 'Customers'],
  ])('marks the place of %s: %s', async (path, label) => {
    await open({ path });
    const marked = side()
      .getAllByRole('link')
      .filter((link) => link.hasAttribute('aria-current'));
    expect(marked.map(({ textContent }) => textContent)).toEqual([label]);
  });

  test.each([
    ['/domain/acme.com', ['Domains']],
    ['/customers', ['Customers']],
    ['/tokens', []],
  ])('of a small screen, within reach of a thumb, marks the place of %s: %s', async (path, labels) => {
    const listening = { addEventListener: () => undefined, removeEventListener: () => undefined };
    vi.stubGlobal('matchMedia', (query: string) => ({ matches: query.includes('max-width'), ...listening }));
    await open({ path });
    const marked = within(screen.getByRole('navigation', { name: 'Quick navigation' }))
      .getAllByRole('link')
      .filter((link) => link.getAttribute('aria-current') === 'page');
    expect(marked.map(({ textContent }) => textContent)).toEqual(labels);
  });

  test('has help, with the keys', async () => {
    const { user } = await open();
    await user.click(side().getByRole('button', { name: 'Help' }));
    expect(screen.getByRole('dialog', { name: 'Help' })).toBeDefined();
  });
});

describe('the cart in the header', () => {
  test('counts what is in it, and is marked when that is something', async () => {
    const { user } = await open({ path: '/' });
    expect([cartLink().getAttribute('aria-label'), cartLink().hasAttribute('data-filled')]).toEqual([
      'Cart, 0 items',
      false,
    ]);
    await user.type(field(), 'blue{Enter}');
    await user.click(await screen.findByRole('button', { name: 'Add blue.com to cart' }));
    expect(screen.getByRole('img', { name: 'blue.com is in your cart' })).toBeDefined();
    expect([cartLink().getAttribute('aria-label'), cartLink().getAttribute('data-filled')]).toEqual([
      'Cart, 1 item',
      'true',
    ]);
  });

  test('counts what is good of a damaged one', async () => {
    const items = [null, 7, { type: 'domain' }, { type: 'x', address: [] }, newDomainItem('a.com')];
    localStorage.setItem(place, JSON.stringify({ items, running: [null] }));
    await open();
    expect(cartLink().getAttribute('aria-label')).toBe('Cart, 1 item');
  });

  test('that is full takes no more, and says which name it did not take', async () => {
    const items = Array.from({ length: mostItems }, (_, n) => newDomainItem(`n${n}.com`));
    localStorage.setItem(place, JSON.stringify({ items }));
    const { user } = await open();
    await user.type(field(), 'blue{Enter}');
    await user.click(await screen.findByRole('button', { name: 'Add blue.com to cart' }));
    expect(screen.getByRole('alert').textContent).toContain(
      'Your cart holds 200 items, the most one order can have. blue.com was not added.',
    );
    await user.click(button('Close'));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('whose order was refused meanwhile says so on any other screen, and leads back', async () => {
    keepRefusal(aboveLimit);
    const { user, path } = await open({ path: '/domain/list' });
    expect(screen.getByRole('alert').textContent).toMatch(
      /^Your order was not placed, and nothing was charged\. Above your limit\./,
    );
    await user.click(screen.getByRole('link', { name: 'Review your cart' }));
    expect(path()).toBe('/cart');
  });

  test('whose order was refused says so in the cart itself, and not above it', async () => {
    keepRefusal(aboveLimit);
    await open({ path: '/cart' });
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('the one search', () => {
  const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);
  const chosen = () => screen.getByRole('option', { selected: true });
  const group = (name: string) =>
    within(screen.getByRole('group', { name }))
      .getAllByRole('option')
      .map(({ textContent }) => textContent);
  const status = () =>
    [...document.querySelectorAll('search [role="status"]')].map(({ textContent }) => textContent).at(-1);
  const ctrlK = ({ user }: Open) => user.keyboard('{Control>}k{/Control}');
  /** What is typed is looked for a moment later. */
  const found = async ({ settled }: Open) => {
    await new Promise((done) => setTimeout(done, 200));
    await settled();
  };

  test('opens by Ctrl K with the screens; what was typed finds things first, then a name to buy', async () => {
    const opened = await open();
    await ctrlK(opened);
    expect(document.activeElement).toBe(field());
    expect(options()[0]).toMatch(/^Home/);
    await opened.user.keyboard('blue');
    await found(opened);
    expect(group('Customers')).toEqual([expect.stringMatching(/^Blue Fig Ltd/)]);
    expect(chosen().textContent).toMatch(/^Blue Fig Ltd/);
    expect(options()[1]).toMatch(/^Search for blue.com to buy/);
    await opened.user.keyboard('{ArrowDown}');
    expect(chosen().textContent).toMatch(/^Search for blue.com to buy/);
    expect(field().getAttribute('aria-activedescendant')).toBe(chosen().id);
    await opened.user.keyboard('{ArrowUp}{Enter}');
    expect(opened.path()).toBe(`/customers/${fig.customerId}`);
  });

  test('by / is for a name to buy first, and Escape ends it where it stands', async () => {
    const opened = await open();
    await opened.user.keyboard('/');
    expect(document.activeElement).toBe(field());
    await opened.user.keyboard('blue');
    await found(opened);
    expect(options()[0]).toMatch(/^Search for blue.com to buy/);
    expect(group('Customers')).toEqual([expect.stringMatching(/^Blue Fig Ltd/)]);
    await opened.user.keyboard('{Escape}');
    expect(options()).toEqual([]);
    expect(document.activeElement).toBe(field());
    await opened.user.keyboard('{Enter}');
    await opened.user.click(await screen.findByRole('button', { name: /^blue\.com/ }));
    expect(opened.sent('GET /domain/lookup/:address').map(({ params }) => params)).toEqual([
      { address: 'blue.com' },
    ]);
    expect(opened.path()).toBe('/domains?name=blue.com');
  });

  test('waits with Enter for what is still looked for', async () => {
    const held = new Held();
    const opened = await open({ answers: { [customersRead]: held } });
    await ctrlK(opened);
    await opened.user.keyboard('blue fig{Enter}');
    expect(opened.path()).toBe('/orders');
    await found(opened);
    expect(opened.path()).toBe('/orders');
    held.give(paged([fig]));
    await opened.settled();
    await opened.settled();
    expect(opened.path()).toBe(`/customers/${fig.customerId}`);
  });

  test('says when nothing is found', async () => {
    const opened = await open({ answers: { [customersRead]: paged([]) } });
    await ctrlK(opened);
    await opened.user.keyboard('no such thing');
    await found(opened);
    expect(status()).toBe('Nothing found');
  });

  test('shows a record by its name and its value, and leads to it among the others', async () => {
    const record = { domain: 'acme.com', type: 'A', subdomain: 'sprout', value: '192.0.2.77' };
    const opened = await open({
      answers: { [customersRead]: paged([]), 'GET /dns/records': [record] },
    });
    await opened.user.type(field(), '192.0.2.7');
    await found(opened);
    expect(group('DNS records')).toEqual([expect.stringMatching(/^sprout\.acme\.com.*A 192\.0\.2\.77/)]);
    await opened.user.keyboard('{ArrowDown}{Enter}');
    expect(opened.path()).toBe('/domain/acme.com/dns?search=192.0.2.77');
  });

  test('leaves what somebody has moved to theirs while the matches of a longer text are on their way', async () => {
    const held = new Held();
    const opened = await open({
      answers: {
        [customersRead]: ({ query }: { query: { search?: string } }) =>
          query.search === 'blue fig' ? held : paged([fig, trees]),
      },
    });
    await opened.user.type(field(), 'blue');
    await found(opened);
    await opened.user.type(field(), ' fig');
    await found(opened);
    await opened.user.keyboard('{ArrowUp}');
    const label = chosen().textContent;
    expect(label).toMatch(/^Blue Fig/);
    held.give(paged([trees, fig]));
    await opened.settled();
    await opened.settled();
    expect(status()).toMatch(/match/);
    expect(chosen().textContent).toBe(label);
    await opened.user.keyboard('{Enter}');
    expect(opened.path()).toBe(`/customers/${label?.includes('Trees') ? trees.customerId : fig.customerId}`);
  });
});
