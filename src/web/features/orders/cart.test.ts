import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PurchaseResult } from '#contracts/operations/orders.ts';
import { mostItems } from '#contracts/values/order-limits.ts';
import {
  type CartItem,
  cart,
  cartNow,
  leftOutNow,
  newDomainItem,
  onCartChange,
  type RunningItem,
  type SentOrder,
  stillToBuy,
} from './cart.ts';

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
    expect(leftOutNow()).toEqual([]);
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

  test('restore: what left with a removal is there again, with the CSR of its certificate', () => {
    cart.add(
      { ...certificate('a.com'), csr: 'CSR' } as CartItem,
      newDomainItem('a.com'),
      newDomainItem('b.com'),
    );
    const before = stored('ann').items;
    const removed = cart.remove({ type: 'domain', address: 'a.com' });
    expect(names()).toEqual(['domain b.com']);
    cart.restore(removed);
    expect(stored('ann').items).toEqual(before);
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

  test('a checked CSR: the certificate has it, and nothing else of the cart changes', () => {
    cart.add(newDomainItem('a.com'), certificate('a.com'), certificate('b.com'));
    cart.setCsr('a.com', 'CSR', 'a.csr');
    expect(stored('ann').items).toEqual([
      newDomainItem('a.com'),
      { ...certificate('a.com'), csr: 'CSR', csrName: 'a.csr' },
      certificate('b.com'),
    ]);
  });

  test('clear: empties the list', () => {
    cart.add(newDomainItem('a.com'));
    cart.clear();
    expect(names()).toEqual([]);
    expect(cartNow().items).toEqual([]);
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
    cart.finish([
      { type: 'domain', address: 'a.com' },
      { type: 'domain', address: 'gone.com' },
    ]);
    expect(names()).toEqual(['certificate a.com', 'domain b.com']);
  });
});

describe('whom the cart belongs to, and where it is kept', () => {
  test('where the browser keeps nothing, the cart lasts as long as the page', () => {
    storage.setItem = () => {
      throw new Error('full');
    };
    cart.add(newDomainItem('a.com'));
    cart.add(newDomainItem('b.com'));
    cart.init('ann');
    expect(cartNow().items.map(({ address }) => address)).toEqual(['a.com', 'b.com']);
  });

  test('what another window has added is in the cart of the next user, although nothing could be kept for the last one', () => {
    const { setItem } = storage;
    storage.setItem = () => undefined;
    cart.add(newDomainItem('a.com'));
    cart.init('bob');
    storage.setItem = setItem;
    localStorage.setItem('nameward.cart.bob', JSON.stringify({ items: [newDomainItem('other.com')] }));
    cart.add(newDomainItem('b.com'));
    expect(stored('bob').items.map(({ address }) => address)).toEqual(['other.com', 'b.com']);
  });

  test('each change starts from what another window has stored meanwhile', () => {
    cart.add(newDomainItem('a.com'));
    localStorage.setItem('nameward.cart.ann', JSON.stringify({ items: [newDomainItem('other.com')] }));
    cart.add(newDomainItem('b.com'));
    expect(names()).toEqual(['domain other.com', 'domain b.com']);
  });
});

describe('a full cart', () => {
  const fill = () => {
    const items = Array.from({ length: mostItems }, (_, n) => newDomainItem(`n${n}.com`));
    localStorage.setItem('nameward.cart.bob', JSON.stringify({ items }));
    cart.init('bob');
  };

  test('says which names found no place, until the person has read it', () => {
    fill();
    expect(leftOutNow()).toEqual([]);
    cart.add(newDomainItem('one-more.com'));
    cart.add(newDomainItem('two-more.com'));
    expect(leftOutNow()).toEqual(['one-more.com', 'two-more.com']);
    let heard = leftOutNow();
    vi.stubGlobal('window', new EventTarget());
    const stop = onCartChange(() => {
      heard = leftOutNow();
    });
    cart.add(newDomainItem('last.com'));
    expect(heard).toEqual(['one-more.com', 'two-more.com', 'last.com']);
    cart.forgetLeftOut();
    stop();
    expect(leftOutNow()).toEqual([]);
    expect(heard).toEqual([]);
  });

  test('takes of many as many as there is room for, and gives back the others', () => {
    fill();
    cart.remove(newDomainItem('n0.com'));
    const many = ['n3.com', 'last.com', 'too.com', 'many.com'].map(newDomainItem);
    expect(cart.add(...many).map(({ address }) => address)).toEqual(['too.com', 'many.com']);
    expect(cartNow().items).toHaveLength(mostItems);
    expect(leftOutNow()).toEqual(['too.com', 'many.com']);
  });

  test('leaves out nothing that is in it already', () => {
    fill();
    cart.add(newDomainItem('n3.com'));
    expect(leftOutNow()).toEqual([]);
  });

  test('another user hears nothing of it', () => {
    fill();
    cart.add(newDomainItem('one-more.com'));
    cart.init('ann');
    expect(leftOutNow()).toEqual([]);
  });
});

