import { expect, test, vi } from 'vitest';
import { type Reading, testWrites } from '../../../../tests/support/asked.tsx';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { useOpenPaymentSetup, useReleaseCharge, useRetryCharge, useSettleCharge } from './api.ts';

/** Whatever the portal says: it may have been paid, or settled by somebody else. */
const changed: Reading[] = ['charges', 'overview', 'attention', 'attentionCounts'];

const customers: Reading[] = ['choices', 'customer', 'customerDomains', 'customers', 'otherCustomer'];

testWrites(
  () => ({ retry: useRetryCharge(), settle: useSettleCharge(), release: useReleaseCharge() }),
  [
    [
      'another try of a charge',
      ({ retry }) => retry.mutateAsync('c1'),
      ['POST /direct-charge/c1/retry'],
      ...([changed, changed] as const),
    ],
    [
      'a charge that is settled',
      ({ settle }) => settle.mutateAsync({ id: 'c1', note: 'Paid by bank transfer' }),
      ['POST /direct-charge/c1/settle', { note: 'Paid by bank transfer' }],
      ...([changed, changed] as const),
    ],
    [
      'charges that are allowed again',
      ({ release }) => release.mutateAsync({ id: 'c1', disputed: 5 }),
      ['POST /direct-charge/c1/release', { disputed: 5 }],
      ...([[...changed, ...customers], changed] as const),
    ],
  ],
);

test('the page for storing a payment method is asked for by the mailed token, and opened', async () => {
  const opened = Promise.withResolvers<string>();
  const lines: string[] = [];
  await readAgainAfter(useOpenPaymentSetup, [], async (open) => {
    vi.stubGlobal('window', { location: { assign: opened.resolve } });
    vi.stubGlobal('fetch', async (url: string, { method }: RequestInit) => {
      lines.push(`${method} ${url}`);
      return Response.json({ data: { url: 'https://pay.test/setup' } });
    });
    // It stays under way: the page is being left.
    void open.mutateAsync('token-of-the-mail');
    expect(await opened.promise).toBe('https://pay.test/setup');
  });
  expect(lines).toEqual(['POST /api/payment-setup/token-of-the-mail']);
});
