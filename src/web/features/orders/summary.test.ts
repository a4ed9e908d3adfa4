import { describe, expect, test } from 'vitest';
import { type Markups, noMarkups } from '#contracts/values/money.ts';
import { type CartItem, type CertificateItem, newDomainItem, type RenewalItem } from './cart.ts';
import {
  asSeen,
  comparedPrices,
  type ItemPrice,
  knownPrices,
  knownSpendable,
  lacksFunds,
  orderBody,
  ownedUntil,
  priceTable,
  purchaseObstacle,
  stoppedOwners,
  sumsByKind,
  totalCents,
  totalMarkupCents,
} from './summary.ts';

const ann = 'c-ann';
const bob = 'c-bob';
const domain = (address: string, customerId: string | null = ann) => ({
  ...newDomainItem(address),
  customerId,
});
const renewal = (address: string): RenewalItem => ({
  type: 'renewal',
  address,
  registration: 1,
  autoRenew: true,
  customerId: ann,
  expireDate: '2027-01-01T00:00:00.000Z',
});
const certificate = (address: string, csr = 'CSR'): CertificateItem => ({
  type: 'certificate',
  address,
  customerId: ann,
  provider: 'RapidSSL',
  productType: 'rapidssl',
  csr,
  csrName: 'a.csr',
});
const transfer = (address: string): CartItem => ({
  type: 'transfer',
  address,
  registration: 1,
  autoRenew: false,
  customerId: ann,
  EPPCode: 'secret',
});
const priced = (items: readonly CartItem[], price = 10) =>
  priceTable(items.map(({ type, address }): ItemPrice => ({ kind: type, address, price })));
test('a price is another one where the person knows one of the very same thing; what was not known, or has none, is not', () => {
  const two: CartItem = { ...newDomainItem('b.com'), registration: 2 };
  const items = [domain('a.com'), two, renewal('a.com'), certificate('c.com'), transfer('t.com')];
  const seen = [
    asSeen(domain('a.com'), 9),
    // Of one year.
    asSeen(domain('b.com'), 9),
    asSeen(renewal('a.com'), 10),
    asSeen(certificate('c.com'), 9),
    asSeen(transfer('t.com'), 9),
  ];
  const error = { kind: 'transfer', address: 't.com', price: 0, error: 'No price' } as const;
  const prices = new Map([...priced(items), ...priceTable([error])]);
  const { firstSeen, changed } = comparedPrices(items, prices, seen);
  expect(firstSeen).toEqual([asSeen(two, 10)]);
  expect(changed).toEqual([
    { present: asSeen(domain('a.com'), 10), oldPrice: 9 },
    { present: asSeen(certificate('c.com'), 10), oldPrice: 9 },
  ]);
  const other = { ...certificate('c.com'), productType: 'another' };
  expect(comparedPrices([other], priced([other]), seen).changed).toEqual([]);
  expect(comparedPrices(items, new Map(), seen)).toEqual({ firstSeen: [], changed: [] });
  // The order carries what they know.
  const known = orderBody([domain('a.com'), two], knownPrices(prices, changed));
  expect([known.price, known.domains.map(({ price }) => price)]).toEqual([19, [9, 10]]);
});
const everybody = new Set([ann, bob]);
const obstacle = (...items: CartItem[]) => purchaseObstacle(items, priced(items), everybody, false);

