import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { asked, id, type Reading, testFiles, testWrites } from '../../../../tests/support/asked.tsx';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { useEraseCustomer, useEraseUser, useExportData, useFormerCustomers, useFormerUsers } from './api.ts';

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

const former: Reading[] = ['formerCustomers', 'formerUsers'];
const people: Reading[] = ['users', 'invites', 'tokens'];

testWrites(
  () => ({ customer: useEraseCustomer(), user: useEraseUser() }),
  [
    [
      'an erasure of a customer',
      ({ customer }) => customer.mutateAsync(id),
      [`POST /privacy/customer/${id}/erasure`],
      [
        ...[...former, ...people],
        ...(['customers', 'choices', 'otherCustomer', 'overview', 'attention', 'attentionCounts'] as const),
        // All that showed its name.
        ...(['account', 'balance', 'statement', 'months', 'earnings', 'recipient', 'renewals'] as const),
        ...(['billingAddress', 'accesses', 'certificates', 'customerCertificates', 'charges'] as const),
        ...(['domains', 'details', 'orders', 'ordersFound'] as const),
      ],
      // Something may be in its way by now.
      ['plan', ...former],
    ],
    [
      'an erasure of a user',
      ({ user }) => user.mutateAsync('u1'),
      ['POST /privacy/user/u1/erasure'],
      [...former, ...people, 'overview'],
      [...former, 'users', 'invites'],
    ],
  ],
);

test('nothing of an erased customer is kept', async () => {
  const { gone } = await asked(useEraseCustomer, (erase) => erase.mutateAsync(id));
  expect(gone).toEqual(['customer', 'customerDomains']);
});

testFiles(
  () => ({
    own: useExportData({ kind: 'own' }),
    customer: useExportData({ kind: 'customer', id }),
    user: useExportData({ kind: 'user', id: 'u1' }),
  }),
  [
    ['own data', ({ own }) => own.mutateAsync('json'), 'GET /privacy/own?format=json'],
    [
      "a customer's data",
      ({ customer }) => customer.mutateAsync('csv'),
      `GET /privacy/customer/${id}?format=csv`,
    ],
    ["a user's data", ({ user }) => user.mutateAsync('csv'), 'GET /privacy/user/u1?format=csv'],
  ],
);
