import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { setTokenSource } from '../../lib/api-client.ts';
import { formerQuery, useEraseCustomer, useEraseUser } from './api.ts';

test('what ends with a customer or a person who is erased is read again', async () => {
  const shown = [['people', 'users'], ['people', 'invites'], ['tokens'], ['acme', 'list']];
  const ofCustomer = await readAgainAfter(useEraseCustomer, shown, (erase) => erase.mutateAsync('id'));
  expect(ofCustomer).toEqual(shown);
  const ofUser = await readAgainAfter(useEraseUser, shown, (erase) => erase.mutateAsync('id'));
  expect(ofUser).toEqual([['people', 'users'], ['people', 'invites'], ['tokens']]);
});

test('the former customers and users are read again whenever they are opened: somebody may have been removed just now', async () => {
  const former = { customers: [], users: [{ userId: 'id' }] };
  vi.stubGlobal('fetch', async () => Response.json({ data: former }));
  setTokenSource({ token: async () => 'token', renew: async () => null });
  try {
    // As in the app: what was read a moment ago is not asked for again.
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: 300_000 } } });
    client.setQueryData(formerQuery.queryKey, { customers: [], users: [] });
    const leave = new QueryObserver(client, formerQuery).subscribe(() => undefined);
    await vi.waitFor(() => expect(client.getQueryData(formerQuery.queryKey)).toEqual(former));
    leave();
  } finally {
    vi.unstubAllGlobals();
    setTokenSource({ token: async () => null, renew: async () => null });
  }
});