describe('when "Finalize Purchase" is disabled (P1 §5)', () => {
  test('an empty cart; a new domain without a customer; a certificate without a CSR; an item without a price', () => {
    expect(obstacle()).toBe('Your cart is empty');
    expect(obstacle(domain('a.com'), domain('b.com', null))).toBe('Please choose an owner for b.com');
    expect(obstacle(domain('a.com'), certificate('a.com', ''))).toBe('Please upload a CSR to continue');
    const unknown = { kind: 'domain', address: 'a.com', price: 0, error: 'No price' } as const;
    expect(purchaseObstacle([domain('a.com')], priceTable([unknown]), null, false)).toMatch(
      'no price for a.com',
    );
  });

  test('an owner who was deleted meanwhile is none: another one is asked for, or the certificate has to go', () => {
    expect(obstacle(domain('a.com', 'c-gone'))).toBe('Please choose an owner for a.com');
    expect(obstacle({ ...transfer('b.com'), customerId: 'c-gone' })).toBe('Please choose an owner for b.com');
    expect(obstacle({ ...certificate('c.com'), customerId: 'c-gone' })).toMatch(
      /c\.com was deleted.*remove it/,
    );
    // A renewal is of whom the domain belongs to.
    expect(obstacle({ ...renewal('d.com'), customerId: 'c-gone' })).toBeNull();
    expect(purchaseObstacle([domain('a.com')], priced([domain('a.com')]), null, false)).toBeNull();
  });

  test('while the customers are not known, an item without an owner waits for one all the same', () => {
    const ownerless = domain('a.com', null);
    expect(purchaseObstacle([ownerless], priced([ownerless]), null, false)).toBe(
      'Please choose an owner for a.com',
    );
  });

  test('a certificate needs no owner', () => {
    expect(obstacle({ ...certificate('c.com'), customerId: null })).toBeNull();
  });

  test('while no price is known, nothing can be bought and nothing is summed up', () => {
    const none = priceTable(undefined);
    expect(none.size).toBe(0);
    expect(purchaseObstacle([domain('a.com')], none, everybody, false)).toMatch('no price for a.com');
    expect(totalCents([domain('a.com')], none)).toBe(0);
    expect(totalMarkupCents([domain('a.com')], none, new Map([[ann, noMarkups]]))).toBe(0);
    expect(orderBody([domain('a.com')], none).domains[0]).toMatchObject({ price: undefined });
  });

  test('a price that is still to come is not said to be missing; one that was refused is', () => {
    const waiting = (prices: ReturnType<typeof priceTable>) =>
      purchaseObstacle([domain('a.com'), domain('b.com')], prices, everybody, true);
    expect(waiting(priceTable(undefined))).toBe('Looking up prices...');
    const refused = { kind: 'domain', address: 'b.com', price: 0, error: 'No price' } as const;
    expect(waiting(priceTable([refused]))).toMatch('no price for b.com');
  });

  test('a cart in which nothing is missing can be bought', () => {
    expect(obstacle(domain('a.com'), certificate('a.com'), renewal('b.com'), transfer('c.com'))).toBeNull();
  });
});

describe('"Your total markup will be" (P1 §5)', () => {
  const rules: Markups = {
    domain: { purchase: { type: 'percentage', value: 12.5 }, renewal: { type: 'fixed', value: 2.5 } },
    certificate: { purchase: { type: 'percentage', value: 10 }, renewal: { type: 'fixed', value: 99 } },
  };
  const ofAnn = new Map([[ann, rules]]);

  test('a percentage of the item’s price, or a fixed amount, rounded to the cent for each item', () => {
    // 12.5 % of 9.98 is 1.2475: three times 1.25, and not 3.74 for all.
    const three = ['a.com', 'b.com', 'c.com'].map((name) => domain(name));
    expect(totalMarkupCents(three, priced(three, 9.98), ofAnn)).toBe(375);
    const each = [renewal('a.com'), certificate('b.com'), transfer('c.com')];
    expect(totalMarkupCents(each, priced(each, 40), ofAnn)).toBe(250 + 400 + 500);
  });

  test('a certificate that follows an earlier one has the renewal markup, as the server charges it', () => {
    const followed: CartItem = { ...certificate('b.com'), renews: true };
    expect(totalMarkupCents([followed], priced([followed], 40), ofAnn)).toBe(9_900);
  });

  test('customers without direct billing pay none, and without any there is no line', () => {
    const both = [domain('a.com'), domain('b.com', bob)];
    expect(totalMarkupCents(both, priced(both, 8), ofAnn)).toBe(100);
    expect(totalMarkupCents([domain('b.com', bob)], priced(both), ofAnn)).toBeNull();
    const plain = new Map([[ann, noMarkups]]);
    expect(totalMarkupCents([domain('a.com')], priced(both), plain)).toBe(0);
  });
});

test('the owners whom direct billing cannot charge are those of the cart who are billed directly and stopped', () => {
  const stopped = { since: '2026-11-29T12:00:00Z', disputes: 1, chargeId: null };
  const known = (customerId: string, of: { markups: Markups | null; chargesStopped?: typeof stopped }) => ({
    ...{ customerId, organization: `of ${customerId}`, ...of },
  });
  const cart = [domain('a.com'), domain('b.com'), domain('c.com', bob), domain('d.com', null)];
  const named = (...customers: ReturnType<typeof known>[]) => stoppedOwners(cart, customers);
  const dora = known('c-dora', { markups: noMarkups, chargesStopped: stopped });
  expect(named(known(ann, { markups: noMarkups, chargesStopped: stopped }), dora)).toEqual(['of c-ann']);
  expect(named(known(ann, { markups: noMarkups }))).toEqual([]);
  expect(named(known(bob, { markups: null, chargesStopped: stopped }))).toEqual([]);
  expect(stoppedOwners(cart, undefined)).toEqual([]);
});

