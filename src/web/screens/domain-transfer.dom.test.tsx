import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mostItems } from '#contracts/values/order-limits.ts';
import { transferCheckFailed, withUsAlready } from '#contracts/values/outcome-texts.ts';
import {
  type Answers,
  faultHasFocus,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { cart, cartNow, newDomainItem } from '../features/orders/cart.ts';
import DomainTransferScreen from './domain-transfer.tsx';

const [acme, zeta] = [uuid(21), uuid(22)];
const customers = [
  { customerId: acme, organization: 'Acme', markups: null },
  { customerId: zeta, organization: 'Zeta', markups: null },
];
const check = (domainResponse: object = {}, dnsRecords: object = {}) => ({
  domainResponse: { transferrable: 1, reason: null, reason_code: null, hindrance: null, ...domainResponse },
  dnsRecords: { NS: ['ns1.old.example'], answered: 1, signed: 0, ...dnsRecords },
});
const asked = 'POST /domain/transfer/check';

beforeEach(() => {
  // The previous user leaves nothing behind.
  cart.init(`nobody-${Math.random()}`);
  localStorage.clear();
});
afterEach(() => {
  localStorage.clear();
  cart.init(`nobody-${Math.random()}`);
});

const button = (name: string) => screen.getByRole('button', { name });
const isDisabled = (name: string) => (button(name) as HTMLButtonElement).disabled;
const nameField = () => screen.getByLabelText('Domain name') as HTMLInputElement;
const owner = 'Destination Customer for Domain Transfer';
const codeField = () => screen.getByLabelText('AuthInfo / EPP code') as HTMLInputElement;

async function open(answers: Answers = {}, search = '') {
  const opened = await openScreen(DomainTransferScreen, {
    ...{ route: '/domain/transfer', path: `/domain/transfer${search}` },
    answers: { 'GET /customer/choices': customers, [asked]: check(), ...answers },
  });
  const { user } = opened;
  return {
    ...opened,
    look: async (name: string) => {
      if (name !== '') await user.type(nameField(), name);
      await user.click(button('Check'));
    },
    give: async (customer: string) => {
      const field = screen.getByRole('combobox', { name: /^Destination Customer/ });
      await user.click(field);
      const list = document.getElementById(field.getAttribute('aria-controls') ?? '');
      await user.click(within(list ?? document.body).getByRole('option', { name: customer }));
    },
    add: () => user.click(button('Add to Cart')),
    asked: () => opened.sent(asked).map(({ body }) => body),
  };
}

describe('the check of a transfer', () => {
  test.each([
    ['', 'Please enter a domain name'],
    ['acme', 'Please enter the name with its extension, such as example.com'],
    ['acme.org', 'Only .com domains are supported at the moment.'],
  ])('does not ask for %j, and the field says why until it is changed', async (name, message) => {
    const { look, asked: sent, user } = await open();
    await look(name);
    expect(sent()).toEqual([]);
    expect(fieldErrors()).toEqual({ 'Domain name': message });
    await faultHasFocus();
    await user.type(nameField(), 'x');
    expect(fieldErrors()).toEqual({});
  });

  test('begins with the name that the address gives', async () => {
    const opened = await open({}, '?name=acme.com');
    expect(nameField().value).toBe('acme.com');
    await opened.look('');
    expect(opened.asked()).toEqual([{ domain: 'acme.com' }]);
  });

  test('asks for the tidied name once, and says that it is under way', async () => {
    const held = new Held();
    const { look, asked: sent, user, settled } = await open({ [asked]: held });
    await look(' WWW.Acme.com ');
    expect(isDisabled('Checking...')).toBe(true);
    await user.type(nameField(), '{Enter}');
    expect(sent()).toEqual([{ domain: 'acme.com' }]);
    held.give(check());
    await settled();
    expect(nameField().value).toBe('acme.com');
    expect(isDisabled('Check')).toBe(false);
    expect(screen.getByRole('status').textContent).toBe('acme.com can be transferred.');
  });

  test('shows the nameservers, what they mean for the transfer, and a signature', async () => {
    const { look } = await open({
      [asked]: check({}, { NS: ['ns1.old.example', 'ns2.old.example'], signed: 1 }),
    });
    await look('acme.com');
    const section = within(screen.getByRole('region', { name: 'Current nameservers' }));
    expect(section.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      ...['ns1.old.example', 'ns2.old.example'],
    ]);
    expect(
      section.getByText(/^These nameservers will be used for the transfer\..* We recommend third-party DNS/),
    ).toBeDefined();
    expect(section.getByText('DNSSEC')).toBeDefined();
  });

  test.each([
    ['there are none', { NS: [], answered: 1 }, 'This domain has no nameservers.'],
    ['nobody answered', { NS: [], answered: 0 }, 'The nameservers could not be read at the moment.'],
  ])('says of nameservers that %s', async (_what, records, message) => {
    const { look } = await open({ [asked]: check({}, records) });
    await look('acme.com');
    expect(screen.getByText(message)).toBeDefined();
    expect(screen.queryByText('DNSSEC')).toBeNull();
  });

  test('of a domain that is refused says why in a dialog and beside it, and nothing can be added', async () => {
    const opened = await open({
      [asked]: check({ transferrable: 0, reason: 'domain is locked.', hindrance: 'locked' }),
    });
    await opened.look('acme.com');
    const dialog = within(screen.getByRole('dialog', { name: 'Error' }));
    expect(dialog.getByText('Domain acme.com is not transferrable because domain is locked.')).toBeDefined();
    await opened.user.click(dialog.getByText('Close'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText('Domain cannot be transfered. Domain is locked.')).toBeDefined();
    expect(screen.queryByText(/^These nameservers will be used/)).toBeNull();
    await opened.give('Acme');
    expect(isDisabled('Add to Cart')).toBe(true);
  });

  test.each<[string, unknown, RegExp]>([
    [
      'that the registrar has already',
      check({ reason_code: withUsAlready, hindrance: 'other-account' }),
      /^acme\.com is transferable, but please contact support/,
    ],
    [
      'whose check failed',
      refused(502, 'upstream_unavailable', { message: transferCheckFailed }),
      /^There was an error checking domain's transferabilitycheck error$/,
    ],
    [
      'whose check failed with a number of its own',
      () =>
        Response.json(
          { code: 'upstream_unavailable', message: transferCheckFailed, requestId: 'r-1' },
          { status: 502 },
        ),
      /check error · Request r-1$/,
    ],
    [
      'that was not asked about',
      refused(429, 'rate_limited', { message: 'Too many requests' }),
      /Too many requestsrequest error$/,
    ],
    ['without an answer', silence, /^Something went wrongPlease try again\.request error$/],
  ])('of a domain %s says so, and nothing can be added', async (_what, answer, text) => {
    const opened = await open({ [asked]: answer });
    await opened.look('acme.com');
    const said = [...screen.queryAllByRole('status'), ...screen.queryAllByRole('alert')];
    expect(said.map(({ textContent }) => textContent)).toContainEqual(expect.stringMatching(text));
    await opened.give('Acme');
    expect(isDisabled('Add to Cart')).toBe(true);
    expect(nameField().value).toBe('acme.com');
    opened.answer(asked, check());
    await opened.user.click(button('Check'));
    expect(isDisabled('Add to Cart')).toBe(false);
  });

  test('of a name that was changed meanwhile is nobody’s, and a changed name is checked again', async () => {
    const held = new Held();
    const opened = await open({ [asked]: held });
    await opened.give('Acme');
    await opened.look('acme.com');
    await opened.user.type(nameField(), '{Home}x');
    held.give(check());
    await opened.settled();
    expect(nameField().value).toBe('xacme.com');
    expect(screen.queryByRole('status')).toBeNull();
    opened.answer(asked, check());
    await opened.user.click(button('Check'));
    expect(isDisabled('Add to Cart')).toBe(false);
    await opened.user.click(button('Clear the domain name'));
    expect(nameField().value).toBe('');
    expect(screen.queryByRole('status')).toBeNull();
    expect(isDisabled('Add to Cart')).toBe(true);
  });
});

describe('a transfer', () => {
  test('needs an owner and a code, and goes into the cart as it was checked', async () => {
    const opened = await open();
    expect(screen.getByRole('heading', { name: 'Transfer a domain you already own' })).toBeDefined();
    expect(screen.getByText('Destination Customer for Domain Transfer *')).toBeDefined();
    expect(screen.getByText("It is typically found in your current provider's panel.")).toBeDefined();
    await opened.look('acme.com');
    expect(isDisabled('Add to Cart')).toBe(true);
    await opened.user.type(codeField(), 'x');
    expect(fieldErrors()).toEqual({ [owner]: 'Please choose a customer' });
    await opened.user.clear(codeField());
    await opened.give('Zeta');
    await opened.add();
    expect(fieldErrors()).toEqual({ 'AuthInfo / EPP code': 'Please enter the AuthInfo / EPP code' });
    await faultHasFocus();
    await opened.user.click(codeField());
    await opened.user.paste('Two words');
    await opened.add();
    expect(fieldErrors()).toEqual({
      'AuthInfo / EPP code': 'A code has no spaces. Please check where it begins and ends.',
    });
    expect(cartNow().items).toEqual([]);
    await opened.user.clear(codeField());
    await opened.user.paste('  Code-123 ');
    expect(fieldErrors()).toEqual({});
    await opened.add();
    expect(cartNow().items).toEqual([
      {
        ...{ type: 'transfer', address: 'acme.com', registration: 1, autoRenew: false, customerId: zeta },
        EPPCode: 'Code-123',
      },
    ]);
    const dialog = within(screen.getByRole('dialog', { name: 'Transfer added' }));
    expect(dialog.getByText(/^You have successfully added this transfer to your cart/)).toBeDefined();
    await opened.user.click(dialog.getByText('View Cart'));
    expect(opened.path()).toBe('/cart');
  });

  test('that is in the cart already takes what was typed now, and another one begins with an empty form', async () => {
    const opened = await open();
    cart.add({
      ...{ type: 'transfer', address: 'acme.com', registration: 1, autoRenew: false, customerId: zeta },
      EPPCode: 'Old-Code',
    });
    await opened.look('acme.com');
    await opened.give('Acme');
    await opened.user.type(codeField(), 'New-Code');
    await opened.add();
    expect(cartNow().items).toMatchObject([{ customerId: acme, EPPCode: 'New-Code' }]);
    await opened.user.click(within(screen.getByRole('dialog')).getByText('Transfer Another'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect([nameField().value, codeField().value]).toEqual(['', '']);
    expect(screen.getByRole('combobox', { name: /^Destination Customer/ })).toHaveProperty('value', '');
    expect(opened.path()).toBe('/domain/transfer');
  });

  test('that finds no place in a full cart stays in the form', async () => {
    const opened = await open();
    cart.add(...Array.from({ length: mostItems }, (_, n) => newDomainItem(`n${n}.com`)));
    await opened.look('acme.com');
    await opened.give('Acme');
    await opened.user.type(codeField(), 'Code-123');
    await opened.add();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect([nameField().value, codeField().value]).toEqual(['acme.com', 'Code-123']);
  });

  test('without customers asks for one, and customers that cannot be read are read again', async () => {
    const { user, answer } = await open({ 'GET /customer/choices': silence });
    answer('GET /customer/choices', []);
    await user.click(button('Try again'));
    expect(screen.getByText(/^You have no customer yet who can own this domain\./)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Add Customer' })).toHaveProperty(
      'href',
      expect.stringMatching(/\/customers\/add$/),
    );
  });
});
