import { expect, test, vi } from 'vitest';
import { asked, testWrites } from '../../../../tests/support/asked.tsx';
import { useOpenPaymentAccount, useRefreshPaymentAccount } from './payment-account.ts';

testWrites(useRefreshPaymentAccount, [
  [
    'a look at the payment account',
    (refresh) => refresh.mutateAsync(undefined),
    ['POST /account/refresh'],
    [
      ...(['account', 'balance', 'statement', 'months', 'earnings', 'recipient'] as const),
      ...(['renewals', 'billingAddress', 'profile'] as const),
    ],
    [],
  ],
]);

test('the set-up page of the provider is asked for when it is opened, and the page leaves for it', async () => {
  const left = Promise.withResolvers<string>();
  vi.stubGlobal('window', { location: { assign: left.resolve } });
  const open = async (act: ReturnType<typeof useOpenPaymentAccount>) => {
    act.mutate(undefined);
    await left.promise;
  };
  const { sent, again } = await asked(useOpenPaymentAccount, open, () =>
    Response.json({ data: { link: 'https://pay.test/once' } }),
  );
  expect(sent).toEqual([['GET /account/link']]);
  expect(again).toEqual([]);
  expect(await left.promise).toBe('https://pay.test/once');
});