describe('who listens to the cart', () => {
  const otherWindow = (key: string | null) =>
    window.dispatchEvent(Object.assign(new Event('storage'), { key }));
  let heard: ReturnType<typeof vi.fn<() => void>>;
  let stop: () => void;
  beforeEach(() => {
    vi.stubGlobal('window', new EventTarget());
    heard = vi.fn<() => void>();
    stop = onCartChange(heard);
  });
  afterEach(() => stop());

  test('hears of each change and of another user, and of nothing once they stopped', () => {
    cart.add(newDomainItem('a.com'));
    expect(heard).toHaveBeenCalledTimes(1);
    cart.init('bob');
    expect(heard).toHaveBeenCalledTimes(2);
    stop();
    cart.add(newDomainItem('b.com'));
    otherWindow(null);
    expect(heard).toHaveBeenCalledTimes(2);
  });

  test('one who stops while the others hear of a change keeps nobody from hearing of it', () => {
    const second = vi.fn(() => stopSecond());
    const third = vi.fn();
    const stopSecond = onCartChange(second);
    const stopThird = onCartChange(third);
    cart.add(newDomainItem('a.com'));
    stopThird();
    expect([second, third].map((listener) => listener.mock.calls.length)).toEqual([1, 1]);
  });

  test('sees what another window has stored for the same user, and nobody else’s cart', () => {
    const text = JSON.stringify({ items: [newDomainItem('other.com')] });
    localStorage.setItem('nameward.cart.ann', text);
    otherWindow('nameward.cart.bob');
    expect([heard.mock.calls.length, cartNow().items.length]).toEqual([0, 0]);
    otherWindow('nameward.cart.ann');
    expect(heard).toHaveBeenCalledOnce();
    expect(cartNow().items).toEqual([newDomainItem('other.com')]);
    // All that the browser kept was cleared.
    localStorage.removeItem('nameward.cart.ann');
    otherWindow(null);
    expect(cartNow().items).toEqual([]);
  });
});

