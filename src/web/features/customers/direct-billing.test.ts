import { expect, test } from 'vitest';
import { noMarkups } from '#contracts/values/money.ts';
import { billingOf, chipOf, maySendLink, sendStateOf } from './direct-billing.ts';
import { billingChange, creationBilling } from './use-billing-form.ts';

const billing = (billDirectly: boolean, email: string) => ({
  billDirectly,
  email,
  stripeId: null,
  allowChangeBilling: false,
});

test.each([
  [false, 'a@b.example', true, 'Disabled'],
  [true, '', true, 'Pending'],
  [true, 'a@b.example', false, 'Pending'],
  [true, 'a@b.example', true, 'Active'],
] as const)('direct billing %s, email "%s", payment method %s: the chip says %s', (on, email, set, chip) => {
  expect(chipOf({ billing: billing(on, email), paymentMethodSet: set })).toBe(chip);
});

test('missing markups are normalised to 0 percent', () => {
  const customer = { billing: billing(true, ''), markups: {} };
  expect(billingOf(customer).markups).toEqual(noMarkups);
  const fixed = { type: 'fixed', value: 3 } as const;
  expect(billingOf({ ...customer, markups: { domain: { renewal: fixed } } }).markups).toEqual({
    ...noMarkups,
    domain: { ...noMarkups.domain, renewal: fixed },
  });
});

test('markups and email are sent on creation only when direct billing is on', () => {
  const fixed = { type: 'fixed', value: 3 } as const;
  const markups = { ...noMarkups, domain: { ...noMarkups.domain, purchase: fixed } };
  const typed = { email: ' pay@a.example ', markups };
  expect(creationBilling({ ...typed, billDirectly: false })).toEqual({});
  expect(creationBilling({ ...typed, billDirectly: true })).toEqual({
    billing: { billDirectly: true, email: 'pay@a.example' },
    markups,
  });
});

const sendable = {
  send: 'idle',
  values: { billDirectly: true },
  dirty: false,
  stripeId: 'cus_1',
  chip: 'Pending',
} as const;

test('the setup link can be sent, and once more after an error', () => {
  expect(maySendLink(sendable)).toBe(true);
  expect(maySendLink({ ...sendable, send: 'error' })).toBe(true);
});

test.each([
  [{ send: 'sending' }],
  [{ send: 'sent' }],
  [{ values: { billDirectly: false } }],
  [{ dirty: true }],
  [{ stripeId: null }],
  [{ chip: 'Active' }],
] as const)('the setup link cannot be sent with %o', (change) => {
  expect(maySendLink({ ...sendable, ...change })).toBe(false);
});

test('"sent" is said of the address that the link went to, and of no other', () => {
  expect(sendStateOf('success', 'a@x.example', 'a@x.example')).toBe('sent');
  expect(sendStateOf('success', 'a@x.example', 'b@x.example')).toBe('idle');
  expect(sendStateOf('error', 'a@x.example', 'a@x.example')).toBe('error');
  expect(sendStateOf('error', 'a@x.example', 'b@x.example')).toBe('idle');
  expect(sendStateOf('pending', 'a@x.example', 'b@x.example')).toBe('sending');
  expect(sendStateOf('idle', undefined, 'a@x.example')).toBe('idle');
});

test('without direct billing an email that is none is left out: it cannot be mended, and the stored one stays', () => {
  const typed = { billDirectly: false, email: ' not an address ', markups: noMarkups };
  expect(billingChange(typed)).toEqual({ billing: { billDirectly: false }, markups: noMarkups });
  expect(billingChange({ ...typed, email: ' pay@a.com ' }).billing).toEqual({
    ...{ billDirectly: false, email: 'pay@a.com' },
  });
  expect(billingChange({ ...typed, email: '' }).billing).toEqual({ billDirectly: false, email: '' });
  expect(billingChange({ ...typed, billDirectly: true }).billing.email).toBe('not an address');
});
