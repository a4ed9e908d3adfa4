import { describe, expect, test } from 'vitest';
import { mostItems } from '../values/order-limits.ts';
import { cartPrices, listOrders, purchaseBody, purchaseOutcome, restoreDomain } from './orders.ts';

const customerId = '0190a000-0000-7000-8000-000000000001';
const domain = { address: 'a.com', customerId, period: 1 };
const renewal = { address: 'a.com', period: 1 };
const transfer = { address: 'a.com', customerId, EPPCode: 'code-1' };
const certificate = { domain: 'a.com', provider: 'p', productType: 't', customerId, csr: 'csr' };
const taken = (change: object) => purchaseBody.safeParse({ price: 0, ...change }).success;
const times = <T>(count: number, thing: T) => Array.from({ length: count }, () => thing);

describe('a purchase', () => {
  test('says what it costs; what is not said is the cautious choice', () => {
    expect(purchaseBody.safeParse({}).success).toBe(false);
    const lists = { domains: [domain], domainTransfers: [transfer], certificates: [certificate] };
    expect(purchaseBody.parse({ price: 1, ...lists, domainRenewals: [renewal] })).toEqual({
      price: 1,
      domains: [{ ...domain, whois: false, autoRenew: false }],
      domainRenewals: [renewal],
      domainTransfers: [{ ...transfer, period: 1 }],
      certificates: [{ ...certificate, handle: 'process', regType: 'new', dvAuthMethod: 'Email', period: 1 }],
    });
    const nothing = { domains: [], domainRenewals: [], domainTransfers: [], certificates: [] };
    expect(purchaseBody.parse({ price: 0 })).toEqual({ price: 0, ...nothing });
  });

  test.each([
    ['new names', 'domains', domain, mostItems],
    ['renewals', 'domainRenewals', renewal, mostItems],
    ['transfers', 'domainTransfers', transfer, mostItems],
    ['certificates', 'certificates', certificate, 50],
    ['restorations', 'domainRestores', { address: 'a.com' }, 20],
  ])('has so many %s at most', (_what, list, thing, most) => {
    expect([taken({ [list]: times(most, thing) }), taken({ [list]: times(most + 1, thing) })]).toEqual([
      true,
      false,
    ]);
  });

  test.each([
    ['a new name', 'domains', domain, [1, 2]],
    ['a renewal', 'domainRenewals', renewal, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['a transfer', 'domainTransfers', transfer, [1]],
    ['a certificate', 'certificates', certificate, [1]],
  ])('buys %s for so many years', (_what, list, thing, years) => {
    const all = [-1, 0, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    expect(all.filter((period) => taken({ [list]: [{ ...thing, period }] }))).toEqual(years);
  });

  test('registers and transfers names that can be registered, for a customer; a transfer needs its code', () => {
    for (const [list, thing] of [
      ['domains', domain],
      ['domainTransfers', transfer],
    ] as const) {
      expect(taken({ [list]: [thing] })).toBe(true);
      expect(taken({ [list]: [{ ...thing, address: 'a' }] })).toBe(false);
      expect(taken({ [list]: [{ ...thing, customerId: undefined }] })).toBe(false);
      expect(taken({ [list]: [{ ...thing, customerId: 'somebody' }] })).toBe(false);
    }
    const code = (EPPCode: unknown) => taken({ domainTransfers: [{ ...transfer, EPPCode }] });
    expect([code(undefined), code(''), code('x'), code('x'.repeat(64)), code('x'.repeat(65))]).toEqual([
      ...[false, false, true, true, false],
    ]);
  });

  test('orders a certificate with a signing request, for a customer, proven in one of three ways', () => {
    const ordered = (change: object) => taken({ certificates: [{ ...certificate, ...change }] });
    expect([
      ordered({ csr: '' }),
      ordered({ csr: 'x'.repeat(16_384) }),
      ordered({ csr: 'x'.repeat(16_385) }),
    ]).toEqual([...[false, true, false]]);
    expect(ordered({ customerId: undefined })).toBe(false);
    const ways = ['DNS', 'File', 'Email', 'Phone'].filter((dvAuthMethod) => ordered({ dvAuthMethod }));
    expect(ways).toEqual(['DNS', 'File', 'Email']);
    expect([ordered({ approverEmail: 'admin@a.com' }), ordered({ approverEmail: 'admin' })]).toEqual([
      true,
      false,
    ]);
    expect(['new', 'renew', 'again'].filter((regType) => ordered({ regType }))).toEqual(['new', 'renew']);
  });

  test('is priced in whole cents that nobody can pay backwards, in all and at each line', () => {
    for (const at of [
      (price: unknown) => taken({ price }),
      (price: unknown) => taken({ domains: [{ ...domain, price }] }),
      (price: unknown) => taken({ domainRenewals: [{ ...renewal, price }] }),
      (price: unknown) => taken({ domainTransfers: [{ ...transfer, price }] }),
      (price: unknown) => taken({ certificates: [{ ...certificate, price }] }),
      (price: unknown) => taken({ domainRestores: [{ address: 'a.com', price }] }),
      (price: unknown) => restoreDomain.body.safeParse({ domain: 'a.com', price }).success,
    ]) {
      expect([0, 0.01, 12.31, -0.01, 0.001, '1', Number.NaN].filter(at)).toEqual([0, 0.01, 12.31]);
    }
    expect(restoreDomain.body.safeParse({ domain: 'a.com' }).success).toBe(false);
  });

  test('may say which expiry a renewal moves, as a moment', () => {
    const seen = (expireDate: unknown) => taken({ domainRenewals: [{ ...renewal, expireDate }] });
    expect(['2027-03-01T00:00:00.000Z', '2027-03-01T00:00:00Z', '2027-03-01', 'soon'].map(seen)).toEqual([
      ...[true, true, false, false],
    ]);
  });
});

test('prices are asked for up to a whole cart, of a registration where nothing else is said', () => {
  const ask = (asked: unknown) => cartPrices.body.safeParse(asked);
  const one = { address: 'a.com', period: 1 };
  expect(ask([one]).data).toEqual([{ ...one, kind: 'domain' }]);
  expect(
    [ask([]), ask(times(mostItems, one)), ask(times(mostItems + 1, one))].map(({ success }) => success),
  ).toEqual([...[true, true, false]]);
  const years = [0, 1, 10, 11].filter((period) => ask([{ ...one, period }]).success);
  expect(years).toEqual([1, 10]);
});

test('the outcome of a purchase is asked for by any key that a browser makes, and by no path', () => {
  const asked = (key: string) => purchaseOutcome.params.safeParse({ key }).success;
  expect(['0190a000-0000-7000', 'a.b:c_d', 'x', 'x'.repeat(200)].map(asked)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['', 'x'.repeat(201), 'a/b', 'a b', 'a\nb', 'é'].map(asked)).toEqual(times(6, false));
});

test('orders are listed by time or total, all of them or the open or the ended ones', () => {
  const listed = (query: object) => listOrders.query.safeParse(query).success;
  expect(['createdAt', '-createdAt', 'total', '-total', 'state'].map((sort) => listed({ sort }))).toEqual([
    ...[true, true, true, true, false],
  ]);
  expect(['true', 'false', 'yes', true].map((open) => listed({ open }))).toEqual([true, true, false, false]);
});
