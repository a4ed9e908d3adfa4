import { fireEvent } from '@testing-library/react';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Answers,
  type Call,
  Held,
  openScreen,
  paged,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import type { Role } from '../../contracts/permissions.ts';
import { cart, cartNow } from '../features/orders/cart.ts';
import CustomerDetailScreen from './customer-detail.tsx';

const id = uuid(3);
const owner = {
  ...{ organization: 'Acme', firstName: 'Ann', lastName: 'Smith', address1: '1 Main St', city: 'Troy' },
  ...{ state: 'NY', postalCode: '12180', country: 'US', email: 'ann@a.example', phone: '+1.5185550100' },
};
const none = { type: 'percentage', value: 0 };
const acme = {
  ...{ customerId: id, contacts: { owner, admin: owner, billing: owner } },
  billing: { billDirectly: true, email: 'pay@a.example', stripeId: 'cus_1', allowChangeBilling: false },
  markups: { domain: { purchase: none, renewal: none }, certificate: { purchase: none, renewal: none } },
  ...{ domainsCount: 2, paymentMethodSet: true, allowDomainSettings: false, version: 3 },
  chargesStopped: null,
  createdAt: '2026-11-01T00:00:00Z',
};
const domain = (address: string, more: object = {}) => ({
  ...{ address, customerId: id, customer: 'Acme', expireDate: '2027-03-05T12:00:00Z', registeredAt: null },
  ...{ status: 'active', missing: false, autoRenew: true, locked: true, verification: null },
  ...{ verificationDeadline: null, syncedAt: null, certificate: null, ...more },
});
const item = (n: number) => ({
  ...{
    id: uuid(60 + n),
    cause: 'certificate',
    severity: 'soon',
    name: `${n}.example`,
    title: 'needs a proof',
  },
  ...{ detail: 'Since today', when: '3 days', deadline: null, openedAt: '2026-11-01T00:00:00Z' },
  ...{ customerId: id, customer: 'Acme', owner: null, snoozedUntil: null, version: 1 },
  ...{ action: { label: 'Prove', to: `/SSL/${n}?tab=proof` }, renewal: null },
});
const counted = (now: number, soon: number) => ({ now, soon, snoozed: 0, mine: 0, causes: [] });
const year = (more: object) => ({
  ...{ key: id, label: 'Acme', items: 1, cost: 0, otherCost: 0, received: 0, earned: 0, ...more },
});
const certificates =
  (all: number, attention: number) =>
  ({ query }: Call) =>
    paged([], { total: query.band === 'attention' ? attention : all });

const read = 'GET /customer/:id';
const change = 'PATCH /customer/:id';
const domains = 'GET /domain/:customerId';
const quiet: Answers = {
  ...{ [read]: acme, [domains]: paged([domain('acme.example')], { total: 2 }) },
  ...{ 'GET /ssl/:customerId': certificates(3, 0), 'GET /health': { rows: [], more: false, counts: [] } },
  ...{ 'GET /attention': { items: [], more: false }, 'GET /attention/counts': counted(0, 0) },
  ...{ 'GET /account/earnings': [], 'GET /audit': paged([]), 'GET /acme/allowance/:customerId': null },
};
const open = (answers: Answers = {}, { role = 'MSP_OWNER', tab = '' }: { role?: Role; tab?: string } = {}) =>
  openScreen(CustomerDetailScreen, {
    ...{ route: '/customers/$customerId/{-$tab}', path: `/customers/${id}${tab && `/${tab}`}`, role },
    answers: { ...quiet, ...answers },
  });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const tabs = () => screen.getAllByRole('tab').map(({ textContent }) => textContent);
const active = () => screen.getByRole('tab', { selected: true }).textContent;
const figures = () =>
  [...screen.getByLabelText('Figures').querySelectorAll('dt')].map((term) => [
    term.textContent,
    ...[...(term.nextElementSibling?.children ?? [])].map((part) => part.textContent),
  ]);

