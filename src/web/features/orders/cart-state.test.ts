import { describe, expect, test } from 'vitest';
import { mostItems } from '#contracts/values/order-limits.ts';
import {
  type CartItem,
  type CartState,
  type DomainItem,
  emptyCart,
  mendedCart,
  removedBy,
  withAdded,
  withCsr,
  withItems,
  withRestored,
  withSeen,
  withSharing,
  withUpdated,
} from './cart-state.ts';

const domain = (address: string, customerId: string | null): DomainItem => ({
  ...{ type: 'domain', address, customerId, registration: 1, whois: false, autoRenew: false },
});
const certificate = (address: string, customerId: string): CartItem => ({
  ...{ type: 'certificate', address, customerId, provider: 'RapidSSL', productType: 'rapidssl' },
  ...{ csr: 'CSR', csrName: 'a.csr' },
});
const transfer = (address: string, customerId: string | null): CartItem => ({
  ...{ type: 'transfer', address, customerId, registration: 1, autoRenew: true, EPPCode: 'Code-1' },
});
const renewal = (address: string, customerId: string | null): CartItem => ({
  ...{ type: 'renewal', address, customerId, registration: 1, autoRenew: true, expireDate: '2027-01-31' },
});
const holding = (...items: CartItem[]): CartState => ({ ...emptyCart, items });
const owners = (state: CartState) => state.items.map(({ customerId }) => customerId);

