import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { PurchaseResult } from '#contracts/operations/orders.ts';
import { stillBeingConfirmed, transferStarted } from '#contracts/values/outcome-texts.ts';
import {
  acme,
  bought,
  button,
  certificate,
  choose,
  close,
  customers,
  dialog,
  domain,
  forgetCarts,
  gone,
  hint,
  isDisabled,
  left,
  line,
  money,
  openCart,
  orderOf,
  price,
  product,
  renewal,
  result,
  stored,
  sum,
  transfer,
  zeta,
} from '../../../tests/support/cart-screen.tsx';
import {
  type Call,
  Held,
  type Opened,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { type CartItem, cart, newDomainItem, type SentOrder } from '../features/orders/cart.ts';

forgetCarts();

describe('the order that is sent', () => {
  test('has each item as it stands in the cart, at the price that was seen, and the total', async () => {
    const first = domain('a.com', { registration: 2, whois: true, autoRenew: true });
    const all = [first, domain('b.com', { customerId: zeta }), renewal, transfer, certificate];
    const { buy, orders, sent } = await openCart(all, { 'POST /cart/purchase': bought('a.com') });
    expect(sent('POST /cart/prices').map(({ body }) => body)).toEqual([
      [
        { address: 'a.com', period: 2, whois: true, kind: 'domain' },
        { address: 'b.com', period: 1, whois: false, kind: 'domain' },
        { address: 'r.com', period: 1, whois: false, kind: 'renewal' },
        { address: 't.com', period: 1, whois: false, kind: 'transfer' },
        { address: 'c.com', period: 1, whois: false, kind: 'certificate', productType: 'rapidssl' },
      ],
    ]);
    expect(orders()).toEqual([]);
    await buy();
    expect(orders().map(({ body }) => body)).toEqual([
      {
        domains: [
          {
            ...{ address: 'a.com', customerId: acme, period: 2, whois: true, autoRenew: true },
            price: 24.62,
          },
          {
            ...{ address: 'b.com', customerId: zeta, period: 1, whois: false, autoRenew: false },
            price: 12.31,
          },
        ],
        domainRenewals: [
          {
            ...{ address: 'r.com', period: 1, autoRenew: true, price: 13.4 },
            expireDate: '2027-02-03T12:00:00.000Z',
          },
        ],
        domainTransfers: [
          {
            ...{ address: 't.com', customerId: zeta, period: 1, EPPCode: 'Code-1', autoRenew: true },
            price: 9.99,
          },
        ],
        certificates: [
          {
            ...{ domain: 'c.com', provider: 'RapidSSL', productType: 'rapidssl', handle: 'process' },
            ...{ regType: 'renew', dvAuthMethod: 'Email', customerId: acme, period: 1, csr: 'CSR' },
            price: 20,
          },
        ],
        price: 80.32,
      },
    ]);
    expect(orders()[0]?.key).toMatch(/^[\da-f-]{36}$/);
  });

  test('has what was chosen for the one name, and not for the other', async () => {
    const opened = await openCart([domain('a.com'), domain('b.com')], {
      'POST /cart/purchase': bought('b.com'),
    });
    await choose(opened, 'Owner of b.com', 'Zeta');
    await choose(opened, 'Period of b.com', '2 years');
    await opened.user.click(line('b.com').getByLabelText('Privacy'));
    expect(opened.sent('POST /cart/prices').at(-1)?.body).toEqual([
      { address: 'a.com', period: 1, whois: false, kind: 'domain' },
      { address: 'b.com', period: 2, whois: true, kind: 'domain' },
    ]);
    await opened.user.click(line('b.com').getByLabelText('Auto renew'));
    await opened.buy();
    expect(opened.orders()[0]?.body).toMatchObject({
      domains: [
        { address: 'a.com', customerId: acme, period: 1, whois: false, autoRenew: false },
        { address: 'b.com', customerId: zeta, period: 2, whois: true, autoRenew: true },
      ],
    });
  });

  test('has one owner for all new names where that was chosen, and for nothing else', async () => {
    const opened = await openCart([domain('a.com'), domain('b.com', { customerId: null }), transfer]);
    const share = screen.getByLabelText('Same customer for all new domains');
    await opened.user.click(share);
    expect(stored().items.map(({ customerId }) => customerId)).toEqual([acme, acme, zeta]);
    expect(screen.getByRole('combobox', { name: 'Owner of b.com' })).toHaveProperty('disabled', true);
    await choose(opened, 'Owner of a.com', 'Zeta');
    expect(stored().items.map(({ customerId }) => customerId)).toEqual([zeta, zeta, zeta]);
    expect(screen.getByRole('combobox', { name: 'Owner of t.com' })).toHaveProperty('disabled', false);
    // Each keeps the owner it has, and can be given another one alone.
    await opened.user.click(share);
    expect(screen.getByRole('combobox', { name: 'Owner of b.com' })).toHaveProperty('disabled', false);
    await choose(opened, 'Owner of b.com', 'Acme');
    expect(stored().items.map(({ customerId }) => customerId)).toEqual([zeta, acme, zeta]);
    expect(isDisabled('Finalize Purchase')).toBe(false);
    // With one name there is nothing to share.
    await opened.user.click(button('Remove b.com from cart'));
    expect(screen.queryByLabelText('Same customer for all new domains')).toBeNull();
  });

  test('has a new name for one year, without privacy and auto renew, until something else is chosen and kept', async () => {
    const opened = await openCart([newDomainItem('a.com')]);
    const chosen = () => [
      screen.getByRole<HTMLInputElement>('combobox', { name: 'Period of a.com' }).value,
      ...['Privacy', 'Auto renew'].map(
        (name) => line('a.com').getByLabelText<HTMLInputElement>(name).checked,
      ),
    ];
    expect(chosen()).toEqual(['1 year', false, false]);
    await choose(opened, 'Period of a.com', '2 years');
    for (const name of ['Privacy', 'Auto renew']) await opened.user.click(line('a.com').getByLabelText(name));
    await opened.user.click(button('Leave and return'));
    expect(chosen()).toEqual(['2 years', true, true]);
  });

  test('has what is good of a damaged cart', async () => {
    const damaged = [null, 7, { type: 'domain' }, { type: 'x', address: [] }, domain('a.com')];
    const { buy, orders } = await openCart(
      damaged as CartItem[],
      { 'POST /cart/purchase': bought('a.com') },
      { kept: { running: [null] } },
    );
    await buy();
    expect(orders()[0]?.body).toMatchObject({ domains: [{ address: 'a.com' }], certificates: [] });
  });

  test('cannot give a renewal or a certificate to another customer', async () => {
    await openCart([renewal, certificate]);
    for (const name of ['r.com', 'SSL certificate for c.com']) {
      const owner = screen.getByRole('combobox', { name: `Owner of ${name}` });
      expect(owner).toHaveProperty('disabled', true);
      expect(owner).toHaveProperty('value', 'Acme');
    }
  });

  test('lacks what was removed, with its certificate, until that is taken back', async () => {
    const ofB = { ...certificate, address: 'b.com' } as CartItem;
    const opened = await openCart([domain('a.com'), domain('b.com'), ofB]);
    await opened.user.click(button('Remove b.com from cart'));
    expect(left()).toEqual(['domain a.com']);
    expect(sum('Subtotal (excludes taxes)')).toBe('$12.31');
    expect(screen.getByText('b.com was removed from the cart.')).toBeDefined();
    await opened.user.click(button('Undo'));
    expect(left()).toEqual(['domain a.com', 'domain b.com', 'certificate b.com']);
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
    await opened.user.click(button('Remove SSL certificate for b.com from cart'));
    expect(left()).toEqual(['domain a.com', 'domain b.com']);
  });
});

describe('what is shown of the money', () => {
  test('is the price of each item, the sum of each kind, the total, the markup and what is left', async () => {
    const items = [
      domain('a.com'),
      domain('b.com', { registration: 2, customerId: zeta }),
      renewal,
      certificate,
    ];
    await openCart(items, { 'GET /account/balancev2': { ...money, balance: 9_000, spendable: 9_876 } });
    const priceIn = (name: string) => line(name).getAllByText(/^\$/).at(-1)?.textContent;
    expect(['a.com', 'b.com', 'r.com', 'SSL certificate for c.com'].map(priceIn)).toEqual([
      ...['$12.31', '$24.62', '$13.40', '$20.00'],
    ]);
    expect(sum('2 registrations')).toBe('$36.93');
    expect(sum('1 renewal')).toBe('$13.40');
    expect(sum('1 certificate')).toBe('$20.00');
    expect(sum('Subtotal (excludes taxes)')).toBe('$70.33');
    // 10 % of 12.31, nothing of Zeta's, 3 dollars for the renewal, half of a certificate that follows another one.
    expect(sum('Your total markup will be')).toBe('$14.23');
    expect(sum('Your balance')).toBe('$98.76');
    expect(sum('Balance after this order')).toBe('$28.43');
    for (const text of [
      ...['Domain List', 'Connect domains to owner', 'Your cart', 'Items review', 'Order summary'],
      'Finalize domain purchase',
    ]) {
      expect(screen.getByText(text)).toBeDefined();
    }
  });

  test('has when a renewal expires, marked in its last 60 days', async () => {
    const in10 = new Date(Date.now() + 10 * 86_400_000).toISOString();
    await openCart([
      { ...renewal, expireDate: in10 },
      { ...renewal, address: 's.com', expireDate: '2076-02-03T12:00:00Z' },
    ]);
    const marked = (name: string) =>
      line(name)
        .getByText(/^Expires /)
        .hasAttribute('data-soon');
    expect([marked('r.com'), marked('s.com')]).toEqual([true, false]);
  });

  test('says until when each will be theirs', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-27T12:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    await openCart([domain('a.com', { registration: 2 }), renewal, transfer]);
    expect(line('a.com').getByText('Nov 27, 2028')).toBeDefined();
    expect(line('r.com').getByText('Feb 3, 2028')).toBeDefined();
    expect(line('r.com').getByText('Expires Feb 3, 2027')).toBeDefined();
    expect(line('t.com').getByText('one more year')).toBeDefined();
  });

  test('has no markup where nobody is billed directly', async () => {
    await openCart([transfer]);
    expect(screen.queryByText('Your total markup will be')).toBeNull();
    expect(sum('Balance after this order')).toBe('$90.01');
  });

  test('a balance that cannot be read is said, can be read again, and does not bar the order', async () => {
    const { user, answer, buy, orders } = await openCart([transfer], {
      'GET /account/balancev2': refused(502, 'upstream_unavailable', { message: 'Not now' }),
      'POST /cart/purchase': bought(),
    });
    expect(screen.getByRole('alert').textContent).toMatch('Your balance could not be read. Not now');
    answer('GET /account/balancev2', money);
    await user.click(button('Try again'));
    expect(sum('Your balance')).toBe('$100.00');
    answer('GET /account/balancev2', silence);
    await buy();
    expect(orders()).toHaveLength(1);
  });
});

