import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { newDomainItem } from './cart.ts';
import { CheckoutPanel } from './checkout-panel.tsx';
import { priceTable } from './summary.ts';

const item = { ...newDomainItem('a.com'), customerId: 'c-ann' };
const sound = {
  ...{ items: [item], prices: priceTable([{ kind: 'domain', address: 'a.com', price: 12.31 }]) },
  ...{
    loading: false,
    processing: false,
    progress: null,
    sent: false,
    customers: new Set(['c-ann']),
    markups: new Map(),
  },
  stopped: [] as string[],
  ...{ mayBuy: true, onFinalize: () => undefined },
  balance: balanceOf({ spendable: 2_000 }),
};

function balanceOf(data: { spendable: number } | undefined, error: Error | null = null) {
  return { data, error, refetch: () => undefined };
}

function shown(change: Partial<typeof sound> = {}) {
  const markup = renderToStaticMarkup(
    <MantineProvider>
      <CheckoutPanel {...sound} {...change} />
    </MantineProvider>,
  );
  const [button = ''] = /<button[^>]*purchase-hint[^>]*>/.exec(markup) ?? [];
  return {
    markup,
    text: markup.replace(/<style.*?<\/style>|<[^>]+>/gs, ' ').replace(/\s+/g, ' '),
    isEnabled: !/\sdisabled(=|\s|>)/.test(button),
  };
}

test('the order can be finalized when nothing stands in its way', () => {
  const { markup, isEnabled } = shown();
  expect(isEnabled).toBe(true);
  expect(markup).toMatch('Registrations and renewals cannot be undone.');
  for (const sum of ['$12.31', '$20.00', '$7.69']) expect(markup).toMatch(sum);
});

test('an order of transfers alone is not said to be one of registrations', () => {
  const items = [{ type: 'transfer' as const, address: 't.com', registration: 1, autoRenew: false }].map(
    (transfer) => ({ ...transfer, customerId: 'c-ann', EPPCode: 'Code-123' }),
  );
  const prices = priceTable([{ kind: 'transfer', address: 't.com', price: 12.31 }]);
  const { text, isEnabled } = shown({ items, prices } as never);
  expect(isEnabled).toBe(true);
  expect(text).not.toContain('cannot be undone');
});

test.each([
  ['was never read', undefined],
  ['was read before', { spendable: 100 }],
])(
  'a balance that cannot be read is told and can be read again, and the server decides whether it covers the order: it %s',
  (_when, data) => {
    const { text, isEnabled } = shown({ balance: balanceOf(data, new Error('No answer came back.')) });
    expect(text).toContain('Your balance could not be read. No answer came back. Try again');
    expect(text).toContain('Your order is placed only if your balance covers it.');
    // What it was before may be wrong by now.
    expect(text).not.toMatch(/Balance after this order|\$1\.00/);
    expect(isEnabled).toBe(true);
  },
);

test('while the balance is being read its lines are there, without sums', () => {
  const { text } = shown({ balance: balanceOf(undefined) });
  expect(text).toMatch(/Your balance … Balance after this order …/);
  expect(text).not.toContain('Try again');
});

test('of items that were sent the balance after them is not guessed: their money may be reserved already', () => {
  const { text } = shown({ processing: true, sent: true });
  expect(text).toMatch(/Your balance \$20\.00 Balance after this order …/);
});

test('of an order that takes long it is said how far it is', () => {
  expect(shown({ processing: true }).markup).not.toContain('progressbar');
  const { text, markup } = shown({ processing: true, progress: { done: 12, of: 131 } } as never);
  expect(text).toContain('12 of 131 items');
  expect(markup).toContain('aria-valuetext="12 of 131 items"');
});

test.each([
  ['a person who may not buy', { mayBuy: false }],
  ['prices that are being read', { loading: true }],
  ['an order that runs', { processing: true }],
  ['an owner who is missing', { items: [{ ...item, customerId: 'c-gone' }] }],
  ['an empty cart', { items: [] }],
])('"Finalize Purchase" is disabled for %s', (_what, change) => {
  expect(shown(change).isEnabled).toBe(false);
});

test('says for whom direct billing is stopped, before the balance pays for them', () => {
  expect(shown().text).not.toContain('disputed');
  const { text, isEnabled } = shown({ stopped: ['Blue Fig Ltd', 'Ann Smith'] });
  expect(text).toContain(
    'Blue Fig Ltd and Ann Smith disputed a payment and cannot be charged. Your balance pays, and what you buy for them stays open under Direct billing.',
  );
  expect(isEnabled).toBe(true);
});
