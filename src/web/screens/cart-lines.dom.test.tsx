import { describe, expect, onTestFinished, test } from 'vitest';
import { transferStarted } from '#contracts/values/outcome-texts.ts';
import {
  acme,
  bought,
  button,
  certificate,
  close,
  customers,
  dialog,
  domain,
  forgetCarts,
  left,
  line,
  openCart,
  orderOf,
  price,
  renewal,
  result,
  stored,
  sum,
  transfer,
} from '../../../tests/support/cart-screen.tsx';
import { eventually } from '../../../tests/support/eventually.ts';
import { type Call, Held, refused, screen, uuid, within } from '../../../tests/support/screen.tsx';
import type { CartItem } from '../features/orders/cart.ts';
import { keepFocus } from '../ui/keep-focus.ts';

forgetCarts();

const share = () => screen.queryByLabelText('Same customer for all new domains');

describe('the lines of the cart', () => {
  test('offer one owner for all new names only where there are several names and several customers', async () => {
    const { user } = await openCart([domain('a.com'), domain('b.com')]);
    expect(share()).not.toBeNull();
    await user.click(button('Remove b.com from cart'));
    expect(share()).toBeNull();
  });

  test('offer no one owner for all where there is one customer', async () => {
    await openCart([domain('a.com'), domain('b.com')], { 'GET /customer/choices': customers.slice(0, 1) });
    expect(share()).toBeNull();
  });

  test('name how many have no price, and one press takes out those and nothing else, until that is taken back', async () => {
    const all = [domain('a.com'), domain('b.com'), renewal];
    const { user } = await openCart(all, {
      'POST /cart/prices': (call: Call) =>
        price(call).map((row) => (row.address === 'a.com' ? row : { ...row, price: 0, error: 'Not now' })),
    });
    expect(screen.getByText('2 items cannot be bought at the moment.')).toBeDefined();
    // Another name helps who wants to register one, and nobody who renews.
    expect(line('b.com').getByRole('link', { name: 'Find another name' })).toBeDefined();
    expect(line('r.com').getByText(/^Not now/)).toBeDefined();
    expect(line('r.com').queryByRole('link')).toBeNull();
    await user.click(button('Remove them'));
    expect(left()).toEqual(['domain a.com']);
    expect(screen.getByText('2 items were removed from the cart.')).toBeDefined();
    await user.click(button('Undo'));
    expect(left()).toEqual(['domain a.com', 'domain b.com', 'renewal r.com']);
  });

  test('that are removed without a pointer are gone on from at the next one', async () => {
    onTestFinished(keepFocus());
    const names = ['n0.com', 'n1.com', 'n2.com'];
    const { user } = await openCart(names.map((name) => domain(name)));
    button('Remove n1.com from cart').focus();
    await user.keyboard('{Enter}');
    await eventually(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('n2.com'));
  });

  test('keep a certificate whose signing request was refused: another request mends it', async () => {
    const items = [
      { kind: 'certificate', address: 'c.com', message: 'This CSR is for d.com.', renewed: false },
    ];
    const opened = await openCart([domain('a.com'), certificate], {
      'POST /cart/purchase': refused(422, 'unprocessable', { data: { items } }),
    });
    await opened.buy();
    await close(opened);
    const told = line('SSL certificate for c.com');
    expect(told.getByText(/This CSR is for d\.com\./)).toBeDefined();
    expect(told.queryByRole('link', { name: 'Find another name' })).toBeNull();
    expect(screen.queryByText(/cannot be bought at the moment/)).toBeNull();
  });

  test('have no price until it is known', async () => {
    const held = new Held();
    const { settled } = await openCart([domain('a.com')], { 'POST /cart/prices': held });
    expect(line('a.com').getByText('…')).toBeDefined();
    held.give(price);
    await settled();
    expect(line('a.com').queryByText('…')).toBeNull();
  });

  test('give a certificate no owner where its name has none yet', async () => {
    const { user } = await openCart([domain('a.com', { customerId: null })]);
    await user.click(button('Add SSL certificate for a.com'));
    expect(stored().items[1]).toMatchObject({ type: 'certificate', address: 'a.com', customerId: null });
  });

  test('cannot be changed while the order runs: neither the one owner for all nor a certificate', async () => {
    const { buy } = await openCart([domain('a.com'), domain('b.com'), certificate], {
      'POST /cart/purchase': new Held(),
    });
    await buy();
    expect(share()).toHaveProperty('disabled', true);
    const provider = screen.getByRole('combobox', { name: 'Provider of the certificate for c.com' });
    expect(provider).toHaveProperty('disabled', true);
  });

  test.each(['pending', 'review', 'sending'])(
    'go on saying of an item that is %s that it runs',
    async (state) => {
      const running = [{ type: 'renewal', address: 'r.com', itemId: uuid(51), orderId: uuid(41) }];
      const { buy, orders } = await openCart(
        [renewal, domain('a.com')],
        { 'GET /order/:id': orderOf(state), 'POST /cart/purchase': result() },
        { kept: { running } },
      );
      expect(line('r.com').getByRole('status').textContent).toMatch(/In progress|Under review|Being sent/);
      expect(stored().running).toEqual(running);
      await buy();
      expect(orders()[0]?.body).toMatchObject({ domains: [{ address: 'a.com' }], domainRenewals: [] });
    },
  );
});

