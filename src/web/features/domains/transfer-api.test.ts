import { expect, test } from 'vitest';
import { asked, ofOrders, testWrites } from '../../../../tests/support/asked.tsx';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import {
  changedByTransfer,
  lookAgainMs,
  useCancelTransfer,
  useCancelTransferOf,
  useCheckTransfer,
  useTransfer,
} from './transfer-api.ts';

const domain = 'acme.com';
const paid = [
  ...[
    ['account', 'balance'],
    ['orders', 'list'],
    ['customers', 'list'],
    ['domains', 'list'],
  ],
  ...[['overview'], ['attention']],
];

test('when a transfer ends, the money, the orders, the customers and the domains are read again', async () => {
  const ended = () => Response.json({ data: { domain, state: 'completed', nameservers: {} } });
  const look = (transfer: ReturnType<typeof useTransfer>) => transfer.refetch();
  expect(await readAgainAfter(() => useTransfer(domain), paid, look, ended)).toEqual(paid);
});

test('while it runs nothing else is read again, and once it has ended only the domains', () => {
  const running = { state: 'running' } as const;
  const completed = { state: 'completed' } as const;
  expect(changedByTransfer(undefined, running)).toEqual([]);
  expect(changedByTransfer(running, running)).toEqual([]);
  expect(changedByTransfer(completed, completed)).toEqual([['domains'], ['overview']]);
  // It ended while it was watched: what its order has changed is shown elsewhere.
  expect(changedByTransfer(running, completed)).toEqual(
    expect.arrayContaining([['account'], ['orders', 'list']]),
  );
  // A look of its own would be asked for in the midst of it.
  expect(changedByTransfer(running, completed)).not.toContainEqual(['transfers']);
});

test('a transfer is looked at again while it runs, and soon after its end until its nameservers were compared', () => {
  const after = (state: 'running' | 'completed' | 'failed', before: string[] | null, kept: boolean | null) =>
    lookAgainMs({ state, nameservers: { before, after: null, kept } });
  expect([after('running', null, null), after('running', ['ns1.a.net'], null)]).toEqual([15_000, 15_000]);
  expect(after('completed', ['ns1.a.net'], null)).toBe(3_000);
  for (const kept of [true, false]) expect(after('completed', ['ns1.a.net'], kept)).toBe(false);
  // Nothing is compared with what nobody saw.
  expect([after('completed', null, null), after('completed', [], null)]).toEqual([false, false]);
  expect([after('failed', ['ns1.a.net'], null), lookAgainMs(undefined)]).toEqual([false, false]);
  // Somebody has cancelled it, and waits to see that.
  const nameservers = { before: null, after: null, kept: null };
  expect(lookAgainMs({ state: 'running', nameservers }, true)).toBe(3_000);
  expect(lookAgainMs({ state: 'failed', nameservers }, true)).toBe(false);
});

test('after a cancellation what was released is read again, with the transfer itself', async () => {
  const shown = [...paid, ['transfers', domain], ['moves']];
  expect(await readAgainAfter(useCancelTransferOf, shown, (cancel) => cancel.mutateAsync(domain))).toEqual(
    shown,
  );
});

testWrites(
  () => ({ check: useCheckTransfer(), cancel: useCancelTransferOf() }),
  [
    [
      'a check of a transfer',
      ({ check }) => check.mutateAsync(domain),
      ['POST /domain/transfer/check', { domain }],
      ...([[], []] as const),
    ],
    [
      'a cancellation',
      ({ cancel }) => cancel.mutateAsync(domain),
      ['POST /domain/transfer/cancel', { domain }],
      ...([ofOrders, ofOrders] as const),
    ],
  ],
);

test('the transfer of a screen is cancelled as one of several is', async () => {
  const arrived = Promise.withResolvers<void>();
  const cancel = (act: ReturnType<typeof useCancelTransfer>) => {
    act.mutate(undefined);
    return arrived.promise;
  };
  const { sent } = await asked(
    () => useCancelTransfer(domain),
    cancel,
    () => {
      arrived.resolve();
      return Response.json({ data: {} });
    },
  );
  expect(sent).toEqual([['POST /domain/transfer/cancel', { domain }]]);
});
