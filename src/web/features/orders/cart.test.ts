import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PurchaseResult } from '#contracts/operations/orders.ts';
import { type CartItem, cart, newDomainItem, type RunningItem, type SentOrder } from './cart.ts';

/** What the browser keeps. */
function memoryStorage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

const certificate = (address: string): CartItem => ({
  type: 'certificate',
  address,
  customerId: null,
  provider: 'p',
  productType: 'rapidssl',
  csr: '',
  csrName: '',
});
const stored = (userId: string) => {
  const text = localStorage.getItem(`nameward.cart.${userId}`);
  return (text ? JSON.parse(text) : { items: [], idempotencyKey: null }) as {
    items: CartItem[];
    idempotencyKey: string | null;
    sent?: SentOrder | null;
    running?: RunningItem[];
  };
};
const names = () => stored('ann').items.map((item) => `${item.type} ${item.address}`);

let storage: ReturnType<typeof memoryStorage>;
beforeEach(() => {
  storage = memoryStorage();
  vi.stubGlobal('localStorage', storage);
  // The previous user leaves nothing behind.
  cart.init(`nobody-${Math.random()}`);
  cart.init('ann');
});
afterEach(() => vi.unstubAllGlobals());

describe('the cart (P1 §4)', () => {
  test('add: ignored if the same type and address is already present', () => {
    cart.add(newDomainItem('a.com'));
    cart.add({ ...newDomainItem('a.com'), registration: 2 });
    cart.add(certificate('a.com'));
    expect(names()).toEqual(['domain a.com', 'certificate a.com']);
    expect(stored('ann').items[0]).toMatchObject({ registration: 1, whois: false, autoRenew: false });
  });

  test('remove: a domain takes its certificate along; a certificate goes alone', () => {
    for (const item of [
      newDomainItem('a.com'),
      certificate('a.com'),
      newDomainItem('b.com'),
      certificate('b.com'),
    ]) {
      cart.add(item);
    }
    cart.remove({ type: 'domain', address: 'a.com' });
    expect(names()).toEqual(['domain b.com', 'certificate b.com']);
    cart.remove({ type: 'certificate', address: 'b.com' });
    expect(names()).toEqual(['domain b.com']);
  });

  test('update: replaces the matching item in its place', () => {
    cart.add(newDomainItem('a.com'));
    cart.add(newDomainItem('b.com'));
    cart.update({ ...newDomainItem('a.com'), registration: 2, whois: true });
    expect(stored('ann').items).toEqual([
      { ...newDomainItem('a.com'), registration: 2, whois: true },
      newDomainItem('b.com'),
    ]);
  });

  test('clear: empties the list', () => {
    cart.add(newDomainItem('a.com'));
    cart.clear();
    expect(names()).toEqual([]);
  });

  test('init: another user has another cart, and each finds their own again', () => {
    cart.add(newDomainItem('a.com'));
    cart.init('bob');
    cart.add(newDomainItem('b.com'));
    cart.init('ann');
    cart.add(newDomainItem('c.com'));
    expect(names()).toEqual(['domain a.com', 'domain c.com']);
    expect(stored('bob').items.map(({ address }) => address)).toEqual(['b.com']);
  });

  test.each(['{', 'null', '[]', '{"items":5}', '"x"'])('a broken store (%s) is an empty cart', (text) => {
    localStorage.setItem('nameward.cart.eve', text);
    cart.init('eve');
    cart.add(newDomainItem('a.com'));
    expect(stored('eve').items).toHaveLength(1);
  });

  test('finish: takes out what was bought and nothing else', () => {
    for (const item of [newDomainItem('a.com'), certificate('a.com'), newDomainItem('b.com')]) cart.add(item);
    cart.finish([{ type: 'domain', address: 'a.com' }]);
    expect(names()).toEqual(['certificate a.com', 'domain b.com']);
  });
});

