import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { SessionProvider } from '../../src/web/lib/session.tsx';

/** A screen as it is drawn first, with what the client has read. Dialogs are not part of it. */
export async function screenMarkup(component: ComponentType, client: QueryClient): Promise<string> {
  const root = createRootRoute();
  const screen = createRoute({ getParentRoute: () => root, path: '$domain', component: component as never });
  const history = createMemoryHistory({ initialEntries: ['/acme.com'] });
  const router = createRouter({ routeTree: root.addChildren([screen]), history });
  await router.load();
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <SessionProvider config={{ appType: 'msp' } as never}>
        <MantineProvider>
          <RouterProvider router={router as never} />
        </MantineProvider>
      </SessionProvider>
    </QueryClientProvider>,
  );
}
