import { expect, test } from 'vitest';
import type { PurchaseBody } from '#contracts/operations/orders.ts';
import { mostItems } from '#contracts/values/order-limits.ts';
import { linesOf, requestOf, requestOfBody } from './lines.ts';

const empty: PurchaseBody = {
  ...{ price: 0, domains: [], domainRenewals: [], domainTransfers: [], domainRestores: [], certificates: [] },
};
const customerId = '0190a000-0000-7000-8000-000000000001';
const registration = (address: string) => ({
  ...{ address, customerId, period: 1, price: 12.5, whois: true, autoRenew: true },
});
const renewal = (address: string) => ({ address, period: 2, price: 20, autoRenew: false });
const transfer = (address: string) => ({ address, customerId, price: 9, autoRenew: true, EPPCode: 'code-1' });
const certificate = (domain: string) => ({
  ...{ domain, customerId, period: 1, price: 30, provider: 'digicert', productType: 'rapidssl' },
  ...{ csr: 'csr-1', regType: 'new' as const, dvAuthMethod: 'Email' as const, approverEmail: 'admin@a.com' },
});
const bodyOf = (change: object) => ({ ...empty, ...change }) as PurchaseBody;

/** What is refused, each with its place. */
function refusalOf(body: PurchaseBody) {
  try {
    return linesOf(body).length;
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: unknown };
    return { code, message, details };
  }
}
const refused = (...details: { path: string; message: string }[]) => ({
  ...{ code: 'validation_failed', message: details[0]?.message, details },
});

test('an empty order is refused, with and without the list that older callers do not send', () => {
  const nothing = refused({ path: '', message: 'Your cart is empty' });
  const { domainRestores: _none, ...older } = empty;
  expect(refusalOf(empty)).toEqual(nothing);
  expect(refusalOf(older)).toEqual(nothing);
});

test('a thing that is in the order twice is refused at each repeat; two things of one name are two', () => {
  const twice = (path: string) => ({ path, message: `${path} is in the order twice` });
  for (const body of [
    { domains: [registration('a.com'), registration('a.com')] },
    { domainRenewals: [renewal('a.com'), renewal('a.com')] },
    { domainTransfers: [transfer('a.com'), transfer('a.com')] },
    { domainRestores: [{ address: 'a.com' }, { address: 'a.com' }] },
    { certificates: [certificate('a.com'), certificate('a.com')] },
  ]) {
    expect(refusalOf(bodyOf(body))).toEqual(refused(twice('a.com')));
  }
  const names = ['a.com', 'b.com', 'a.com', 'b.com', 'a.com'];
  expect(refusalOf(bodyOf({ domains: names.map(registration) }))).toEqual(
    refused(twice('a.com'), twice('b.com'), twice('a.com')),
  );
  const both = { domainRenewals: [renewal('a.com')], certificates: [certificate('a.com')] };
  expect(refusalOf(bodyOf(both))).toBe(2);
});

test('an order has so many items at most, of all kinds together', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_none, index) => registration(`n${index}.com`));
  const most = { domainRenewals: [renewal('n0.com')], domains: many(mostItems - 1) };
  expect(refusalOf(bodyOf(most))).toBe(mostItems);
  expect(refusalOf(bodyOf({ ...most, domains: many(mostItems) }))).toEqual(
    refused({ path: '', message: `At most ${mostItems} items in one order` }),
  );
});

test('each kind of item becomes a line with all that was said of it, in cents, kind by kind', () => {
  const line = { years: 1, privacy: false, customerId: null, autoRenew: undefined };
  const lines = linesOf(
    bodyOf({
      certificates: [certificate('www.a.com')],
      domainRestores: [{ address: 'gone.com', price: 90 }],
      domainTransfers: [transfer('moved.com')],
      domainRenewals: [
        renewal('old.com'),
        { ...renewal('seen.com'), expireDate: '2027-03-01T00:00:00.000Z' },
      ],
      domains: [registration('new.com'), { ...registration('free.com'), price: undefined }],
    }),
  );
  const bought = { ...line, customerId, privacy: true, autoRenew: true };
  const renewed = { ...line, years: 2, seenCents: 20_00, autoRenew: false };
  expect(lines).toStrictEqual([
    { ...bought, kind: 'domain', address: 'new.com', seenCents: 12_50 },
    { ...bought, kind: 'domain', address: 'free.com', seenCents: null },
    { ...renewed, kind: 'renewal', address: 'old.com' },
    { ...renewed, kind: 'renewal', address: 'seen.com', seenExpiry: new Date('2027-03-01T00:00:00Z') },
    {
      ...{ ...line, kind: 'transfer', address: 'moved.com', customerId, seenCents: 9_00 },
      ...{ autoRenew: true, authCode: 'code-1' },
    },
    { ...line, kind: 'redemption', address: 'gone.com', seenCents: 90_00 },
    {
      ...{ ...line, kind: 'certificate', address: 'www.a.com', customerId, seenCents: 30_00 },
      certificate: {
        ...{ provider: 'digicert', productType: 'rapidssl', csr: 'csr-1', validation: 'Email' },
        ...{ approverEmail: 'admin@a.com', regType: 'new' },
      },
    },
  ]);
});

test('a repeat of a request is the same request, and another one is not', () => {
  const body = bodyOf({ price: 12.5, domains: [registration('a.com')] });
  const request = requestOfBody(body);
  expect(request).toMatchObject({ seenTotalCents: 12_50, lines: linesOf(body) });
  expect(requestOfBody(structuredClone(body)).hash).toBe(request.hash);
  expect(requestOfBody({ ...body, price: 13 }).hash).not.toBe(request.hash);
  const own = requestOf(request.lines, 12_50);
  expect(own).toEqual({ lines: request.lines, seenTotalCents: 12_50, hash: own.hash });
  // The portal asks again at the present price.
  expect(requestOf(structuredClone(request.lines), 13_00).hash).toBe(own.hash);
  expect(requestOf(linesOf(bodyOf({ domains: [registration('b.com')] })), 12_50).hash).not.toBe(own.hash);
});
