import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { OwnerChoice } from './owner-choice.tsx';

const ann = { customerId: 'c-ann', organization: 'Ann Ltd' };

/** The choice as it stands when its last reading has failed; `data`: what an earlier one gave. */
function afterFailure(data: readonly object[] | undefined): string {
  const client = new QueryClient({ defaultOptions: { queries: { retryOnMount: false } } });
  const query = client.getQueryCache().build(client, { queryKey: ['customers', 'choices'] });
  query.setState({ data, status: 'error', error: new Error('No answer came.') });
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <MantineProvider>
        <OwnerChoice label="Owner" what="it" value="c-ann" missing={false} onChange={() => undefined} />
      </MantineProvider>
    </QueryClientProvider>,
  );
}

test('a choice whose reading failed says so and can be read again', () => {
  expect(afterFailure(undefined)).toMatch(/No answer came.*Try again/s);
});

test('a choice that was read keeps its place and what was chosen when a later reading fails', () => {
  expect(afterFailure([ann])).toContain('value="Ann Ltd"');
});
