import { getConfig } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DomainRow } from '#contracts/operations/domains.ts';
import { type Permission, type Role, roles } from '#contracts/permissions.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import {
  type Answers,
  type Call,
  Held,
  type Opened,
  openScreen,
  paged,
  profileOf,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { chosenNames, keepChosenNames } from '../features/changes/chosen-names.ts';
import { cart, cartNow } from '../features/orders/cart.ts';
import DomainListScreen from './domain-list.tsx';

const reading = 'GET /domain';
const row = (address: string, more: Partial<DomainRow> = {}): DomainRow => ({
  ...{ address, customerId: uuid(21), customer: 'Acme', expireDate: '2036-03-01T12:00:00Z' },
  ...{ registeredAt: null, status: 'active', missing: false, autoRenew: false, locked: true },
  ...{ verification: null, verificationDeadline: null, syncedAt: null, certificate: null, ...more },
});
const acme = row('acme.com', { autoRenew: true });
const zeta = row('zeta.com', { customerId: null, customer: '', expireDate: '2037-03-01T12:00:00Z' });
const { expireDate: _, ...coming } = row('coming.com', { status: 'transferring' });
const overview = {
  domains: {
    ...{ held: 3, expiring: 2, lapsing: 0, unverified: 1, manual: 4, unlocked: 0, transferring: 1 },
  },
  ...{ certificates: null, customers: null, people: null, charges: null, attention: null },
};
const customers = [
  { customerId: uuid(21), organization: 'Acme', markups: null },
  { customerId: uuid(22), organization: 'Zeta', markups: null },
];
/** Each renewal at a price of its own. */
const priced = ({ body }: Call) =>
  (body as { address: string }[]).map(({ address }) => ({
    ...{ address, kind: 'renewal', premium: false },
    price: address === 'acme.com' ? 12.5 : 1_000,
  }));

interface Opening {
  path?: string;
  role?: Role;
  without?: Permission;
}

function open(answers: Answers = {}, { path = '/domain/list', role = 'MSP_OWNER', without }: Opening = {}) {
  const permissions = profileOf(role).permissions.filter((name) => name !== without);
  return openScreen(DomainListScreen, {
    ...{ route: '/domain/list', path, role, profile: { permissions } },
    answers: {
      ...{ [reading]: paged([acme, zeta, coming]), 'GET /overview': overview, 'GET /view': [] },
      ...{ 'GET /customer/choices': customers, 'POST /cart/prices': priced, ...answers },
    },
  });
}

/** The cart and what was chosen are kept outside of the screen. */
beforeEach(() => {
  cart.init(uuid(1));
  cart.clear();
  keepChosenNames([]);
});

const button = (name: string | RegExp) => screen.queryByRole<HTMLButtonElement>('button', { name });
const press = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const box = (name: string) => screen.queryByRole<HTMLInputElement>('checkbox', { name });
const bar = () => within(screen.getByRole('region', { name: 'Selected domains' }));
const pick = async ({ user }: Pick<Opened, 'user'>, ...names: string[]) => {
  for (const name of names) {
    await user.click(screen.getByRole('checkbox', { name: `Select ${name}` }));
  }
};
/** What the list was asked for, without the page that is read ahead. */
const asked = ({ sent }: Pick<Opened, 'sent'>) => sent(reading).map(({ query }) => query);
const first = { page: '1', pageSize: '50', sort: 'address' };
/** The link of a row; its name is drawn in two parts. */
const rowLink = (address: string) =>
  screen.getAllByRole('link').find((one) => one.textContent === address) ?? document.body;
const cells = (address: string) =>
  within(rowLink(address).closest('tr') ?? document.body)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent);

