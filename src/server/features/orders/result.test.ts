import { describe, expect, test } from 'vitest';
import type { Item } from './item.ts';
import { purchaseResultOf } from './result.ts';

const item = (change: Partial<Item>): Item =>
  ({
    id: 'item-1',
    orderId: 'order-1',
    kind: 'domain',
    address: 'a.com',
    priceCents: 12_31,
    state: 'succeeded',
    ...change,
  }) as Item;
const result = (...items: Partial<Item>[]) => purchaseResultOf('order-1', items.map(item));
const empty = { success: [], fail: [] };

describe('the result of a purchase', () => {
  test('lists each kind by itself; a restored name is renewed by it', () => {
    const kinds = ['domain', 'renewal', 'redemption', 'transfer', 'certificate'] as const;
    const listed = result(...kinds.map((kind) => ({ kind, address: `${kind}.com` })));
    const names = (list: { success: { domain: string }[] }) => list.success.map(({ domain }) => domain);
    expect(names(listed.domains)).toEqual(['domain.com']);
    expect(names(listed.renewals)).toEqual(['renewal.com', 'redemption.com']);
    expect(names(listed.transfers)).toEqual(['transfer.com']);
    expect(names(listed.certificates)).toEqual(['certificate.com']);
    expect(listed).toMatchObject({ orderId: 'order-1', pending: [] });
  });

  test('has what succeeded with its price, and the registrar’s remark where there is one', () => {
    expect(result({}, { address: 'b.com', outcomeNote: 'Held' }).domains).toEqual({
      success: [
        { domain: 'a.com', price: 12.31 },
        { domain: 'b.com', price: 12.31, note: 'Held' },
      ],
      fail: [],
    });
  });

  test('names the earlier order of what was being bought already: that one pays for it', () => {
    const earlier = { orderId: 'order-0' };
    const joined = result({ address: 'b.com' }, earlier, { ...earlier, kind: 'transfer', state: 'pending' });
    expect(joined.domains.success).toEqual([
      { domain: 'b.com', price: 12.31 },
      { domain: 'a.com', price: 12.31, earlierOrderId: 'order-0' },
    ]);
    expect(joined.transfers.success).toMatchObject([{ earlierOrderId: 'order-0' }]);
  });

  test('has what was refused with its reason, and says something where there is none', () => {
    const declined = { state: 'declined' } as const;
    expect(
      result({ ...declined, publicError: 'Taken' }, { ...declined, publicError: null }).domains.fail,
    ).toEqual([
      { domain: 'a.com', price: 12.31, error: 'Taken' },
      { domain: 'a.com', price: 12.31, error: 'Something went wrong' },
    ]);
  });

  test.each(['queued', 'sending', 'pending', 'unknown', 'review'] as const)(
    'has what is %s as open, and not as bought',
    (state) => {
      const open = result({ state });
      expect(open.domains).toMatchObject({ success: [], fail: [{ domain: 'a.com' }] });
      expect(open.pending).toEqual([{ domain: 'a.com', kind: 'domain', itemId: 'item-1' }]);
    },
  );

  test('counts a transfer that the registrar accepted as started; one that is only on its way there is open', () => {
    const started = result({ kind: 'transfer', state: 'pending' });
    expect(started.transfers).toMatchObject({
      success: [{ note: expect.stringContaining('Funds are reserved') }],
    });
    expect(started.pending).toEqual([]);
    const sent = result({ kind: 'transfer', state: 'unknown' });
    expect(sent.transfers).toMatchObject({ success: [] });
    expect(sent.pending).toHaveLength(1);
    expect(sent.domains).toEqual(empty);
  });
});
