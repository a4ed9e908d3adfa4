import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { SessionProvider } from '../lib/session.tsx';
import GoToList from './go-to-list.tsx';

const kinds = ['customers', 'domains', 'certificates', 'orders', 'zones'];
const nothing = { rows: [], meta: { total: 0, page: 1, pageSize: 6 } };

/** The list below what somebody has typed, once each kind has answered. `failed`: could not be searched. */
async function shown(text: string, failed: readonly string[]): Promise<string> {
  // As it stands after the answers: nothing is asked again.
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, retryOnMount: false, staleTime: Number.POSITIVE_INFINITY } },
  });
  const permissions = ['customers.create', 'domains.read', 'orders.read', 'orders.purchase'];
  client.setQueryData(['profile'], { permissions });
  for (const kind of kinds) {
    const answer = kind === 'zones' ? [] : nothing;
    await client.prefetchQuery({
      queryKey: [kind, 'matches', text],
      queryFn: async () => {
        if (failed.includes(kind)) throw new Error('no');
        return answer;
      },
    });
  }
  const history = createMemoryHistory({ initialEntries: ['/'] });
  const router = createRouter({ routeTree: createRootRoute(), history });
  const none = () => undefined;
  return renderToStaticMarkup(
    <RouterContextProvider router={router as never}>
      <QueryClientProvider client={client}>
        <SessionProvider config={{ appType: 'msp' } as never}>
          <GoToList
            id="list"
            text={text}
            first="go"
            buying={false}
            keys={{ current: null }}
            onActive={none}
            onBuy={none}
            onClose={none}
            onDone={none}
          />
        </SessionProvider>
      </QueryClientProvider>
    </RouterContextProvider>,
  );
}

const statusOf = (markup: string) => /role="status" class="([^"]*)">([^<]*)/.exec(markup)?.slice(1);

test('a search that found nothing says so only where everything could be searched', async () => {
  expect(statusOf(await shown('no such thing', []))?.[1]).toBe('Nothing found');
  for (const kind of kinds) {
    expect(statusOf(await shown('no such thing', [kind]))?.[1]).toBe(
      'Not everything could be searched. Please try again.',
    );
  }
});

test('with matches of other kinds what could not be searched is said below them, for everybody to see', async () => {
  const [hidden, count] = statusOf(await shown('orders', [])) ?? [];
  expect(count).toMatch(/^\d+ match/);
  const [seen, said] = statusOf(await shown('orders', ['customers'])) ?? [];
  expect(said).toMatch(/^Not everything could be searched/);
  expect(seen).not.toBe(hidden);
});