describe('the list', () => {
  test.each<[string, Record<string, string>]>([
    ['', first],
    [
      '?page=3&sort=-expireDate&search=acme',
      { page: '3', pageSize: '50', sort: '-expireDate', search: 'acme' },
    ],
    [`?customer=${uuid(22)}`, { ...first, customerId: uuid(22) }],
    ['?kind=manual', { ...first, autoRenew: 'off' }],
    ['?kind=unlocked&expiring=30', { ...first, locked: 'no', expiringWithinDays: '30' }],
    ['?kind=unverified', { ...first, registrant: 'unverified' }],
    ['?kind=suspended&expiring=365', { ...first, registrant: 'suspended', expiringWithinDays: '365' }],
    // What is none of ours filters nothing.
    ['?kind=other&expiring=366', first],
    ['?expiring=x', first],
  ])('asks for what its address says: %s', async (search, query) => {
    const opened = await open({ [reading]: paged([acme], { total: 1 }) }, { path: `/domain/list${search}` });
    expect(asked(opened)).toEqual([query]);
  });

  test('shows each domain with its own state, and leads to it', async () => {
    const soon = new Date(Date.now() + 10.5 * 86_400_000).toISOString();
    const rows = [
      row('a.com', { expireDate: soon, verification: 'suspended', customer: 'Zeta' }),
      row('b.com', { syncedAt: '2026-11-01T12:00:00Z', certificate: { state: 'issued', orderId: uuid(51) } }),
      row('c.com', {
        missing: true,
        verification: 'waiting',
        certificate: { state: 'pending', orderId: null },
      }),
      coming,
    ];
    const { user, path } = await open({ [reading]: paged(rows) });
    expect(cells('a.com')[1]).toContain('Suspended');
    expect(cells('a.com')[2]).toBe('Zeta');
    expect(cells('a.com')[3]).toMatch(/Expires in 10 days$/);
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(
      expect.arrayContaining(['Domain', 'Customer', 'Expiration', 'SSL Certificate']),
    );
    expect(cells('b.com')[3]).toMatch(/^Mar 1, 2036, .*as of Nov 1, 2026, /);
    expect(cells('b.com')[3]).not.toContain('Expires in');
    expect(cells('b.com')[4]).toMatch(/^Status: /);
    expect(cells('c.com')[1]).toContain('Not verified');
    expect(cells('c.com')[1]).toContain('No longer in your account');
    expect(cells('coming.com')[3]).toBe('Pending Transfer');
    expect(rowLink('c.com').getAttribute('href')).toBe('/domain/c.com');
    expect(screen.getByRole('link', { name: /^Status: / }).getAttribute('href')).toBe(`/SSL/${uuid(51)}`);
    await user.click(screen.getByRole('link', { name: 'Pending Transfer' }));
    expect(path()).toBe('/domain/transfer/coming.com');
  });

  test('is searched by what is typed, which its address keeps', async () => {
    const opened = await open({}, { path: '/domain/list?page=2' });
    await opened.user.type(screen.getByRole('textbox', { name: 'Search your domains' }), 'acme');
    await new Promise((done) => setTimeout(done, 500));
    await opened.settled();
    expect(opened.path()).toBe('/domain/list?search=acme');
    expect(asked(opened).at(-1)).toEqual({ ...first, search: 'acme' });
  });

  test('is empty, is on its way, or could not be read, and says which', async () => {
    const held = new Held();
    const opened = await open({ [reading]: held });
    expect(screen.getByText('Loading domains...')).toBeDefined();
    held.give(() =>
      Response.json(
        { code: 'upstream_unavailable', message: 'No answer from there.', requestId: 'r-1' },
        { status: 502 },
      ),
    );
    await opened.settled();
    expect(screen.getByRole('alert').textContent).toContain('No answer from there.');
    expect(screen.getByRole('alert').textContent).toContain('Request r-1');
    expect(screen.queryByText('No domains found')).toBeNull();
    opened.answer(reading, paged([]));
    await opened.user.click(press('Try again'));
    expect(screen.getByText('No domains found')).toBeDefined();
    expect(screen.getByText(/bring a domain here from another registrar/)).toBeDefined();
    await opened.user.click(screen.getByRole('link', { name: 'Search for domains' }));
    expect(opened.path()).toBe('/domains');
  });

  test.each([
    '?search=zz&sort=-expireDate',
    `?customer=${uuid(21)}&sort=-expireDate`,
    '?expiring=30&sort=-expireDate',
    '?kind=unlocked&sort=-expireDate',
  ])('in which nothing matches %s offers to show all, in the same order', async (query) => {
    const opened = await open({ [reading]: paged([]) }, { path: `/domain/list${query}` });
    expect(screen.getByText('No domains found')).toBeDefined();
    expect(screen.queryByRole('link', { name: 'Search for domains' })).toBeNull();
    expect(screen.queryByText(/from another registrar/)).toBeNull();
    opened.answer(reading, paged([acme]));
    await opened.user.click(press('Clear search and filters'));
    expect(opened.path()).toBe('/domain/list?sort=-expireDate');
    expect(asked(opened).at(-1)).toEqual({ ...first, sort: '-expireDate' });
    expect(screen.getByLabelText<HTMLInputElement>('Search your domains').value).toBe('');
    expect(rowLink('acme.com').textContent).toBe('acme.com');
    expect(button('Clear search and filters')).toBeNull();
    // The keyboard goes on at the list.
    await eventually(() => expect(document.activeElement?.getAttribute('tabindex')).toBe('-1'));
    expect(document.activeElement?.contains(rowLink('acme.com'))).toBe(true);
  });

  test('is ordered and paged in its address, and what is old says nothing of certificates', async () => {
    const opened = await open({ [reading]: paged([acme], { total: 120 }) });
    expect(screen.getByText('1–1 of 120')).toBeDefined();
    await opened.user.click(press('Expiration'));
    expect(opened.path()).toBe('/domain/list?sort=expireDate');
    await opened.user.click(press('Expiration'));
    expect(opened.path()).toBe('/domain/list?sort=-expireDate');
    const held = new Held();
    opened.answer(reading, held);
    await opened.user.click(press('Customer'));
    expect(screen.getByRole('status', { name: "Loading the certificate's state" })).toBeDefined();
    held.give(paged([zeta], { total: 120 }));
    await opened.settled();
    opened.answer(reading, paged([zeta], { total: 120, page: 3 }));
    await opened.user.click(press('3'));
    expect(opened.path()).toBe('/domain/list?sort=customer&page=3');
    expect(asked(opened).at(-1)).toEqual({ page: '3', pageSize: '50', sort: 'customer' });
  });

  test('a certificate that is ordered in a row is that row’s', async () => {
    const price = {
      ...{ productType: 'dv', provider: 'sectigo', certificate: 'DV', price: 12, pricePerYear: 12 },
      ...{ businessValidated: false, wildcard: false },
    };
    const { user, path } = await open({
      'GET /ssl/prices': [price],
      [reading]: paged([acme, row('beta.com', { customerId: uuid(22) })]),
    });
    await user.click(screen.getByRole('link', { name: 'Purchase SSL Certificate for beta.com' }));
    expect(cartNow().items).toMatchObject([
      { type: 'certificate', address: 'beta.com', customerId: uuid(22), productType: 'dv' },
    ]);
    expect(path()).toBe('/cart');
  });
});

