import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { CertificateItem } from './cart.ts';
import { CartLine } from './cart-line.tsx';

const item: CertificateItem = {
  ...{ type: 'certificate', address: 'a.com', customerId: 'c-ann', provider: 'RapidSSL' },
  ...{ productType: 'rapidssl', csr: 'csr', csrName: 'a.csr' },
};
const price = { kind: 'certificate', address: 'a.com', price: 12.31 } as const;
const sound: Parameters<typeof CartLine>[0] = {
  ...{ item, price, running: undefined, remark: null, disabled: false, ownerShared: false },
  ...{ customers: [{ value: 'c-ann', label: 'Ann' }] },
  ...{ certificateChoices: () => 'Choices', addCertificate: () => null },
};
const shown = (change: Partial<typeof sound> = {}) =>
  renderToStaticMarkup(
    <MantineProvider>
      <CartLine {...sound} {...change} />
    </MantineProvider>,
  ).replace(/<[^>]+>/g, ' ');
const remark = { type: 'certificate', address: 'a.com' };

test('an item of the cart shows its price, or why there is none', () => {
  expect(shown()).toContain('$12.31');
  const text = shown({ price: { ...price, error: 'Not for sale' } });
  expect(text).toContain('Not for sale');
  expect(text).not.toContain('$12.31');
});

test.each([
  ['refuses it', { ...remark, message: 'This CSR is for elsewhere.com', refused: true }],
  ['has another price for it', { ...remark, message: 'It was $12.31 and is $15 now.', refused: false }],
])('what the server says when it %s stands at the item', (_what, said) => {
  expect(shown({ remark: said })).toContain(said.message);
  expect(shown()).not.toContain(said.message);
});