describe('one customer for all new domains (P1 §5)', () => {
  const three = holding(domain('a.com', 'ann'), domain('b.com', 'bob'), domain('c.com', 'eve'));

  test('is the first one’s, of their certificates too; certificates of other domains keep theirs', () => {
    const mixed = holding(...three.items, certificate('b.com', 'bob'), certificate('z.com', 'zoe'));
    expect(owners(withSharing(mixed, true))).toEqual(['ann', 'ann', 'ann', 'ann', 'zoe']);
  });

  test('the first name that leaves takes no owner along: the others keep theirs', () => {
    const shared = withSharing(three, true);
    expect(owners(withItems(shared, shared.items.slice(1)))).toEqual(['ann', 'ann']);
    // Another window shows three owners and removes the first name before it hears of the sharing.
    expect(owners(withItems(three, three.items.slice(1)))).toEqual(['bob', 'eve']);
  });

  test('another owner for one is another owner for all, and a new name takes it', () => {
    const shared = withSharing(three, true);
    const changed = withUpdated(shared, domain('b.com', 'zoe'));
    expect(owners(changed)).toEqual(['zoe', 'zoe', 'zoe']);
    expect(owners(withAdded(changed, domain('d.com', null)))).toEqual(['zoe', 'zoe', 'zoe', 'zoe']);
  });

  test('a new name takes the first new domain’s owner, whatever lies before it', () => {
    const shared = withSharing(holding(renewal('r.com', 'roy'), domain('a.com', 'ann')), true);
    expect(owners(shared)).toEqual(['roy', 'ann']);
    expect(owners(withAdded(shared, domain('d.com', null)))).toEqual(['roy', 'ann', 'ann']);
  });

  test('a name that brings its owner keeps it, and what is no new domain has none of the others’', () => {
    const shared = withSharing(three, true);
    expect(owners(withAdded(shared, domain('d.com', 'dan'))).at(-1)).toBe('dan');
    expect(owners(withAdded(shared, transfer('t.com', null))).at(-1)).toBeNull();
  });

  test('a name that brings another owner ends the sharing: no later reading or change gives it away', () => {
    const mixed = withAdded(withSharing(three, true), domain('d.com', 'dan'));
    expect(mixed.sharedOwner).toBe(false);
    expect(owners(mendedCart(JSON.parse(JSON.stringify(mixed))))).toEqual(['ann', 'ann', 'ann', 'dan']);
    const unowned = withAdded(withSharing(holding(domain('a.com', null)), true), domain('d.com', 'dan'));
    expect([unowned.sharedOwner, owners(unowned)]).toEqual([false, [null, 'dan']]);
    const beside = withSharing(holding(renewal('r.com', 'roy'), domain('a.com', 'ann')), true);
    expect(withAdded(beside, domain('d.com', 'dan')).sharedOwner).toBe(false);
  });

  test('a name that brings the same owner, the first one, or none leaves the sharing as it is', () => {
    const shared = withSharing(three, true);
    const first = withSharing(holding(renewal('r.com', 'roy')), true);
    const after = [
      withAdded(shared, domain('d.com', 'ann')),
      withAdded(first, domain('d.com', 'dan')),
      withAdded(shared, domain('d.com', null)),
      withAdded(shared, transfer('t.com', 'tim')),
      withAdded(shared, certificate('z.com', 'zoe')),
    ];
    expect(after.map(({ sharedOwner }) => sharedOwner)).toEqual([true, true, true, true, true]);
  });

  test('only another owner is shared: a switch or a period of one name changes the owner of no other', () => {
    const mixed = { ...three, sharedOwner: true };
    expect(owners(withUpdated(mixed, { ...domain('b.com', 'bob'), whois: true }))).toEqual([
      ...['ann', 'bob', 'eve'],
    ]);
    // Another window has removed it meanwhile.
    expect(owners(withUpdated(mixed, domain('gone.com', 'zoe')))).toEqual(['ann', 'bob', 'eve']);
  });

  test('a certificate belongs to whom its new domain belongs to when it comes, not when it was asked for', () => {
    const cart = holding(domain('a.com', 'ann'), transfer('t.com', 'tim'));
    expect(owners(withAdded(cart, certificate('a.com', 'bob'))).at(-1)).toBe('ann');
    expect(owners(withAdded(cart, { ...certificate('a.com', ''), customerId: null })).at(-1)).toBe('ann');
    expect(owners(withAdded(cart, certificate('t.com', 'bob'))).at(-1)).toBe('bob');
    expect(owners(withAdded(cart, certificate('z.com', 'zoe'))).at(-1)).toBe('zoe');
    // A transfer of the same name keeps its own.
    expect(owners(withAdded(cart, transfer('a.com', 'tom'))).at(-1)).toBe('tom');
  });

  test('where nobody shares, a new name has no owner yet', () => {
    expect(owners(withAdded(three, domain('d.com', null)))).toEqual(['ann', 'bob', 'eve', null]);
  });

  test('the first name of a cart that shares has no owner to take', () => {
    const shared = withSharing(holding(renewal('r.com', 'roy')), true);
    expect(owners(withAdded(shared, domain('a.com', null)))).toEqual(['roy', null]);
  });

  test('switched off, each keeps what it has and is changed alone', () => {
    const off = withSharing(withSharing(three, true), false);
    expect(owners(withUpdated(off, domain('b.com', 'bob')))).toEqual(['ann', 'bob', 'ann']);
  });

  test('another owner of a domain is one of its certificate, and of nothing else that has its name', () => {
    const mixed = holding(domain('a.com', 'ann'), certificate('a.com', 'ann'), transfer('a.com', 'tim'));
    const other = holding(...mixed.items, domain('b.com', 'bob'), certificate('b.com', 'bob'));
    expect(owners(withUpdated(other, domain('a.com', 'zoe')))).toEqual(['zoe', 'zoe', 'tim', 'bob', 'bob']);
  });

  test('another owner of what is no new domain is one of that item alone', () => {
    const mixed = holding(domain('a.com', 'ann'), transfer('t.com', 'tim'), certificate('t.com', 'tim'));
    expect(owners(withUpdated(mixed, transfer('t.com', 'zoe')))).toEqual(['ann', 'zoe', 'tim']);
    expect(owners(withUpdated(withSharing(mixed, true), transfer('t.com', 'zoe')))).toEqual([
      ...['ann', 'zoe', 'tim'],
    ]);
  });
});

test('an item that leaves takes the mark of its running order along; the others keep theirs', () => {
  const mark = (address: string) => ({ type: 'domain' as const, address, itemId: 'i', orderId: 'o' });
  const state = {
    ...holding(domain('a.com', null), domain('b.com', null)),
    running: ['a.com', 'b.com'].map(mark),
  };
  expect(withItems(state, state.items.slice(1)).running).toEqual([mark('b.com')]);
});

