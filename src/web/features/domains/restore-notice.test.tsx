import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import { RestoreNotice } from './restore-notice.tsx';

/** The notice when the last reading of the price has failed; `lines`: what an earlier one gave. */
function afterFailure(lines: readonly object[] | undefined): string {
  const client = new QueryClient({ defaultOptions: { queries: { retryOnMount: false } } });
  const body = [{ address: 'a.com', period: 1, kind: 'redemption' }];
  const query = client.getQueryCache().build(client, { queryKey: ['cart', 'prices', body] });
  query.setState({ data: lines, status: 'error', error: new Error('No answer came.') });
  const details = { domain: 'a.com', restorable_until: '2026-12-20T12:00:00Z' } as DomainDetails;
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <MantineProvider>
        <RestoreNotice details={details} mayBuy spendableCents={null} />
      </MantineProvider>
    </QueryClientProvider>,
  ).replace(/<style.*?<\/style>|<[^>]+>/gs, ' ');
}

test('where the price of a restoration could not be read, it can be read again: the time for it is short', () => {
  expect(afterFailure(undefined)).toMatch(/No answer came.*Try again/s);
});

test('a price that was read stays an offer when a later reading fails', () => {
  expect(afterFailure([{ address: 'a.com', kind: 'redemption', price: 80 }])).toContain('Restore for $80.00');
});
