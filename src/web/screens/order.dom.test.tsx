import { describe, expect, test, vi } from 'vitest';
import { transferStarted } from '#contracts/values/outcome-texts.ts';
import {
  type Answers,
  file,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { useBalance } from '../features/billing/api.ts';
import OrderScreen from './order.tsx';

const item = (n: number, state: string, more: object = {}) => ({
  ...{ itemId: uuid(50 + n), kind: 'domain', address: `n${n}.com`, customerId: uuid(21), customer: 'Acme' },
  ...{ period: 1, price: 12.31, refunded: 0, state, error: null, registrarOrderId: null, orderId: uuid(41) },
  ...{ updatedAt: '2026-11-20T12:00:00Z', nextCheckAt: null, ...more },
});
const order = (items: object[], more: object = {}) => ({
  ...{ orderId: uuid(41), state: 'partial', total: 50, charged: 12.31, createdAt: '2026-11-20T12:00:00Z' },
  ...{ by: 'Ann', items, ...more },
});
const [get, receipt, balance] = ['GET /order/:id', 'GET /order/:id/receipt', 'GET /account/balancev2'];
const open = (answer: unknown, answers: Answers = {}) =>
  openScreen(OrderScreen, {
    ...{ route: '/orders/$orderId', path: `/orders/${uuid(41)}` },
    answers: { [get]: answer, ...answers },
  });
const rows = () => within(screen.getByRole('list', { name: 'Items' })).getAllByRole('listitem');
function BesideTheBalance() {
  useBalance();
  return <OrderScreen />;
}

describe('an order shows', () => {
  test('its state, who ordered it, and what is charged and reserved', async () => {
    const { sent } = await open(
      order([
        item(1, 'succeeded'),
        item(2, 'pending', { price: 9.99 }),
        item(3, 'queued', { orderId: uuid(42) }),
      ]),
    );
    expect(sent(get).map(({ params }) => params)).toEqual([{ id: uuid(41) }]);
    const figures = screen.getByLabelText('Order', { selector: ':not(nav)' }).textContent;
    expect(figures).toContain('Partly completed');
    expect(figures).toMatch(/Nov 20, 2026.*by Ann/);
    expect(figures).toMatch(/\$12\.31.*from your balance/);
    // What another order pays for is reserved there.
    expect(figures).toMatch(/\$9\.99.*until it is decided/);
  });

  test('a long refusal of many items folded in each of them, and what the portal says of its own whole', async () => {
    const error = 'The registry refuses. '.repeat(20);
    await open(order([item(1, 'declined', { error }), item(2, 'declined', { error }), item(3, 'review')]));
    const folded = rows().map((row) => within(row).queryAllByRole('button', { name: /^Show all: / }).length);
    expect(folded).toEqual([1, 1, 0]);
  });

  test('what was paid back, and a former user', async () => {
    await open(order([item(1, 'succeeded', { refunded: 12.31 })], { charged: 0, by: '' }));
    const figures = screen.getByLabelText('Order', { selector: ':not(nav)' }).textContent;
    expect(figures).toMatch(/\$0\.00.*after \$12\.31 was paid back/);
    expect(figures).toContain('by a former user');
    expect(rows()[0]?.textContent).toContain('Paid back');
    expect(rows()[0]?.textContent).toContain('$12.31 was paid back to your balance.');
  });

  test.each<[string, object, string[]]>([
    ['queued', {}, ['Waiting', 'Waiting to be sent to the registrar. Funds are reserved.']],
    ['sending', {}, ['Being sent', 'Being sent to the registrar. Funds are reserved.']],
    ['pending', {}, ['In progress', 'the registry has not finished yet']],
    ['pending', { kind: 'transfer' }, ['In progress', transferStarted, 'Transfer, 1 year · Acme']],
    [
      'unknown',
      { nextCheckAt: '2026-11-21T12:00:00Z' },
      ['Being confirmed', 'never buys anything twice', 'Next check'],
    ],
    [
      'review',
      {},
      [
        ...['Under review', 'Funds stay reserved; you are charged only if it succeeded.'],
        'You do not need to do anything. If you order it again, it joins this order',
      ],
    ],
    ['succeeded', { period: 2 }, ['Done', 'Done and charged.', 'Registration, 2 years · Acme', '$12.31']],
    [
      'declined',
      { error: 'The name is taken', registrarOrderId: '4711' },
      ['Not done', 'The name is taken. The reserved funds were given back.', 'Registrar order 4711'],
    ],
    ['pending', { orderId: uuid(42) }, ['Bought in an earlier order, and charged there']],
  ])('an item that is %s %j', async (state, more, texts) => {
    await open(order([item(1, state, more)]));
    for (const text of texts) expect(rows()[0]?.textContent).toContain(text);
    const earlier = screen.queryByRole('link', { name: /^Bought in an earlier order/ });
    expect(earlier?.getAttribute('href')).toBe('orderId' in more ? `/orders/${uuid(42)}` : undefined);
  });

  test.each([
    ['unknown', 2_000],
    ['queued', 2_000],
    ['pending', 30_000],
    ['review', 30_000],
    ['declined', null],
  ])('an item that is %s, and what became of it after another look in %s ms', async (state, ms) => {
    const every = vi.fn((_look: () => void, _ms?: number) => 1);
    vi.stubGlobal('setInterval', every);
    const { answer, settled, sent } = await open(order([item(1, state)]));
    const looks = every.mock.calls.filter(([, pause]) => pause === 2_000 || pause === 30_000);
    expect(looks.map(([, pause]) => pause)).toEqual(ms === null ? [] : [ms]);
    answer(get, order([item(1, 'succeeded')]));
    looks[0]?.[0]();
    await settled();
    expect(rows()[0]?.textContent?.includes('Done and charged.')).toBe(ms !== null);
    expect(sent(get)).toHaveLength(ms === null ? 1 : 2);
  });

  test.each([
    ['pending', 1],
    ['succeeded', 2],
  ])('what an end changes elsewhere, too: an item that is %s by now', async (state, readings) => {
    const every = vi.fn((_look: () => void, _ms?: number) => 1);
    vi.stubGlobal('setInterval', every);
    const { answer, settled, sent } = await openScreen(BesideTheBalance, {
      ...{ route: '/orders/$orderId', path: `/orders/${uuid(41)}` },
      answers: {
        [get]: order([item(1, 'unknown')]),
        [balance]: { balance: 0, pendingBalance: 0, held: 0, spendable: 0 },
      },
    });
    answer(get, order([item(1, state)]));
    every.mock.calls.find(([, ms]) => ms === 2_000)?.[0]();
    await settled();
    expect([sent(get), sent(balance)].map(({ length }) => length)).toEqual([2, readings]);
  });

  test('that there is none at this address', async () => {
    await open(refused(404, 'not_found'));
    expect(screen.getByText('Order not found')).toBeDefined();
  });

  test('that it could not be read, until it is read again', async () => {
    const { user, answer } = await open(refused(500, 'internal', { message: 'Broken' }));
    expect(screen.getByRole('alert').textContent).toContain('Broken');
    answer(get, order([item(1, 'succeeded')]));
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(rows()).toHaveLength(1);
  });
});

describe('the receipt', () => {
  test('is of this order, asked for once, and handed to the browser', async () => {
    const held = new Held();
    const { user, sent, saved, settled } = await open(order([item(1, 'succeeded')]), { [receipt]: held });
    await user.dblClick(screen.getByRole('button', { name: 'Receipt' }));
    expect(screen.getByRole('button', { name: 'Preparing...' })).toHaveProperty('disabled', true);
    expect(sent(receipt).map(({ params }) => params)).toEqual([{ id: uuid(41) }]);
    held.give(file('receipt.pdf'));
    await settled();
    expect(saved()).toEqual(['receipt.pdf']);
    // Who has it may have it once more.
    await user.click(screen.getByRole('button', { name: 'Receipt' }));
    expect(sent(receipt)).toHaveLength(2);
  });

  test('that cannot be made says why, and can be tried again', async () => {
    const { user, answer, saved } = await open(order([item(1, 'succeeded')]), { [receipt]: silence });
    await user.click(screen.getByRole('button', { name: 'Receipt' }));
    expect(screen.getByRole('alert').textContent).toBe('Something went wrong');
    answer(receipt, file('receipt.pdf'));
    await user.click(screen.getByRole('button', { name: 'Receipt' }));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(saved()).toEqual(['receipt.pdf']);
  });

  test.each([
    ['nothing was charged', [item(1, 'pending')]],
    ['another order has charged it', [item(1, 'succeeded', { orderId: uuid(42) })]],
  ])('is not offered where %s', async (_what, items) => {
    await open(order(items));
    expect(screen.queryByRole('button', { name: 'Receipt' })).toBeNull();
  });
});