test('item 201 is not added', () => {
  const full = holding(...Array.from({ length: mostItems }, (_, n) => domain(`n${n}.com`, null)));
  expect(withAdded(full, domain('one-more.com', null)).items).toHaveLength(mostItems);
  expect(withAdded(full, domain('n0.com', null))).toBe(full);
});

test('a CSR that was checked leaves what was chosen meanwhile, and comes too late for a certificate that left', () => {
  const chosen = { ...certificate('a.com', 'ann'), provider: 'Sectigo', productType: 'positivessl' };
  const cart = holding(domain('a.com', 'ann'), chosen);
  expect(withCsr(cart, 'a.com', 'NEW', 'new.csr').items).toEqual([
    cart.items[0],
    { ...chosen, csr: 'NEW', csrName: 'new.csr' },
  ]);
  const left = { ...holding(domain('a.com', 'ann')), idempotencyKey: 'key' };
  expect(withCsr(left, 'a.com', 'NEW', 'new.csr')).toBe(left);
});

describe('what was removed and is put back', () => {
  const csr = { ...certificate('b.com', 'bob'), provider: 'Sectigo' };
  const all = holding(domain('a.com', 'ann'), domain('b.com', 'bob'), csr, domain('c.com', 'eve'));
  const without = (state: CartState, names: Parameters<typeof removedBy>[1]) => {
    const removed = removedBy(state, names);
    const gone = removed.map(({ item }) => item);
    return {
      removed,
      left: withItems(
        state,
        state.items.filter((item) => !gone.includes(item)),
      ),
    };
  };

  test('a domain comes back with its certificate and CSR, each where it was', () => {
    const { removed, left } = without(all, [{ type: 'domain', address: 'b.com' }]);
    expect(left.items.map(({ address }) => address)).toEqual(['a.com', 'c.com']);
    expect(withRestored(left, removed).items).toEqual(all.items);
  });

  test('several come back at once; what was added again meanwhile is left as it is', () => {
    const { removed, left } = without(all, [domain('a.com', null), domain('c.com', null)]);
    expect(withRestored(left, removed).items).toEqual(all.items);
    const again = withAdded(left, domain('a.com', 'zoe'));
    expect(owners(withRestored(again, removed))).toEqual(['bob', 'bob', 'zoe', 'eve']);
    expect(withRestored(all, removed)).toBe(all);
  });

  test('a certificate that is being bought is known as such again', () => {
    const running = [{ type: 'certificate' as const, address: 'b.com', itemId: 'i', orderId: 'o' }];
    const { removed, left } = without({ ...all, running }, [{ type: 'domain', address: 'b.com' }]);
    expect(left.running).toEqual([]);
    expect(withRestored(left, removed).running).toEqual(running);
  });

  test('what comes back keeps its owner: where the shared one is another by now, the sharing ends', () => {
    const shared = withSharing(all, true);
    const { removed, left } = without(shared, [{ type: 'domain', address: 'a.com' }]);
    const same = withRestored(left, removed);
    expect([same.sharedOwner, owners(same)]).toEqual([true, ['ann', 'ann', 'ann', 'ann']]);
    const changed = withRestored(withUpdated(left, domain('c.com', 'zoe')), removed);
    expect([changed.sharedOwner, owners(changed)]).toEqual([false, ['ann', 'zoe', 'zoe', 'zoe']]);
    // Removed while each had its own, and the others share one by now.
    const apart = without(all, [{ type: 'domain', address: 'b.com' }]);
    const back = withRestored(withSharing(apart.left, true), apart.removed);
    expect([back.sharedOwner, owners(back)]).toEqual([false, ['ann', 'bob', 'bob', 'ann']]);
    // All had left, and another one has come.
    const none = without(shared, shared.items);
    const other = withRestored(withAdded(none.left, domain('n.com', 'zoe')), none.removed);
    expect([other.sharedOwner, owners(other)]).toEqual([false, ['ann', 'ann', 'ann', 'ann', 'zoe']]);
  });

  test('what had no owner yet takes the shared one; a certificate has the owner that its domain has by now', () => {
    const cart = holding(domain('a.com', null), domain('b.com', null), certificate('a.com', ''));
    const { removed, left } = without(withSharing(cart, true), [{ type: 'domain', address: 'a.com' }]);
    const back = withRestored(withUpdated(left, domain('b.com', 'zoe')), removed);
    expect([back.sharedOwner, owners(back)]).toEqual([true, ['zoe', 'zoe', 'zoe']]);
    const alone = without(all, [{ type: 'certificate', address: 'b.com' }]);
    const moved = withUpdated(alone.left, domain('b.com', 'zoe'));
    expect(owners(withRestored(moved, alone.removed))).toEqual(['ann', 'zoe', 'zoe', 'eve']);
  });

  test('nothing else gets another owner: neither a transfer nor a certificate without its domain', () => {
    const others = [transfer('a.com', 'tim'), transfer('t.com', null), certificate('t.com', 'tom')];
    const { removed, left } = without(holding(...all.items, ...others), [domain('c.com', null)]);
    expect(owners(withRestored(left, removed))).toEqual([
      ...['ann', 'bob', 'bob', 'eve'],
      ...['tim', null, 'tom'],
    ]);
  });

  test('a full cart takes as many as there is room for', () => {
    const { removed, left } = without(all, [domain('a.com', null), domain('c.com', null)]);
    const filled = Array.from({ length: mostItems - 3 }, (_, n) => domain(`n${n}.com`, null));
    const restored = withRestored(withItems(left, [...left.items, ...filled]), removed);
    expect(restored.items).toHaveLength(mostItems);
    expect(restored.items[0]).toEqual(all.items[0]);
  });
});