describe('the sums of the cart', () => {
  test('are of a balance that is read again whenever somebody comes back', async () => {
    const { user, answer, sent } = await openCart([domain('a.com')]);
    answer('GET /account/balancev2', { balance: 50_00, pendingBalance: 0, held: 0, spendable: 50_00 });
    await user.click(button('Leave and return'));
    expect(sent('GET /account/balancev2')).toHaveLength(2);
    expect(sum('Your balance')).toBe('$50.00');
  });

  test('are asked for of nothing in an empty cart, nor once all of it was bought', async () => {
    expect((await openCart([])).sent('POST /cart/prices')).toEqual([]);
  });

  test('are asked for of no item once all were bought', async () => {
    const domains = { success: [{ domain: 'a.com', price: 12.31 }], fail: [] };
    const opened = await openCart([domain('a.com')], { 'POST /cart/purchase': result({ domains }) });
    await opened.buy();
    await close(opened);
    const asked = opened.sent('POST /cart/prices').map(({ body }) => (body as unknown[]).length);
    expect(asked).not.toContain(0);
  });
});

describe('the result of a purchase', () => {
  const all = [renewal, transfer, certificate] as CartItem[];

  test.each(['a.com', 'the order'])(
    'is read by who leaves it by its link, and the cart is empty: %s',
    async (link) => {
      const opened = await openCart([domain('a.com'), domain('b.com')], {
        'POST /cart/purchase': bought('a.com', 'b.com'),
      });
      await opened.buy();
      expect(stored().items).toHaveLength(2);
      await opened.user.click(within(dialog()).getByRole('link', { name: link }));
      expect(stored()).toMatchObject({ items: [], sent: null });
      // It leads there, and not where closing leads to.
      expect(opened.path()).toMatch(link === 'a.com' ? /^\/domain\/a\.com/ : /^\/orders\//);
    },
  );

  test('leads to a name that was renewed, and names the certificate and who has paid for it', async () => {
    const { buy } = await openCart(all, {
      'POST /cart/purchase': result({
        renewals: { success: [{ domain: 'r.com', price: 13.4 }], fail: [] },
        certificates: { success: [{ domain: 'c.com', price: 20, earlierOrderId: uuid(42) }], fail: [] },
      }),
    });
    await buy();
    const said = (text: string | RegExp) => within(dialog()).getByText(text);
    expect(said('r.com').getAttribute('href')).toBe('/domain/r.com');
    expect(said(/^Certificate for c\.com/).textContent).toBe(
      'Certificate for c.comBought in an earlier order, and charged there',
    );
    expect(said('Charged').nextElementSibling?.textContent).toBe('$13.40');
    // Nothing is reserved: no line says so.
    expect(within(dialog()).queryByText('Reserved')).toBeNull();
  });

  test('tells beside what succeeded what is to be known of it, where something else failed', async () => {
    const { buy } = await openCart(all, {
      'POST /cart/purchase': result({
        renewals: { success: [], fail: [{ domain: 'r.com', price: 13.4, error: 'Refused' }] },
        transfers: { success: [{ domain: 't.com', price: 9.99, note: transferStarted }], fail: [] },
      }),
    });
    await buy();
    const [, started] = within(dialog()).getAllByRole('listitem');
    expect(started?.textContent).toBe(`Succeeded t.com (${transferStarted}) $9.99`);
  });

  test('folds a long refusal, which many items may share', async () => {
    const error = 'The registry refuses. '.repeat(20);
    const { buy } = await openCart(all, {
      'POST /cart/purchase': result({
        renewals: { success: [], fail: [{ domain: 'r.com', price: 13.4, error }] },
        transfers: { success: [], fail: [{ domain: 't.com', price: 9.99, error: 'Refused' }] },
      }),
    });
    await buy();
    const rows = within(dialog()).getAllByRole('listitem');
    const folds = rows.map((row) => within(row).queryByRole('button')?.getAttribute('aria-label'));
    expect(folds).toEqual(['Show all: r.com', undefined]);
    expect(rows[0]?.textContent).toContain(`r.com: ${error}`);
  });

  test('of an order that was refused for money alone offers a top-up', async () => {
    const opened = await openCart([domain('a.com', { customerId: acme })], {
      'POST /cart/purchase': refused(403, 'daily_limit'),
    });
    const offered = () => within(dialog()).queryByRole('link', { name: 'Top up your account' }) !== null;
    await opened.buy();
    expect(offered()).toBe(false);
    await close(opened);
    opened.answer('POST /cart/purchase', refused(402, 'insufficient_funds'));
    await opened.buy();
    expect(offered()).toBe(true);
  });
});