describe('the tabs of a customer', () => {
  test('are shown with their counts, and each has an address', async () => {
    const { user, path, sent } = await open();
    expect(tabs()).toEqual(['Profile', 'Domains2', 'Certificates3', 'Billing']);
    expect(active()).toBe('Profile');
    expect(screen.getByRole('heading', { name: 'Customer Management: Acme' })).toBeDefined();
    expect(sent(read).map(({ params }) => params)).toEqual([{ id }]);
    expect(screen.getByRole('link', { name: 'Customers' }).getAttribute('href')).toBe('/customers');
    await user.click(screen.getByRole('tab', { name: /^Certificates/ }));
    expect(path()).toBe(`/customers/${id}/certificates`);
    expect(screen.getByText('No certificates found')).toBeDefined();
    await user.click(screen.getByRole('tab', { name: /^Billing/ }));
    expect(path()).toBe(`/customers/${id}/billing`);
    expect(active()).toBe('Billing');
    expect(screen.getByLabelText('Billing email')).toHaveProperty('value', 'pay@a.example');
    expect(screen.queryByText('Recent activity')).toBeNull();
  });

  test.each<[Role, string, string, boolean]>([
    ['MSP_ADMIN', 'nothing', 'Profile', true],
    ['MSP_EMPLOYEE', 'billing', 'Billing', false],
    ['MSP_CUSTOMER', 'billing', 'Profile', false],
  ])('of %s at the address of %s are at %s', async (role, tab, at, mayErase) => {
    await open({}, { role, tab });
    expect(active()).toBe(at);
    if (at === 'Billing') return expect(button('Save').disabled).toBe(true);
    expect(button('Edit')).toBeDefined();
    return expect(screen.queryByText('Danger zone') !== null).toBe(mayErase);
  });

  test('show a customer’s own user their contacts and nothing of the provider’s business', async () => {
    const { sent } = await open({}, { role: 'MSP_CUSTOMER', tab: 'certificates' });
    expect(tabs()).toEqual(['Profile', 'Domains2', 'Certificates3']);
    expect(screen.getByRole('heading', { name: 'Contacts: Acme' })).toBeDefined();
    expect(screen.queryByRole('link', { name: 'Customers' })).toBeNull();
    expect(figures().map(([title]) => title)).toEqual(['Domains', 'Certificates', 'Health']);
    expect(sent('GET /account/earnings')).toEqual([]);
    expect(screen.getByRole('link', { name: 'ACME access' }).getAttribute('href')).toBe('/certificates/acme');
    expect(sent('GET /acme/allowance/:customerId')).toEqual([]);
  });

  test('lead staff to the ACME accesses of this customer, and what its users may', async () => {
    const { sent } = await open({}, { tab: 'certificates' });
    const href = screen.getByRole('link', { name: 'ACME access' }).getAttribute('href');
    expect(href).toContain(`customer=${id}`);
    expect(sent('GET /acme/allowance/:customerId').map(({ params }) => params)).toEqual([{ customerId: id }]);
  });
});

test('a certificate that is ordered beside a domain of the customer is theirs, and leads to the cart', async () => {
  const price = {
    ...{ productType: 'dv', provider: 'sectigo', certificate: 'DV', price: 12, pricePerYear: 12 },
    ...{ businessValidated: false, wildcard: false },
  };
  onTestFinished(() => cart.clear());
  const { user, path } = await open({ 'GET /ssl/prices': [price] }, { tab: 'domains' });
  await user.click(screen.getByRole('link', { name: 'Purchase SSL Certificate for acme.example' }));
  expect(cartNow().items).toMatchObject([
    { type: 'certificate', address: 'acme.example', customerId: id, productType: 'dv' },
  ]);
  expect(path()).toBe('/cart');
});

