import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, test, vi } from 'vitest';
import { setTokenSource } from '../../lib/api-client.ts';
import {
  useActs,
  useCorrections,
  useDecideCorrection,
  useEndDomain,
  useGiveDomain,
  useMe,
  usePrices,
  useQueue,
  useReconciliation,
  useRecovery,
  useRegistrarAccount,
  useRetry,
  useSetPrices,
  useSettleFinding,
  useStartReconciliation,
} from './api.ts';
import { KeyContext } from './key-context.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  setTokenSource({ token: async () => null, renew: async () => null });
});

const given = {
  ...{ domain: 'lost.com', organizationId: 'o', organization: 'Acme', customerId: 'c', reason: 'Lost' },
};

function useAll() {
  for (const read of [useQueue, useRegistrarAccount, useRecovery, usePrices, useMe, useCorrections, useActs])
    read();
  useReconciliation(false);
  const [retry, end, compare, settle] = [
    ...([useRetry(), useEndDomain(), useStartReconciliation(), useSettleFinding()] as const),
  ];
  const [prices, decide, give] = [useSetPrices(), useDecideCorrection(), useGiveDomain()];
  return [
    () => retry.mutateAsync({ kind: 'review', id: 'i' }),
    () => end.mutateAsync({ id: 'd', reason: 'Left' }),
    () => give.mutateAsync(given),
    () => compare.mutateAsync(),
    () => settle.mutateAsync({ id: 'f', reason: 'Charged' }),
    () => prices.mutateAsync({ entries: [], note: '' }),
    () => decide.mutateAsync({ id: 'c', verdict: 'confirm' }),
    () => decide.mutateAsync({ id: 'c', verdict: 'decline' }),
  ];
}

function Inside({ take }: { take: (all: ReturnType<typeof useAll>) => void }) {
  take(useAll());
  return null;
}

test('all that an operator reads and does is asked for with their own key, also where somebody is signed in', async () => {
  const keys = new Map<string, string | null>();
  vi.stubGlobal('fetch', async (url: string, { method, headers }: RequestInit) => {
    keys.set(`${method} ${url}`, new Headers(headers).get('authorization'));
    return Response.json({ data: {} });
  });
  setTokenSource({ token: async () => 'token-of-ann', renew: async () => null });
  const client = new QueryClient();
  let acts: ReturnType<typeof useAll> = [];
  const take = (all: ReturnType<typeof useAll>) => {
    acts = all;
  };
  renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <KeyContext value={{ key: 'key-of-ben', leave: () => undefined }}>
        <Inside take={take} />
      </KeyContext>
    </QueryClientProvider>,
  );
  for (const query of client.getQueryCache().getAll()) await query.fetch();
  for (const act of acts) await act();
  // Eight readings and eight acts, of which one has the address of a reading with another method.
  expect(keys.size).toBe(16);
  expect(new Set(keys.values())).toEqual(new Set(['Bearer key-of-ben']));
});