test('the price that a person knew of an item leaves with it, and goes with no other', () => {
  const of = (address: string) => ({ type: 'domain' as const, address, of: '1', price: 12.31 });
  const state = withSeen(holding(domain('a.com', 'ann'), domain('b.com', 'ann')), [of('a.com'), of('b.com')]);
  expect(withItems(state, [domain('b.com', 'ann')]).seen).toEqual([of('b.com')]);
  // A price that is seen later takes the place of the former, and the order is the same one.
  const keyed = withSeen({ ...state, idempotencyKey: 'k' }, [{ ...of('a.com'), price: 15 }]);
  expect([keyed.seen, keyed.idempotencyKey]).toEqual([[of('b.com'), { ...of('a.com'), price: 15 }], 'k']);
});

describe('a stored cart is whole again, whatever it was', () => {
  test.each([
    undefined,
    null,
    5,
    'x',
    [],
    {},
    { items: 5 },
    { items: [null, 1, 'a', [], {}, { type: 'domain' }, { type: 'other', address: 'a.com' }] },
    {
      items: [
        { type: 'domain', address: { a: 1 } },
        { type: 'renewal', address: 'a.com' },
      ],
    },
    { items: [], running: [null], sent: 'x', idempotencyKey: 7, sharedOwner: 'yes' },
  ])('%j is an empty one', (stored) => expect(mendedCart(stored)).toEqual(emptyCart));

  test('of a half good one the good half stays, each item once and with all its fields', () => {
    const stored = {
      items: [
        { type: 'domain', address: 'a.com', customerId: 7, registration: '2', autoRenew: 'true' },
        { type: 'domain', address: 'a.com', customerId: 'ann', registration: 2 },
        { type: 'certificate', address: 'a.com', csr: null },
        'broken',
      ],
      running: [{ type: 'domain', address: 'gone.com', itemId: 'i', orderId: 'o' }],
      seen: [
        { type: 'domain', address: 'gone.com', of: '1', price: 12.31 },
        { type: 'domain', address: 'a.com', of: '1', price: '12.31' },
        { type: 'domain', address: 'a.com', price: 12.31 },
      ],
      sent: { key: 'k', atMs: 'now', body: {} },
    };
    expect(mendedCart(stored)).toEqual({
      ...emptyCart,
      items: [
        domain('a.com', null),
        {
          ...certificate('a.com', ''),
          customerId: null,
          provider: '',
          productType: '',
          csr: '',
          csrName: '',
        },
      ],
    });
  });

  test('a good one comes back as it was, with each kind of item and each of its fields', () => {
    const items: CartItem[] = [
      ...[domain('a.com', 'ann'), certificate('a.com', 'ann'), transfer('t.com', 'tim')],
      ...([renewal('r.com', null), { ...certificate('b.com', 'ann'), renews: true }] as CartItem[]),
      { ...domain('c.com', 'eve'), registration: 2, whois: true, autoRenew: true },
    ];
    const running = [{ type: 'domain' as const, address: 'a.com', itemId: 'i', orderId: 'o' }];
    const body = { domains: [], domainRenewals: [], domainTransfers: [], certificates: [], price: 1 };
    const seen = [{ type: 'domain' as const, address: 'a.com', of: '1', price: 12.31 }];
    const state = {
      items,
      running,
      seen,
      sharedOwner: false,
      idempotencyKey: 'k',
      sent: { key: 'k', body, atMs: 1 },
    };
    expect(mendedCart(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  test('one of an earlier version, which kept the mark of sharing alone, has the shared owner in each item', () => {
    const items = [domain('a.com', 'ann'), domain('b.com', null)];
    expect(owners(mendedCart({ items, idempotencyKey: 'k', sharedOwner: true }))).toEqual(['ann', 'ann']);
  });

  test('a shared one stays shared, although a transfer in it has another owner', () => {
    const shared = withSharing(holding(domain('a.com', 'ann'), transfer('t.com', 'tim')), true);
    expect(mendedCart(JSON.parse(JSON.stringify(shared)))).toEqual(shared);
  });

  test('one of an earlier version whose names have several owners is shared no more: each keeps its own, and its order is another', () => {
    const items = [domain('a.com', 'ann'), domain('b.com', 'bob'), certificate('b.com', 'bob')];
    const body = { domains: [], domainRenewals: [], domainTransfers: [], certificates: [], price: 1 };
    const sent = { key: 'k', body, atMs: 1 };
    const stored = { items, idempotencyKey: 'k', sent, sharedOwner: true };
    const mended = { ...emptyCart, items, sent };
    expect(mendedCart(stored)).toEqual(mended);
    expect(mendedCart(JSON.parse(JSON.stringify(mended)))).toEqual(mended);
    const late = mendedCart({ ...stored, items: [domain('a.com', null), domain('b.com', 'bob')] });
    expect([late.sharedOwner, owners(late)]).toEqual([false, [null, 'bob']]);
  });

  test('of more items than a cart holds, the first ones stay', () => {
    const items = Array.from({ length: mostItems + 1 }, (_, n) => domain(`n${n}.com`, null));
    expect(mendedCart({ items }).items).toEqual(items.slice(0, mostItems));
  });

  test.each(['type', 'address', 'itemId', 'orderId'])('a mark without its %s is none', (missing) => {
    const mark = { type: 'domain', address: 'a.com', itemId: 'i', orderId: 'o' };
    const running = [{ ...mark, [missing]: undefined }];
    expect(mendedCart({ items: [domain('a.com', null)], running }).running).toEqual([]);
  });

  test.each([
    ['an empty key', { key: '', atMs: 1, body: {} }],
    ['no body', { key: 'k', atMs: 1 }],
    ['nothing as its body', { key: 'k', atMs: 1, body: null }],
    ['a text as its body', { key: 'k', atMs: 1, body: 'x' }],
  ])('a sent order with %s was not sent', (_title, sent) => expect(mendedCart({ sent }).sent).toBeNull());

  test.each([undefined, false, 'yes'])('a sent order whose mark of a repeat is %j was sent once', (again) => {
    const sent = { key: 'k', atMs: 1, body: {} };
    expect(mendedCart({ sent: { ...sent, again } }).sent).toStrictEqual(sent);
  });
});
