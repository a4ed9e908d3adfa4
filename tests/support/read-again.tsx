import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { vi } from 'vitest';
import { setTokenSource } from '../../src/web/lib/api-client.ts';

type Key = readonly unknown[];

/**
 * Does an act of a feature's hooks on a portal that takes everything, and returns which of the queries that were on screens are
 * asked again after it. `answer`: of a portal that takes nothing.
 */
export async function readAgainAfter<Acts>(
  useActs: () => Acts,
  shown: readonly Key[],
  act: (acts: Acts) => Promise<unknown>,
  answer: () => Response = () => Response.json({ data: {} }),
): Promise<Key[]> {
  vi.stubGlobal('fetch', async () => answer());
  setTokenSource({ token: async () => 'token', renew: async () => null });
  try {
    const client = new QueryClient();
    for (const key of shown) client.setQueryData(key, []);
    const taken = Promise.withResolvers<Acts>();
    renderToStaticMarkup(
      <QueryClientProvider client={client}>
        <Screen useActs={useActs} take={taken.resolve} />
      </QueryClientProvider>,
    );
    await act(await taken.promise);
    return shown.filter((key) => client.getQueryState(key)?.isInvalidated);
  } finally {
    vi.unstubAllGlobals();
    setTokenSource({ token: async () => null, renew: async () => null });
  }
}

function Screen<Acts>({ useActs, take }: { useActs: () => Acts; take: (acts: Acts) => void }) {
  take(useActs());
  return null;
}