describe('the filters', () => {
  const chips = () =>
    within(screen.getByRole('group', { name: 'Filters' }))
      .getAllByRole('button')
      .map((chip) => `${chip.textContent}${chip.getAttribute('aria-pressed') === 'true' ? ' !' : ''}`);

  test('say how many each would leave, and are not offered where that is none', async () => {
    await open();
    expect(chips()).toEqual([
      ...['Expiring in 60 days2', 'No auto renew4', 'Registrant not verified1', 'Suspended'],
    ]);
  });

  test.each([`?customer=${uuid(21)}`, '?search=acme', '?kind=manual', '?expiring=30'])(
    'do not count where another one makes the figures untrue: %s',
    async (search) => {
      await open({}, { path: `/domain/list${search}` });
      expect(chips().map((chip) => chip.replace(' !', ''))).toEqual([
        ...[`Expiring in ${search.includes('30') ? 30 : 60} days`, 'No auto renew', 'Unlocked'],
        ...['Registrant not verified', 'Suspended'],
      ]);
    },
  );

  test('are pressed and released, and begin at the first page', async () => {
    const opened = await open({ [reading]: paged([acme], { total: 120 }) }, { path: '/domain/list?page=2' });
    await opened.user.click(press(/^No auto renew/));
    expect(opened.path()).toBe('/domain/list?kind=manual');
    await opened.user.click(press(/^Expiring in 60 days/));
    expect(opened.path()).toBe('/domain/list?kind=manual&expiring=60');
    expect(
      asked(opened).some((query) => query.expiringWithinDays === '60' && query.autoRenew === 'off'),
    ).toBe(true);
    expect(chips().filter((chip) => chip.endsWith('!'))).toHaveLength(2);
    await opened.user.click(press(/^Registrant not verified/));
    await opened.user.click(press(/^Expiring in 60 days/));
    expect(opened.path()).toBe('/domain/list?kind=unverified');
    await opened.user.click(press(/^Registrant not verified/));
    expect(opened.path()).toBe('/domain/list');
  });

  test('of the customers show the domains of one, until they are cleared', async () => {
    const opened = await open({}, { path: '/domain/list?page=2&kind=manual' });
    expect(press('Showing All Customers').disabled).toBe(true);
    await opened.user.click(screen.getByRole('combobox', { name: 'Customer' }));
    await opened.user.click(screen.getByText('Zeta'));
    expect(opened.path()).toBe(`/domain/list?kind=manual&customer=${uuid(22)}`);
    expect(asked(opened).at(-1)).toEqual({ ...first, autoRenew: 'off', customerId: uuid(22) });
    expect(screen.getByRole('combobox', { name: 'Customer' })).toHaveProperty('value', 'Zeta');
    await opened.user.click(press('Clear Filter'));
    expect(opened.path()).toBe('/domain/list?kind=manual');
  });
});

