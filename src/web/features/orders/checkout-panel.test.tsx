import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { newDomainItem } from './cart.ts';
import { CheckoutPanel } from './checkout-panel.tsx';
import { priceTable } from './summary.ts';

const item = { ...newDomainItem('a.com'), customerId: 'c-ann' };
const sound = {
  ...{ items: [item], prices: priceTable([{ kind: 'domain', address: 'a.com', price: 12.31 }]) },
  ...{ loading: false, processing: false, customers: new Set(['c-ann']), markups: new Map() },
  ...{ spendableCents: 2_000, mayBuy: true, onFinalize: () => undefined },
};

function shown(change: Partial<typeof sound> = {}) {
  const markup = renderToStaticMarkup(
    <MantineProvider>
      <CheckoutPanel {...sound} {...change} />
    </MantineProvider>,
  );
  const [button = ''] = /<button[^>]*>/.exec(markup) ?? [];
  return { markup, isEnabled: !/\sdisabled(=|\s|>)/.test(button) };
}

test('the order can be finalized when nothing stands in its way', () => {
  const { markup, isEnabled } = shown();
  expect(isEnabled).toBe(true);
  expect(markup).toMatch('Registrations and renewals cannot be undone.');
  for (const sum of ['$12.31', '$20.00', '$7.69']) expect(markup).toMatch(sum);
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