describe('what a change leaves as it was', () => {
  const running: RunningItem = { type: 'domain', address: 'c.com', itemId: 'i', orderId: 'o' };
  beforeEach(() => {
    cart.add(newDomainItem('a.com'), newDomainItem('b.com'), newDomainItem('c.com'));
    const kept = { ...stored('ann'), running: [running] };
    localStorage.setItem('nameward.cart.ann', JSON.stringify(kept));
    cart.shareOwner(false);
  });

  test('is the same object in the cart', () => {
    const [, b, c] = cartNow().items;
    const [mark] = cartNow().running;
    cart.remove({ type: 'domain', address: 'a.com' });
    expect(cartNow().items).toHaveLength(2);
    expect(cartNow().items[0]).toBe(b);
    expect(cartNow().items[1]).toBe(c);
    expect(cartNow().running[0]).toBe(mark);
  });

  test('is the same object after a change in another window, and what that changed is another one', () => {
    vi.stubGlobal('window', new EventTarget());
    const stop = onCartChange(() => undefined);
    const [a, b] = cartNow().items;
    const changed = { ...newDomainItem('b.com'), whois: true };
    const kept = { ...stored('ann'), items: [a, changed] };
    localStorage.setItem('nameward.cart.ann', JSON.stringify(kept));
    window.dispatchEvent(Object.assign(new Event('storage'), { key: 'nameward.cart.ann' }));
    stop();
    expect(cartNow().items[0]).toBe(a);
    expect(b).toEqual(newDomainItem('b.com'));
    expect(cartNow().items[1]).toEqual(changed);
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

  test('is that of the items which this window shows, although another window has just changed them', () => {
    cart.add(newDomainItem('a.com'));
    const key = cart.key();
    localStorage.setItem('nameward.cart.ann', JSON.stringify({ items: [newDomainItem('other.com')] }));
    expect(cart.key()).toBe(key);
  });

  test('is another one once the order was refused', () => {
    cart.add(newDomainItem('a.com'));
    const { key } = cart.send(body('a.com'), noon);
    cart.forgetOrder(key);
    expect(cart.interrupted()).toBeNull();
    expect(cart.key()).not.toBe(key);
  });

  test('what adds nothing changes nothing', () => {
    cart.add(newDomainItem('a.com'));
    const key = cart.key();
    cart.add(newDomainItem('a.com'));
    expect(cart.key()).toBe(key);
  });
});

/** A time of day as the clock of a browser says it. */
const noon = Date.parse('2026-11-22T12:00:00Z');
const minuteMs = 60_000;
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
    const first = cart.send(body('a.com'), noon);
    expect(cart.unanswered()).toEqual(first);
    cart.giveUpWaiting(first.key);
    const again = cart.send({ ...body('a.com'), price: 13 }, noon + minuteMs);
    expect(again).toEqual({ ...first, atMs: noon + minuteMs, again: true });
    expect(stored('ann').sent).toEqual(again);
  });

  test('a page that comes back finds it, however long that takes', () => {
    cart.add(newDomainItem('a.com'));
    const sent = cart.send(body('a.com'), noon);
    expect(cart.interrupted()).toEqual(sent);
    // As it was kept by a browser that was closed for weeks.
    const weeksAgo = { ...sent, atMs: Date.now() - 20 * 24 * 60 * minuteMs, again: true };
    storage.setItem('nameward.cart.bea', JSON.stringify({ ...stored('ann'), sent: weeksAgo }));
    cart.init('bea');
    expect(cart.interrupted()).toEqual(weeksAgo);
  });

  test('once the person was told that it has not arrived, it is not asked for', () => {
    cart.giveUpWaiting('none');
    expect(stored('ann').sent).toBeNull();
    cart.add(newDomainItem('a.com'));
    const { key } = cart.send(body('a.com'), noon);
    cart.giveUpWaiting(key);
    expect(cart.interrupted()).toBeNull();
  });

  test('it is told from one that these items make, whether or not it was waited for to the end', () => {
    cart.add(newDomainItem('a.com'));
    const sent = cart.send(body('a.com'), noon);
    expect(cart.superseded()).toBeNull();
    cart.add(newDomainItem('b.com'));
    expect(cart.superseded()).toEqual(sent);
    // The key of the new items is another one too.
    cart.key();
    expect(cart.superseded()).toEqual(sent);
    cart.giveUpWaiting(sent.key);
    expect(cart.superseded()).toEqual({ ...sent, atMs: 0 });
    cart.send(body('b.com'), noon + minuteMs);
    expect(cart.superseded()).toBeNull();
  });

  test('what never went out is asked for by nobody, and keeps its key', () => {
    cart.add(newDomainItem('a.com'));
    const { key } = cart.send(body('a.com'), noon);
    cart.notSent(key);
    // Nothing is on its way any more.
    cart.notSent(key);
    expect([cart.interrupted(), cart.unanswered()]).toEqual([null, null]);
    expect(cart.send({ ...body('a.com'), price: 13 }, noon)).toEqual({
      ...{ key, body: { ...body('a.com'), price: 13 }, atMs: noon },
    });
  });

  test('what becomes of an earlier order takes nothing from one that was sent since', () => {
    cart.add(newDomainItem('a.com'));
    const earlier = cart.send(body('a.com'), noon);
    cart.add(newDomainItem('b.com'));
    const sent = cart.send(body('b.com'), noon + minuteMs);
    cart.forgetOrder(earlier.key);
    cart.giveUpWaiting(earlier.key);
    cart.notSent(earlier.key);
    expect(cart.key()).toBe(sent.key);
    cart.settle(earlier.key, result({}));
    expect(cart.interrupted()).toEqual(sent);
  });

  test('a name added meanwhile makes another order, and does not leave with the result of this one', () => {
    cart.add(newDomainItem('a.com'));
    const sent = cart.send(body('a.com'), noon);
    cart.add(newDomainItem('b.com'));
    expect(cart.unanswered()).toBeNull();
    expect(cart.interrupted()).toEqual(sent);
    cart.settle(sent.key, result({ domains: { success: [{ domain: 'a.com', price: 12 }], fail: [] } }));
    expect(names()).toEqual(['domain b.com']);
    expect(cart.interrupted()).toBeNull();
    expect(cart.key()).not.toBe(sent.key);
  });

  test('what is not confirmed yet stays, marked as running, until its end is known', () => {
    for (const name of ['a.com', 'b.com', 'c.com']) cart.add(newDomainItem(name));
    const fail = ['b.com', 'c.com'].map((domain) => ({ domain, price: 12, error: 'Still being confirmed' }));
    const pending = fail.map(({ domain }) => ({ domain, kind: 'domain', itemId: `i-${domain}` }));
    cart.settle('key', result({ domains: { success: [{ domain: 'a.com', price: 12 }], fail }, pending }));
    expect(names()).toEqual(['domain b.com', 'domain c.com']);
    const [b, c] = stored('ann').running ?? [];
    expect(b).toEqual({ type: 'domain', address: 'b.com', itemId: 'i-b.com', orderId: 'o-1' });
    if (b) cart.settleRunning(b, true);
    expect(names()).toEqual(['domain c.com']);
    expect(stored('ann').running).toEqual([c]);
    if (c) cart.settleRunning(c, false);
    expect(names()).toEqual(['domain c.com']);
    expect(stored('ann').running).toEqual([]);
  });

  test('an item that runs in another order by now is marked with that one, and the others keep their mark', () => {
    const pending = (itemId: string, names: string[]) =>
      names.map((domain) => ({ domain, kind: 'domain', itemId: `${itemId}-${domain}` }));
    for (const name of ['a.com', 'b.com']) cart.add(newDomainItem(name));
    cart.settle('first', result({ pending: pending('first', ['a.com', 'b.com']) }));
    cart.add(newDomainItem('c.com'));
    cart.settle('second', result({ orderId: 'o-2', pending: pending('second', ['b.com', 'c.com']) }));
    const marks = stored('ann').running?.map(({ itemId, orderId }) => `${itemId} of ${orderId}`);
    expect(marks).toEqual(['first-a.com of o-1', 'second-b.com of o-2', 'second-c.com of o-2']);
  });

  test('what is bought or still running is no part of the next order; what failed is', () => {
    const bought = (domain: string) => ({
      success: [{ domain, price: 12 }],
      fail: [{ domain: 'failed.com', price: 12, error: 'no' }],
    });
    const shown = result({
      domains: bought('a.com'),
      renewals: bought('b.com'),
      transfers: bought('c.com'),
      certificates: bought('d.com'),
      pending: [{ domain: 'e.com', kind: 'transfer', itemId: 'i' }],
    });
    const base = { customerId: null, registration: 1, autoRenew: false } as const;
    const transfer = (address: string) => ({ type: 'transfer', ...base, address, EPPCode: '' }) as const;
    const items: CartItem[] = [
      { type: 'renewal', ...base, address: 'b.com', expireDate: '2027-01-01T00:00:00.000Z' },
      ...[newDomainItem('a.com'), transfer('c.com'), certificate('d.com'), transfer('e.com')],
      ...[certificate('a.com'), newDomainItem('failed.com')],
    ];
    const left = stillToBuy({ items, running: [] }, shown);
    expect(left).toEqual([certificate('a.com'), newDomainItem('failed.com')]);
    expect(stillToBuy({ items, running: [] }, null)).toEqual(items);
  });

  test('what is being bought by an earlier order is no part of the next one, with its result open and without', () => {
    const items = ['a.com', 'b.com', 'c.com'].map(newDomainItem);
    const running = [{ type: 'domain', address: 'a.com', itemId: 'i', orderId: 'o-1' } as const];
    const next = (shown: PurchaseResult | null) =>
      stillToBuy({ items, running }, shown).map(({ address }) => address);
    expect(next(null)).toEqual(['b.com', 'c.com']);
    const domains = { success: [{ domain: 'b.com', price: 12 }], fail: [] };
    expect(next(result({ domains }))).toEqual(['c.com']);
  });
});