describe('chosen domains', () => {
  test('that have left the account are not renewed', async () => {
    const gone = [row('ended.com', { status: 'ended' }), row('missing.com', { missing: true })];
    const opened = await open({ 'GET /domain': paged([acme, ...gone]) });
    await pick(opened, 'acme.com', 'ended.com', 'missing.com');
    expect(opened.sent('POST /cart/prices').at(-1)?.body).toEqual([
      { address: 'acme.com', period: 1, whois: false, kind: 'renewal' },
    ]);
    await opened.user.click(bar().getByRole('button', { name: 'Renew' }));
    expect(cartNow().items.map(({ address }) => address)).toEqual(['acme.com']);
  });

  test('are renewed at the price that was told, as they stand, and in no order', async () => {
    const opened = await open();
    await pick(opened, 'acme.com');
    expect(bar().getByText('1 domain selected')).toBeDefined();
    expect(bar().getByText('Renewing it costs $12.50')).toBeDefined();
    await pick(opened, 'zeta.com', 'coming.com');
    expect(bar().getByText('3 domains selected')).toBeDefined();
    // One that is on its way cannot be renewed.
    expect(bar().getByText('Renewing both costs $1,012.50')).toBeDefined();
    expect(opened.sent('POST /cart/prices').at(-1)?.body).toEqual(
      ['acme.com', 'zeta.com'].map((address) => ({ address, period: 1, whois: false, kind: 'renewal' })),
    );
    await opened.user.click(bar().getByRole('button', { name: 'Renew' }));
    expect(cartNow().items).toEqual([
      {
        ...{ type: 'renewal', address: 'acme.com', registration: 1, autoRenew: true },
        ...{ customerId: uuid(21), expireDate: '2036-03-01T12:00:00Z' },
      },
      {
        ...{ type: 'renewal', address: 'zeta.com', registration: 1, autoRenew: false },
        ...{ customerId: null, expireDate: '2037-03-01T12:00:00Z' },
      },
    ]);
    expect(bar().getByRole('status').textContent).toContain('2 renewals are in your cart.');
    expect(box('Select acme.com')?.checked).toBe(false);
    await opened.user.click(bar().getByRole('link', { name: 'View Cart' }));
    expect(opened.path()).toBe('/cart');
  });

  test.each<[string, unknown]>([
    ['is not read', silence],
    [
      'is not known of one',
      (call: Call) => priced(call).map((line, at) => (at === 1 ? { ...line, error: 'No price' } : line)),
    ],
    ['leaves one out', (call: Call) => priced(call).slice(0, 1)],
  ])('are not said to cost what is only a part of it, where a price %s', async (_how, answer) => {
    const opened = await open({ 'POST /cart/prices': answer });
    await pick(opened, 'acme.com', 'zeta.com');
    expect(bar().queryByText(/costs/)).toBeNull();
    expect(bar().getByRole('button', { name: 'Renew' })).toHaveProperty('disabled', false);
  });

  /** Clicks that come before there is time to draw anything but the boxes. */
  const atOnce = async ({ settled }: Opened, ...clicked: (HTMLElement | null | undefined)[]) => {
    await getConfig().asyncWrapper(async () => {
      for (const one of clicked) {
        one?.click();
        await Promise.resolve();
      }
    });
    await settled();
  };

  test('are renewed as their boxes stand, where what can be done with them is still drawn as it was', async () => {
    const opened = await open();
    await pick(opened, 'acme.com', 'zeta.com');
    await atOnce(opened, box('Select acme.com'), bar().getByRole('button', { name: 'Renew' }));
    expect(cartNow().items.map(({ address }) => address)).toEqual(['zeta.com']);
    expect((await screen.findByText(/in your cart/)).textContent).toBe('1 renewal is in your cart.');
    expect([box('Select acme.com')?.checked, box('Select zeta.com')?.checked]).toEqual([false, false]);
  });

  test('are not renewed with one that was chosen while the button was drawn for the others', async () => {
    const opened = await open();
    await pick(opened, 'acme.com');
    await atOnce(opened, box('Select zeta.com'), bar().getByRole('button', { name: 'Renew' }));
    expect(cartNow().items.map(({ address }) => address)).toEqual(['acme.com']);
    expect((await screen.findByText(/is in your cart/)).textContent).toBe('1 renewal is in your cart.');
    expect([box('Select acme.com')?.checked, box('Select zeta.com')?.checked]).toEqual([false, true]);
  });

  test('are in the cart once where the button is pressed twice, and that is said', async () => {
    const opened = await open();
    await pick(opened, 'acme.com', 'zeta.com');
    const renew = bar().getByRole('button', { name: 'Renew' });
    await atOnce(opened, renew, renew);
    expect(cartNow().items.map(({ address }) => address)).toEqual(['acme.com', 'zeta.com']);
    expect((await screen.findByText(/in your cart/)).textContent).toBe('2 renewals are in your cart.');
  });

  test('that were given up are not renewed by the press that comes right behind', async () => {
    const opened = await open();
    await pick(opened, 'acme.com');
    const [renew, clear] = ['Renew', 'Clear selection'].map((name) => bar().getByRole('button', { name }));
    await atOnce(opened, clear, renew);
    expect(cartNow().items).toEqual([]);
    expect(screen.queryByText(/in your cart/)).toBeNull();
  });

  test('that find no place in a full cart stay chosen, and that is said', async () => {
    const others = Array.from({ length: 199 }, (_unused, at) => ({
      ...({ type: 'renewal', address: `x${at}.com`, registration: 1, autoRenew: false } as const),
      ...{ customerId: null, expireDate: '2036-03-01T12:00:00Z' },
    }));
    cart.add(...others);
    const opened = await open();
    await pick(opened, 'acme.com', 'zeta.com');
    await opened.user.click(bar().getByRole('button', { name: 'Renew' }));
    expect(bar().getByText(/is in your cart/).textContent).toBe(
      '1 renewal is in your cart. The domain that is still selected found no place.',
    );
    expect([box('Select acme.com')?.checked, box('Select zeta.com')?.checked]).toEqual([false, true]);
    // What is chosen next is another matter.
    await pick(opened, 'acme.com');
    expect(bar().queryByText(/is in your cart/)).toBeNull();
  });

  test('that are only on their way cannot be renewed or changed', async () => {
    const opened = await open();
    await pick(opened, 'coming.com');
    for (const name of ['Renew', 'Auto renew on', 'Auto renew off', 'Lock', 'Change...']) {
      expect(bar().getByRole('button', { name })).toHaveProperty('disabled', true);
    }
    await opened.user.click(bar().getByRole('button', { name: 'Clear selection' }));
    expect(screen.queryByRole('region', { name: 'Selected domains' })).toBeNull();
    expect(box('Select coming.com')?.checked).toBe(false);
  });

  test('stay chosen over the pages, and are given up one by one', async () => {
    const pages = ({ query }: Call) =>
      paged(query.page === '1' ? [acme, zeta] : [coming], { total: 52, page: Number(query.page) });
    const opened = await open({ [reading]: pages });
    await opened.user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }));
    expect(bar().getByText('2 domains selected')).toBeDefined();
    await opened.user.click(press('2'));
    expect(box('Select all on this page')?.checked).toBe(false);
    await pick(opened, 'coming.com');
    expect(bar().getByText('3 domains selected')).toBeDefined();
    await opened.user.click(press('1'));
    expect(box('Select all on this page')?.checked).toBe(true);
    await pick(opened, 'acme.com');
    expect(bar().getByText('2 domains selected')).toBeDefined();
    await opened.user.click(bar().getByRole('button', { name: 'Change...' }));
    expect(chosenNames()).toBe('zeta.com');
    expect(opened.path()).toBe('/changes/new');
  });
});