describe('the figures of a customer', () => {
  test('are what there is, what is next and what it brought, in dollars', async () => {
    await open({
      'GET /ssl/:customerId': certificates(3, 1),
      'GET /account/earnings': [year({ cost: 20_000, received: 123_456, earned: 103_456 })],
    });
    const shown = figures();
    expect(shown[0]?.slice(0, 2)).toEqual(['Domains', '2']);
    expect(shown[0]?.[2]).toMatch(/^next expires .*2027/);
    expect(shown.slice(1)).toEqual([
      ['Certificates', '3', '1 needs you'],
      ['Health', 'No problems', 'as others see its domains'],
      ['Charged in 12 months', '$1,234.56', 'your margin $1,034.56'],
      ['Direct billing', 'Active', 'charged directly'],
    ]);
  });

  const unbilled = { billing: { ...acme.billing, billDirectly: false } };
  test.each([
    ['without direct billing', unbilled, 0, 0, 'none ordered yet', ['Disabled', 'from your balance']],
    [
      'without a payment method',
      { paymentMethodSet: false },
      3,
      2,
      '2 need you',
      ['Pending', 'no payment method yet'],
    ],
  ])('of one %s are what was spent', async (_what, more, all, attention, text, billing) => {
    await open({
      ...{ [read]: { ...acme, ...more }, 'GET /ssl/:customerId': certificates(all, attention) },
      'GET /account/earnings': [year({ otherCost: 9_901 })],
    });
    expect(figures().filter(([title]) => title !== 'Domains' && title !== 'Health')).toEqual([
      ['Certificates', String(all), text],
      ['Spent in 12 months', '$99.01', 'from your balance'],
      ['Direct billing', ...billing],
    ]);
  });

  test.each([
    ['disputed on', { since: '2026-11-20T12:00:00Z', disputes: 1, chargeId: uuid(9) }],
    ['2 disputes since', { since: '2026-11-20T12:00:00Z', disputes: 2, chargeId: null }],
  ])('say that charges are stopped, and since when: %s', async (text, chargesStopped) => {
    await open({ [read]: { ...acme, chargesStopped } });
    expect(figures().at(-1)).toEqual(['Direct billing', 'Stopped', `${text} Nov 20, 2026`]);
  });

  test.each<[string, object, string[]]>([
    [
      'that received nothing yet',
      { cost: 500, earned: -500 },
      ['Charged in 12 months', '$0.00', 'your margin −$5.00'],
    ],
    [
      'that cost nothing',
      { received: 500, earned: 500 },
      ['Charged in 12 months', '$5.00', 'your margin $5.00'],
    ],
    ['of which nothing was ordered', {}, ['Spent in 12 months', '$0.00', 'from your balance']],
  ])(
    'of a year %s are what the customer was charged, once there is any of it',
    async (_what, more, figure) => {
      const { sent } = await open({ 'GET /account/earnings': [year(more)] });
      expect(figures()[3]).toEqual(figure);
      expect(sent('GET /account/earnings')).toHaveLength(1);
    },
  );

  test.each([
    [1, '1 problem'],
    [12, '12 problems'],
  ])(
    'of problems are how many there are, with the first of them and the way to all: %i',
    async (count, text) => {
      const finding = {
        ...{ id: uuid(81), kind: 'ns-none', area: 'delegation', weight: 'bad', title: 'Mail can be forged' },
        ...{
          meaning: 'Anybody can.',
          remedy: 'Say who may.',
          certainty: 'sure',
          fix: null,
          detail: 'No answer',
        },
        ...{ firstSeen: acme.createdAt, lastSeen: acme.createdAt, clearedAt: null, muted: null },
        ...{ domain: 'acme.example', watched: null, customerId: id, customer: 'Acme' },
      };
      const counts = [
        { kind: 'ns-none', count: 1 },
        { kind: 'ns-lame', count: count - 1 },
      ];
      await open({ 'GET /health': { rows: [finding], more: false, counts } });
      expect(figures()[2]).toEqual(['Health', text, 'Mail can be forged']);
      const href = screen.getByRole('link', { name: 'Mail can be forged' }).getAttribute('href');
      expect(href).toBe(`/health?customer=${id}`);
    },
  );

  test('of certificates that are all in order say so', async () => {
    await open({ 'GET /ssl/:customerId': certificates(3, 0) });
    expect(figures()[1]).toEqual(['Certificates', '3', 'all in order']);
  });

  test('that cannot be read are a dash, never a number', async () => {
    const gone = refused(503, 'unavailable');
    await open({
      ...{
        [domains]: gone,
        'GET /ssl/:customerId': gone,
        'GET /health': gone,
        'GET /account/earnings': gone,
      },
    });
    expect(
      figures()
        .slice(0, 4)
        .map(([title, value]) => [title, value]),
    ).toEqual([
      ...[
        ['Domains', '–'],
        ['Certificates', '–'],
        ['Health', '–'],
        ['Spent in 12 months', '–'],
      ],
    ]);
    expect(tabs()).toEqual(['Profile', 'Domains', 'Certificates', 'Billing']);
  });
});

