import { describe, expect, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import {
  type Answers,
  openScreen,
  paged,
  refused,
  screen,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import OrdersScreen from './orders.tsx';

const item = (kind: string, address: string) => ({
  ...{ itemId: uuid(51), kind, address, customerId: uuid(21), customer: 'Acme', period: 1, price: 12.31 },
  ...{ refunded: 0, state: 'succeeded', error: null, registrarOrderId: null, orderId: uuid(41) },
  ...{ updatedAt: '2026-11-20T12:00:00Z', nextCheckAt: null },
});
const order = (n: number, state: string, more: object = {}) => ({
  ...{ orderId: uuid(40 + n), state, total: 1_234.5, charged: 12.31, createdAt: '2026-11-20T12:00:00Z' },
  ...{ by: 'Ann', items: [item('domain', `n${n}.com`)], ...more },
});
const open = (answers: Answers = {}, search = '') =>
  openScreen(OrdersScreen, {
    ...{ route: '/orders', path: `/orders${search}` },
    answers: { 'GET /order': paged([]), 'GET /view': [], ...answers },
  });

test('each order says what it was, its state and its sums, and leads to it', async () => {
  const rows = [
    order(1, 'held', {
      items: [item('transfer', 'a.com'), item('domain', 'b.com'), item('domain', 'c.com')],
    }),
    ...[order(2, 'running'), order(3, 'settled'), order(4, 'partial'), order(5, 'failed', { items: [] })],
  ];
  const { sent } = await open({ 'GET /order': paged(rows) });
  expect(sent('GET /order')[0]?.query).toMatchObject({ page: '1', pageSize: '50', sort: '-createdAt' });
  const shown = within(screen.getByRole('table', { name: 'Orders' }))
    .getAllByRole('row')
    .slice(1);
  expect(shown.map((row) => within(row).getByRole('link').getAttribute('href'))).toEqual(
    rows.map(({ orderId }) => `/orders/${orderId}`),
  );
  expect(shown.map((row) => within(row).getByRole('link').textContent)).toEqual([
    ...['Transfer of a.com and 2 more', 'Registration of n2.com', 'Registration of n3.com'],
    ...['Registration of n4.com', 'Order'],
  ]);
  const states = ['Waiting', 'In progress', 'Completed', 'Partly completed', 'Not completed'];
  for (const [n, state] of states.entries()) expect(shown[n]?.textContent).toContain(state);
  const cells = within(shown[0] as HTMLElement)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent);
  expect(cells.slice(-2)).toEqual(['$1,234.50', '$12.31']);
  expect(cells[2]).toBe('Ann');
});

test('the list is sorted and searched by the portal', async () => {
  const { user, sent, path } = await open({ 'GET /order': paged([order(1, 'settled')]) }, '?search=acme.com');
  expect(sent('GET /order')[0]?.query).toMatchObject({ search: 'acme.com' });
  await user.click(screen.getByRole('button', { name: /^Total/ }));
  expect(sent('GET /order').at(-1)?.query).toMatchObject({ search: 'acme.com', sort: 'total' });
  expect(path()).toContain('sort=total');
});

test.each([
  [50, ['1']],
  [51, ['1', '2']],
])('of %i orders the pages are asked for: %j, the next one ahead', async (total, pages) => {
  const { sent } = await open({ 'GET /order': paged([order(1, 'settled')], { total }) });
  expect(sent('GET /order').map(({ query }) => query.page)).toEqual(pages);
});

describe('another page', () => {
  const from = (search: string) =>
    open({ 'GET /order': paged([order(1, 'settled')], { total: 120, page: 2 }) }, search);

  test('is in the address, with what was searched for and how it is sorted', async () => {
    const { user, sent, path } = await from('?search=acme.com&sort=total');
    await user.click(screen.getByRole('button', { name: 'next page' }));
    expect(path()).toBe('/orders?search=acme.com&sort=total&page=2');
    expect(sent('GET /order').map(({ query }) => query)).toContainEqual(
      expect.objectContaining({ page: '2', search: 'acme.com', sort: 'total' }),
    );
  });

  test('is left for the first one by another order, the other way round with a second press', async () => {
    const { user, path } = await from('?page=2&search=acme.com');
    const total = () => user.click(screen.getByRole('button', { name: /^Total/ }));
    await total();
    expect(path()).toBe('/orders?search=acme.com&sort=total');
    await total();
    expect(path()).toBe('/orders?search=acme.com&sort=-total');
  });

  test('is left for the first one by another search; an emptied search leaves the address', async () => {
    const { user, sent, path } = await from('?page=2&search=acme.com');
    const field = screen.getByRole('textbox', { name: 'Search by domain' });
    await user.clear(field);
    await user.type(field, 'b');
    await eventually(() => expect(path()).toBe('/orders?search=b'));
    expect(sent('GET /order').at(-1)?.query).toMatchObject({ search: 'b' });
    await user.clear(field);
    await eventually(() => expect(path()).toBe('/orders'));
  });
});

test('no orders lead to the search for names', async () => {
  await open();
  expect(screen.getByText('No orders yet')).toBeDefined();
  expect(screen.getByText(/are listed here, with what they cost/)).toBeDefined();
  expect(screen.getByRole('link', { name: 'Search for domains' }).getAttribute('href')).toBe('/domains');
});

test('a search without a hit says so, and offers to show all', async () => {
  const { user, path } = await open({}, '?search=zeta.com');
  expect(screen.getByText('No orders found for this domain')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Clear search and filters' }));
  expect(path()).toBe('/orders');
});

test('orders that cannot be read are read again', async () => {
  const { user, answer } = await open({ 'GET /order': refused(500, 'internal', { message: 'Broken' }) });
  expect(screen.getByText('Broken')).toBeDefined();
  answer('GET /order', paged([order(1, 'settled')]));
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.getByText('Registration of n1.com')).toBeDefined();
});