describe('all of them', () => {
  const many = Array.from({ length: 250 }, (_unused, at) => row(`n${at}.com`));
  /** As the portal pages: the screen by fifty, the choice by as many as one reply may hold. */
  const pages = ({ query }: Call) => {
    const [page, size] = [Number(query.page), Number(query.pageSize)];
    const shown = size === 50 ? 2 : size;
    return paged(many.slice((page - 1) * size, (page - 1) * size + shown), {
      ...{ total: 250, page, pageSize: size },
    });
  };

  test('are chosen at a stroke: those of the filter, whatever page they are on', async () => {
    const opened = await open({ [reading]: pages }, { path: '/domain/list?kind=unlocked&search=n' });
    expect(button('Select all 250')).toBeNull();
    await pick(opened, 'n0.com');
    const before = asked(opened).length;
    await opened.user.click(press('Select all 250'));
    const filter = { sort: 'address', search: 'n', locked: 'no', pageSize: '200' };
    expect(asked(opened).slice(before)).toEqual([
      { ...filter, page: '1' },
      { ...filter, page: '2' },
    ]);
    expect(bar().getByText('250 domains selected')).toBeDefined();
    expect(button('Select all 250')).toBeNull();
    // More than one cart holds are not priced.
    expect(bar().queryByText(/costs/)).toBeNull();
  });

  test('are not chosen twice while they are on their way; a failure says so and leaves what was chosen', async () => {
    const held = new Held();
    const answer = (call: Call) => (call.query.pageSize === '200' ? held : pages(call));
    const opened = await open({ [reading]: answer });
    await pick(opened, 'n0.com');
    await opened.user.click(press('Select all 250'));
    expect(press('Selecting...').disabled).toBe(true);
    held.give(refused(503, 'unavailable', { message: 'The service is overloaded.' }));
    await opened.settled();
    await opened.settled();
    expect(bar().getByRole('alert').textContent).toBe('The service is overloaded.');
    expect(bar().getByText('1 domain selected')).toBeDefined();
    expect(press('Select all 250').disabled).toBe(false);
    // What is chosen next is another matter.
    await pick(opened, 'n1.com');
    expect(bar().queryByRole('alert')).toBeNull();
  });

  test('are not chosen by an answer that comes after one of them was given up', async () => {
    const held = new Held();
    const answer = (call: Call) => (call.query.pageSize === '200' ? held : pages(call));
    const opened = await open({ [reading]: answer });
    await pick(opened, 'n0.com', 'n1.com');
    await opened.user.click(press('Select all 250'));
    await pick(opened, 'n0.com');
    held.give(paged(many.slice(0, 200), { total: 200, page: 1, pageSize: 200 }));
    await opened.settled();
    await opened.settled();
    expect([box('Select n0.com')?.checked, box('Select n1.com')?.checked]).toEqual([false, true]);
  });

  test('are not chosen by an answer that comes after what was chosen went into the cart', async () => {
    const held = new Held();
    const answer = (call: Call) => (call.query.pageSize === '200' ? held : pages(call));
    const opened = await open({ [reading]: answer });
    await pick(opened, 'n0.com');
    await opened.user.click(press('Select all 250'));
    await opened.user.click(bar().getByRole('button', { name: 'Renew' }));
    held.give(paged(many.slice(0, 200), { total: 200, page: 1, pageSize: 200 }));
    await opened.settled();
    await opened.settled();
    expect(cartNow().items.map(({ address }) => address)).toEqual(['n0.com']);
    expect([box('Select n0.com')?.checked, box('Select n1.com')?.checked]).toEqual([false, false]);
  });

  test('are not chosen by an answer that comes after the selection was cleared, nor kept from being chosen later', async () => {
    const held = new Held();
    const answer = (call: Call) => (call.query.pageSize === '200' ? held : pages(call));
    const opened = await open({ [reading]: answer });
    await pick(opened, 'n0.com');
    await opened.user.click(press('Select all 250'));
    await opened.user.click(bar().getByRole('button', { name: 'Clear selection' }));
    await pick(opened, 'n1.com');
    expect(press('Select all 250').disabled).toBe(false);
    held.give(paged(many.slice(0, 200), { total: 200, page: 1, pageSize: 200 }));
    await opened.settled();
    await opened.settled();
    expect(bar().getByText('1 domain selected')).toBeDefined();
    expect([box('Select n0.com')?.checked, box('Select n1.com')?.checked]).toEqual([false, true]);
  });

  test.each([
    [1_000, true],
    [1_001, false],
  ])('of %d are offered to be chosen at a stroke: %s', async (total, offered) => {
    const opened = await open({ [reading]: paged([acme, zeta], { total }) });
    await pick(opened, 'acme.com');
    expect(button(/^Select all \d/) !== null).toBe(offered);
  });
});