describe('an order is not offered', () => {
  const noCsr = { ...certificate, csr: '', csrName: '' } as CartItem;
  test.each<[string, CartItem, string]>([
    [
      'for a name without an owner',
      domain('a.com', { customerId: null }),
      'Please choose an owner for a.com',
    ],
    [
      'for an owner who was deleted',
      domain('a.com', { customerId: gone }),
      'Please choose an owner for a.com',
    ],
    [
      'for a transfer without an owner',
      { ...transfer, customerId: null },
      'Please choose an owner for t.com',
    ],
    ['for a certificate without a signing request', noCsr, 'Please upload a CSR to continue'],
    [
      'for a certificate of a customer who was deleted',
      { ...certificate, customerId: gone },
      'The owner of the certificate for c.com was deleted. Please remove it from the cart',
    ],
  ])('%s', async (_what, item, message) => {
    const { buy, orders } = await openCart([item]);
    expect(hint()).toBe(message);
    if (item.type !== 'certificate') {
      expect(screen.getByRole('combobox', { name: `Owner of ${item.address}` })).toHaveProperty('value', '');
    }
    expect(isDisabled('Finalize Purchase')).toBe(true);
    await buy();
    expect(orders()).toEqual([]);
  });

  test('for what has no price, which leaves the cart in one press', async () => {
    const { user } = await openCart([domain('a.com'), domain('b.com')], {
      'POST /cart/prices': (call: Call) =>
        price(call).map((row) => (row.address === 'b.com' ? { ...row, price: 0, error: 'Taken' } : row)),
    });
    expect(hint()).toBe('There is no price for b.com at the moment');
    expect(isDisabled('Finalize Purchase')).toBe(true);
    expect(line('b.com').getByText(/^Taken/)).toBeDefined();
    expect(line('b.com').getByRole('link', { name: 'Find another name' })).toHaveProperty(
      'href',
      expect.stringMatching(/\/domains\?name=b\.com$/),
    );
    expect(screen.getByText('b.com cannot be bought at the moment.')).toBeDefined();
    await user.click(button('Remove it'));
    expect(left()).toEqual(['domain a.com']);
    expect(isDisabled('Finalize Purchase')).toBe(false);
    await user.click(button('Undo'));
    expect(left()).toEqual(['domain a.com', 'domain b.com']);
  });

  test('while prices are read, nor where they could not be read, until they are read again', async () => {
    const held = new Held();
    const { user, answer, settled } = await openCart([domain('a.com')], { 'POST /cart/prices': held });
    expect(isDisabled('Finalize Purchase')).toBe(true);
    expect(sum('Subtotal (excludes taxes)')).toBe('…');
    held.give(refused(502, 'upstream_unavailable', { message: 'The registrar is away' }));
    await settled();
    expect(screen.queryByRole('button', { name: 'Finalize Purchase' })).toBeNull();
    expect(screen.getByRole('alert').textContent).toContain('The registrar is away');
    answer('POST /cart/prices', price);
    await user.click(button('Try again'));
    expect(isDisabled('Finalize Purchase')).toBe(false);
  });

  test('at an old price: what was changed is priced first', async () => {
    const held = new Held();
    const opened = await openCart([domain('a.com')]);
    opened.answer('POST /cart/prices', held);
    await choose(opened, 'Period of a.com', '2 years');
    expect(isDisabled('Finalize Purchase')).toBe(true);
    held.give(price);
    await opened.settled();
    expect(sum('Subtotal (excludes taxes)')).toBe('$24.62');
    expect(isDisabled('Finalize Purchase')).toBe(false);
  });

  test('to somebody who may not buy', async () => {
    const { buy, orders } = await openCart([domain('a.com')], {}, { role: 'MSP_CUSTOMER' });
    await buy();
    expect(orders()).toEqual([]);
  });

  test('in an empty cart, which leads to the search', async () => {
    await openCart([]);
    expect(screen.getByText('Your cart is empty')).toBeDefined();
    expect(screen.getByRole('link', { name: 'Search for domains' })).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Finalize Purchase' })).toBeNull();
  });

  test('where the balance does not cover it, and the way to more money is shown to those who may go it', async () => {
    const poor = { ...money, balance: 1_230, spendable: 1_230 };
    const opened = await openCart([domain('a.com')], { 'GET /account/balancev2': poor });
    expect(sum('Balance after this order')).toBe('−$0.01');
    await opened.buy();
    expect(screen.getByRole('dialog', { name: 'Something went wrong' })).toBeDefined();
    expect(within(dialog()).getByRole('alert').textContent).toBe(
      "You don't have enough funds to process this cart, please topup your account",
    );
    expect(within(dialog()).getByRole('link', { name: 'Top up your account' })).toBeDefined();
    await close(opened);
    expect(opened.orders()).toEqual([]);
    expect(left()).toEqual(['domain a.com']);
    opened.answer('GET /account/balancev2', { ...poor, spendable: 1_231 });
  });

  test('and an employee is told who can top up', async () => {
    const { buy } = await openCart(
      [domain('a.com')],
      { 'GET /account/balancev2': { ...money, spendable: 1 } },
      { role: 'MSP_EMPLOYEE' },
    );
    await buy();
    expect(dialog().textContent).toContain('An owner or administrator can top up the balance.');
    expect(within(dialog()).queryByRole('link')).toBeNull();
  });
});

