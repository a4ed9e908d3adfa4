import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CartItem, cart, newDomainItem } from './cart.ts';

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
  };
};
const names = () => stored('ann').items.map((item) => `${item.type} ${item.address}`);

let storage: ReturnType<typeof memoryStorage>;
beforeEach(() => {
  storage = memoryStorage();
  vi.stubGlobal('localStorage', storage);
  // Whoever was here before leaves nothing behind.
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

  test('init: another user has another cart, and each finds his own again', () => {
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
      () => cart.updateAll((item) => ({ ...item, customerId: 'c' })),
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
