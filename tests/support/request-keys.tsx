import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { vi } from 'vitest';
import { setTokenSource } from '../../src/web/lib/api-client.ts';

/** What the portal says to a try; `silence`: nobody knows what became of it. */
type Answer = 'done' | 'refused' | 'broken' | 'silence';

interface Act<Wish> {
  mutateAsync: (wish: Wish) => Promise<unknown>;
}

/**
 * Tries to have wishes done by the hook of one screen, each when the answer to the one before is on it, and returns the numbers of
 * the requests that were sent: two tries with the same idempotency key are the same request.
 */
export async function requestsSent<Wish>(
  useAct: () => Act<Wish>,
  tries: readonly (readonly [wish: Wish, answer: Answer])[],
  /** What the portal says of a wish that is done. */
  data: unknown = {},
): Promise<number[]> {
  const keys: (string | null)[] = [];
  vi.stubGlobal('fetch', async (_url: string, { method, headers }: RequestInit) => {
    // The look whether the portal is there at all.
    if (method !== 'POST') return Response.json({ data: {} });
    const answer = tries[keys.length]?.[1];
    keys.push(new Headers(headers).get('idempotency-key'));
    if (answer === 'silence') throw new TypeError('fetch failed');
    if (answer === 'refused') return Response.json({ code: 'unprocessable', message: 'No' }, { status: 422 });
    if (answer === 'broken') return Response.json({ code: 'internal', message: 'No' }, { status: 500 });
    return Response.json({ data });
  });
  setTokenSource({ token: async () => 'token', renew: async () => null });
  try {
    const client = new QueryClient();
    const taken = Promise.withResolvers<Act<Wish>>();
    renderToStaticMarkup(
      <QueryClientProvider client={client}>
        <Screen useAct={useAct} take={taken.resolve} />
      </QueryClientProvider>,
    );
    const act = await taken.promise;
    const mutations = client.getMutationCache();
    for (const [wish] of tries) {
      const [earlier] = mutations.getAll();
      // Sent again as the hook sends it. The hook itself takes it for a second press: nothing is drawn again here.
      const sent = earlier ? mutations.build(client, earlier.options).execute(wish) : act.mutateAsync(wish);
      await sent.catch(() => undefined);
    }
    const different = [...new Set(keys)];
    return keys.map((key) => (key === null ? 0 : 1 + different.indexOf(key)));
  } finally {
    vi.unstubAllGlobals();
    setTokenSource({ token: async () => null, renew: async () => null });
  }
}

function Screen<Wish>({ useAct, take }: { useAct: () => Act<Wish>; take: (act: Act<Wish>) => void }) {
  take(useAct());
  return null;
}