describe('what happened lately', () => {
  const entry = {
    ...{ sequence: 1, at: '2026-11-01T12:00:00Z', actor: 'bob@msp.example', actorId: uuid(11), ip: null },
    ...{ action: 'customers.create', objectKind: 'customer', object: 'Acme', customerId: id },
    ...{ customer: 'Acme', before: null, after: null },
  };
  const activity = () => within(screen.getByRole('region', { name: 'Recent activity' }));

  test('is below the contacts: the latest eight entries, and the way to all of this customer', async () => {
    const { sent } = await open({
      'GET /audit': paged([entry, { ...entry, sequence: 2, object: uuid(77), actor: 'eve@msp.example' }]),
    });
    const lines = activity()
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);
    expect(lines[0]).toMatch(/^Created a customer Acme by bob/);
    // An id says nothing to a person.
    expect(lines[1]).toMatch(/^Created a customer by eve/);
    expect(sent('GET /audit').map(({ query }) => query)).toEqual([
      { customerId: id, page: '1', pageSize: '8', sort: '-at' },
    ]);
    const all = activity().getByRole('link', { name: 'View all' }).getAttribute('href');
    expect(all).toBe(`/audit?customer=${id}`);
  });

  test('that is nothing says so; that cannot be read says so, and is read again', async () => {
    const opened = await open({ 'GET /audit': refused(503, 'unavailable', { message: 'Please wait.' }) });
    expect(activity().getByRole('alert').textContent).toContain('Please wait.');
    expect(activity().queryByText('No changes yet.')).toBeNull();
    opened.answer('GET /audit', paged([]));
    await opened.user.click(activity().getByRole('button', { name: 'Try again' }));
    expect(activity().getByText('No changes yet.')).toBeDefined();
  });
});

describe('an edit', () => {
  const city = () => screen.getByLabelText<HTMLInputElement>(/^City/);

  test.each([
    [
      'refused',
      refused(404, 'not_found', { message: 'It is gone.' }),
      refused(404, 'not_found'),
      'It is gone.',
    ],
    ['without an answer', silence, refused(503, 'unavailable'), 'Something went wrong'],
    ['without an answer', silence, silence, 'Something went wrong'],
  ])(
    'that is %s keeps what was typed, even if the customer cannot be read any more',
    async (_what, how, later, message) => {
      const { user, answer, sent, path } = await open({ [change]: how });
      await user.click(button('Edit'));
      fireEvent.change(city(), { target: { value: 'Utica' } });
      answer(read, later);
      await user.click(button('Save'));
      expect(sent(read)).toHaveLength(2);
      expect(screen.getByText(message)).toBeDefined();
      expect(city().value).toBe('Utica');
      expect(path()).toBe(`/customers/${id}`);
      await user.click(button('Save'));
      expect(sent(change)).toHaveLength(2);
    },
  );

  test('is not left behind by another tab unasked', async () => {
    const { user, path } = await open();
    await user.click(button('Edit'));
    fireEvent.change(city(), { target: { value: 'Utica' } });
    await user.click(screen.getByRole('tab', { name: /^Billing/ }));
    await user.click(button('Stay'));
    expect(path()).toBe(`/customers/${id}`);
    expect(city().value).toBe('Utica');
    await user.click(screen.getByRole('tab', { name: /^Billing/ }));
    await user.click(button('Leave'));
    expect(path()).toBe(`/customers/${id}/billing`);
  });
});

describe('an erasure', () => {
  const plan = 'GET /privacy/customer/:id/erasure';
  const erase = 'POST /privacy/customer/:id/erasure';
  const free = { people: 0, orders: 0, held: [], blockers: [], paymentCustomer: null };

  test('asks first, is of this customer by its name, and leads to the list', async () => {
    const { user, sent, path } = await open({ [plan]: free, [erase]: free });
    await user.click(button('Erase personal data'));
    const dialog = within(screen.getByRole('dialog', { name: 'Erase personal data' }));
    expect(dialog.getByText(/^Acme will be deleted/)).toBeDefined();
    expect(sent(erase)).toEqual([]);
    await user.click(button('Erase for good'));
    expect(sent(erase).map(({ params }) => params)).toEqual([{ id }]);
    expect(path()).toBe('/customers');
  });

  test('that needs a fresh sign-in leads there, and back to this customer', async () => {
    const { user, path, session } = await open({
      ...{ [plan]: free, [erase]: refused(403, 'fresh_sign_in_required') },
    });
    await user.click(button('Erase personal data'));
    await user.click(button('Erase for good'));
    expect(path()).toBe(`/customers/${id}`);
    await user.click(button('Sign in again'));
    expect(session.signIn).toHaveBeenCalledWith({ fresh: true, returnPath: `/customers/${id}` });
  });
});