describe('a change of chosen domains', () => {
  const counts = {
    ...{ total: 2, waiting: 2, ready: 0, warned: 0, leftOut: 0, same: 0, barred: 0, queued: 0, applying: 0 },
    ...{ done: 0, failed: 0, moved: 0, cancelled: 0 },
  };
  const change = {
    ...{ id: uuid(61), title: 'x', reason: '', request: { kind: 'lock' }, sentence: '', state: 'draft' },
    ...{ note: '', author: 'Ann', createdAt: '2026-11-20T12:00:00Z', startedAt: null, endedAt: null },
    ...{ undoes: null, undoneBy: null, leftByUndo: null, round: 0, counts },
  };

  test.each([
    ['Auto renew on', { kind: 'auto-renew', enabled: true }],
    ['Auto renew off', { kind: 'auto-renew', enabled: false }],
    ['Lock', { kind: 'lock', locked: true }],
  ])('is made of those that are here, and shown before it is applied: %s', async (name, request) => {
    const opened = await open({ 'POST /changes': change });
    await pick(opened, 'acme.com', 'coming.com', 'zeta.com');
    await opened.user.click(bar().getByRole('button', { name }));
    expect(opened.sent('POST /changes').map(({ body }) => body)).toEqual([
      {
        ...{ title: expect.any(String), request },
        targets: { kind: 'names', names: ['acme.com', 'zeta.com'] },
      },
    ]);
    expect(opened.path()).toBe(`/changes/${uuid(61)}`);
  });

  test.each([
    ['refused', refused(422, 'unprocessable', { message: 'Too many changes.' }), 'Too many changes.'],
    ['not answered', silence, 'Something went wrong'],
  ])('that is %s says so, and what was chosen stays', async (_what, answer, text) => {
    const held = new Held();
    const opened = await open({ 'POST /changes': held });
    await pick(opened, 'acme.com');
    await opened.user.click(bar().getByRole('button', { name: 'Lock' }));
    expect(bar().getByRole('button', { name: 'Preparing...' })).toHaveProperty('disabled', true);
    await opened.user.click(bar().getByRole('button', { name: 'Preparing...' }));
    expect(opened.sent('POST /changes')).toHaveLength(1);
    held.give(answer);
    await opened.settled();
    await opened.settled();
    expect(bar().getByRole('alert').textContent).toBe(text);
    expect(bar().getByText('1 domain selected')).toBeDefined();
    expect(opened.path()).toBe('/domain/list');
  });
});