describe('a purchase', () => {
  test('is sent once, however often it is pressed, and nothing can be changed meanwhile', async () => {
    const held = new Held();
    const { user, orders, settled } = await openCart([domain('a.com')], { 'POST /cart/purchase': held });
    await user.dblClick(button('Finalize Purchase'));
    expect(isDisabled('Processing...')).toBe(true);
    await user.click(button('Processing...'));
    expect(orders()).toHaveLength(1);
    expect(hint()).toMatch('nothing is bought twice');
    const a = line('a.com');
    for (const control of [
      ...[a.getByRole('combobox', { name: 'Owner of a.com' }), a.getByLabelText('Privacy')],
      ...[a.getByRole('combobox', { name: 'Period of a.com' }), a.getByLabelText('Auto renew')],
      ...[button('Remove a.com from cart'), button('Add SSL certificate for a.com')],
    ]) {
      expect(control).toHaveProperty('disabled', true);
    }
    held.give(bought('a.com'));
    await settled();
    expect(dialog().textContent).toContain('Your order has been processed sucessfully!');
  });

  test('that succeeded shows what was paid, and leads on once it was read', async () => {
    const opened = await openCart([domain('a.com'), transfer], {
      'POST /cart/purchase': result({
        domains: { success: [{ domain: 'a.com', price: 12.31 }], fail: [] },
        transfers: { success: [{ domain: 't.com', price: 9.99, note: transferStarted }], fail: [] },
      }),
    });
    await opened.buy();
    expect(screen.getByRole('dialog', { name: 'Success' })).toBeDefined();
    const said = (label: string) => within(dialog()).getByText(label).nextElementSibling?.textContent;
    expect(said('Charged')).toBe('$12.31');
    expect(said('Reserved')).toBe('$9.99');
    const links = within(dialog())
      .getAllByRole('link')
      .map((link) => link.getAttribute('href'));
    expect(links).toEqual(['/domain/a.com', '/domain/transfer/t.com', `/orders/${uuid(41)}`]);
    expect(dialog().textContent).toContain('Next: open a name to set up its DNS, or see the order with');
    // Behind the dialog nothing of it is offered once more, nor deducted.
    expect(hint()).toBe('Nothing is left to buy');
    expect(screen.queryByText('Balance after this order')).toBeNull();
    expect(opened.path()).toBe('/cart');
    await close(opened);
    expect(stored()).toMatchObject({ items: [], sent: null, idempotencyKey: null });
    expect(opened.path()).toBe('/customers');
  });

  test('of what was there before does not send anybody to set up its DNS', async () => {
    const opened = await openCart([renewal], {
      'POST /cart/purchase': result({ renewals: { success: [{ domain: 'r.com', price: 13.4 }], fail: [] } }),
    });
    await opened.buy();
    expect(dialog().textContent).toContain('$13.40See the order with everything that belongs to it.');
  });

  test('that failed in part says of each what came of it, and keeps what was not bought', async () => {
    const opened = await openCart([domain('a.com'), domain('b.com'), renewal], {
      'POST /cart/purchase': result({
        domains: {
          success: [{ domain: 'a.com', price: 12.31 }],
          fail: [{ domain: 'b.com', price: 12.31, error: 'Taken meanwhile' }],
        },
        renewals: { success: [], fail: [{ domain: 'r.com', price: 13.4, error: stillBeingConfirmed }] },
        pending: [{ domain: 'r.com', kind: 'renewal', itemId: uuid(51) }],
      }),
      'GET /order/:id': orderOf('unknown'),
    });
    await opened.buy();
    expect(
      screen.getByRole('dialog', { name: 'See the items that succeeded and failed below' }),
    ).toBeDefined();
    const listed = within(dialog())
      .getAllByRole('listitem')
      .map((item) => item.textContent);
    expect(listed).toEqual([
      'Failed b.com: Taken meanwhile $12.31',
      'Succeeded a.com $12.31',
      `Pending r.com: ${stillBeingConfirmed} $13.40`,
    ]);
    expect(within(dialog()).getByRole('status').textContent).toBe(
      '1 failed, 1 still being confirmed, 1 succeeded',
    );
    const lists = within(dialog()).getAllByRole('region');
    expect(lists.map((list) => list.getAttribute('aria-label'))).toEqual(['Domains', 'Renewals']);
    expect(within(dialog()).getByText(/^Please note:/).textContent).toBe(
      'Please note: You have been charged only for successful purchases. Unsuccesful purchases will be still in your cart so you can review them.',
    );
    await close(opened);
    expect(opened.path()).toBe('/cart');
    expect(left()).toEqual(['domain b.com', 'renewal r.com']);
    // What still runs is in no other order.
    expect(line('r.com').getByRole('status').textContent).toContain('Being confirmed');
    expect(sum('Subtotal (excludes taxes)')).toBe('$12.31');
    opened.answer('POST /cart/purchase', bought('b.com'));
    await opened.buy();
    const [first, second] = opened.orders();
    expect(second?.body).toMatchObject({ domains: [{ address: 'b.com' }], domainRenewals: [] });
    expect(second?.key).not.toBe(first?.key);
  });

  test('of renewals and certificates lists each kind by itself; what succeeded leaves, what failed stays', async () => {
    const [s, d] = [
      { ...renewal, address: 's.com' },
      { ...certificate, address: 'd.com' },
    ];
    const opened = await openCart([renewal, s, certificate, d] as CartItem[], {
      'POST /cart/purchase': result({
        renewals: {
          success: [{ domain: 'r.com', price: 13.4 }],
          fail: [{ domain: 's.com', price: 13.4, error: 'Refused' }],
        },
        certificates: {
          success: [{ domain: 'c.com', price: 20 }],
          fail: [{ domain: 'd.com', price: 20, error: 'Refused' }],
        },
      }),
    });
    await opened.buy();
    const lists = within(dialog()).getAllByRole('region');
    expect(
      lists.map((list) => [
        list.getAttribute('aria-label'),
        ...within(list)
          .getAllByRole('listitem')
          .map(({ textContent }) => textContent),
      ]),
    ).toEqual([
      ['Renewals', 'Failed s.com: Refused $13.40', 'Succeeded r.com $13.40'],
      ['Certificates', 'Failed d.com: Refused $20.00', 'Succeeded c.com $20.00'],
    ]);
    expect(within(dialog()).getByRole('status').textContent).toBe('2 failed, 2 succeeded');
    await close(opened);
    expect(opened.path()).toBe('/cart');
    expect(left()).toEqual(['renewal s.com', 'certificate d.com']);
  });

  test('is not left when something was put into the cart meanwhile', async () => {
    const opened = await openCart([domain('a.com')], { 'POST /cart/purchase': bought('a.com') });
    await opened.buy();
    cart.add(domain('n.com'));
    await close(opened);
    expect(opened.path()).toBe('/cart');
    expect(left()).toEqual(['domain n.com']);
  });

  test('of a domain that still runs says nothing of its certificate, which can be bought', async () => {
    const ofR = { ...certificate, address: 'r.com' } as CartItem;
    const running = [{ type: 'renewal', address: 'r.com', itemId: uuid(51), orderId: uuid(41) }];
    await openCart([renewal, ofR], { 'GET /order/:id': orderOf('unknown') }, { kept: { running } });
    expect(line('r.com').getByRole('status').textContent).toContain('Being confirmed');
    expect(line('SSL certificate for r.com').getByText('$20.00')).toBeDefined();
    expect(sum('Subtotal (excludes taxes)')).toBe('$20.00');
  });

  test.each<[string, 'succeeded' | 'declined', string[]]>([
    ['was bought and leaves the cart', 'succeeded', []],
    ['was not, and can be bought again', 'declined', ['renewal r.com']],
  ])('of an item that still ran tells in the end that it %s', async (_what, state, after) => {
    const running = [{ type: 'renewal', address: 'r.com', itemId: uuid(51), orderId: uuid(41) }];
    const { sent } = await openCart([renewal], { 'GET /order/:id': orderOf(state) }, { kept: { running } });
    expect(sent('GET /order/:id')[0]?.params).toEqual({ id: uuid(41) });
    expect(left()).toEqual(after);
    expect(stored().running).toEqual([]);
    // Its money was held until now.
    expect(sent('GET /account/balancev2')).toHaveLength(2);
  });
});

