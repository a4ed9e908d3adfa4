import { describe, expect, test, vi } from 'vitest';
import { asked, type Reading, refused, testWrites } from '../../../../tests/support/asked.tsx';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { useOpenPaymentSetup, useReleaseCharge, useRetryCharge, useSettleCharge } from './api.ts';

/** Whatever the portal says: it may have been paid, or settled by somebody else. */
const changed: Reading[] = ['charges', 'overview', 'attention', 'attentionCounts'];

const customers: Reading[] = ['choices', 'customer', 'customerDomains', 'customers', 'otherCustomer'];

const seen = { disputed: 5, disputedAt: '2026-11-21T12:00:00Z' };

testWrites(
  () => ({ settle: useSettleCharge(), release: useReleaseCharge() }),
  [
    [
      'a charge that is settled',
      ({ settle }) => settle.mutateAsync({ id: 'c1', note: 'Paid by bank transfer' }),
      ['POST /direct-charge/c1/settle', { note: 'Paid by bank transfer' }],
      ...([changed, changed] as const),
    ],
    [
      'charges that are allowed again',
      ({ release }) => release.mutateAsync({ chargeId: 'c1', ...seen }),
      ['POST /direct-charge/c1/release', seen],
      ...([[...changed, ...customers], changed] as const),
    ],
  ],
);

describe('another try of a charge', () => {
  /** What the portal answers, one after the other. */
  async function retried(...answers: (() => Response)[]) {
    const left = [...answers];
    let failure: Error | null = null;
    const act = (retry: ReturnType<typeof useRetryCharge>) =>
      retry.mutateAsync('c1').catch((error: Error) => {
        failure = error;
      });
    const { sent, again } = await asked(useRetryCharge, act, () => (left.shift() ?? silence)());
    return { sent, again: again.sort(), failure: (failure as Error | null)?.message ?? null };
  }
  const silence = () => {
    throw new TypeError('fetch failed');
  };
  const charge = (state: string, attempts: number, error: string | null = null) => ({
    ...{ chargeId: 'c1', state, attempts, error },
  });
  const begun = () => Response.json({ data: charge('failed', 1, 'Expired.') });
  const shown = (now: object) => () =>
    Response.json({ data: [{ ...now, chargeId: 'c0', state: 'waived' }, now] });
  const lines = [['POST /direct-charge/c1/retry'], ['GET /direct-charge?chargeId=c1']];

  test('is done when it was paid, and shows what it changes', async () => {
    const done = { sent: lines, again: [...changed].sort(), failure: null };
    expect(await retried(begun, shown(charge('succeeded', 2)))).toEqual(done);
  });

  test('that is declined again fails with the reason, and shows what it changes', async () => {
    const failure = 'The charge failed. Your card was declined.';
    const declined = shown(charge('failed', 2, 'Your card was declined.'));
    expect(await retried(begun, declined)).toEqual({ sent: lines, again: [...changed].sort(), failure });
  });

  test.each([refused(422, 'unprocessable'), silence])(
    'that was not begun is not waited for',
    async (answer) => {
      const { sent, again } = await retried(answer as () => Response);
      expect({ sent, again }).toEqual({ sent: lines.slice(0, 1), again: [...changed].sort() });
    },
  );
});

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
