import { describe, expect, test, vi } from 'vitest';
import {
  bought,
  close,
  dialog,
  domain,
  forgetCarts,
  money,
  openCart,
  stored,
} from '../../../tests/support/cart-screen.tsx';
import { Held, refused, screen, silence } from '../../../tests/support/screen.tsx';
import type { SentOrder } from '../features/orders/cart.ts';

forgetCarts();

const [purchase, outcome, balance] = [
  'POST /cart/purchase',
  'GET /cart/purchase/:key',
  'GET /account/balancev2',
];
const running = { state: 'running', result: null, progress: null };
const done = { state: 'done', result: bought('a.com'), progress: null };

describe('an order without an answer', () => {
  test('is asked for every two seconds until its result is there, and then no more', async () => {
    const every = vi.fn((_look: () => void, _ms?: number) => 1);
    vi.stubGlobal('setInterval', every);
    const opened = await openCart([domain('a.com')], { [purchase]: silence, [outcome]: running });
    await opened.buy();
    const looks = () => every.mock.calls.filter(([, ms]) => ms === 2_000);
    expect(opened.sent(outcome)).toHaveLength(1);
    looks().at(-1)?.[0]();
    await opened.settled();
    expect(opened.sent(outcome)).toHaveLength(2);
    opened.answer(outcome, done);
    looks().at(-1)?.[0]();
    const begun = looks().length;
    await opened.settled();
    expect(screen.getByRole('dialog', { name: 'Success' })).toBeDefined();
    expect([opened.sent(outcome).length, looks().length]).toEqual([3, begun]);
  });

  test('without a connection can be pressed again, and does not change with each time it is asked for', async () => {
    const every = vi.fn((_look: () => void, _ms?: number) => 1);
    vi.stubGlobal('setInterval', every);
    const opened = await openCart([domain('a.com')], { [purchase]: silence, [outcome]: silence });
    await opened.buy();
    await close(opened);
    const offered = () => screen.getByRole('button', { name: 'Finalize Purchase' });
    expect(offered()).toHaveProperty('disabled', false);
    const asked = new Held();
    opened.answer(outcome, asked);
    every.mock.calls.findLast(([, ms]) => ms === 2_000)?.[0]();
    await opened.settled();
    expect(opened.sent(outcome)).toHaveLength(2);
    expect(offered()).toHaveProperty('disabled', false);
    // It is known again: the portal is at work.
    asked.give(running);
    await opened.settled();
    expect(screen.getByRole('button', { name: 'Processing...' })).toHaveProperty('disabled', true);
  });

  test('changes the balance when its result is there: it is read again', async () => {
    const asked = new Held();
    const opened = await openCart([domain('a.com')], { [purchase]: silence, [outcome]: asked });
    await opened.buy();
    const before = opened.sent(balance).length;
    opened.answer(balance, { ...money, balance: 8_769, spendable: 8_769 });
    asked.give(done);
    await opened.settled();
    expect(opened.sent(balance)).toHaveLength(before + 1);
  });

  test('is told also where the cart is empty by now, and leads on', async () => {
    const sent: SentOrder = {
      ...{ key: 'earlier-key', atMs: 1 },
      body: { domains: [], domainRenewals: [], domainTransfers: [], certificates: [], price: 12.31 },
    };
    const opened = await openCart([], { [outcome]: done }, { kept: { sent } });
    expect(screen.getByText('Your cart is empty')).toBeDefined();
    expect(dialog().textContent).toContain('Your order has been processed sucessfully!');
    await close(opened);
    expect(stored().sent).toBeNull();
    expect(opened.path()).toBe('/customers');
  });
});

test('an order that is refused while the page is being left stays known, and not where the person stays', async () => {
  const later = globalThis.setTimeout;
  let stays: () => void = () => undefined;
  vi.stubGlobal('setTimeout', (then: () => void, ms?: number, ...more: []) => {
    if (ms !== 5_000) return later(then, ms, ...more);
    stays = then;
    return 0;
  });
  const opened = await openCart([domain('a.com')], { [purchase]: refused(403, 'daily_limit') });
  window.dispatchEvent(new Event('beforeunload'));
  await opened.buy();
  // The next page asks for its result.
  expect(stored().sent?.key).toBe(opened.orders()[0]?.key);
  await close(opened);
  stays();
  await opened.buy();
  expect(stored().sent).toBeNull();
});