describe('the key of an order (decisions no. 9)', () => {
  test('is stored with the cart before it is used, and stays the same for the same items', () => {
    cart.add(newDomainItem('a.com'));
    const key = cart.key();
    expect(stored('ann').idempotencyKey).toBe(key);
    expect(cart.key()).toBe(key);
    cart.init('bob');
    cart.init('ann');
    expect(cart.key()).toBe(key);
  });

  test('any change of the items makes another one', () => {
    cart.add(newDomainItem('a.com'));
    const changes = [
      () => cart.add(newDomainItem('b.com')),
      () => cart.update({ ...newDomainItem('a.com'), registration: 2 }),
      () => cart.remove({ type: 'domain', address: 'b.com' }),
      () => cart.shareOwner(true),
    ];
    const keys = changes.map((change) => {
      const before = cart.key();
      change();
      expect(stored('ann').idempotencyKey).toBeNull();
      return before;
    });
    expect(new Set([...keys, cart.key()]).size).toBe(keys.length + 1);
  });

  test('what adds nothing changes nothing', () => {
    cart.add(newDomainItem('a.com'));
    const key = cart.key();
    cart.add(newDomainItem('a.com'));
    expect(cart.key()).toBe(key);
  });
});

const body = (name: string) => ({
  domains: [{ address: name, customerId: 'c', period: 1 as const, whois: false, autoRenew: false }],
  domainRenewals: [],
  domainTransfers: [],
  certificates: [],
  price: 12,
});
const nothing = { success: [], fail: [] };
const result = (lists: Partial<PurchaseResult>): PurchaseResult => ({
  orderId: 'o-1',
  domains: nothing,
  renewals: nothing,
  transfers: nothing,
  certificates: nothing,
  pending: [],
  ...lists,
});

describe('an order on its way', () => {
  test('sent again without an answer it is the same request, whatever it would be by now', () => {
    cart.add(newDomainItem('a.com'));
    const first = cart.send(body('a.com'), 1_000);
    cart.giveUpWaiting();
    const again = cart.send({ ...body('a.com'), price: 13 }, 2_000);
    expect(again).toEqual({ ...first, atMs: 2_000 });
    expect(stored('ann').sent).toEqual(again);
  });

  test('a page that comes back soon finds it; later, or once the person was told, it is not asked for', () => {
    cart.add(newDomainItem('a.com'));
    const sent = cart.send(body('a.com'), 1_000);
    expect(cart.interrupted(60_000)).toEqual(sent);
    expect(cart.interrupted(1_000 + 10 * 60_000)).toBeNull();
    cart.giveUpWaiting();
    expect(cart.interrupted(60_000 + 10 * 60_000)).toBeNull();
  });

  test('a name added meanwhile makes another order, and does not leave with the result of this one', () => {
    cart.add(newDomainItem('a.com'));
    const sent = cart.send(body('a.com'), 1_000);
    cart.add(newDomainItem('b.com'));
    expect(cart.unanswered()).toBeNull();
    expect(cart.interrupted(2_000)).toEqual(sent);
    cart.settle(result({ domains: { success: [{ domain: 'a.com', price: 12 }], fail: [] } }));
    expect(names()).toEqual(['domain b.com']);
    expect(cart.interrupted(2_000)).toBeNull();
    expect(cart.key()).not.toBe(sent.key);
  });

  test('what is not confirmed yet stays, marked as running, until its end is known', () => {
    for (const name of ['a.com', 'b.com', 'c.com']) cart.add(newDomainItem(name));
    const fail = ['b.com', 'c.com'].map((domain) => ({ domain, price: 12, error: 'Still being confirmed' }));
    const pending = fail.map(({ domain }) => ({ domain, kind: 'domain', itemId: `i-${domain}` }));
    cart.settle(result({ domains: { success: [{ domain: 'a.com', price: 12 }], fail }, pending }));
    expect(names()).toEqual(['domain b.com', 'domain c.com']);
    const [b, c] = stored('ann').running ?? [];
    expect(b).toEqual({ type: 'domain', address: 'b.com', itemId: 'i-b.com', orderId: 'o-1' });
    if (b) cart.settleRunning(b, true);
    expect(names()).toEqual(['domain c.com']);
    if (c) cart.settleRunning(c, false);
    expect(names()).toEqual(['domain c.com']);
    expect(stored('ann').running).toEqual([]);
  });
});