describe('whether the customer’s own users may change settings', () => {
  const toggle = () => screen.getByRole<HTMLInputElement>('switch');

  test('is said by one press, which is sent once and shows at once', async () => {
    const answer = new Held();
    const { user, settled, sent, answer: from } = await open({ [change]: answer }, { tab: 'domains' });
    expect(toggle().checked).toBe(false);
    await user.click(toggle());
    expect([toggle().checked, toggle().disabled]).toEqual([true, true]);
    const saved = { ...acme, allowDomainSettings: true, version: 4 };
    from(read, saved);
    answer.give(saved);
    await settled();
    expect(sent(change).map(({ params, body }) => [params, body])).toEqual([
      [{ id }, { allowDomainSettings: true }],
    ]);
    expect([toggle().checked, toggle().disabled]).toEqual([true, false]);
    expect(screen.getByText('Saved.')).toBeDefined();
  });

  test('stays as it is when that is refused, and why is said', async () => {
    const { user } = await open(
      { [change]: refused(403, 'forbidden', { message: 'Not you.' }) },
      { tab: 'domains' },
    );
    await user.click(toggle());
    expect(screen.getByRole('alert').textContent).toBe('Not you.');
    expect(toggle().checked).toBe(false);
    expect(screen.queryByText('Saved.')).toBeNull();
  });

  test('is nothing that they themselves are shown', async () => {
    await open({}, { role: 'MSP_CUSTOMER', tab: 'domains' });
    expect(screen.queryByRole('switch')).toBeNull();
    expect(screen.getByRole('table', { name: 'Domains' })).toBeDefined();
  });
});

describe('the domains of a customer', () => {
  test('lead each to its page under this customer, with when it expires', async () => {
    const { expireDate: _, ...coming } = domain('b.example');
    const { sent } = await open(
      { [domains]: paged([domain('a.example', { certificate: { state: 'ACTIVE', orderId: '7' } }), coming]) },
      { tab: 'domains' },
    );
    const links = [...document.querySelectorAll('a[data-row-link]')];
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      ...[`/customers/${id}/domains/a.example`, `/customers/${id}/domains/b.example`],
    ]);
    const [, first, second] = within(screen.getByRole('table', { name: 'Domains' })).getAllByRole('row');
    expect(first?.textContent).toContain('2027');
    expect(first?.querySelector('a[href="/SSL/7"]')).not.toBeNull();
    expect(second?.textContent).toContain('Pending Transfer');
    expect(sent(domains).at(-1)).toMatchObject({ params: { customerId: id }, query: { sort: 'address' } });
  });

  test('that are none say so', async () => {
    await open({ [domains]: paged([]) }, { tab: 'domains' });
    expect(screen.getByText('No domains found')).toBeDefined();
  });
});

describe('what waits of a customer', () => {
  test('is shown with its act, three at most, and the way to all of them', async () => {
    const items = [1, 2, 3, 4].map(item);
    const { sent } = await open({
      ...{ 'GET /attention': { items, more: true }, 'GET /attention/counts': counted(2, 5) },
    });
    expect(sent('GET /attention')[0]?.query).toMatchObject({ customerId: id });
    expect(sent('GET /attention/counts')[0]?.query).toEqual({ customerId: id });
    const acts = screen.getAllByRole('link', { name: /^Prove/ });
    expect(acts.map((act) => act.getAttribute('href'))).toEqual([1, 2, 3].map((n) => `/SSL/${n}?tab=proof`));
    const all = screen.getByRole('link', { name: 'All 7' }).getAttribute('href');
    expect(all).toBe(`/attention?customer=${id}`);
  });

  test.each([
    [counted(1, 2), null],
    [counted(1, 3), 'All 4'],
  ])('has the way to more where there are more than three: of %o', async (counts, link) => {
    const { sent } = await open({
      'GET /attention': { items: [1, 2, 3].map(item), more: false },
      'GET /attention/counts': counts,
    });
    expect(screen.getByText('Needs attention')).toBeDefined();
    expect(screen.queryByRole('link', { name: /^All \d/ })?.textContent ?? null).toBe(link);
    expect(sent('GET /attention')[0]?.query).toEqual({ customerId: id, limit: '3' });
  });

  test('is no card where nothing waits', async () => {
    await open();
    expect(screen.queryByText('Needs attention')).toBeNull();
  });
});

test.each([
  ['not_found', 404],
  ['validation_failed', 400],
])('a customer that is none leads to the list: %s', async (code, status) => {
  const { path } = await open({ [read]: refused(status, code) });
  expect(path()).toBe('/customers');
});

test('a customer on the way says so; one that cannot be read is read again on request', async () => {
  const answer = new Held();
  const { user, settled, answer: from, path } = await open({ [read]: answer });
  expect(screen.getByRole('status', { name: 'Loading customer...' })).toBeDefined();
  answer.give(refused(503, 'unavailable', { message: 'Please wait.' }));
  await settled();
  expect(screen.getByRole('alert').textContent).toContain('Please wait.');
  expect(path()).toBe(`/customers/${id}`);
  from(read, acme);
  await user.click(button('Try again'));
  expect(active()).toBe('Profile');
});
