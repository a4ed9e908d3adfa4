import { beforeEach, describe, expect, test } from 'vitest';
import { type Permission, type Role, roles } from '#contracts/permissions.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import {
  type Answers,
  type Call,
  Held,
  openScreen,
  profileOf,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { detailsOf, readingOf, registrantOf, type ShownDomain } from '../../../tests/support/shown-domain.ts';
import { groupRecords } from '../../contracts/values/zone-changes.ts';
import { cart, cartNow } from '../features/orders/cart.ts';
import DomainDetailScreen from './domain-detail.tsx';

const reading = 'GET /domain/details/:domain';
const owner = registrantOf();
const admin = registrantOf({ first_name: 'Al', last_name: 'Ng', email: 'al@acme.example' });
const deleted = { restorable_until: '2026-12-20T12:00:00Z', status: 'ended' } as const;
const transferring = { status: 'transferring', registry_expiredate: null, managed_dns: null } as const;

/** What its records show is told beside them. */
const zone = refused(404, 'not_found');

interface Opening {
  route?: string;
  path?: string;
  role?: Role;
  without?: Permission;
  answers?: Answers;
}

function open(
  domain: Partial<ShownDomain> | (() => Partial<ShownDomain>) = {},
  { route = '/domain/$domain/{-$tab}', path = '/domain/acme.com', role = 'MSP_OWNER', ...more }: Opening = {},
) {
  const permissions = profileOf(role).permissions.filter((name) => name !== more.without);
  return openScreen(DomainDetailScreen, {
    ...{ route, path, role, profile: { permissions } },
    answers: {
      [reading]: readingOf(typeof domain === 'function' ? domain : () => domain),
      'GET /account/balancev2': { balance: 20_000, pendingBalance: 0, held: 0, spendable: 10_000 },
      'GET /:domain/dnssec': { records: [{ keyTag: '1', algorithm: '13', digestType: '2', digest: 'AB' }] },
      'GET /:domain/nameserver': [],
      ...{ 'GET /:domain/zone': zone, 'GET /:domain/zone/last-changes': zone },
      'GET /domain/health/:domain': { watched: null, checkedAt: null, nextAt: null, findings: [] },
      ...more.answers,
    },
  });
}

/** The cart is kept outside of the screen. */
beforeEach(() => {
  cart.init(uuid(1));
  cart.clear();
});

const button = (name: string | RegExp) => screen.queryByRole<HTMLButtonElement>('button', { name });
const press = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const link = (name: string) => screen.queryByRole('link', { name });
const tabs = () =>
  screen.getAllByRole<HTMLButtonElement>('tab').map((tab) => `${tab.textContent}${tab.disabled ? ' -' : ''}`);
const openTab = () => screen.getByRole('tab', { selected: true }).textContent;