describe('a refusal', () => {
  /** One that is refused, and then tried once more. */
  async function tried(answer: unknown, items = [domain('a.com'), domain('b.com')]) {
    const opened = await openCart(items, { 'POST /cart/purchase': answer });
    await opened.buy();
    const said = dialog().textContent;
    await close(opened);
    return { ...opened, said };
  }
  const keys = (calls: Call[]) => new Set(calls.map(({ key }) => key)).size;

  test.each([
    [
      'of the daily limit',
      refused(403, 'daily_limit', { message: 'Above your limit' }),
      ['Above your limit'],
    ],
    ['of money that is not there', refused(402, 'insufficient_funds', { message: 'No funds' }), ['No funds']],
    [
      'of the whole order',
      refused(422, 'registrar_unfunded', { message: 'The operator has no funds' }),
      ['The operator has no funds'],
    ],
    [
      'of fields',
      refused(400, 'validation_failed', {
        message: 'Please check the marked fields.',
        details: [{ path: 'domainTransfers.0.EPPCode', message: 'The code is too long' }],
      }),
      ['Please check the marked fields.', 'The code is too long'],
    ],
  ])('%s says why, keeps the cart, and the next try is another order', async (_what, answer, messages) => {
    const { said, orders, buy } = await tried(answer);
    for (const message of messages) expect(said).toContain(message);
    expect(left()).toEqual(['domain a.com', 'domain b.com']);
    await buy();
    expect(orders()).toHaveLength(2);
    expect(keys(orders())).toBe(2);
  });

  test('of money offers the way to more of it', async () => {
    const { buy } = await tried(refused(402, 'insufficient_funds'));
    await buy();
    expect(within(dialog()).getByRole('link', { name: 'Top up your account' })).toBeDefined();
  });

  test('of new prices names the old and the new one, reads them again, and sends them when pressed again', async () => {
    const data = {
      ...{ oldTotal: 24.62, newTotal: 27.31 },
      items: [
        { address: 'a.com', kind: 'domain', oldPrice: 12.31, newPrice: 15 },
        { address: 'b.com', kind: 'domain', oldPrice: 12.31, newPrice: 12.31 },
      ],
    };
    const answer = refused(409, 'price_changed', { message: 'Prices have changed.', data });
    const opened = await openCart([domain('a.com'), domain('b.com')], { 'POST /cart/purchase': answer });
    opened.answer('POST /cart/prices', (call: Call) =>
      price(call).map((row) => ({ ...row, price: row.address === 'a.com' ? 15 : 12.31 })),
    );
    await opened.buy();
    expect(dialog().textContent).toContain('Nothing was ordered, and nothing was charged.');
    expect(dialog().textContent).toContain('a.com: $12.31 is now $15.00');
    expect(dialog().textContent).toContain('Total: $24.62 is now $27.31');
    expect(dialog().textContent).not.toContain('b.com');
    await close(opened);
    const remark = 'It was $12.31 and is $15.00 now. Finalize again to accept it.';
    expect(line('a.com').getByText(remark)).toBeDefined();
    expect(line('b.com').queryByText(remark)).toBeNull();
    // It only costs something else: nothing is offered to be removed.
    expect(screen.queryByRole('button', { name: 'Remove it' })).toBeNull();
    expect(sum('Subtotal (excludes taxes)')).toBe('$27.31');
    opened.answer('POST /cart/purchase', bought('a.com', 'b.com'));
    await opened.buy();
    const [first, second] = opened.orders();
    expect(second?.body).toMatchObject({ price: 27.31, domains: [{ price: 15 }, { price: 12.31 }] });
    expect(second?.key).not.toBe(first?.key);
    expect(line('a.com').queryByText(remark)).toBeNull();
  });

  describe('of prices that are not those that were seen', () => {
    const of = (address: string, price: number) => ({ type: 'domain', address, of: '1', price });
    const seen = [of('a.com', 12), of('b.com', 12.31)];
    const was = 'It was $12.00 and is $12.31 now.';
    const data = {
      ...{ oldTotal: 24.31, newTotal: 24.62 },
      items: [
        { address: 'a.com', kind: 'domain', oldPrice: 12, newPrice: 12.31 },
        { address: 'b.com', kind: 'domain', oldPrice: 12.31, newPrice: 12.31 },
      ],
    };
    const answer = refused(409, 'price_changed', { message: 'Prices have changed.', data });
    const openLeft = () =>
      openCart([domain('a.com'), domain('b.com')], { 'POST /cart/purchase': answer }, { kept: { seen } });

    test('says so at the line, and buys nothing at a price that the person does not know of', async () => {
      const opened = await openLeft();
      expect(line('a.com').getByText(was)).toBeDefined();
      expect(line('b.com').queryByText(/^It was/)).toBeNull();
      expect(screen.getByText('The price of a.com was $12.00 and is $12.31 now.')).toBeDefined();
      expect(sum('Subtotal (excludes taxes)')).toBe('$24.62');
      await opened.user.click(button('Leave and return'));
      expect(line('a.com').getByText(was)).toBeDefined();
      await opened.buy();
      expect(opened.orders()[0]?.body).toMatchObject({
        price: 24.31,
        domains: [{ price: 12 }, { price: 12.31 }],
      });
      expect(dialog().textContent).toContain('a.com: $12.00 is now $12.31');
      await close(opened);
      expect(screen.queryByText('The price of a.com was $12.00 and is $12.31 now.')).toBeNull();
      opened.answer('POST /cart/purchase', bought('a.com', 'b.com'));
      await opened.buy();
      expect(opened.orders()[1]?.body).toMatchObject({ price: 24.62 });
    });

    test('says so no longer once the person has seen it, and what they see is kept', async () => {
      const opened = await openLeft();
      await opened.user.click(button('OK'));
      expect(screen.queryByText(/is \$12\.31 now\.$/)).toBeNull();
      opened.answer('POST /cart/purchase', bought('a.com', 'b.com'));
      await opened.buy();
      expect(opened.orders().map(({ body }) => body)).toMatchObject([{ price: 24.62 }]);
    });

    test('leaves the funds to the portal: the former sum may be too much', async () => {
      const opened = await openCart(
        [domain('a.com')],
        { 'POST /cart/purchase': answer, 'GET /account/balancev2': { ...money, spendable: 1_231 } },
        { kept: { seen: [of('a.com', 20)] } },
      );
      await opened.buy();
      expect(opened.orders()).toHaveLength(1);
    });

    test('says nothing of a price that was never seen, or of another period', async () => {
      const opened = await openCart(
        [domain('a.com'), domain('b.com', { registration: 2 })],
        {},
        { kept: { seen: [of('b.com', 12)] } },
      );
      expect(screen.queryByText(/^It was/)).toBeNull();
      // What is shown is seen.
      expect(stored()).toMatchObject({
        seen: [of('a.com', 12.31), { ...of('b.com', 24.62), of: '2' }],
      });
      // While it is priced, the price of one year is none of two.
      const held = new Held();
      opened.answer('POST /cart/prices', held);
      await choose(opened, 'Period of a.com', '2 years');
      expect(screen.queryByText(/^It was/)).toBeNull();
      held.give(price);
      await opened.settled();
      expect(screen.queryByText(/^It was/)).toBeNull();
      expect(stored()).toMatchObject({
        seen: [
          { price: 24.62, of: '2' },
          { price: 24.62, of: '2' },
        ],
      });
    });
  });

  test('of an item stands at that item until it is changed, and what was renewed meanwhile leaves', async () => {
    const items = [
      { kind: 'domain', address: 'a.com', message: 'This name is reserved.', renewed: false },
      { kind: 'renewal', address: 'r.com', message: 'It was renewed.', renewed: true },
    ];
    const answer = refused(422, 'unprocessable', { message: 'Two items cannot be bought.', data: { items } });
    const opened = await openCart([domain('a.com'), domain('b.com'), renewal], {
      'POST /cart/purchase': answer,
    });
    await opened.buy();
    const said = within(dialog())
      .getAllByRole('listitem')
      .map((entry) => entry.textContent);
    expect(said).toEqual([
      'a.com: This name is reserved.',
      'r.com: It was renewed. It has been removed from your cart.',
    ]);
    expect(left()).toHaveLength(3);
    await close(opened);
    expect(left()).toEqual(['domain a.com', 'domain b.com']);
    expect(line('a.com').getByText(/^This name is reserved\./)).toBeDefined();
    expect(line('b.com').queryByText(/reserved/)).toBeNull();
    expect(screen.getByText('a.com cannot be bought at the moment.')).toBeDefined();
    await opened.user.click(line('a.com').getByLabelText('Privacy'));
    expect(line('a.com').queryByText(/^This name is reserved\./)).toBeNull();
  });

  test('that comes while the cart is left is told on return, and once', async () => {
    const held = new Held();
    const opened = await openCart([domain('a.com')], {
      'POST /cart/purchase': held,
      'GET /cart/purchase/:key': { state: 'running', result: null, progress: null },
    });
    await opened.buy();
    await opened.user.click(button('Leave and return'));
    held.give(refused(403, 'daily_limit', { message: 'Above your limit' }));
    await opened.settled();
    expect(within(dialog()).getByRole('alert').textContent).toBe('Above your limit');
    await opened.user.click(button('Leave and return'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('for want of a network says that nothing was sent, and the repeat is the same order', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    onTestFinished(() => void vi.restoreAllMocks());
    const { said, buy, orders } = await tried(silence);
    expect(said).toContain('Your order was not sent, and nothing was charged. Your cart is kept.');
    expect(stored().sent).toBeNull();
    await buy();
    expect(orders()).toHaveLength(2);
    expect(keys(orders())).toBe(1);
  });
});

describe('an order that takes long', () => {
  const outcome = 'GET /cart/purchase/:key';
  const underWay = (done: number) => ({ state: 'running', result: null, progress: { done, of: 2 } });

  test.each([
    ['is still awaited', new Held()],
    ['got no answer', silence],
  ])('says how far it is, and takes its money off no balance twice: it %s', async (_what, answer) => {
    const opened = await openCart([domain('a.com'), domain('b.com')], {
      'POST /cart/purchase': answer,
      [outcome]: underWay(1),
    });
    expect(sum('Balance after this order')).toBe('$75.38');
    await opened.buy();
    expect(await screen.findByText('1 of 2 items', {}, { timeout: 5_000 })).toBeDefined();
    expect(sum('Balance after this order')).toBe('…');
  });
});

describe('an order whose outcome is not known', () => {
  const outcome = 'GET /cart/purchase/:key';
  const done = (names: PurchaseResult) => ({ state: 'done', result: names, progress: null });
  const absent = { state: 'absent', result: null, progress: null };

  test.each([
    ['got no answer', silence],
    ['met a fault of the server', refused(500, 'internal')],
    ['is still being processed', refused(409, 'in_progress', { message: 'Still processing' })],
  ])('because it %s is asked for by its key, and its result is shown', async (_what, answer) => {
    const asked = new Held();
    const opened = await openCart([domain('a.com')], { 'POST /cart/purchase': answer, [outcome]: asked });
    await opened.buy();
    expect(dialog().textContent).toContain('nothing is bought twice');
    expect(isDisabled('Processing...')).toBe(true);
    await close(opened);
    expect(left()).toEqual(['domain a.com']);
    asked.give(done(bought('a.com')));
    await opened.settled();
    expect(opened.sent(outcome).map(({ params }) => params)).toEqual([{ key: opened.orders()[0]?.key }]);
    expect(screen.getByRole('dialog', { name: 'Success' })).toBeDefined();
    await close(opened);
    expect(stored()).toMatchObject({ items: [], sent: null });
    expect(opened.orders()).toHaveLength(1);
  });

  test('is the very same order when it is pressed again, and a refusal of the repeat does not end it', async () => {
    const opened = await openCart([domain('a.com')], { 'POST /cart/purchase': silence, [outcome]: silence });
    // Another price is read after the press: the body stays as it was under this key.
    opened.answer('POST /cart/prices', (call: Call) => price(call).map((row) => ({ ...row, price: 99 })));
    await opened.buy();
    await close(opened);
    expect(sum('Subtotal (excludes taxes)')).toBe('$99.00');
    opened.answer('POST /cart/purchase', refused(429, 'rate_limited', { message: 'Wait a moment' }));
    await opened.buy();
    const [first, second] = opened.orders();
    expect([second?.key, second?.body]).toEqual([first?.key, first?.body]);
    expect(dialog().textContent).toContain('Wait a moment');
    expect(stored().sent?.key).toBe(first?.key);
    await close(opened);
    opened.answer('POST /cart/purchase', bought('a.com'));
    await opened.buy();
    expect(opened.orders()[2]?.key).toBe(first?.key);
    expect(screen.getByRole('dialog', { name: 'Success' })).toBeDefined();
  });

  test('is pressed again though its money is held by now: the balance does not stand in its way', async () => {
    const opened = await openCart([domain('a.com')], { 'POST /cart/purchase': silence, [outcome]: silence });
    const held = { ...money, balance: 1_231, held: 1_231, spendable: 0 };
    opened.answer('GET /account/balancev2', held);
    await opened.buy();
    await close(opened);
    await lookAgain(opened);
    expect(sum('Balance after this order')).toBe('…');
    opened.answer('POST /cart/purchase', bought('a.com'));
    await opened.buy();
    expect(opened.orders()).toHaveLength(2);
    expect(screen.getByRole('dialog', { name: 'Success' })).toBeDefined();
  });

  test('is said not to have arrived when nobody can be at work on it any more, and is sent again under its key', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-27T12:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    const opened = await openCart([domain('a.com')], { 'POST /cart/purchase': silence, [outcome]: absent });
    await opened.buy();
    expect(isDisabled('Processing...')).toBe(true);
    vi.setSystemTime('2026-11-27T12:01:25Z');
    await lookAgain(opened);
    expect(isDisabled('Processing...')).toBe(true);
    vi.setSystemTime('2026-11-27T12:01:26Z');
    await lookAgain(opened);
    expect(dialog().textContent).toContain('Your order has not reached us.');
    // A reload asks for it no more.
    expect(stored().sent?.atMs).toBe(0);
    await close(opened);
    await opened.buy();
    expect(new Set(opened.orders().map(({ key }) => key)).size).toBe(1);
    expect(opened.orders()).toHaveLength(2);
  });

  /** Who comes back to the window has everything looked at again. */
  async function lookAgain({ settled }: Pick<Opened, 'settled'>) {
    window.dispatchEvent(new Event('visibilitychange'));
    await settled();
  }

  /** Sent a minute ago, before a name was added. */
  const sent = (more: object = {}): SentOrder => ({
    ...{ key: 'earlier-key', atMs: Date.now() - 60_000, ...more },
    body: {
      ...{ domains: [], domainRenewals: [], domainTransfers: [], certificates: [], price: 12.31 },
    },
  });
  const others = [domain('a.com'), domain('n.com')];

  test('is asked for after a reload, which orders nothing', async () => {
    const kept = { idempotencyKey: 'earlier-key', sent: sent() };
    const opened = await openCart([domain('a.com')], { [outcome]: done(bought('a.com')) }, { kept });
    expect(opened.sent(outcome).map(({ params }) => params)).toEqual([{ key: 'earlier-key' }]);
    expect(screen.getByRole('dialog', { name: 'Success' })).toBeDefined();
    expect(opened.orders()).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['has a result that is shown', done(bought('a.com')), 'Your order has been processed sucessfully!'],
    [
      'is still running',
      { state: 'running', result: null, progress: null },
      'Your earlier order has not been answered yet.',
    ],
    ['cannot be asked for', refused(502, 'upstream_unavailable', { message: 'Not now' }), 'Not now'],
  ])('and %s bars another one with other items', async (_what, answer, message) => {
    const kept = { idempotencyKey: null, sent: sent({ atMs: 0 }) };
    const { buy, orders } = await openCart(others, { [outcome]: answer }, { kept });
    await buy();
    expect(dialog().textContent).toContain(message);
    expect(orders()).toEqual([]);
  });

  test('ends when its repeat is refused for what it holds: the next is another order', async () => {
    const opened = await openCart([domain('a.com')], { 'POST /cart/purchase': silence, [outcome]: silence });
    await opened.buy();
    await close(opened);
    opened.answer('POST /cart/purchase', refused(403, 'daily_limit', { message: 'Above your limit' }));
    opened.answer(outcome, absent);
    await opened.buy();
    expect(dialog().textContent).toContain('Above your limit');
    await close(opened);
    const asked = opened.sent(outcome).length;
    await lookAgain(opened);
    expect(opened.sent(outcome)).toHaveLength(asked);
    await opened.buy();
    const [first, second, third] = opened.orders().map(({ key }) => key);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  test('is asked for before another one is sent, and nothing is sent meanwhile', async () => {
    const asked = new Held();
    const kept = { idempotencyKey: null, sent: sent({ atMs: 0 }) };
    const opened = await openCart(
      others,
      { [outcome]: asked, 'POST /cart/purchase': bought('n.com') },
      { kept },
    );
    await opened.user.dblClick(button('Finalize Purchase'));
    expect(isDisabled('Processing...')).toBe(true);
    expect(opened.orders()).toEqual([]);
    asked.give(absent);
    await opened.settled();
    expect(opened.sent(outcome)).toHaveLength(1);
    expect(opened.orders()).toHaveLength(1);
  });

  test('and has never arrived bars none: the next is another order', async () => {
    const kept = { idempotencyKey: null, sent: sent({ atMs: 0 }) };
    const opened = await openCart(
      others,
      { [outcome]: absent, 'POST /cart/purchase': bought('a.com', 'n.com') },
      { kept },
    );
    await opened.buy();
    const [order] = opened.orders();
    expect(order?.key).not.toBe('earlier-key');
    expect(order?.body).toMatchObject({
      price: 24.62,
      domains: [{ address: 'a.com' }, { address: 'n.com' }],
    });
  });
});

describe('a certificate in the cart', () => {
  test('is added for a new name and its owner with the first product on offer, and once', async () => {
    const opened = await openCart([domain('a.com', { customerId: zeta })]);
    await opened.user.click(button('Add SSL certificate for a.com'));
    expect(stored().items[1]).toEqual({
      ...{ type: 'certificate', address: 'a.com', customerId: zeta, provider: 'RapidSSL' },
      ...{ productType: 'rapidssl', csr: '', csrName: '' },
    });
    expect(screen.queryByRole('button', { name: 'Add SSL certificate for a.com' })).toBeNull();
  });

  test('is not added where nobody knows what it costs, and that is said', async () => {
    const { user } = await openCart([domain('a.com')], { 'GET /ssl/prices': silence });
    await user.click(button('Add SSL certificate for a.com'));
    expect(screen.getByRole('alert').textContent).toBe(
      'Could not get certificate price data, please try again',
    );
    expect(left()).toEqual(['domain a.com']);
  });

  test('takes another product and another signing request, and only its own line does', async () => {
    const other = { ...product, certificate: 'QuickSSL', productType: 'quickssl' };
    const second = { ...certificate, address: 'd.com' } as CartItem;
    const opened = await openCart([certificate, second], {
      'GET /ssl/prices': [product, other],
      'POST /ssl/parsecsr': { csr_data: { domain: 'd.com' } },
    });
    await choose(opened, 'Provider of the certificate for d.com', /QuickSSL/);
    await opened.user.click(line('SSL certificate for d.com').getByRole('button', { name: 'Paste CSR' }));
    // What a signing request begins with.
    const der = btoa(String.fromCharCode(0x30, 5, 0x30, 3, 2, 1, 0));
    await opened.user.click(screen.getByLabelText('CSR'));
    await opened.user.paste(`-----BEGIN CERTIFICATE REQUEST-----\n${der}\n-----END CERTIFICATE REQUEST-----`);
    await opened.user.click(button('Use this CSR'));
    expect(stored().items).toMatchObject([
      { address: 'c.com', productType: 'rapidssl', csr: 'CSR' },
      { address: 'd.com', productType: 'quickssl', csr: expect.stringMatching(der), csrName: 'pasted.csr' },
    ]);
  });
});

describe('customers of the cart', () => {
  test('that cannot be read are said, with the way to read them again', async () => {
    const { user, answer } = await openCart([domain('a.com')], {
      'GET /customer/choices': refused(500, 'internal', { message: 'Broken' }),
    });
    expect(screen.queryByRole('region', { name: 'a.com' })).toBeNull();
    answer('GET /customer/choices', customers);
    await user.click(button('Try again'));
    expect(line('a.com').getByRole('combobox', { name: 'Owner of a.com' })).toHaveProperty('value', 'Acme');
  });

  test('are asked for where there are none', async () => {
    await openCart([domain('a.com', { customerId: null })], { 'GET /customer/choices': [] });
    expect(screen.getByRole('link', { name: 'Add Customer' })).toHaveProperty(
      'href',
      expect.stringMatching(/\/customers\/add$/),
    );
  });
});