describe('who may', () => {
  const offered = () => ({
    renewals: screen.queryByRole('link', { name: 'Renewals' }) !== null,
    transfer: screen.queryByRole('link', { name: 'Transfer a domain' }) !== null,
    customers: screen.queryByRole('combobox', { name: 'Customer' }) !== null,
    views: button('Saved views') !== null,
    choose: box('Select acme.com') !== null,
    certificate: screen.queryByRole('link', { name: /^Purchase SSL Certificate for acme/ }) !== null,
  });
  const all = {
    renewals: true,
    transfer: true,
    customers: true,
    views: true,
    choose: true,
    certificate: true,
  };
  const none = Object.fromEntries(Object.keys(all).map((name) => [name, false]));

  test.each(roles)('is offered what they may: %s', async (role) => {
    const { sent } = await open({}, { role });
    expect(offered()).toEqual(role === 'MSP_CUSTOMER' ? none : all);
    expect(sent('GET /customer/choices').length > 0).toBe(role !== 'MSP_CUSTOMER');
  });

  test('change but not buy chooses, and neither renews nor reads a price', async () => {
    const opened = await open({}, { without: 'orders.purchase' });
    await pick(opened, 'acme.com');
    expect(bar().queryByRole('button', { name: 'Renew' })).toBeNull();
    expect(bar().getByRole('button', { name: 'Lock' })).toHaveProperty('disabled', false);
    expect(opened.sent('POST /cart/prices')).toEqual([]);
  });

  test('buy but not change many chooses, and is offered no change', async () => {
    const opened = await open({}, { without: 'changes.manage' });
    await pick(opened, 'acme.com');
    expect(bar().getByRole('button', { name: 'Renew' })).toHaveProperty('disabled', false);
    expect(bar().queryByRole('button', { name: 'Lock' })).toBeNull();
    expect(bar().queryByRole('button', { name: 'Change...' })).toBeNull();
  });
});