describe('the details', () => {
  test("are the portal's own at once, and the registrar's as soon as it has answered", async () => {
    const registrar = new Held();
    const copy = readingOf(() => ({ locked: true }));
    const opened = await open(() => ({}), {
      path: '/domain/ACME.com',
      answers: { [reading]: (call: Call) => (call.query.type === 'none' ? copy(call) : registrar) },
    });
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('acme.com');
    expect(press('Unlock').disabled).toBe(false);
    // While the registrar is being asked nothing is amiss.
    expect(screen.queryByText(/^The registrar is not responding/)).toBeNull();
    registrar.give(detailsOf({ locked: false }));
    await opened.settled();
    await opened.settled();
    expect(button('Unlock')).toBeNull();
    expect(press('Lock')).toBeDefined();
    const asked = opened.sent(reading).map(({ params, query }) => `${params.domain} ${query.type}`);
    expect(asked.slice(0, 2).sort()).toEqual(['acme.com all_info', 'acme.com none']);
  });

  test.each<[string, Partial<ShownDomain>, RegExp]>([
    ['active', {}, /^The registrar is not responding. .* as of Nov 20, 2026, /],
    ['never read', { syncedAt: null }, /^The registrar is not responding. .* from the order.$/],
    ['ended', { status: 'ended' }, /^This domain is no longer active. .* as of Nov 20, 2026, /],
    [
      'deleted',
      { ...deleted, status: 'expired' },
      /^This domain is no longer active. .* as of Nov 20, 2026, /,
    ],
  ])('say of what age they are where the registrar does not tell: %s', async (_state, domain, text) => {
    const answer = (call: Call) =>
      call.query.type === 'none' ? readingOf(() => domain)(call) : refused(502, 'upstream_unavailable')();
    await open(domain, { role: 'MSP_CUSTOMER', answers: { [reading]: answer } });
    const said = screen.getAllByRole('status').map(({ textContent }) => textContent ?? '');
    expect(said.filter((words) => text.test(words))).toHaveLength(1);
  });

  test('that could not be read say why, and are read again on request', async () => {
    const opened = await open({}, { answers: { [reading]: silence } });
    expect(screen.getByRole('alert').textContent).toContain('Something went wrong');
    expect(screen.queryAllByRole('tab')).toEqual([]);
    opened.answer(
      reading,
      readingOf(() => ({})),
    );
    await opened.user.click(press('Try again'));
    expect(press('Unlock')).toBeDefined();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test.each([
    ['not_found', 404],
    ['validation_failed', 400],
  ])('of a name that is none of theirs lead back to the list: %s', async (code, status) => {
    const { user, path } = await open(
      {},
      {
        answers: {
          [reading]: refused(status, code),
          'GET /domain/health/:domain': refused(404, 'not_found'),
        },
      },
    );
    expect(screen.getByText('This domain is not in your account')).toBeDefined();
    await user.click(screen.getByRole('link', { name: 'Show all domains' }));
    expect(path()).toBe('/domain/list');
  });

  test.each<[string, Role, string, string, string[]]>([
    ['/domain/$domain/{-$tab}', 'MSP_OWNER', '/domain/acme.com', 'Domain management', ['/domain/list']],
    [
      ...(['/customers/$customerId/domains/$domain', 'MSP_OWNER'] as const),
      ...([`/customers/${uuid(21)}/domains/acme.com`, 'Acme'] as const),
      ['/customers', `/customers/${uuid(21)}/domains`],
    ],
    [
      ...(['/customers/$customerId/domains/$domain', 'MSP_CUSTOMER'] as const),
      ...([`/customers/${uuid(21)}/domains/acme.com`, 'Acme'] as const),
      [`/customers/${uuid(21)}/domains`],
    ],
  ])('stand below what leads to them: %s, %s', async (route, role, path, last, links) => {
    await open({}, { route, path, role });
    const trail = within(screen.getByRole('navigation', { name: 'Breadcrumb' })).getAllByRole('link');
    expect(trail.map((one) => one.getAttribute('href'))).toEqual(links);
    expect(trail.at(-1)?.textContent).toBe(last);
  });
});

describe('the state', () => {
  const facts = () =>
    within(screen.getByRole('list', { name: 'State' }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);

  test.each<[Partial<ShownDomain>, string[]]>([
    [{}, ['Active', 'Locked', 'Auto renew on', 'Own DNS']],
    [{ locked: false, managed_dns: true }, ['Unlocked', 'Active', 'Auto renew on', 'Nameward DNS']],
    [{ status: 'ended' }, ['No longer in your account']],
    [{ missing: true }, ['No longer in your account']],
    [deleted, ['Deleted, can be restored']],
  ])('is told below the name, the worst first: %o', async (domain, expected) => {
    await open(domain, { role: 'MSP_CUSTOMER' });
    expect(facts()).toEqual(expected);
  });

  test.each<[Role, string | null]>([
    ['MSP_OWNER', `/customers/${uuid(21)}`],
    ['MSP_EMPLOYEE', `/customers/${uuid(21)}`],
    // A customer's own users know whose it is.
    ['MSP_CUSTOMER', null],
  ])('names the customer whose domain it is, for staff: %s', async (role, href) => {
    await open({}, { role });
    expect(link('Acme')?.getAttribute('href') ?? null).toBe(href);
  });

  test('of a domain that is nobody’s names nobody', async () => {
    await open({ customerId: null, customer: '' });
    expect(screen.queryByText(/^for/)).toBeNull();
  });

  test('tells of its life from the first day to the last', async () => {
    await open({
      stations: [
        { kind: 'registered', at: '2020-03-01T12:00:00Z' },
        { kind: 'expires', at: '2036-03-01T12:00:00Z' },
        { kind: 'grace-ends', at: '2036-04-10T12:00:00Z' },
      ],
    });
    expect(screen.getAllByText(/^Mar 1, 2020/)[0]?.closest('span')?.textContent).toBe(
      'Mar 1, 2020 to Mar 1, 2036',
    );
    const stations = within(screen.getByRole('list', { name: 'Timeline' })).getAllByRole('listitem');
    expect(stations.map(({ textContent }) => textContent)).toEqual([
      'Registered Mar 1, 2020',
      'Expires Mar 1, 2036',
      'Normal price until Apr 10, 2036',
    ]);
    expect(stations.map((station) => station.hasAttribute('data-past'))).toEqual([true, false, false]);
  });
});

describe('a renewal', () => {
  test('goes into the cart as it stands, once', async () => {
    const { user } = await open({ autoRenew: false });
    await user.click(press('Renew'));
    expect(cartNow().items).toEqual([
      {
        ...{ type: 'renewal', address: 'acme.com', registration: 1, autoRenew: false },
        ...{ customerId: uuid(21), expireDate: '2036-03-01T12:00:00Z' },
      },
    ]);
    expect(press('Renewal in cart').disabled).toBe(true);
  });

  test('is not in the cart because something else of the name is', async () => {
    cart.add({
      ...{ type: 'certificate', address: 'acme.com', customerId: uuid(21) },
      ...{ provider: 'sectigo', productType: 'first', csr: '', csrName: '' },
    } as never);
    await open();
    expect(press('Renew').disabled).toBe(false);
  });

  test('of another domain leaves this one to be renewed', async () => {
    cart.add({
      ...{ type: 'renewal', address: 'zeta.com', registration: 1, autoRenew: false },
      ...{ customerId: null, expireDate: '2036-03-01T12:00:00Z' },
    });
    await open();
    expect(press('Renew').disabled).toBe(false);
  });

  test.each<[string, Partial<ShownDomain>, Role, boolean]>([
    ['an active domain', {}, 'MSP_OWNER', true],
    ['an active domain', {}, 'MSP_ADMIN', true],
    ['an active domain', {}, 'MSP_EMPLOYEE', true],
    ['an active domain', {}, 'MSP_CUSTOMER', false],
    [
      'an expired domain',
      { status: 'expired', registry_expiredate: '2026-11-01T12:00:00Z' },
      'MSP_OWNER',
      true,
    ],
    ['a deleted domain', deleted, 'MSP_OWNER', false],
    ['a domain on its way', transferring, 'MSP_OWNER', false],
  ])(
    'and a certificate for %s are offered to those who may buy it: %o %s',
    async (_what, domain, role, offered) => {
      await open(domain, {
        role,
        answers: {
          'POST /cart/prices': [{ address: 'acme.com', kind: 'redemption', price: 80, premium: false }],
        },
      });
      expect([button('Renew') !== null, button('Order certificate') !== null]).toEqual([offered, offered]);
    },
  );

  test.each<Partial<ShownDomain>>([{ status: 'ended' }, { missing: true }])(
    'is not offered for a domain that has left the account: %o',
    async (domain) => {
      await open(domain);
      expect(screen.getByText('No longer in your account')).toBeDefined();
      expect([button('Renew'), button('Order certificate') === null]).toEqual([null, false]);
    },
  );
});

describe('a certificate', () => {
  const price = (productType: string) => ({
    ...{ productType, provider: 'sectigo', certificate: productType, price: 12, pricePerYear: 12 },
    ...{ businessValidated: false, wildcard: false },
  });

  test('goes into the cart for the owner of the domain, and the person along with it', async () => {
    const held = new Held();
    const { user, path, settled, sent } = await open({}, { answers: { 'GET /ssl/prices': held } });
    await user.click(press('Order certificate'));
    expect(press('Loading prices...').disabled).toBe(true);
    await user.click(press('Loading prices...'));
    held.give([price('first'), price('second')]);
    await settled();
    await settled();
    expect(sent('GET /ssl/prices')).toHaveLength(1);
    expect(cartNow().items).toEqual([
      {
        ...{ type: 'certificate', address: 'acme.com', customerId: uuid(21) },
        ...{ provider: 'sectigo', productType: 'first', csr: '', csrName: '' },
      },
    ]);
    expect(path()).toBe('/cart');
  });

  test.each<[string, unknown, Partial<ShownDomain>, string | null]>([
    ['without prices', silence, {}, 'Could not get certificate price data, please try again'],
    [
      ...(['without an owner', [price('first')], { customerId: null }] as const),
      'Could not get owner data for this domain, please try again',
    ],
  ])('%s is not ordered, and that is said', async (_what, prices, domain, text) => {
    const { user, path } = await open(domain, { answers: { 'GET /ssl/prices': prices } });
    await user.click(press('Order certificate'));
    expect(screen.getByRole('alert').textContent).toBe(text);
    expect(cartNow().items).toEqual([]);
    expect(path()).toBe('/domain/acme.com');
    expect(press('Order certificate').disabled).toBe(false);
  });
});

describe('a deleted domain', () => {
  const prices = [{ address: 'acme.com', kind: 'redemption', price: 80, premium: false }];

  test('is offered back to those who buy, against what they may spend', async () => {
    const { user } = await open(deleted, { answers: { 'POST /cart/prices': prices } });
    await user.click(press('Restore for $80.00'));
    expect(screen.getByRole('dialog').textContent).toContain('Your balance afterwards: $20.00');
  });

  test('is told of to those who do not, and neither its price nor the balance is read', async () => {
    const { sent } = await open(deleted, { role: 'MSP_CUSTOMER' });
    expect(screen.getByText('acme.com was deleted at the registry')).toBeDefined();
    expect(button(/^Restore/)).toBeNull();
    expect([...sent('POST /cart/prices'), ...sent('GET /account/balancev2')]).toEqual([]);
  });
});

describe('the tabs', () => {
  test.each([
    [true, ['Info', 'Managed DNS', 'Advanced DNS', 'Health']],
    [false, ['Info', 'Advanced DNS', 'Health']],
    [null, ['Info', 'Advanced DNS', 'Health']],
  ])('have the records where they are edited here: %s', async (managed_dns, expected) => {
    await open({ managed_dns });
    expect(tabs()).toEqual(expected);
    expect(openTab()).toBe('Info');
  });

  test.each([
    ['Health', '/domain/acme.com?tab=health'],
    ['Advanced DNS', '/domain/acme.com?tab=advanced'],
    ['Managed DNS', '/domain/acme.com/dns'],
  ])('are in the address: %s', async (name, address) => {
    const { user, path } = await open({ managed_dns: true });
    await user.click(screen.getByRole('tab', { name }));
    expect(path()).toBe(address);
  });

  test('of a customer’s domain stay below the customer', async () => {
    const below = `/customers/${uuid(21)}/domains/acme.com`;
    const { user, path } = await open(
      { managed_dns: true },
      {
        ...{ route: '/customers/$customerId/domains/$domain', path: `${below}?tab=health` },
      },
    );
    expect(openTab()).toBe('Health');
    await user.click(screen.getByRole('tab', { name: 'Info' }));
    expect(path()).toBe(below);
    await user.click(screen.getByRole('tab', { name: 'Managed DNS' }));
    expect(path()).toBe(`${below}?tab=dns`);
    expect(openTab()).toBe('Managed DNS');
  });

  test('leave the screen around them as it is, with a path of their own or without', async () => {
    const { user } = await open({ managed_dns: true });
    const [heading, list] = [screen.getByRole('heading', { level: 1 }), screen.getByRole('tablist')];
    for (const name of ['Managed DNS', 'Health', 'Info']) {
      await user.click(screen.getByRole('tab', { name }));
      expect(openTab()).toBe(name);
      expect(screen.getByRole('heading', { level: 1 })).toBe(heading);
      expect(screen.getByRole('tablist')).toBe(list);
    }
  });

  test.each(['/domain/ACME.com/dns', '/domain/acme.com/DNS', '/Domain/acme.com/dns/'])(
    'are open under %s: nothing of a path hangs on capitals',
    async (address) => {
      await open({ managed_dns: true }, { path: address });
      expect(openTab()).toBe('Managed DNS');
    },
  );

  test('named by a path are open whatever stands behind the question mark', async () => {
    await open({ managed_dns: true }, { path: '/domain/acme.com/dns?tab=health' });
    expect(openTab()).toBe('Managed DNS');
  });

  test('have no other path: it leads home', async () => {
    const { path } = await open({ managed_dns: true }, { path: '/domain/acme.com/records' });
    await eventually(() => expect(path()).toBe('/'));
  });

  test('of a domain on its way are closed, all but the records that wait for it', async () => {
    await open(transferring);
    expect(tabs()).toEqual(['Info -', 'Managed DNS', 'Advanced DNS -', 'Health -']);
    expect(openTab()).toBe('Managed DNS');
    expect(screen.getByText('This domain is being transferred')).toBeDefined();
    expect(screen.getByRole('link', { name: 'Follow the transfer' }).getAttribute('href')).toBe(
      '/domain/transfer/acme.com',
    );
  });
});

describe('who may', () => {
  const info = () => ({
    ...{ unlock: button('Unlock') !== null, lock: button('Lock') !== null },
    autoRenew: !screen.getByRole<HTMLInputElement>('switch', { name: /^Auto Renew/ }).disabled,
    nameservers: button('Save Changes') !== null,
    ...{ contacts: button('Change the Owner contact') !== null, resend: button('Resend the email') !== null },
    registrant: button("Change the registrant's address") !== null,
  });
  const settings = { autoRenew: true, nameservers: true, contacts: true, resend: true, registrant: true };
  const nothing = {
    ...{ autoRenew: false, nameservers: false, contacts: false, resend: false, registrant: false },
    ...{ unlock: false, lock: false },
  };
  const verification = { state: 'waiting', deadline: null, bounced: false, sentAt: null } as const;
  const cases: [Role, Permission | undefined, object, object][] = [
    ...roles.map((role): [Role, undefined, object, object] => [
      ...([role, undefined] as const),
      { ...settings, unlock: role !== 'MSP_CUSTOMER', lock: false },
      { ...settings, unlock: false, lock: true },
    ]),
    ['MSP_CUSTOMER', 'domains.settings', nothing, nothing],
    [
      'MSP_OWNER',
      'domains.unlock',
      { ...settings, unlock: false, lock: false },
      { ...settings, unlock: false, lock: true },
    ],
  ];

  test.each(cases)(
    'is offered the settings they may change: %s without %s',
    async (role, without, ...expected) => {
      const more = { role, ...(without ? { without } : {}) };
      const shown = { verification, contact_set: { owner } };
      let locked = true;
      const opened = await open(() => ({ ...shown, locked }), {
        ...more,
        answers: { 'POST /domain/auto_renew': { domain: 'acme.com', notice: null } },
      });
      expect(info()).toEqual(expected[0]);
      locked = false;
      const toggle = screen.getByRole<HTMLInputElement>('switch', { name: /^Auto Renew/ });
      if (toggle.disabled) return;
      await opened.user.click(toggle);
      expect(info()).toEqual(expected[1]);
    },
  );

  test.each<[Role, number]>([
    ['MSP_EMPLOYEE', 1],
    ['MSP_CUSTOMER', 0],
  ])('read the provider’s own templates for records: %s, %s times', async (role, times) => {
    const empty = { version: 'v1', records: groupRecords([]), nameservers_ok: 1, staged: false };
    const { user, sent } = await open(
      { managed_dns: true },
      {
        ...{ path: '/domain/acme.com/dns', route: '/domain/$domain/{-$tab}', role },
        answers: {
          ...{ 'GET /:domain/zone': empty, 'GET /:domain/zone/last-changes': [], 'GET /dns/templates': [] },
          'GET /:domain/zone/versions': [],
        },
      },
    );
    await user.click(press('Templates'));
    expect(screen.getByRole('dialog', { name: 'Templates' })).toBeDefined();
    expect(sent('GET /dns/templates')).toHaveLength(times);
  });

  test.each<[Role, Permission | undefined, boolean]>([
    ['MSP_OWNER', undefined, true],
    ['MSP_CUSTOMER', undefined, true],
    ['MSP_CUSTOMER', 'domains.settings', false],
  ])('change the keys and hosts at the registry: %s without %s', async (role, without, offered) => {
    const path = '/domain/acme.com?tab=advanced';
    const { sent } = await open({}, { path, role, ...(without ? { without } : {}) });
    expect([button('Remove DNSSEC') !== null, button('Add nameserver') !== null]).toEqual([offered, offered]);
    expect(sent('GET /:domain/nameserver').map(({ params }) => params)).toEqual([{ domain: 'acme.com' }]);
  });
});

describe('the health', () => {
  const finding = {
    ...{ id: uuid(71), kind: 'spf-open', area: 'mail', weight: 'bad', title: 'It is open', meaning: 'So.' },
    ...{ remedy: 'End it.', certainty: 'sure', detail: 'v=spf1 +all', clearedAt: null, muted: null },
    ...{ firstSeen: '2026-11-20T12:00:00Z', lastSeen: '2026-11-22T12:00:00Z', fix: { kind: 'spf' } },
  };
  const found = { watched: null, checkedAt: '2026-11-22T12:00:00Z', nextAt: null, findings: [finding] };
  const openHealth = (role: Role, without?: Permission) =>
    open(
      {},
      {
        ...{ path: '/domain/acme.com?tab=health', role, ...(without ? { without } : {}) },
        answers: {
          'GET /domain/health/:domain': found,
          'POST /changes': refused(422, 'unprocessable', { message: 'No.' }),
        },
      },
    );

  test('of this domain is mended by a change of it alone', async () => {
    const { user, sent } = await openHealth('MSP_OWNER');
    expect(sent('GET /domain/health/:domain')[0]?.params).toEqual({ domain: 'acme.com' });
    await user.click(press('Fix: It is open'));
    expect(sent('POST /changes').map(({ body }) => body)).toMatchObject([
      { request: { kind: 'spf' }, targets: { kind: 'names', names: ['acme.com'] } },
    ]);
  });

  test.each<[Role, Permission | undefined, boolean, boolean]>([
    ['MSP_EMPLOYEE', undefined, true, true],
    ['MSP_EMPLOYEE', 'changes.manage', false, true],
    ['MSP_CUSTOMER', undefined, false, false],
  ])('is mended and muted by those who may: %s without %s', async (role, without, fix, mute) => {
    await openHealth(role, without);
    expect(screen.getByText('It is open')).toBeDefined();
    expect([button('Fix: It is open') !== null, button('Mute: It is open') !== null]).toEqual([fix, mute]);
  });

  test('of a domain that has left the account says why nobody looks at it', async () => {
    await open({ missing: true }, { path: '/domain/acme.com?tab=health' });
    expect(screen.getByText('This domain is not checked')).toBeDefined();
  });
});

describe('the contacts', () => {
  const card = (name: string) => screen.queryByRole('article', { name: `${name} contact` });

  test('are shown as the registrar has them, each under its name', async () => {
    await open({
      contact_set: { owner, admin, billing: registrantOf({ org_name: '', address3: 'Room 3' }) },
    });
    const names = screen.getAllByRole('article').map((one) => one.getAttribute('aria-label'));
    expect(names).toEqual(['Billing contact', 'Owner contact', 'Admin contact']);
    expect(card('Owner')?.textContent).toBe(
      'OwnerChangeZoe QuinnAcme Inc\n1 Main St\nTroy, NY, 12180\nUSzoe@acme.example',
    );
    expect(card('Admin')?.textContent).toContain('Al Ng');
    expect(card('Billing')?.textContent).toContain('Zoe Quinn1 Main St\nRoom 3\nTroy');
  });

  test.each([
    [true, 'The registrar has no contacts for this domain.'],
    [false, 'The registrar keeps the contacts.'],
  ])('that are not there are said to be where they are (asked: %s)', async (live, text) => {
    await open({}, { answers: { [reading]: { ...detailsOf(), live } } });
    expect(screen.getByText(text)).toBeDefined();
  });

  test('are changed one by one, each with its own data', async () => {
    const { user, sent } = await open(
      { contact_set: { owner, admin } },
      { answers: { 'PUT /:domain/contacts': { domain: 'acme.com', notice: null } } },
    );
    await user.click(press('Change the Admin contact'));
    const dialog = () => screen.queryByRole('dialog', { name: 'Change the Admin contact' });
    expect(screen.getByLabelText(/^First name/)).toHaveProperty('value', 'Al');
    await user.click(press('Cancel'));
    expect(dialog()).toBeNull();
    await user.click(press('Change the Owner contact'));
    expect(screen.getByLabelText(/^First name/)).toHaveProperty('value', 'Zoe');
    await user.clear(screen.getByLabelText(/^City/));
    await user.paste('Albany');
    const readings = sent(reading).length;
    await user.click(press('Save contact'));
    expect(sent('PUT /:domain/contacts')).toMatchObject([
      { params: { domain: 'acme.com' }, body: { owner: { city: 'Albany', firstName: 'Zoe' } } },
    ]);
    expect(sent('PUT /:domain/contacts')[0]?.body).not.toHaveProperty('admin');
    expect(sent(reading).length).toBeGreaterThan(readings);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('stay open to be changed when the registrar no longer answers behind the dialog', async () => {
    const opened = await open(
      { contact_set: { owner, admin } },
      {
        answers: { 'PUT /:domain/contacts': refused(502, 'outcome_unknown', { message: 'Not confirmed.' }) },
      },
    );
    await opened.user.click(press('Change the Admin contact'));
    await opened.user.clear(screen.getByLabelText(/^City/));
    await opened.user.paste('Albany');
    opened.answer(reading, { ...detailsOf(), live: false });
    await opened.user.click(press('Save contact'));
    expect(screen.getByRole('alert').textContent).toBe('Not confirmed.');
    expect(screen.getByLabelText(/^City/)).toHaveProperty('value', 'Albany');
    // Behind it is the portal's own copy by now, which has no contacts.
    expect(screen.getByText('The registrar keeps the contacts.')).toBeDefined();
    expect(screen.getByText(/^The registrar is not responding\./)).toBeDefined();
    // The owner is known still: to become one locks the domain.
    await opened.user.click(screen.getByRole('checkbox', { name: 'Owner' }));
    expect(press('Save and accept the lock').disabled).toBe(false);
  });

  test("lead from the notice about the registrant to the owner's", async () => {
    const verification = { state: 'waiting', deadline: null, bounced: true, sentAt: null } as const;
    const { user } = await open({ contact_set: { owner, admin }, verification });
    await user.click(press("Change the registrant's address"));
    expect(screen.getByRole('dialog', { name: 'Change the Owner contact' })).toBeDefined();
  });
});
