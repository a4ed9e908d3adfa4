import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { vi } from 'vitest';
import { setTokenSource } from '../../src/web/lib/api-client.ts';
import { eventually } from './eventually.ts';

interface SentRequest {
  method: string;
  path: string;
  body: unknown;
}

interface Portal {
  /** What the portal says to each request; of a portal that takes everything unless given. */
  answer?: (request: SentRequest) => Response | Promise<Response>;
  client?: QueryClient;
}

/** Acts by the hook of one screen, as it is drawn first, and returns what it sent to the portal. */
export async function sentBy<Acts>(
  useActs: () => Acts,
  act: (acts: Acts) => unknown,
  { answer = () => Response.json({ data: {} }), client = new QueryClient() }: Portal = {},
): Promise<SentRequest[]> {
  const requests: SentRequest[] = [];
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', body }: RequestInit = {}) => {
    const path = new URL(url, 'https://portal.test').pathname;
    const request = { method, path, body: typeof body === 'string' ? JSON.parse(body) : null };
    requests.push(request);
    return answer(request);
  });
  setTokenSource({ token: async () => 'token', renew: async () => null });
  try {
    const taken = Promise.withResolvers<Acts>();
    renderToStaticMarkup(
      <QueryClientProvider client={client}>
        <Screen useActs={useActs} take={taken.resolve} />
      </QueryClientProvider>,
    );
    await act(await taken.promise);
    // What the hook sends without handing out a promise of it.
    await eventually(() => {
      if (client.isMutating() > 0) throw new Error('A write has no answer yet.');
    });
    return requests;
  } finally {
    vi.unstubAllGlobals();
    setTokenSource({ token: async () => null, renew: async () => null });
  }
}

function Screen<Acts>({ useActs, take }: { useActs: () => Acts; take: (acts: Acts) => void }) {
  take(useActs());
  return null;
}
