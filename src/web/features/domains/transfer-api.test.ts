import { expect, test } from 'vitest';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { changedByTransfer, useCancelTransferOf, useTransfer } from './transfer-api.ts';

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
  // A look of its own would be asked for in the midst of it.
  expect(changedByTransfer(running, completed)).not.toContainEqual(['transfers']);
});

test('after a cancellation what was released is read again, with the transfer itself', async () => {
  const shown = [...paid, ['transfers', domain], ['moves']];
  expect(await readAgainAfter(useCancelTransferOf, shown, (cancel) => cancel.mutateAsync(domain))).toEqual(
    shown,
  );
});
