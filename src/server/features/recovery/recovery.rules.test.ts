import { expect, test } from 'vitest';
import { dayMs } from '#contracts/values/time.ts';
import {
  askedSince,
  compareNames,
  isSameContact,
  type KnownOrders,
  type OutsideOrder,
  type OwnName,
  progressText,
  stateAfter,
  verdictOnOrder,
} from './recovery.rules.ts';

const now = new Date('2026-11-23T12:00:00Z');
const later = (days: number, ms = 0) => new Date(now.getTime() + days * dayMs + ms);
const [itemId, organisationId] = [1, 2].map((last) => `019aaaaa-0000-7000-8000-00000000000${last}`) as [
  string,
  string,
];
const own = (expiresAt: Date | null, isComing = false): OwnName => ({ organisationId, expiresAt, isComing });

test('the others are asked from a day before', () => {
  expect(askedSince(now)).toEqual(later(-1));
});

test('names are unknown, moved, missing, or the same', () => {
  const held = new Map([
    ['same.com', later(100)],
    ['almost.com', later(100)],
    ['renewed.com', later(465)],
    ['shorter.com', later(99)],
    ['new.com', later(365)],
    ['coming.com', later(300)],
    ['nameless.com', later(300)],
  ]);
  const ours = new Map([
    ['same.com', own(later(100))],
    ['almost.com', own(later(101, -1))],
    ['renewed.com', own(later(100))],
    ['shorter.com', own(later(100))],
    ['coming.com', own(null, true)],
    ['nameless.com', own(null)],
    ['gone.com', own(later(0, 1))],
    ['expired.com', own(now)],
  ]);
  expect(compareNames(held, ours, now)).toEqual({
    unknown: ['new.com'],
    moved: ['renewed.com', 'shorter.com', 'nameless.com'],
    missing: ['gone.com'],
  });
  expect(compareNames(new Map(), new Map(), now)).toEqual({ unknown: [], moved: [], missing: [] });
});

const origin = { organisationId, customerId: null, priceCents: 1299, autoRenew: false };
const order = (change: Partial<OutsideOrder> = {}): OutsideOrder => ({
  ...{ orderId: '7', address: 'a.com', kind: 'domain', state: 'done', tag: itemId, origin },
  ...{ costCents: 1000, years: 1, orderedAt: now, ...change },
});
const known = (change: Partial<KnownOrders> = {}): KnownOrders => ({
  ...{ items: new Set<string>(), registrarOrders: new Set<string>() },
  ...{ organisations: new Set([organisationId]), ...change },
});

test('an order that nobody knows is adopted under its id, at its price, carried out or not yet', () => {
  for (const state of ['done', 'open'] as const) {
    expect(verdictOnOrder(order({ state }), known(), now)).toEqual({
      ...{ what: 'adopt', itemId, kind: 'domain', origin },
    });
  }
});

test.each<[string, OutsideOrder, KnownOrders]>([
  ['that came to nothing', order({ state: 'ended' }), known()],
  ['whose item is known', order(), known({ items: new Set([itemId]) })],
  ['whose number is known', order({ tag: null }), known({ registrarOrders: new Set(['7']) })],
  ['of before', order({ orderedAt: new Date(now.getTime() - 1) }), known()],
])('nothing comes of an order %s', (_what, one, among) => {
  expect(verdictOnOrder(one, among, now)).toEqual({ what: 'nothing' });
});

test('an order that does not say when it was placed may be of any time', () => {
  expect(verdictOnOrder(order({ orderedAt: null }), known(), now).what).toBe('adopt');
});

test.each<[string, Partial<OutsideOrder>]>([
  ['without an origin', { origin: null }],
  ['without a tag', { tag: null }],
  ['with a tag of somebody else', { tag: 'by-hand' }],
  ['of a kind that is not ours', { kind: 'other' }],
])('a person decides about an order %s, and its cost is named', (_what, change) => {
  expect(verdictOnOrder(order(change), known(), now)).toMatchObject({
    what: 'person',
    kind: 'order-without-price',
    text: expect.stringContaining('Order 7 for a.com, which cost $10.00,'),
  });
});

test('a person decides about an order of an organization that is lost, with its price', () => {
  const verdict = verdictOnOrder(order({ costCents: null }), known({ organisations: new Set() }), now);
  expect(verdict).toMatchObject({ what: 'person', kind: 'order-of-unknown-organization' });
  expect(verdict).toHaveProperty('text', expect.stringContaining('Order 7 for a.com is for $12.99'));
});

test('contacts are the same however they are written, and not when one part differs', () => {
  const contact = {
    ...{ firstName: 'Ann', lastName: 'Smith', organization: 'Blue Fig Ltd', address1: '1 Main Street' },
    ...{ city: 'New York', state: 'NY', postalCode: '100 01', country: 'US' },
    ...{ email: 'ann@bluefig.example', phone: '+1.2125550100' },
  };
  const same = {
    ...contact,
    organization: 'BLUE FIG LTD',
    postalCode: '10001',
    phone: '+1.1',
    firstName: 'A',
  };
  expect(isSameContact(contact, same)).toBe(true);
  for (const key of ['email', 'lastName', 'organization', 'postalCode', 'country'] as const) {
    expect(isSameContact(contact, { ...contact, [key]: 'other' })).toBe(false);
  }
});

test('the end waits for people, and for nothing else', () => {
  expect([stateAfter(0), stateAfter(1)]).toEqual(['ended', 'waiting']);
});

test('progress is told with its end where that is known', () => {
  expect([progressText(3, 10), progressText(3, null)]).toEqual(['3 of 10', '3']);
});
