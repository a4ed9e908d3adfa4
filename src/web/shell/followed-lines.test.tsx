import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { CustomerImport } from '#contracts/operations/customer-import.ts';
import { ImportLine } from './followed-lines.tsx';

/** The line of an import that was begun, as it stands on another screen. */
function shown(state: CustomerImport['state']): string {
  const client = new QueryClient();
  client.setQueryData(['customer-imports', 'one', 'i'], {
    ...{ importId: 'i', fileName: 'customers.csv', state, progress: { done: 3, total: 1_200 } },
  });
  const history = createMemoryHistory({ initialEntries: ['/'] });
  const router = createRouter({ routeTree: createRootRoute(), history });
  return renderToStaticMarkup(
    <RouterContextProvider router={router as never}>
      <QueryClientProvider client={client}>
        <MantineProvider>
          <ImportLine id="i" />
        </MantineProvider>
      </QueryClientProvider>
    </RouterContextProvider>,
  ).replace(/<[^>]+>/g, ' ');
}

test.each([
  ['importing', /customers\.csv.*3 of 1,200 customers.*Details/s],
  ['done', /customers\.csv\s+imported\s+See the result/],
  ['ready', /customers\.csv\s+not imported: please review it again\s+See the result/],
  ['discarded', /customers\.csv\s+not imported: it was discarded\s+See the result/],
] as const)('the line of an import that is %s says so', (state, text) => {
  expect(shown(state)).toMatch(text);
});
