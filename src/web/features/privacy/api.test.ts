import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { useEraseCustomer, useEraseUser, useFormerCustomers, useFormerUsers } from './api.ts';

test('what ends with a customer or a person who is erased is read again', async () => {
  const shown = [['people', 'users'], ['people', 'invites'], ['tokens'], ['acme', 'list']];
  const former = [
    ['privacy', 'former', 'customers', { page: 2 }],
    ['privacy', 'former', 'users', { page: 1 }],
  ];
  const ofCustomer = await readAgainAfter(useEraseCustomer, [...shown, ...former], (erase) =>
    erase.mutateAsync('id'),
  );
  expect(ofCustomer).toEqual([...shown, ...former]);
  const ofUser = await readAgainAfter(useEraseUser, [...shown, ...former], (erase) =>
    erase.mutateAsync('id'),
  );
  expect(ofUser).toEqual([['people', 'users'], ['people', 'invites'], ['tokens'], ...former]);
});

test.each([
  ['customers', useFormerCustomers],
  ['users', useFormerUsers],
] as const)(
  'the former %s are read again whenever they are opened: somebody may have been removed just now',
  (who, useFormer) => {
    // As in the app: what was read a moment ago is not asked for again.
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: 300_000 } } });
    const query = { page: 1, pageSize: 50, search: 'ann' };
    const read = { rows: [], meta: { total: 0, page: 1, pageSize: 50 } };
    client.setQueryData(['privacy', 'former', who, query], read);
    const found: Found[] = [];
    const screen = createElement(Screen, {
      useFound: () => useFormer(query),
      take: (one: Found) => found.push(one),
    });
    renderToStaticMarkup(createElement(QueryClientProvider, { client }, screen));
    expect(found).toMatchObject([{ data: read, isFetching: true }]);
  },
);

type Found = { data: unknown; isFetching: boolean };

function Screen({ useFound, take }: { useFound: () => Found; take: (found: Found) => unknown }) {
  take(useFound());
  return null;
}
