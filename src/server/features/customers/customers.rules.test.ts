import { describe, expect, test } from 'vitest';
import type { Customer } from '#contracts/operations/customers.ts';
import type { Contacts } from '#contracts/values/contact.ts';
import { noMarkups } from '#contracts/values/money.ts';
import type { CustomerState } from './customers.repo.ts';
import {
  isBilledDirectly,
  saidOf,
  stateAfter,
  stateOf,
  stateOfNew,
  wantsDirectBilling,
} from './customers.rules.ts';

const contactsOf = (name: string) => ({ owner: { name } }) as unknown as Contacts;
const contacts = contactsOf('Ada');
const percent = (value: number) => ({ type: 'percentage', value }) as const;
const markups = {
  domain: { purchase: percent(10), renewal: percent(20) },
  certificate: { purchase: percent(30), renewal: percent(40) },
};
const billing = { billDirectly: true, email: 'pay@acme.test', allowChangeBilling: true };
const state: CustomerState = { contacts, billing, markups, allowDomainSettings: true };
const customer = (change: Partial<CustomerState> = {}): Customer => {
  const now = { ...state, ...change };
  return {
    ...{ customerId: 'id', ...now, billing: { ...now.billing, stripeId: 'cus_1' } },
    ...{ paymentMethodSet: true, version: 3, createdAt: '2026-11-23T00:00:00.000Z' },
  } as Customer;
};

describe('a new customer', () => {
  test('is what was sent, without markups at 0 percent, and its users change no settings', () => {
    expect(stateOfNew({ contacts, billing }).state).toEqual({
      ...{ contacts, billing, markups: noMarkups, allowDomainSettings: false },
    });
    expect(stateOfNew({ contacts, billing, markups }).state.markups).toEqual(markups);
  });

  test('differs from nothing in what its maker must be allowed to set, and never in its contacts', () => {
    const plain = { billDirectly: false, email: '', allowChangeBilling: false };
    const { before, state: after } = stateOfNew({ contacts, billing: plain });
    expect(before).toEqual(after);
    expect(stateOfNew({ contacts, billing }).before.billing).toEqual(plain);
    expect(stateOfNew({ contacts, billing, markups }).before.markups).toEqual(noMarkups);
  });
});

describe('in the log', () => {
  const plain = { ...state, contacts: whole({}), markups: noMarkups };
  const said = {
    ...plain,
    contacts: { ...plain.contacts, admin: 'as owner', billing: 'as owner' },
    markups: 'none',
  };

  function whole(change: Partial<Contacts>): Contacts {
    return { owner: contactOf({}), admin: contactOf({}), billing: contactOf({}), ...change };
  }
  function contactOf(change: object) {
    return { firstName: 'Ada', city: 'Toronto', ...change } as unknown as Contacts['owner'];
  }

  test('a contact that is as the owner is said once, and markups of which each is none are one word', () => {
    expect(saidOf(plain)).toEqual(said);
  });

  test.each([{ city: 'Ottawa' }, { address2: '' }])('a contact with %o is said in full', (change) => {
    const admin = contactOf(change);
    expect(saidOf({ ...plain, contacts: whole({ admin }) })).toEqual({
      ...said,
      contacts: { ...said.contacts, admin },
    });
    const billingContact = contactOf(change);
    expect(saidOf({ ...plain, contacts: whole({ billing: billingContact }) }).contacts).toEqual({
      ...said.contacts,
      billing: billingContact,
    });
    const owner = contactOf(change);
    expect(saidOf({ ...plain, contacts: whole({ owner }) }).contacts).toEqual(whole({ owner }));
  });

  test.each([
    ['domain', 'purchase'],
    ['domain', 'renewal'],
    ['certificate', 'purchase'],
    ['certificate', 'renewal'],
  ] as const)('a markup for %s, %s, is said with all others', (group, price) => {
    for (const markup of [percent(1), { type: 'fixed', value: 0 } as const]) {
      const markups = { ...noMarkups, [group]: { ...noMarkups[group], [price]: markup } };
      expect(saidOf({ ...plain, markups })).toEqual({ ...said, markups });
    }
  });
});

describe('after a change a customer', () => {
  const changed = (body: Parameters<typeof stateAfter>[1], shown = customer()) =>
    stateAfter(state, body, shown);

  test('is as before where nothing was sent', () => {
    expect(changed({})).toEqual(state);
    expect(changed({ billing: {}, markups: {} })).toEqual(state);
  });

  test('has the sent part, and keeps the others', () => {
    expect(changed({ contacts: contactsOf('Eve') })).toEqual({ ...state, contacts: contactsOf('Eve') });
    expect(changed({ billing: { email: '' } }).billing).toEqual({ ...billing, email: '' });
    expect(changed({ billing: { billDirectly: false } }).billing).toEqual({
      ...billing,
      billDirectly: false,
    });
    expect(changed({ allowDomainSettings: false })).toEqual({ ...state, allowDomainSettings: false });
    expect(changed({ markups: { domain: { renewal: percent(7) } } }).markups).toEqual({
      ...markups,
      domain: { purchase: percent(10), renewal: percent(7) },
    });
  });

  test('is unchanged by what a person sends back as it was shown to them, masked or not', () => {
    const masked = customer({
      billing: { billDirectly: false, email: '', allowChangeBilling: false },
      markups: noMarkups,
    });
    const sent = { billing: stateOf(masked).billing, markups: masked.markups };
    expect(changed(sent, masked)).toEqual(state);
    expect(changed({ billing, markups })).toEqual(state);
  });

  test('is changed by a masked value that a person who sees it sends', () => {
    expect(changed({ markups: noMarkups }).markups).toEqual(noMarkups);
    expect(changed({ billing: { email: '' } }).billing.email).toBe('');
  });
});

test('what people set of a customer is not what the provider knows of it', () => {
  expect(stateOf(customer())).toEqual(state);
});

test('only a customer with a stored method is charged', () => {
  const active = { ...billing, paymentMethod: 'pm_1' };
  expect(isBilledDirectly(active)).toBe(true);
  expect(isBilledDirectly({ ...active, paymentMethod: null })).toBe(false);
  expect(isBilledDirectly({ ...active, billDirectly: false })).toBe(false);
});

test('direct billing begins with an address for mail, and not without', () => {
  expect(wantsDirectBilling(billing)).toBe(true);
  expect(wantsDirectBilling({ ...billing, email: '' })).toBe(false);
  expect(wantsDirectBilling({ ...billing, billDirectly: false })).toBe(false);
});