test('the order body has each item in its list, in the specified words, and the total that was shown', () => {
  const items = [domain('a.com'), renewal('b.com'), transfer('c.com'), certificate('a.com')];
  const body = orderBody(items, priced(items, 9.99));
  expect(body.price).toBe(39.96);
  expect(body.domains).toMatchObject([{ address: 'a.com', customerId: ann, period: 1, whois: false }]);
  expect(body.domainRenewals).toEqual([
    // Without the expiry that was seen, what a colleague renewed meanwhile would be renewed once more.
    { address: 'b.com', period: 1, autoRenew: true, price: 9.99, expireDate: '2027-01-01T00:00:00.000Z' },
  ]);
  expect(body.domainTransfers).toMatchObject([
    { address: 'c.com', customerId: ann, period: 1, EPPCode: 'secret' },
  ]);
  expect(body.certificates).toMatchObject([
    {
      ...{
        domain: 'a.com',
        provider: 'RapidSSL',
        productType: 'rapidssl',
        customerId: ann,
        period: 1,
        csr: 'CSR',
      },
      ...{ handle: 'process', regType: 'new', dvAuthMethod: 'Email' },
    },
  ]);
});

describe('until when it is owned', () => {
  const now = new Date('2026-11-22T12:00:00Z');
  const base = { address: 'a.com', customerId: null, autoRenew: false };
  test.each([
    ['a new name, from now on', { ...base, type: 'domain', registration: 2, whois: false }, '2028-11-22'],
    [
      'a renewal, from its expiry on',
      { ...base, type: 'renewal', registration: 1, expireDate: '2027-01-09T00:00:00Z' },
      '2028-01-09',
    ],
    ['a certificate, for a year from now on', { ...certificate('a.com') }, '2027-11-22'],
    ['a transfer: the registry knows', { ...base, type: 'transfer', EPPCode: 'x' }, undefined],
  ] as const)('%s', (_title, item, day) =>
    expect(
      ownedUntil(item as CartItem, now)
        ?.toISOString()
        .slice(0, 10),
    ).toBe(day),
  );
});

test('the sums of each kind add up to the total', () => {
  const items = [
    { type: 'domain', address: 'a.com' },
    { type: 'domain', address: 'b.com' },
    { type: 'renewal', address: 'c.com' },
  ] as CartItem[];
  const prices = priceTable([
    { address: 'a.com', kind: 'domain', price: 12.31 },
    { address: 'b.com', kind: 'domain', price: 24.62 },
    { address: 'c.com', kind: 'renewal', price: 10 },
  ]);
  const sums = sumsByKind(items, prices);
  expect(sums).toEqual([
    { kind: 'domain', count: 2, cents: 3_693 },
    { kind: 'renewal', count: 1, cents: 1_000 },
  ]);
  expect(sums.reduce((sum, { cents }) => sum + cents, 0)).toBe(totalCents(items, prices));
});

describe('what is sent', () => {
  test('a certificate that follows an earlier one is ordered as its renewal', () => {
    const items = [certificate('a.com'), { ...certificate('b.com'), renews: true as const }];
    expect(orderBody(items, priced(items)).certificates).toMatchObject([
      { domain: 'a.com', regType: 'new', csr: 'CSR', customerId: ann },
      { domain: 'b.com', regType: 'renew', price: 10 },
    ]);
  });

  test('an order that the balance does not cover is not sent, unless it was sent before or the balance is not known', () => {
    const items = [domain('a.com')];
    const body = orderBody(items, priced(items, 12.31));
    expect(lacksFunds(body, 1_230, false)).toBe(true);
    expect(lacksFunds(body, 1_231, false)).toBe(false);
    expect(lacksFunds(body, 0, true)).toBe(false);
    expect(lacksFunds(body, null, false)).toBe(false);
  });

  test('a balance whose last reading failed is not known: an earlier one stops no order', () => {
    const data = { spendable: 100 };
    expect(knownSpendable({ data, error: null })).toBe(100);
    expect(knownSpendable({ data, error: new Error('No answer came back.') })).toBeNull();
    expect(knownSpendable({ data: undefined, error: null })).toBeNull();
  });
});
