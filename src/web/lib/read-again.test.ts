import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { changedByOrders, readAgain } from './read-again.ts';

test('after an order what shows money, names, or what is ordered is read again, and nothing else', async () => {
  const client = new QueryClient();
  const changed = [
    ...[
      ['account', 'balance'],
      ['account', 'account'],
      ['attention', 'list'],
      ['cart', 'prices', []],
    ],
    ...[['certificates', 'list'], ['customers', 'list'], ['direct-charges'], ['domains', 'list'], ['moves']],
    ...[['orders', 'list'], ['orders', 'matches', 'a'], ['overview'], ['transfers', 'a.com']],
  ];
  // The order itself is just being read when its end is found out.
  const kept = [['orders', 'one', 'id'], ['cart', 'outcome', 'key'], ['profile'], ['dns', 'a.com', 'zone']];
  for (const key of [...changed, ...kept]) client.setQueryData(key, 'shown');
  await readAgain(client, ...changedByOrders);
  const again = [...changed, ...kept].filter((key) => client.getQueryState(key)?.isInvalidated);
  expect(again).toEqual(changed);
});
