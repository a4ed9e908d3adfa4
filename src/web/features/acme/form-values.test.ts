import { expect, test } from 'vitest';
import type { AcmeAccess } from '#contracts/operations/acme.ts';
import { bodyOf, changesOf, fieldErrors, newValues, validate, valuesOf } from './form-values.ts';

const customerId = '01994e3a-0000-7000-8000-000000000001';
const filled = {
  ...newValues(customerId, true),
  ...{ name: 'Web server', productType: 'rapidssl', orders: 2, dollars: 59.9 },
};

test('what is typed is sent in cents, names as a list, and a last day that is empty as none', () => {
  expect(bodyOf(filled, true)).toEqual({
    ...{ name: 'Web server', customerId, hosts: null, productType: 'rapidssl', lastDay: null },
    mayBuy: { ordersPerMonth: 2, centsPerMonth: 59_90 },
  });
  const some = { ...filled, reach: 'some' as const, hosts: ' a.example.com\n\n*.example.com, b.example.com' };
  expect(bodyOf(some, true).hosts).toEqual(['a.example.com', '*.example.com', 'b.example.com']);
  expect(bodyOf({ ...filled, buys: 'no', lastDay: '2090-01-01' }, true)).toMatchObject({
    ...{ mayBuy: null, lastDay: '2090-01-01' },
  });
});

test('a customer’s own user sends neither product nor money', () => {
  expect(bodyOf(filled, false)).toMatchObject({ mayBuy: { ordersPerMonth: 2 } });
  expect(bodyOf(filled, false)).not.toHaveProperty('productType');
  expect(bodyOf(filled, false).mayBuy).not.toHaveProperty('centsPerMonth');
  expect(validate({ ...filled, productType: null, dollars: '' }, false)).toEqual({});
});

test('each missing or wrong field is named beside itself', () => {
  expect(validate(filled, true)).toEqual({});
  const empty = { ...newValues(null, true), reach: 'some' as const, orders: '' };
  expect(validate(empty, true)).toEqual({
    ...{ name: 'Please enter a name', customerId: 'Please choose a customer' },
    ...{ productType: 'Please choose a certificate', dollars: 'Please enter an amount' },
    ...{ hosts: 'Please enter at least one name', orders: 'Please enter a whole number' },
  });
  expect(validate({ ...filled, reach: 'some', hosts: 'not a name' }, true)).toEqual({
    hosts: 'This is not a valid domain name',
  });
});

test('what the server finds goes to its field', () => {
  expect(
    fieldErrors([
      { path: 'mayBuy.centsPerMonth', message: 'a' },
      { path: 'hosts.3', message: 'b' },
      { path: 'hosts.4', message: 'c' },
      { path: 'unknown', message: 'd' },
    ]),
  ).toEqual({ dollars: 'a', hosts: 'b' });
});

test('an access is edited as it is: its last day is the one before it ends', () => {
  const access = {
    ...{ name: 'Web server', customerId, hosts: ['a.example.com', 'b.example.com'], productType: 'rapidssl' },
    ...{ mayBuy: { ordersPerMonth: 2, centsPerMonth: 59_90 }, expiresAt: '2090-01-02T00:00:00.000Z' },
  } as AcmeAccess;
  const values = valuesOf(access);
  expect(values).toMatchObject({
    reach: 'some',
    hosts: 'a.example.com\nb.example.com',
    lastDay: '2090-01-01',
  });
  expect(bodyOf(values, true)).toEqual({
    ...{ name: 'Web server', customerId, hosts: access.hosts, productType: 'rapidssl' },
    ...{ mayBuy: access.mayBuy, lastDay: '2090-01-01' },
  });
  const open = valuesOf({ ...access, hosts: null, mayBuy: null, expiresAt: null });
  expect(open).toMatchObject({ reach: 'all', buys: 'no', lastDay: '' });
});

test('of an access that is there, only what was changed is sent', () => {
  const some = { ...filled, reach: 'some' as const, hosts: 'a.example.com\nb.example.com' };
  expect(changesOf({ ...some }, some, true)).toEqual({});
  expect(changesOf({ ...some, name: 'Mail server' }, some, true)).toEqual({ name: 'Mail server' });
  expect(changesOf({ ...some, reach: 'all' }, some, true)).toEqual({ hosts: null });
  expect(changesOf({ ...some, dollars: 30 }, some, true)).toEqual({
    mayBuy: { ordersPerMonth: 2, centsPerMonth: 30_00 },
  });
  expect(changesOf({ ...some, dollars: 30 }, some, false)).toEqual({});
  expect(changesOf({ ...some, lastDay: '2090-01-01' }, some, true)).toEqual({ lastDay: '2090-01-01' });
});
